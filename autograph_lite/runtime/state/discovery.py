"""Discovery: which Variables may a function use? Those that its closure, globals, instance and arguments lead to.

Looked for before the first trace, so that it has them as inputs; what is overlooked, a trace finds, and the function is
traced again with it. Likewise the iterators: no function may take items of them.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Iterable, Iterator
from typing import Any

import jax
import numpy as np

from autograph_lite.operators.object_graph import held_items, imports, places, python_iterators, reachability
from autograph_lite.operators.object_graph.reachability import each_once, names_used
from autograph_lite.operators.user_code import ownership
from autograph_lite.operators.values import instances
from autograph_lite.operators.values.boxes import Whole
from autograph_lite.operators.values.place import Place
from autograph_lite.runtime.state.variable import Variable
from autograph_lite.syntax import codes

_WRAPPERS = (
    "autograph_lite",
    "jax",
    "jaxlib",
)  # of the user's functions, in what `convert` and `jax.jit` give
_PLAIN = (str, bytes, int, float, complex, type(None), type, types.ModuleType, jax.Array, np.ndarray)


def variables_around(roots: Iterable[Any]) -> list[Variable]:
    """The Variables that can be reached from `roots`, each once, in the order in which they are met."""
    return [item for item in _around(roots) if isinstance(item, Variable) and not item._copied]


def iterators_around(roots: Iterable[Any]) -> list[Iterator[Any]]:
    """The iterators of Python's that can be reached from `roots`."""
    return [item for item in _around(roots) if python_iterators.is_pythons(item)]


def places_in(roots: Iterable[Any]) -> Iterator[Place]:
    """Where the user's objects and variables hold something."""
    for item in reachability.all_reachable(roots):
        if isinstance(item, types.CellType):
            continue  # its function is there, too, which has the name
        if isinstance(item, types.FunctionType):
            for name, cell in zip(item.__code__.co_freevars, item.__closure__ or (), strict=True):
                yield places.cell_place(cell, name)
            names, module = names_used(item.__code__), item.__globals__
            modules = [vars(module[name]) for name in names if isinstance(module.get(name), types.ModuleType)]
            imported = [*imports.modules(item.__code__, module)]
            for each in (module, *modules, *(vars(other) for other, _ in imported)):
                yield from (places.global_place(each, name) for name in names if name in each)
            for other, parts in imported:
                yield from (places.global_place(vars(other), part) for part in parts if part in vars(other))
        elif not isinstance(item, (types.ModuleType, np.ndarray)):
            yield from places.object_places(item)


def items_in(value: Any, depth: int = 8) -> Iterator[Any]:
    """A value, and what lists, tuples and dicts hold in it; to a depth, as they may hold themselves."""
    yield value
    if depth and isinstance(value, (list, tuple, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from items_in(item, depth - 1)


def _around(roots: Iterable[Any]) -> Iterator[Any]:
    todo = [*roots][::-1]
    for item in each_once(todo, _PLAIN):
        yield item
        if not isinstance(item, Variable) and not held_items.are_all(item, _is_plain):
            todo += _inside(item)[::-1]


def _is_plain(kind: type) -> bool:
    return issubclass(kind, _PLAIN)


def _inside(item: Any) -> list[Any]:
    if hasattr(
        type(item), "python_function"
    ):  # a mock object has whatever it is asked for, a new mock each time
        return [item.python_function]
    match item:
        case types.FunctionType():
            return _of_function(item)
        case types.MethodType():
            return [item.__self__, item.__func__]
        case functools.partial():
            return [item.func, *item.args, *item.keywords.values()]
        case list() | tuple() | set() | frozenset():
            return [*item]
        case dict():
            return [*item.values()]
        case types.SimpleNamespace():
            return [*vars(item).values()]
    if type(item).__module__.partition(".")[0] in _WRAPPERS:
        inner = [getattr(item, name, None) for name in ("python_function", "__wrapped__")]
        if any(inner):
            return inner
    if isinstance(item, Whole) or ownership.is_users_class(type(item)):
        held = [*instances.held_by(item).values()]
        method = getattr(type(item), "__call__", None)  # noqa: B004 (the function is wanted)
        return [*held, method] if isinstance(method, types.FunctionType) else held
    return []


def _of_function(fn: types.FunctionType) -> list[Any]:
    found = [*codes.defaults(fn), *codes.closure_variables(fn).values()]
    names = names_used(fn.__code__)
    found += [value for name, value in fn.__globals__.items() if name in names]
    found += imports.values(fn.__code__, fn.__globals__)
    return [
        value for value in found if not isinstance(value, types.FunctionType) or ownership.is_users(value)
    ]
