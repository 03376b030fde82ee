"""The functions that users call."""

from __future__ import annotations

import builtins
import functools
import types
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar, cast, overload

from autograph_lite import config, transpiler
from autograph_lite.errors import SourceNotFoundError
from autograph_lite.operators.calls import callables, handed_functions
from autograph_lite.operators.checks import concretization_errors
from autograph_lite.operators.iteration.iterables import Range
from autograph_lite.operators.loops import rolling
from autograph_lite.operators.python.builtins import range_
from autograph_lite.operators.user_code import ownership
from autograph_lite.operators.values.values import traced
from autograph_lite.runtime.functions.methods import BoundFunction, bind_method, is_traced_instance
from autograph_lite.runtime.public.function import Function
from autograph_lite.runtime.reporting import decisions_table
from autograph_lite.runtime.reporting.decisions_table import Decisions
from autograph_lite.runtime.reporting.report import Report, report as report_of
from autograph_lite.runtime.state import buffer_donation
from autograph_lite.runtime.tracing.trace import Options
from autograph_lite.runtime.verifying import first_call
from autograph_lite.runtime.verifying.report import Verification
from autograph_lite.runtime.verifying.tolerance import Tolerance
from autograph_lite.runtime.verifying.verify import verify as verify_call
from autograph_lite.tracing import entered

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
    static_loops: str | tuple[str, int] = ...,
    max_traces: int | None = ...,
    verify: str | tuple[str, float] | None = ...,
    donate_argnums: int | Sequence[int] | None = ...,
    donate_argnames: str | Sequence[str] | None = ...,
    write_back: bool = ...,
) -> Function: ...
@overload
def convert(
    *,
    input_signature: Sequence[Any] | None = ...,
    reduce_retracing: bool = ...,
    recursive: bool = ...,
    checks: bool | str = ...,
    static_loops: str | tuple[str, int] = ...,
    max_traces: int | None = ...,
    verify: str | tuple[str, float] | None = ...,
    donate_argnums: int | Sequence[int] | None = ...,
    donate_argnames: str | Sequence[str] | None = ...,
    write_back: bool = ...,
) -> Callable[[Callable[..., Any]], Function]: ...
def convert(
    fn: Any = None,
    *,
    input_signature: Sequence[Any] | None = None,
    reduce_retracing: bool = False,
    recursive: bool = True,
    checks: bool | str = True,
    static_loops: str | tuple[str, int] = "auto",
    max_traces: int | None = None,
    verify: str | tuple[str, float] | None = None,
    donate_argnums: int | Sequence[int] | None = None,
    donate_argnames: str | Sequence[str] | None = None,
    write_back: bool = True,
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
      static_loops: what becomes of a `for` over a range, or a list or tuple of numbers or arrays, that Python knows:
        "auto" makes a `lax.scan`, for which one iteration is traced, where each iteration for itself would make a long
        program, and where that gives the same; "python" traces each iteration, with its item a Python value; "stage"
        makes a scan wherever that gives the same, and ("auto", n) of loops of n or more items.
      max_traces: how many traces are kept; of more, the one that was looked up least recently goes. None for any number.
      verify: "first_call" runs the call for which a trace is made in Python, too, and compares what comes of the two;
        ("first_call", rtol) does so with this relative tolerance for floats.
      donate_argnums: positions of the arguments whose arrays a call gives away, as for `jax.jit`: the program may write its
        results into their memory, and they can't be used afterwards. Of a method, 0 is `self`.
      donate_argnames: names of such arguments.
      write_back: whether arrays of NumPy's among the arguments hold afterwards what the function has written to them. Those
        of JAX's never do.

    Returns:
      A `Function`. Arrays among its arguments (`jax.Array`, `numpy.ndarray`, NumPy scalars) are traced; every other
      argument is a literal, and another value of it is another trace.

    Raises:
      SourceNotFoundError: the function has no source.
      TypeError: `fn` is a class, or can't be called; or the input signature does not fit its parameters.
      ValueError: an option is something else, or donates a parameter that the function does not have.
    """
    _refuse_options(recursive, checks, static_loops)
    if write_back not in (True, False):
        raise ValueError(f"write_back is {write_back!r}; it may be True or False.")
    donated = buffer_donation.checked(donate_argnums, donate_argnames)
    first_call.tolerance(verify)
    options: dict[str, Any] = {
        "input_signature": input_signature,
        "reduce_retracing": reduce_retracing,
        "recursive": recursive,
        "checks": checks,
        "static_loops": static_loops,
        "max_traces": max_traces,
        "verify": verify,
        "donate_argnums": donated[0],
        "donate_argnames": donated[1],
        "write_back": write_back,
    }
    if fn is None:
        return lambda decorated: convert(decorated, **options)
    if isinstance(fn, (staticmethod, classmethod)):
        return type(fn)(convert(fn.__func__, **options))
    if isinstance(fn, property):
        get, put, delete = (p and convert(p, **options) for p in (fn.fget, fn.fset, fn.fdel))
        return property(get, put, delete, fn.__doc__)
    fn = fn.python_function if isinstance(fn, BoundFunction) and fn.args else fn
    if isinstance(fn, types.MethodType) and is_traced_instance(fn.__self__):
        of_class = {**options, "donate_argnums": buffer_donation.method_positions(donated[0])}
        return cast(Function, bind_method(Function(fn.__func__, Options(**of_class)), fn.__self__))
    return Function(fn, Options(**options))


def _refuse_options(recursive: bool, checks: bool | str, static_loops: str | tuple[str, int]) -> None:
    if checks not in (True, False, "checkify"):
        raise ValueError(f"checks is {checks!r}; it may be True, False or 'checkify'.")
    if recursive not in (True, False):
        raise ValueError(f"recursive is {recursive!r}; it may be True or False.")
    rolling.rule(static_loops)


def to_graph(
    fn: F,
    *,
    recursive: bool = True,
    checks: bool | str = True,
    static_loops: str | tuple[str, int] = "auto",
) -> F:
    """`fn` converted from source to source only: no compilation, no cache of traces.

    Called on Python values it does what `fn` does; under `jax.jit` its control flow is staged. Signature, globals and
    closure are those of `fn`.

    Args:
      fn: a function, bound method or `functools.partial`.
      recursive: whether the functions that it calls are converted too.
      checks: what becomes of `assert` and `raise` under traced conditions: True raises them through a host callback;
        "checkify" leaves them to `jax.experimental.checkify`, which has to be around; False leaves them out.
      static_loops: as in `convert`.

    Returns:
      The converted function; the same object for the same `fn`, where no option changes what its programs do.

    Raises:
      SourceNotFoundError: the function has no source.
      TypeError: `fn` is a class, or can't be called.
      ValueError: an option is something else.
    """
    _refuse_options(recursive, checks, static_loops)
    converted: Any = callables.convert_callable(
        fn, recursive="entered" if recursive and config.light_bodies() else recursive
    )
    handed_functions.note_cells(converted)
    if checks is True and static_loops == "auto":
        return cast(F, converted)
    mode = "callback" if checks is True else "checkify" if checks else "off"

    @functools.wraps(converted)
    def run(*args: Any, **kwargs: Any) -> Any:
        with entered(default_mode=mode, rule=rolling.rule(static_loops)):
            return converted(*args, **kwargs)

    return cast(F, run)


def explain(fn: Callable[..., Any]) -> Callable[..., Decisions]:
    """Tells what becomes of each statement of control flow in `fn`, and why.

    `print(explain(step)(x, 3))` shows a table. The function is traced for these arguments and not compiled; what its
    Python does besides computing is done, as by any trace.

    Args:
      fn: a function, or what `convert` made of it, whose options hold then.

    Returns:
      A function that takes the arguments of `fn`, or `ArraySpec` and `jax.ShapeDtypeStruct` in place of arrays, and gives
      `Decisions`: a sequence with a `Decision` for each statement that ran.

    Raises:
      SourceNotFoundError: the function has no source.
      TypeError: `fn` is a class, or can't be called.
    """

    def run(*args: Any, **kwargs: Any) -> Decisions:
        return decisions_table.trace_decisions(_compiled(fn), args, kwargs)

    return run


def report(fn: Callable[..., Any]) -> Callable[..., Report]:
    """Shows what becomes of `fn` as a page: source, generated code, jaxpr and HLO, line by line.

    `report(step)(x, 3).save("step.html")` writes it; a notebook shows it. The function is traced for these arguments and
    compiled, and not run; what its Python does besides computing is done, as by any trace. See `Function.report`.

    Args:
      fn: a function, or what `convert` made of it, whose options and traces are shown then.

    Returns:
      A function that takes the arguments of `fn`, or `ArraySpec` and `jax.ShapeDtypeStruct` in place of arrays, and gives
      a `Report`. Without arguments, it is of the newest trace, where `fn` has some.

    Raises:
      SourceNotFoundError: the function has no source.
      TypeError: `fn` is a class, or can't be called.
    """

    def run(*args: Any, **kwargs: Any) -> Report:
        return report_of(_compiled(fn), args, kwargs)

    return run


def verify(
    fn: Callable[..., Any], *, rtol: float | None = None, atol: float = 0.0
) -> Callable[..., Verification]:
    """Runs your own Python beside the compiled program, and compares what comes of the two.

    `print(verify(step)(x, 3))` shows what differs, from the first statement on. See `Function.verify`.

    Args:
      fn: a function, or what `convert` made of it.
      rtol: how far floats may be apart, relative to each and to the largest of its array. None for 1e-5 where the coarser
        of the two is float32, 1e-10 for float64, 1e-2 for float16, 5e-2 for bfloat16.
      atol: how far beside that.

    Returns:
      A function that takes the arguments of `fn` and gives a `Verification`.

    Raises:
      ValueError: a tolerance is negative, or no number.
    """
    allowed = Tolerance(rtol, atol)
    function = _compiled(fn.alone() if isinstance(fn, BoundFunction) else fn)

    def run(*args: Any, **kwargs: Any) -> Verification:
        return verify_call(function, args, kwargs, allowed)

    run.__dict__["__wrapped__"] = fn  # which keeps the instance of a method
    return run


def _compiled(fn: Any) -> Any:
    """What `convert` has made; a function of the user's as `convert` makes it."""
    return fn if isinstance(fn, (Function, BoundFunction)) else Function(fn, Options())


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
    return transpiler.to_source(_python_function(fn), ownership.leads_to_library, after)


def _python_function(fn: Any) -> types.FunctionType:
    while not isinstance(fn, types.FunctionType):
        if isinstance(fn, type):
            raise concretization_errors.not_a_function(fn)
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
    setattr(
        marked.__func__ if isinstance(marked, (staticmethod, classmethod)) else marked, ownership.MARK, True
    )
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
      ValueError: `step` is zero; where it is traced, when the program runs.
    """
    if any(map(traced, args)):
        return range_(*args)
    builtins.range(*args)  # for its errors
    start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
    return Range(start, stop, step, asked=True)
