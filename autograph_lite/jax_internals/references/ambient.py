"""Ambient programs: what is known of references in a program that somebody else records, by `jax.jit(to_graph(f))`?

That lives as long as the trace, whose results are what the arrays are by then. JAX's traces have no room for it but in a dict.

It uses JAX's insides; checked on jax 0.10.2 and 0.12.0.1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jax._src import core

from autograph_lite import tracing
from autograph_lite.jax_internals.numpy_constants import KeepingTrace
from autograph_lite.jax_internals.references.storages import References


class _Constants(dict[Any, Any]):
    """The constants of a trace, which JAX puts aside when the trace is over, and what is known of references with them."""

    references: References | None = None
    checked: Any = None
    ending: tuple[Callable[[], None], ...] = ()


def ambient() -> References | None:
    """What is known of the program that is recorded on this thread, if it is somebody else's; None where nothing is."""
    trace: Any = core.trace_ctx.trace
    while trace is not None:
        if isinstance(trace, KeepingTrace) and type(constants := trace.frame.constvar_to_val) is _Constants:
            return constants.references
        trace = getattr(trace, "parent_trace", None)
    return None


def begin() -> None:
    """To be called where a converted function begins, in a trace: from here on, references are known.

    Not in one of `vmap` or `grad`, which records nothing.
    """
    if tracing.thread.now.references is not None:
        return
    ours = {id(now.program()) for now in tracing.thread.now.journals}
    trace: Any = core.trace_ctx.trace
    while id(trace) in ours:
        trace = trace.parent_trace
    if isinstance(trace, KeepingTrace):
        _kept(trace.frame).references = References(is_whole=False, change=tracing.changing[0])


def _kept(frame: Any) -> _Constants:
    if type(frame.constvar_to_val) is not _Constants:
        frame.constvar_to_val = _Constants(frame.constvar_to_val)
    constants: _Constants = frame.constvar_to_val
    return constants


def note_check(frame: Any, code: Any) -> None:
    """Keeps with a trace that its program looks at `code`."""
    _kept(frame).checked = code


def check_of(frame: Any) -> Any:
    """What was kept last; None where nothing was."""
    return getattr(frame.constvar_to_val, "checked", None)


def before_end(frame: Any, action: Callable[[], None]) -> None:
    """Keeps with a trace what is to be done where it ends; what `action` raises is raised there."""
    kept = _kept(frame)
    kept.ending = (*kept.ending, action)


def ending_of(frame: Any) -> tuple[Callable[[], None], ...]:
    """What was kept with a trace."""
    return getattr(frame.constvar_to_val, "ending", ())


tracing.ambient.append(ambient)
