"""Recorded equations: which are there so far, and what does one of them run, call and come from?"""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from jax._src import core, source_info_util

from autograph_lite.jax_internals.tracing_state import program_trace


def equation_mark() -> Any:
    """Where the program that is being recorded on this thread is now; None where none is."""
    trace = core.trace_ctx.trace
    equations = getattr(getattr(trace, "frame", None), "tracing_eqns", None)
    return None if equations is None else (trace, len(equations))


def equations_since(mark: Any) -> int | None:
    """How many equations have been recorded since, those in branches and bodies included; None where nobody knows."""
    if mark is None or core.trace_ctx.trace is not mark[0]:
        return None
    return equations_in(mark[0].frame.tracing_eqns[mark[1] :])


def is_since(value: Any, mark: Any) -> bool:
    """Whether a value is no array of the program that is being recorded, or an equation since then has made it."""
    trace: Any = mark[0]
    own: Any = getattr(value, "_trace", None)
    if own is not trace or not value.ndim:
        return True
    recorded = trace.frame.tracing_eqns[mark[1] :]
    made = [each() if isinstance(each, weakref.ref) else each for each in recorded]
    return any(each is value.parent for each in made)


def equations_in(recorded: Sequence[Any]) -> int:
    """How many equations these are, of those that are still there, with those in branches and bodies."""
    kept = [each() if isinstance(each, weakref.ref) else each for each in recorded]
    return sum(_equations_of(each) for each in kept if each is not None)


def _equations_of(equation: Any) -> int:
    """How many equations one is, with those of its branches and bodies."""
    return 1 + sum(_equations_of(each) for jaxpr in jaxprs_in(equation) for each in jaxpr.eqns)


def equations(jaxpr: Any) -> Iterator[Any]:
    """The equations of a jaxpr, closed or not, and those of all jaxprs in it."""
    for equation in getattr(jaxpr, "jaxpr", jaxpr).eqns:
        yield equation
        for inner in core.jaxprs_in_params(equation.params):
            yield from equations(inner)


def jaxprs_in(equation: Any) -> list[Any]:
    """The jaxprs that an equation runs."""
    if not equation.primitive.multiple_results:  # as each primitive has that runs a jaxpr
        return []
    found: Any = core.jaxprs_in_params(equation.params)
    return [getattr(each, "jaxpr", each) for each in found]


def recorded() -> Sequence[Any]:
    """What the program that is being recorded on this thread has for its equations so far, and will have."""
    equations: list[Any] = getattr(getattr(program_trace()(), "frame", None), "tracing_eqns", [])
    return equations


def depend(values: Iterable[Any], sources: Iterable[Any]) -> bool:
    """Whether values of the program that is being recorded, or what it does beside computing, depend on others of it."""
    found = {id(source.val) for source in sources}
    for each in recorded():
        equation = each() if isinstance(each, weakref.ref) else each
        if equation is None or found.isdisjoint(id(t.val) for t in equation.in_tracers):
            continue
        if equation.effects:
            return True
        found |= {*map(id, equation.outvars)}
    return any(id(getattr(value, "val", None)) in found for value in values)


def as_equation(recorded: Any) -> Any:
    """A recorded equation as one of a jaxpr."""
    invars = [t.val for t in recorded.in_tracers]
    return core.new_jaxpr_eqn(
        invars, recorded.outvars, recorded.primitive, recorded.params, recorded.effects,
        recorded.source_info, recorded.ctx,
    )  # fmt: skip


def has_checks(jaxpr: Any) -> bool:
    """Whether a closed jaxpr holds checks for checkify, in whatever it calls."""
    return any(type(effect).__name__ == "ErrorEffect" for effect in jaxpr.effects)


def callback_of(equation: Any) -> Any:
    """The Python function that an equation of a jaxpr calls while the program runs; None where it calls none."""
    found = equation.params.get("callback") if "callback" in equation.primitive.name else None
    # JAX wraps it, and does not name what it wraps.
    while (inner := getattr(found, "callback_func", getattr(found, "func", None))) is not None:
        found = inner
    return found


def equation_place(equation: Any) -> tuple[str, int, str] | None:
    """The user's file, line and function that an equation of a jaxpr comes from; None where nobody knows."""
    frame = source_info_util.user_frame(equation.source_info.traceback)
    return (
        None if frame is None else (frame.file_name, frame.start_line, frame.function_name.rpartition(".")[2])
    )


def placed_as(value: Any) -> contextlib.AbstractContextManager[None]:
    """A context whose equations come from the line from which the value of a program comes, if that is known."""
    equation: Any = getattr(value, "parent", None)
    context: Any = source_info_util.user_context
    return contextlib.nullcontext() if equation is None else context(equation.source_info.traceback)


def placed_here(fn: Callable[..., Any]) -> Callable[..., Any]:
    """`fn`, whose equations come from the line that is running now, whenever they are made."""
    source = source_info_util.current()

    def run(*args: Any) -> Any:
        with source_info_util.user_context(source.traceback):
            return fn(*args)

    return run
