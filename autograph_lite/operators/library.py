"""How does converted code call a library? With the converted forms of the user's functions among the arguments.

    jax.lax.scan(step, x, ys)             scan, handed the converted `step`
    heapq.heappush(queue, entry)          as it is, with a look at what is handed over
    warnings.warn("old"), pickle.dumps(f) as it is: they look at the frame that calls, or at the function itself

The look takes a frame of ours between the user's and the library's. It is left out of tracebacks, and `warnings` skips
it where it counts frames.
"""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Callable
from typing import Any

import jax

from autograph_lite import _jax
from autograph_lite.operators import classes, journal, policy, transformed, where

Convert = Callable[[types.FunctionType], Any]
MUTATORS = (list, dict, set, bytearray)
PARTIALS = (functools.partial, jax.tree_util.Partial)
_INERT = frozenset({int, float, complex, bool, str, bytes, types.NoneType})
_FUNCTIONS = (types.FunctionType, types.MethodType, functools.partial)
_HELD = (*_FUNCTIONS, *transformed.KINDS)


@where.between
def handing(fn: Any, convert: Convert) -> Any:
    """`fn`, a library's callable, handed the converted forms of the user's functions."""
    module = getattr(fn, "__module__", None)
    root = module.partition(".")[0] if isinstance(module, str) else ""
    if root in policy.UNTOUCHED_MODULES or module in policy.UNTOUCHED_MODULES:
        return fn
    if isinstance(fn, (type, types.FunctionType, types.BuiltinFunctionType)) and fn in policy.UNTOUCHED:
        return fn
    if isinstance(fn, type) and policy.only_stores(fn):
        return fn
    keeps = fn is dict or fn is set or fn is frozenset  # and calls nothing
    changes_nothing = root in ("jax", "jaxlib")
    # The standard library keeps what it is handed: a list copied here would miss what is put into it.
    deep = root not in sys.stdlib_module_names and root != "autograph_lite"

    def run(*args: Any, **kwargs: Any) -> Any:
        values = [value for value in (*args, *kwargs.values()) if type(value) not in _INERT]
        if values and not _jax.untraced():
            _note(values, changeable=not changes_nothing and journal.active() is not None)
        if values and not keeps and any(_may_hold_functions(value, deep) for value in values):
            args = tuple(_argument(value, convert, deep) for value in args)
            kwargs = {name: _argument(value, convert, deep) for name, value in kwargs.items()}
        try:
            return fn(*args, **kwargs)
        except BaseException as error:
            where.without_frame(error)
            raise  # a bare `raise` adds no entry for this frame

    return run


def _note(values: list[Any], *, changeable: bool) -> None:
    """Notes what a library function may change, its arguments, and whose methods it may call."""
    for value in values:
        classes.seen(value)
        if changeable and isinstance(value, MUTATORS):
            journal.record(value, written=False)
        elif changeable and isinstance(value, types.GeneratorType):
            journal.consume(value)


def _may_hold_functions(value: Any, deep: bool) -> bool:
    if isinstance(value, _HELD):
        return True
    return (
        deep
        and isinstance(value, (list, tuple))
        and len(value) < 64
        and any(isinstance(item, _FUNCTIONS) for item in value)
    )


def _argument(value: Any, convert: Convert, deep: bool) -> Any:
    """What to hand to a library in place of `value`."""
    if isinstance(value, types.FunctionType):
        return convert(value) if policy.is_users(value) else value
    if isinstance(value, types.MethodType):
        fn: Any = value.__func__
        classes.seen(value.__self__)
        return types.MethodType(convert(fn), value.__self__) if policy.is_users(fn) else value
    if type(value) in PARTIALS:
        return type(value)(_argument(value.func, convert, deep), *value.args, **value.keywords)
    wrapped = transformed.converted(value, convert)
    if wrapped is not None:
        return wrapped
    if deep and type(value) in (list, tuple) and any(_may_hold_functions(item, deep) for item in value):
        return type(value)(_argument(item, convert, deep) for item in value)
    return value
