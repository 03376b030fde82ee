"""Which places in the user's objects did a staged body write to, and what was there before?

A place is an object that Python changes in place: an instance, a list, a dict, a set, an array of NumPy's, a closure
cell, a module's global. Converted code notes a place before it writes (`ag.record`), the journal keeps what was in it,
and after the body was traced puts that back. So nothing is left in a user's object when tracing fails, a mutation by a
callee is never lost, and code that mutates nothing pays nothing.
"""

from __future__ import annotations

import collections
import dataclasses
import inspect
import types
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from autograph_lite.operators import spelling

MISSING = type("MISSING", (), {"__repr__": lambda self: "MISSING"})()
Contents = dict[Hashable, Any]


@dataclasses.dataclass(frozen=True)
class Place:
    """An object that is changed in place.

    Attributes:
      owner: the object.
      read: its contents, as a new dictionary from keys (attribute names, indices, ...) to values.
      write: makes its contents equal to such a dictionary.
      shown: how a message calls a key's place where the user's source does not tell.
      ours: whether it is state of this package, which is there before any body runs.
      default: what is seen under a key that is not there: the class's attribute; MISSING if nothing is.
    """

    owner: Any
    read: Callable[[], Contents]
    write: Callable[[Contents], None]
    shown: Callable[[Hashable], str]
    ours: bool = False
    default: Callable[[Hashable], Any] = lambda _: MISSING

    def label(self, key: Hashable) -> spelling.Label:
        """How the user calls a key's place."""
        return spelling.label(self.owner, key, self.shown(key))


def place_of(owner: Any) -> Place | None:
    """The place that `owner` is; None for what can't be changed, or can't be followed."""
    if isinstance(owner, list):
        return Place(
            owner,
            lambda: dict(enumerate(owner)),
            lambda new: _set_list(owner, new),
            lambda k: f"a list's item {k}",
        )
    if isinstance(owner, dict):
        return Place(
            owner, lambda: dict(owner), lambda new: _set_dict(owner, new), lambda k: f"a dict's item {k!r}"
        )
    if isinstance(owner, set):
        return Place(
            owner, lambda: {"set": frozenset(owner)}, lambda new: _set_set(owner, new), lambda k: "a set"
        )
    if isinstance(owner, collections.deque):
        return Place(
            owner,
            lambda: dict(enumerate(owner)),
            lambda new: _set_deque(owner, new),
            lambda k: f"a deque's item {k}",
        )
    if isinstance(owner, bytearray):
        return Place(
            owner,
            lambda: {"bytes": bytes(owner)},
            lambda new: _set_bytes(owner, new),
            lambda k: "a bytearray",
        )
    if isinstance(owner, np.ndarray):
        return Place(
            owner,
            lambda: {"array": owner.copy()},
            lambda new: _set_ndarray(owner, new),
            lambda k: "a NumPy array",
        )
    if isinstance(owner, types.ModuleType):
        return Place(
            owner,
            lambda: _items(vars(owner)),
            lambda new: _set_dict(vars(owner), new),
            lambda k: f"{owner.__name__}.{k}",
        )
    if isinstance(owner, type):
        return Place(
            owner,
            lambda: _class_contents(owner),
            lambda new: _set_class(owner, new),
            lambda k: f"{owner.__name__}.{k}",
        )
    if hasattr(owner, "__dict__") or _slots(type(owner)):
        name = type(owner).__name__
        return Place(
            owner,
            lambda: _attributes(owner),
            lambda new: _set_attributes(owner, new),
            lambda k: f"{name}.{k}",
            default=lambda k: _class_attribute(type(owner), k),
        )
    return None


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


def global_place(module: dict[str, Any], name: str) -> Place:
    """A global variable."""

    def read() -> Contents:
        return {name: module[name]} if name in module else {}

    def write(new: Contents) -> None:
        if name in new:
            module[name] = new[name]
        else:
            module.pop(name, None)

    return Place((module, name), read, write, lambda _: name)


def _items(of: dict[str, Any]) -> Contents:
    return dict(of.items())


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
    owner[...] = new["array"]


def _slots(kind: type) -> list[str]:
    found: list[str] = []
    for base in kind.__mro__:
        slots = base.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            mangled = (
                f"_{base.__name__.lstrip('_')}{name}"
                if name.startswith("__") and not name.endswith("__")
                else name
            )
            if mangled not in ("__dict__", "__weakref__") and isinstance(
                base.__dict__.get(mangled), types.MemberDescriptorType
            ):
                found.append(mangled)
    return found


def _attributes(owner: Any) -> Contents:
    contents: Contents = dict(getattr(owner, "__dict__", {}))
    for name in _slots(type(owner)):
        try:
            contents[name] = object.__getattribute__(owner, name)
        except AttributeError:
            continue
    return contents


def _class_attribute(kind: type, name: Hashable) -> Any:
    """What an object shows under a name that it has not set itself, where that is plain data of its class."""
    found = inspect.getattr_static(kind, str(name), MISSING)
    return MISSING if hasattr(type(found), "__get__") else found


def _set_attributes(owner: Any, new: Contents) -> None:
    """Sets attributes where they are stored, past a `__setattr__` that may refuse or do more."""
    slots = set(_slots(type(owner)))
    for name in slots:
        if name in new:
            object.__setattr__(owner, name, new[name])
        elif name in _attributes(owner):
            object.__delattr__(owner, name)
    if hasattr(owner, "__dict__"):
        _set_dict(owner.__dict__, {k: v for k, v in new.items() if k not in slots})


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
