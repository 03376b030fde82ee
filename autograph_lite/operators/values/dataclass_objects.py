"""Dataclasses are structures, as tuples and dicts are: two paths may leave different ones of a class.

    p = Point(x, y) if c else Point(y, x)     a new Point, of the joined x and the joined y

Objects of other classes are structures, too, once a loop or a branch has made new ones of a class, and those of a dataclass
are objects that keep their identity, once one that a traced value has chosen is written to: the function is traced once
more then. JAX takes an object that nobody has registered for a leaf. So before a value is taken apart, its dataclasses are put
into nodes that JAX can take apart, and that come back as the objects themselves.
"""

from __future__ import annotations

import abc
import collections
from collections.abc import Callable
from typing import Any

from autograph_lite.operators.user_code import ownership
from autograph_lite.operators.values import instances, pytrees
from autograph_lite.operators.values.boxes import Whole
from autograph_lite.tracing import thread


def is_record(value: Any) -> bool:
    """Whether `value` is a dataclass object that JAX takes for a leaf, or one of a class that is taken for one here."""
    kind = type(value)
    if not hasattr(kind, "__dataclass_fields__"):
        return _is_turned(kind)
    return not isinstance(value, Whole)


def is_structure(value: Any) -> bool:
    """Whether two paths may leave different objects like `value`, and the program goes on with a new one."""
    return is_record(value) and not (hasattr(type(value), "__dataclass_fields__") and _is_turned(type(value)))


def _is_turned(kind: type) -> bool:
    """Whether objects of a class are not taken for what they are at first."""
    known = thread.now.program
    return known is not None and bool(known.told) and class_key(kind) in known.told


def class_key(kind: type) -> Any:
    """A class, or where it is defined if a function makes it, which makes another one in each trace."""
    return kind if "<locals>" not in kind.__qualname__ else (kind.__module__, kind.__qualname__)


def may_be_record(kind: type) -> bool:
    """Whether objects of a class of the user's are what they hold, and nothing runs where an attribute is written."""
    plain = all(
        getattr(kind, name, None) is getattr(object, name, None)
        for name in ("__new__", "__getattribute__", "__setattr__", "__delattr__", "__del__", "__reduce__")
    )
    return plain and type(kind) in (type, abc.ABCMeta) and ownership.is_users_class(kind)


def is_frozen(record: Any) -> bool:
    """Whether assignments change nothing in an object."""
    parameters = getattr(type(record), "__dataclass_params__", None)
    return parameters is not None and parameters.frozen


def flatten_dataclasses(value: Any) -> tuple[list[Any], Any]:
    """The leaves of a value and its structure, where dataclass objects are no leaves, but what is in them.

    One that holds itself, or leads to one that does, stays a leaf: it has no end as a tree. Dicts keep the order of their keys.
    """
    return pytrees.flatten(pytrees.parted(value, _ends, _node_of))


def _ends(node: Any) -> bool:
    return isinstance(node, Whole) or pytrees.is_iterator(node)


def _node_of(leaf: Any) -> pytrees.Held | None:
    return dataclass_node(leaf) if is_structure(leaf) else pytrees.dict_node(leaf)


def object_leaves(
    value: Any, is_leaf: Callable[[Any], bool] | None = None, *, deques: bool = False
) -> list[Any]:
    """The leaves of a value, and the dataclass objects in it, each once, with the leaves of what they, and deques, hold."""
    found: list[Any] = []
    seen: set[int] = set()
    todo = [value]
    while todo:
        new = pytrees.leaves(todo.pop(), is_leaf)
        found += [leaf for leaf in new if id(leaf) not in seen]
        kinds = (collections.deque,) if deques else ()
        inside = {
            id(leaf): leaf
            for leaf in new
            if (is_record(leaf) or type(leaf) in kinds) and id(leaf) not in seen
        }
        seen.update(inside)
        for owner in inside.values():
            todo += owner if type(owner) in kinds else instances.held_by(owner).values()
    return found


def dataclass_node(owner: Any) -> pytrees.Held:
    """A dataclass object as a node of a pytree."""
    held = instances.held_by(owner)
    return pytrees.Held(list(held.values()), rebuild_dataclass, (type(owner), tuple(held)))


def rebuild_dataclass(kind_and_names: Any, values: Any) -> Any:
    """An object of a class with these attributes."""
    kind, names = kind_and_names
    whole = object.__new__(kind)
    for name, value in zip(names, values, strict=True):
        object.__setattr__(whole, name, value)
    return whole
