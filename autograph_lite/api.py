"""The functions that users call."""

from __future__ import annotations

import builtins
import functools
import operator
import types
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar, cast, overload

from autograph_lite import config, transpiler
from autograph_lite.errors import SourceNotFoundError
from autograph_lite.operators import calls, checks as program_checks, policy, unconverted, unrolling
from autograph_lite.operators.iterables import Range
from autograph_lite.operators.values import traced
from autograph_lite.runtime.function import Function
from autograph_lite.runtime.trace import Options

P = ParamSpec("P")
R = TypeVar("R")
F = TypeVar("F", bound=Callable[..., Any])


@overload
def convert(
    fn: Callable[..., Any],
    *,
    input_signature: Sequence[Any] | None = ...,
    reduce_retracing: bool = ...,
    recursive: bool = ...,
    checks: bool | str = ...,
    static_loops: str = ...,
    max_traces: int | None = ...,
) -> Function: ...
@overload
def convert(
    *,
    input_signature: Sequence[Any] | None = ...,
    reduce_retracing: bool = ...,
    recursive: bool = ...,
    checks: bool | str = ...,
    static_loops: str = ...,
    max_traces: int | None = ...,
) -> Callable[[Callable[..., Any]], Function]: ...
def convert(
    fn: Any = None,
    *,
    input_signature: Sequence[Any] | None = None,
    reduce_retracing: bool = False,
    recursive: bool = True,
    checks: bool | str = True,
    static_loops: str = "unroll",
    max_traces: int | None = None,
) -> Any:
    """A function whose control flow on array values becomes one compiled program.

    Args:
      fn: the function; None where `convert` is used as a decorator with options.
      input_signature: an `ArraySpec`, or a pytree of them, for each positional parameter: the only types of calls that are
        allowed. A size that is None is any size, traced once.
      reduce_retracing: whether a call with other sizes than those before makes a trace for all sizes there, instead of one
        for its own.
      recursive: whether the functions that it calls are converted too.
      checks: whether `assert` and `raise` under traced conditions become checks of the program; "checkify" hands them to
        `jax.experimental.checkify` where the call is part of somebody else's trace, instead of to a host callback.
      static_loops: what becomes of a `for` over a range, or over a list or tuple of numbers, that Python knows: "unroll"
        traces each iteration, with its item a Python value; "stage" traces one, and makes a `lax.scan`.
      max_traces: how many traces are kept; of more, the one that was looked up least recently goes. None for any number.

    Returns:
      A `Function`. Arrays among its arguments (`jax.Array`, `numpy.ndarray`, NumPy scalars) are traced; every other
      argument is a literal, and another value of it is another trace.

    Raises:
      SourceNotFoundError: the function has no source.
      TypeError: `fn` is a class, or can't be called; or the input signature does not fit its parameters.
      ValueError: an option is something else.
    """
    _refuse_options(recursive, checks, static_loops)
    options: dict[str, Any] = {
        "input_signature": input_signature,
        "reduce_retracing": reduce_retracing,
        "recursive": recursive,
        "checks": checks,
        "static_loops": static_loops,
        "max_traces": max_traces,
    }
    if fn is None:
        return lambda decorated: convert(decorated, **options)
    if isinstance(fn, (staticmethod, classmethod)):
        return type(fn)(convert(fn.__func__, **options))
    if isinstance(fn, property):
        get, put, delete = (p and convert(p, **options) for p in (fn.fget, fn.fset, fn.fdel))
        return property(get, put, delete, fn.__doc__)
    return Function(fn, Options(**options))


def _refuse_options(recursive: bool, checks: bool | str, static_loops: str) -> None:
    if checks not in (True, False, "checkify"):
        raise ValueError(f"checks is {checks!r}; it may be True, False or 'checkify'.")
    if recursive not in (True, False):
        raise ValueError(f"recursive is {recursive!r}; it may be True or False.")
    if static_loops not in ("unroll", "stage"):
        raise ValueError(f"static_loops is {static_loops!r}; it may be 'unroll' or 'stage'.")


def to_graph(fn: F, *, recursive: bool = True, checks: bool | str = True, static_loops: str = "unroll") -> F:
    """`fn` converted from source to source only: no compilation, no cache of traces.

    Called on Python values it does what `fn` does; under `jax.jit` its control flow is staged. Signature, globals and
    closure are those of `fn`.

    Args:
      fn: a function, bound method or `functools.partial`.
      recursive: whether the functions that it calls are converted too.
      checks: what becomes of `assert` and `raise` under traced conditions: True raises them through a host callback;
        "checkify" leaves them to `jax.experimental.checkify`, which has to be around; False leaves them out.
      static_loops: "unroll" or "stage", as in `convert`.

    Returns:
      The converted function; the same object for the same `fn`, where no option changes what its programs do.

    Raises:
      SourceNotFoundError: the function has no source.
      TypeError: `fn` is a class, or can't be called.
      ValueError: an option is something else.
    """
    _refuse_options(recursive, checks, static_loops)
    converted: Any = calls.converted(fn, recursive="both" if recursive and config.light() else recursive)
    if checks is True and static_loops == "unroll":
        return cast(F, converted)
    mode = "callback" if checks is True else "checkify" if checks else "off"

    @functools.wraps(converted)
    def run(*args: Any, **kwargs: Any) -> Any:
        with program_checks.default_mode(mode), unrolling.rolling(static_loops == "stage"):
            return converted(*args, **kwargs)

    return cast(F, run)


def to_code(fn: Callable[..., Any], *, after: str | None = None) -> str:
    """The code that `fn` is converted to, as text.

    Args:
      fn: a function, or what `convert` or `to_graph` made of it.
      after: the name of a pass, to see the code as it is after that pass.

    Returns:
      The text of one function definition. It is for reading: what runs is compiled from the same tree, not from this text.

    Raises:
      SourceNotFoundError: the function has no source.
      ValueError: there is no such pass.
    """
    if after is not None and after not in transpiler.PASS_NAMES:
        raise ValueError(f"there is no pass {after!r}; the passes are {', '.join(transpiler.PASS_NAMES)}.")
    return transpiler.to_source(_python_function(fn), policy.leads_to_library, after)


def _python_function(fn: Any) -> types.FunctionType:
    while not isinstance(fn, types.FunctionType):
        if isinstance(fn, type):
            raise unconverted.not_a_function(fn)
        inner = next(
            (
                getattr(fn, n)
                for n in ("python_function", "__func__", "func", "fget", "__wrapped__")
                if hasattr(fn, n)
            ),
            None,
        )
        if inner is None:
            call = getattr(type(fn), "__call__", None)  # noqa: B004 (the function is wanted)
            inner = call if isinstance(call, types.FunctionType) else None
        if inner is None:
            raise SourceNotFoundError(f"{fn!r} has no source: it is not written in Python.")
        fn = inner
    return fn


def do_not_convert(fn: F) -> F:
    """Excludes `fn` from conversion: converted code calls it as it is.

    Args:
      fn: a function, static method or class method; used as a decorator.

    Returns:
      `fn` itself, marked.
    """
    marked: Any = fn
    setattr(marked.__func__ if isinstance(marked, (staticmethod, classmethod)) else marked, policy.MARK, True)
    return fn


def range(*args: Any) -> Any:
    """`range(...)`, whose loop is staged in converted code, also where the bounds are Python values.

    Under plain Python it iterates as the builtin does.

    Args:
      *args: `stop`, or `start, stop`, or `start, stop, step`, as for the builtin; each may be traced.

    Returns:
      An iterable of the numbers.

    Raises:
      TypeError: there are none or more than three arguments, or one is no integer.
      ValueError: `step` is zero.
    """
    known = [arg for arg in args if not traced(arg)]
    if len(known) == len(args):
        builtins.range(*args)  # for its errors
    for bound in known:
        operator.index(bound)
    start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
    if traced(step) or step:
        return Range(start, stop, step)
    raise ValueError("range() arg 3 must not be zero")
