"""Ambient programs: what is known of references in a program that somebody else records, by `jax.jit(to_graph(f))`?

That lives as long as the trace, whose results are what the arrays are by then. JAX's traces have no room for it but in a dict.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

from jax._src import core
from jax._src.interpreters import partial_eval

from autograph_lite import tracing
from autograph_lite.jax_internals.numpy_constants import KeepingTrace
from autograph_lite.jax_internals.references.storages import References


class _Constants(dict[Any, Any]):
    """The constants of a trace, which JAX puts aside when the trace is over, and what is known of references with them."""

    references: References | None = None
    checked: Any = None
    mode: str | None = None
    is_part: bool = False
    is_rewritten: bool = False
    overflown: tuple[Any, ...] = ()


# What the results of such a program become where it ends, given its equations; what these raise is raised there.
endings: list[Callable[[Any, Sequence[Any]], Sequence[Any]]] = []
_Frame: Any = partial_eval.JaxprStackFrame


class AmbientFrame(_Frame):  # type: ignore[misc]
    """The equations of such a program."""

    __slots__ = ()

    def to_jaxpr(self, trace: Any, results: Sequence[Any], *others: Any) -> Any:
        """The program."""
        with core.set_current_trace(trace):
            for ending in endings:
                results = ending(self, results)
            results = [trace.to_jaxpr_tracer(each, others[-1]) for each in results]
            if getattr(self.constvar_to_val, "is_rewritten", False):
                _drop_unused(self.tracing_eqns, results)
        return super().to_jaxpr(trace, results, *others)


def _drop_unused(recorded: list[Any], results: Sequence[Any]) -> None:
    equations = [each() if isinstance(each, weakref.ref) else each for each in recorded]
    needed, kept = _variables(results), []
    for each in reversed(equations):
        if each is not None and (each.effects or any(v in needed for v in each.outvars)):
            needed |= _variables(each.in_tracers)
            kept.append(each)
    recorded[:] = kept[::-1]


def _variables(tracers: Sequence[Any]) -> set[Any]:
    return {t.val for t in tracers if isinstance(t.val, core.Var)}


def ambient() -> References | None:
    """What is known of the program that is recorded on this thread, if it is somebody else's; None where nothing is."""
    trace: Any = core.trace_ctx.trace
    while trace is not None:
        constants = trace.frame.constvar_to_val if isinstance(trace, KeepingTrace) else None
        references: References | None = getattr(constants, "references", None)
        if references is not None:
            return references
        trace = getattr(trace, "parent_trace", None)
    return None


def begin() -> None:
    """To be called where a converted function begins, in a trace: from here on, references are known.

    Not in one of `vmap` or `grad`, which records nothing; but the program around that has an end.
    """
    if tracing.thread.now.references is not None:
        return
    ours = {id(now.program()) for now in tracing.thread.now.journals}
    trace: Any = core.trace_ctx.trace
    while id(trace) in ours:
        trace = trace.parent_trace
    if isinstance(trace, KeepingTrace):
        _kept(trace.frame).references = References(is_whole=False, change=tracing.changing[0])
    begin_in(trace)


def begin_in(trace: Any) -> None:
    """To be called where JAX begins to record a converted function: the program has an end."""
    while not hasattr(trace, "frame") and hasattr(trace, "parent_trace"):
        trace = trace.parent_trace
    frame = getattr(trace, "frame", None)
    if is_ambient(frame) and mode_of(frame) is None:
        _kept(frame).mode = tracing.thread.now.default_mode


def is_ambient(frame: Any) -> bool:
    """Makes the equations of a trace of JAX's such of a program with `endings`; whether it has them."""
    if frame.__class__ is _Frame:
        frame.__class__ = AmbientFrame  # of the same slots
    return isinstance(frame, AmbientFrame)


def _kept(frame: Any) -> _Constants:
    if type(frame.constvar_to_val) is not _Constants:
        frame.constvar_to_val = _Constants(frame.constvar_to_val)
    constants: _Constants = frame.constvar_to_val
    return constants


def note_branch_of_program(trace: Any) -> None:
    """Keeps with a trace that what it records becomes a branch of the program around, and ends with that."""
    _kept(trace.frame).is_part = True


def note_overflow(code: Any, places: Any) -> bool:
    """Keeps what is known of ints that do not fit until somebody else's program ends, if no branch of it is recorded now."""
    frame = getattr(core.trace_ctx.trace, "frame", None)
    if not isinstance(frame, AmbientFrame) or mode_of(frame) is None:
        return False
    _kept(frame).overflown += ((code, places),)
    return True


def overflown(frame: Any) -> tuple[Any, ...]:
    """What was kept."""
    found: tuple[Any, ...] = getattr(frame.constvar_to_val, "overflown", ())
    return found


def note_rewritten(frame: Any) -> None:
    """Keeps with a trace that some of its equations have been made once more, and that nobody needs those of before."""
    _kept(frame).is_rewritten = True


def has_end() -> bool:
    """Whether what is recorded now is a part of a program that is looked at as a whole where it ends."""
    ours = {id(now.program()) for now in tracing.thread.now.journals}
    trace: Any = core.trace_ctx.trace
    while isinstance(trace, partial_eval.DynamicJaxprTrace):
        if id(trace) in ours or mode_of(trace.frame) is not None:
            return True
        if not getattr(trace.frame.constvar_to_val, "is_part", False):
            return False
        trace = trace.parent_trace
    return False


def note_check(frame: Any, code: Any) -> None:
    """Keeps with a trace that its program looks at `code`."""
    _kept(frame).checked = code


def check_of(frame: Any) -> Any:
    """What was kept last; None where nothing was."""
    return getattr(frame.constvar_to_val, "checked", None)


def mode_of(frame: Any) -> str | None:
    """What becomes of the checks of a program; None where no converted function is a part of it."""
    return getattr(frame.constvar_to_val, "mode", None)


tracing.ambient.append(ambient)
