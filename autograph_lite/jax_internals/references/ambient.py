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
    """The constants of a trace, which JAX puts aside when the trace is over, and what is known of it with them."""

    references: References | None = None
    checked: Any = None  # what its program looks at, if that is known
    mode: str | None = None  # what becomes of its checks; None where no converted function is a part of it
    is_part: bool = False  # whether it becomes a branch of the program around, and ends with that
    is_rewritten: bool = False  # whether equations have been made once more, and nobody needs those of before
    overflown: tuple[Any, ...] = ()  # what is known of ints that do not fit


_NOTHING = _Constants()

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
            if noted_facts(self).is_rewritten:
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
        references = noted_facts(trace.frame).references if isinstance(trace, KeepingTrace) else None
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
    know_references(trace)
    begin_in(trace)


def know_references(trace: Any) -> None:
    """From here on, references are known in a trace that records a program, if they are in none around it."""
    if tracing.thread.now.references is None and isinstance(trace, KeepingTrace):
        kept_facts(trace.frame).references = References(is_whole=False, change=tracing.changing[0])


def begin_in(trace: Any) -> None:
    """To be called where JAX begins to record a converted function: the program has an end."""
    while not hasattr(trace, "frame") and hasattr(trace, "parent_trace"):
        trace = trace.parent_trace
    frame = getattr(trace, "frame", None)
    if is_ambient(frame) and noted_facts(frame).mode is None:
        kept_facts(frame).mode = tracing.thread.now.default_mode


def is_ambient(frame: Any) -> bool:
    """Makes the equations of a trace of JAX's such of a program with `endings`; whether it has them."""
    if frame.__class__ is _Frame:
        frame.__class__ = AmbientFrame  # of the same slots
    return isinstance(frame, AmbientFrame)


def kept_facts(frame: Any) -> _Constants:
    """What is kept with a trace, to be changed."""
    if type(frame.constvar_to_val) is not _Constants:
        frame.constvar_to_val = _Constants(frame.constvar_to_val)
    constants: _Constants = frame.constvar_to_val
    return constants


def noted_facts(frame: Any) -> _Constants:
    """What is kept with a trace, to be read."""
    constants = frame.constvar_to_val
    return constants if isinstance(constants, _Constants) else _NOTHING


def note_overflow(code: Any, places: Any) -> bool:
    """Keeps what is known of ints that do not fit until somebody else's program ends, if no branch of it is recorded now."""
    frame = getattr(core.trace_ctx.trace, "frame", None)
    if not isinstance(frame, AmbientFrame) or noted_facts(frame).mode is None:
        return False
    kept_facts(frame).overflown += ((code, places),)
    return True


def has_end() -> bool:
    """Whether what is recorded now is a part of a program that is looked at as a whole where it ends."""
    ours = {id(now.program()) for now in tracing.thread.now.journals}
    trace: Any = core.trace_ctx.trace
    while isinstance(trace, partial_eval.DynamicJaxprTrace):
        if id(trace) in ours or noted_facts(trace.frame).mode is not None:
            return True
        if not noted_facts(trace.frame).is_part:
            return False
        trace = trace.parent_trace
    return False


tracing.ambient.append(ambient)
