"""Callables: what does somebody get who asks to convert one, of whatever kind?"""

from __future__ import annotations

import functools
import inspect
import types
from typing import Any

from autograph_lite.errors import SourceNotFoundError
from autograph_lite.operators.calls import calls
from autograph_lite.operators.calls.wrappers import may_wrap, rewrapped
from autograph_lite.operators.checks import concretization_errors
from autograph_lite.operators.user_code import ownership
from autograph_lite.operators.user_code.conversion import is_compiled, is_converted, transpiler


def convert_callable(fn: Any, *, recursive: bool | str = True) -> Any:
    """The converted form of what a user asked to convert, whatever kind of callable it is.

    Raises:
      SourceNotFoundError: there is no source.
      TypeError: `fn` is a class, or can't be called.
    """
    if is_compiled(fn):
        return fn.inside()
    if isinstance(fn, types.FunctionType):
        if recursive and calls.is_dispatching(fn) and not ownership.is_users(fn):
            return calls.dispatching(fn)
        around = rewrapped(fn) if may_wrap(fn) else None
        if around is not None:
            return around
        return fn if is_converted(fn) else transpiler(recursive=recursive).convert(fn)
    if isinstance(fn, types.MethodType):
        return types.MethodType(convert_callable(fn.__func__, recursive=recursive), fn.__self__)
    if isinstance(fn, functools.partial):
        return functools.partial(convert_callable(fn.func, recursive=recursive), *fn.args, **fn.keywords)
    if isinstance(fn, type) or not callable(fn):
        raise concretization_errors.not_a_function(fn)
    inner = inspect.unwrap(fn)
    if isinstance(inner, types.FunctionType):
        return convert_callable(inner, recursive=recursive)
    method = getattr(type(fn), "__call__", None)  # noqa: B004 (the function is wanted)
    method = getattr(method, "__wrapped__", method)
    if isinstance(method, types.FunctionType):
        return types.MethodType(convert_callable(method, recursive=recursive), fn)
    raise SourceNotFoundError(
        f"'{getattr(fn, '__name__', type(fn).__name__)}' has no source: it is not written in Python.",
        where=(),
        fix="convert a Python function that calls it.",
    )
