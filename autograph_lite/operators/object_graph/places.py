"""Places: which in the user's objects did a staged body write to, and what was there before?

A place is an object that Python changes in place: an instance, a list, a dict, a set, an array of NumPy's, a closure
cell, a module's global. Converted code notes a place before it writes (`ag.record`), the journal keeps what was in it,
and after the body was traced puts that back. So nothing is left in a user's object when tracing fails, a mutation by a
callee is never lost, and code that mutates nothing pays nothing.
"""

from __future__ import annotations

import collections
import inspect
import threading
import types
import warnings
from collections.abc import Callable, Hashable
from functools import partial
from typing import Any

import numpy as np

from autograph_lite.jax_internals.references import storages
from autograph_lite.operators.object_graph import context_variables, opaque_objects
from autograph_lite.operators.values.boxes import Box
from autograph_lite.operators.values.instances import attributes_of, object_slots, slot_contents
from autograph_lite.operators.values.place import MISSING, Contents, Place


def object_places(owner: Any) -> list[Place]:
    """The places that `owner` consists of: its items or its array, its attributes, its slots."""
    whole = owner.place if isinstance(owner, Box) else _whole(owner)
    if isinstance(owner, (types.ModuleType, type)):
        return [whole] if whole is not None else []
    found = [whole] if whole is not None else []
    attributes = attributes_of(owner)
    of_thread = isinstance(owner, threading.local)  # whichever thread asks has its own
    name = type(owner).__name__
    # `self.__dict__ = self`: the items are the attributes.
    if attributes is not None and attributes is not owner:
        found.append(
            Place(
                owner,
                lambda: dict(_now(owner, attributes).items()),
                lambda new: _set_attributes(owner, attributes, new),
                lambda k: f"{name}.{k}",
                default=lambda k: _class_attribute(type(owner), k),
                attributes=None if of_thread else attributes,
                part="thread" if of_thread else "",
            )
        )
    if object_slots(owner):
        found.append(
            Place(
                owner,
                lambda: slot_contents(owner),
                lambda new: _set_slots(owner, new),
                lambda k: f"{name}.{k}",
                part="slots",
            )
        )
    return found


def containers_in(owner: Any) -> list[Any]:
    """The containers in which an object keeps what it holds, those in them included."""
    found: list[Any] = []
    todo = list((attributes_of(owner) or {}).values())
    while todo:
        item = todo.pop()
        if type(item) in CONTAINERS and not any(item is known for known in found):
            found.append(item)
            todo += item.values() if isinstance(item, dict) else item
    return found


CONTAINERS = (list, dict, set, collections.deque)


def _set_attributes(owner: Any, attributes: dict[str, Any], new: Contents) -> None:
    if isinstance(owner, threading.local):
        attributes = threading.local.__getattribute__(owner, "__dict__")
    elif attributes_of(owner) is not attributes:  # code has given it another `__dict__`
        object.__setattr__(owner, "__dict__", attributes)
    _set_dict(attributes, new)


def _now(owner: Any, before: dict[str, Any]) -> dict[str, Any]:
    """The `__dict__` that an object has now: code may have given it another."""
    now = attributes_of(owner)
    return before if now is None else now


def _whole(owner: Any) -> Place | None:
    """The place of what is in an object of Python's or NumPy's; None where it has attributes at most."""
    for kind, read, write, shown in _KINDS:
        if isinstance(owner, kind):
            return Place(owner, partial(read, owner), partial(write, owner), shown)
    if isinstance(owner, np.ndarray):
        array = storages.base_of(owner)
        return Place(array, partial(_array, array), partial(_set_ndarray, array), lambda k: "a NumPy array")
    if isinstance(owner, np.flatiter):
        return _whole(owner.base)
    if isinstance(owner, (types.ModuleType, type)):
        read, write = _NAMESPACES[isinstance(owner, type)]
        return Place(owner, partial(read, owner), partial(write, owner), lambda k: f"{owner.__name__}.{k}")
    return context_variables.context_variable_place(owner) or opaque_objects.opaque_place(owner)


def cell_place(cell: types.CellType, name: str) -> Place:
    """The variable that a closure cell holds."""

    def read() -> Contents:
        try:
            return {name: cell.cell_contents}
        except ValueError:
            return {}

    def write(new: Contents) -> None:
        if name in new:
            cell.cell_contents = new[name]
        elif read():
            del cell.cell_contents

    return Place(cell, read, write, lambda _: name)


def global_place(module: dict[str, Any], name: str, shown: str = "") -> Place:
    """A global variable; messages call it `shown`, or by its name."""

    def read() -> Contents:
        return {name: module[name]} if name in module else {}

    def write(new: Contents) -> None:
        if name in new:
            module[name] = new[name]
        else:
            module.pop(name, None)

    return Place((module, name), read, write, lambda _: shown or name)


def _array(owner: np.ndarray[Any, Any]) -> Contents:
    return {"array": owner.copy()}


def _set_list(owner: list[Any], new: Contents) -> None:
    list.__setitem__(owner, slice(None), [new[i] for i in range(len(new))])


def _set_dict(owner: dict[Any, Any], new: Contents) -> None:
    base: Any = collections.OrderedDict if isinstance(owner, collections.OrderedDict) else dict
    if list(owner) != list(new):  # the order of the keys is part of what a dict is
        for key in list(owner):
            base.__delitem__(owner, key)
    for key, value in new.items():
        base.__setitem__(owner, key, value)


def _set_set(owner: set[Any], new: Contents) -> None:
    owner.clear()
    owner.update(new["set"])


def _set_deque(owner: collections.deque[Any], new: Contents) -> None:
    owner.clear()
    owner.extend(new[i] for i in range(len(new)))


def _set_bytes(owner: bytearray, new: Contents) -> None:
    owner[:] = new["bytes"]


def _set_ndarray(owner: np.ndarray[Any, Any], new: Contents) -> None:
    before: np.ndarray[Any, Any] = new["array"]
    if (owner.dtype, owner.shape) != (before.dtype, before.shape):
        _recast(owner, before)
    if owner.flags.writeable or owner.tobytes() != before.tobytes():
        owner[...] = before


def _recast(owner: np.ndarray[Any, Any], before: np.ndarray[Any, Any]) -> None:
    """Gives an array the dtype and the shape that it had; NumPy 2.5 warns of whoever sets these."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        if owner.dtype != before.dtype:
            owner.dtype = before.dtype  # type: ignore[misc]
        if owner.size != before.size:
            owner.resize(before.shape, refcheck=False)
        if owner.shape != before.shape:
            owner.shape = before.shape


def _class_attribute(kind: type, name: Hashable) -> Any:
    """What an object shows under a name that it has not set itself, where that is plain data of its class."""
    found = inspect.getattr_static(kind, str(name), MISSING)
    return MISSING if hasattr(type(found), "__get__") else found


def _set_slots(owner: Any, new: Contents) -> None:
    """Sets attributes where they are stored, past a `__setattr__` that may refuse or do more."""
    now = slot_contents(owner)
    for name, slot in object_slots(owner).items():
        if name in new:
            slot.__set__(owner, new[name])
        elif name in now:
            slot.__delete__(owner)


def _class_contents(owner: type) -> Contents:
    return {k: v for k, v in vars(owner).items() if not (k.startswith("__") and k.endswith("__"))}


def _set_class(owner: type, new: Contents) -> None:
    now = _class_contents(owner)
    for name in now:
        if name not in new:
            type.__delattr__(owner, str(name))
    for name, value in new.items():
        if now.get(name, MISSING) is not value:
            type.__setattr__(owner, str(name), value)


_KINDS: tuple[
    tuple[type, Callable[[Any], Contents], Callable[[Any, Contents], None], Callable[[Hashable], str]], ...
] = (
    (list, lambda owner: dict(enumerate(owner)), _set_list, lambda k: f"a list's item {k}"),
    (dict, dict, _set_dict, lambda k: f"a dict's item {k!r}"),
    (set, lambda owner: {"set": frozenset(owner)}, _set_set, lambda k: "a set"),
    (collections.deque, lambda owner: dict(enumerate(owner)), _set_deque, lambda k: f"a deque's item {k}"),
    (bytearray, lambda owner: {"bytes": bytes(owner)}, _set_bytes, lambda k: "a bytearray"),
)
_NAMESPACES: tuple[tuple[Callable[[Any], Contents], Callable[[Any, Contents], None]], ...] = (
    (lambda owner: {**vars(owner)}, lambda owner, new: _set_dict(vars(owner), new)),
    (_class_contents, _set_class),
)
