"""Methods of items: what does `groups[k].append(x)` do where a traced value decides which list it is? It appends to that one.

    groups[k].append(x)                   if k == 0: groups[0].append(x)
                                          if k == 1: groups[1].append(x)

So each of the lists gets a length that only the data knows.

    list.__len__(xs), xs.__getitem__(i)   len(xs), xs[i]; so are the functions of `operator`
"""

from __future__ import annotations

import collections
import functools
import operator
from collections.abc import Callable
from typing import Any

from autograph_lite.converters.python_ops import Undefined
from autograph_lite.operators.branches.definedness import assigned
from autograph_lite.operators.branches.if_stmt import if_part
from autograph_lite.operators.calls.calls import call
from autograph_lite.operators.items import subscripts
from autograph_lite.operators.object_graph.places import CONTAINERS
from autograph_lite.operators.python import builtins, logical
from autograph_lite.operators.values.boxes import unboxed
from autograph_lite.operators.values.one_of import OneOf, on_each
from autograph_lite.operators.values.values import any_traced


def method_of_item(base: Any, index: Any, name: str) -> Callable[..., Any]:
    """`base[index].name`, a method that changes a container."""
    index = unboxed(index)
    if type(index) is OneOf and type(base) in (list, tuple, dict):
        return functools.partial(_of_each_index, base, index, name)
    items = base.values() if isinstance(base, dict) else base if type(base) in (list, tuple) else ()
    if any_traced([index]) and items and all(type(item) in CONTAINERS for item in items):
        found = subscripts.places_of_item(base, index)
        if found is not None:
            return functools.partial(_of_the_one, base, *found, name)
    return getattr(subscripts.item(base, index), name)  # type: ignore[no-any-return]


def _of_each_index(base: Any, index: OneOf, name: str, *args: Any, **kwargs: Any) -> Any:
    return on_each(lambda at: call(method_of_item(base, at, name))(*args, **kwargs), index, acts=True)


def _of_the_one(base: Any, keys: list[Any], position: Any, name: str, *args: Any, **kwargs: Any) -> Any:
    """Calls the method of the item whose place among the keys is the position."""
    result: Any = Undefined("the result")
    for number, key in enumerate(keys):
        act = _acting(base[key], name, args, kwargs)
        result = if_part(position == number, act, _kept, (result,), ("the result",))
    return assigned(result)


def _acting(item: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Callable[[Any], Any]:
    return lambda _: call(getattr(item, name))(*args, **kwargs)


def _kept(result: Any) -> Any:
    return result


def _of_slot(python: Any, operate: Callable[..., Any]) -> Callable[..., Any]:
    """A method of a class of Python's as the operator that calls it; of the user's, which may have another, as it is."""

    def run(owner: Any, *args: Any) -> Any:
        is_pythons = type(owner) in _OWNERS and (operate not in _COMPARING or type(args[0]) is type(owner))
        return operate(owner, *args) if is_pythons else python(owner, *args)

    return run


def _has(owner: Any, item: Any) -> Any:
    return logical.in_(item, owner)


def _write(owner: Any, index: Any, value: Any) -> None:
    subscripts.set_item(owner, index, value)


_OWNERS = (list, tuple, dict, set, frozenset, collections.deque)
_COMPARING = (logical.equal, logical.not_equal)
_SLOTS: dict[str, Callable[..., Any]] = {
    "__len__": builtins.len_, "__getitem__": subscripts.item, "__setitem__": _write, "__contains__": _has,
    "__eq__": logical.equal, "__ne__": logical.not_equal,
}  # fmt: skip
OVERLOADS: dict[Any, Any] = {
    python: _of_slot(python, operate)
    for kind in _OWNERS
    for name, operate in _SLOTS.items()
    if (python := vars(kind).get(name)) is not None
} | {
    operator.eq: logical.equal,
    operator.ne: logical.not_equal,
    operator.getitem: subscripts.item,
    operator.contains: _has,
}
