"""Deep copies: how is a function copied, with state of its own? With its closure and defaults, and without its module.

def make():
    count = Variable(0)

    def step(x):
        count.assign_add(1)
        return x * count

    return step

`deep_copy(make(), {})` counts on a Variable of its own. Globals are those of the module: a copy reads and writes the same.
"""

from __future__ import annotations

import copy
import functools
import types
from collections.abc import Callable
from typing import Any

import jax

from autograph_lite.syntax import codes

Memo = dict[int, Any]  # as of `copy.deepcopy`: what was copied, by id; it keeps these objects alive, too


def deep_copy(value: Any, memo: Memo) -> Any:
    """A deep copy of a value, of functions' closures too, which Python shares; arrays of JAX's never change, and are shared.

    What Python can't copy (a module, a lock, an open file) is shared.
    """
    if id(value) in memo:
        return memo[id(value)]
    match value:
        case types.FunctionType():
            return _remembered(value, _function(value, memo), memo)
        case types.MethodType():
            return types.MethodType(deep_copy(value.__func__, memo), deep_copy(value.__self__, memo))
        case functools.partial() if type(value) is functools.partial:
            args, kwargs = deep_copy((value.args, value.keywords), memo)
            return functools.partial(deep_copy(value.func, memo), *args, **kwargs)
        case jax.Array():
            return value
    if type(value) in (list, dict, tuple):
        return _container(value, memo)
    try:
        return copy.deepcopy(value, memo)
    except (TypeError, copy.Error):  # what `copy` raises for such objects
        return value


def _remembered(value: Any, made: Any, memo: Memo) -> Any:
    memo[id(value)] = made
    memo.setdefault(id(memo), []).append(value)  # so that its id stays its own
    return made


def _container(value: Any, memo: Memo) -> Any:
    """A list, dict or tuple, in which functions may stand, and which may stand in itself."""
    if isinstance(value, tuple):
        items = tuple(deep_copy(item, memo) for item in value)
        same = all(new is old for new, old in zip(items, value, strict=True))
        return memo.get(id(value)) or _remembered(value, value if same else items, memo)
    made: Any = _remembered(value, type(value)(), memo)
    if isinstance(value, list):
        made.extend(deep_copy(item, memo) for item in value)
    else:
        made.update((deep_copy(key, memo), deep_copy(item, memo)) for key, item in value.items())
    return made


def _function(fn: types.FunctionType, memo: Memo) -> types.FunctionType:
    """The function with cells of its own; itself, where it holds nothing that could be copied."""
    held = fn.__defaults__, fn.__kwdefaults__
    if not fn.__closure__ and all(map(_is_fixed, [*(held[0] or ()), *(held[1] or {}).values()])):
        return fn
    cells = [_cell(cell, memo) for cell in fn.__closure__ or ()]
    new = types.FunctionType(fn.__code__, fn.__globals__, fn.__name__, None, tuple(cells) or None)
    _remembered(fn, new, memo)  # before what it holds: the function itself may be in its closure
    functools.update_wrapper(new, fn)
    new.__dict__.pop("__wrapped__", None)
    new.__dict__.update(fn.__dict__)
    new.__defaults__ = deep_copy(fn.__defaults__, memo)
    new.__kwdefaults__ = deep_copy(fn.__kwdefaults__, memo)
    for cell in fn.__closure__ or ():
        _fill(cell, memo)
    return new


def _is_fixed(value: Any) -> bool:
    return value is None or isinstance(value, (bool, int, float, complex, str, bytes, type, jax.Array))


def _cell(cell: types.CellType, memo: Memo) -> types.CellType:
    """The cell's copy, which is filled later; functions that share a cell share its copy."""
    made: types.CellType | None = memo.get(id(cell))
    if made is None:
        made = types.CellType()
        _remembered(cell, made, memo)
    return made


def _fill(cell: types.CellType, memo: Memo) -> None:
    made, value = memo[id(cell)], codes.content(cell, _UNSET)
    if value is not _UNSET and codes.content(made, _UNSET) is _UNSET:
        made.cell_contents = deep_copy(value, memo)


_UNSET = object()


def method_name(owner: type, function: Callable[..., Any]) -> str:
    """The name by which a class has a function, which is not its own where it was assigned under another."""
    for base in owner.__mro__:
        for name, value in vars(base).items():
            if value is function:
                return name
    return str(getattr(function, "__name__", ""))
