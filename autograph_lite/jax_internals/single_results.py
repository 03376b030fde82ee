"""Single results: which result of somebody else's program would XLA overwrite, since the program calls the host after it?

    k = b                                 XLA copies `b` for the branch, and hands out this copy as the result, too: it is
    for x in xs: k = ...                  the only one, and XLA takes it for done before the host is called. The loop
    if k > 7: raise ValueError            changes it (CPU, jax 0.10.2 and 0.12.0.1; the same program by hand is wrong, too)
    return b

Such a result is chosen in the end, by whether a check has failed. It uses JAX's insides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax._src import core
from jax._src.interpreters import partial_eval

from autograph_lite.jax_internals import tracing_state
from autograph_lite.jax_internals.references import ambient


def note_host_call(code: Any) -> None:
    """To be called where a program is to call the host if `code`, an int32, is not 0: its only result is apart from then on."""
    trace: Any = core.trace_ctx.trace
    frame: Any = getattr(trace, "frame", None)
    if frame.__class__ in (_Frame, CheckedFrame) and getattr(code, "_trace", None) is trace:
        ambient.note_check(frame, code)
        frame.__class__ = CheckedFrame  # of the same slots


def before_program_ends(action: Callable[[], None]) -> None:
    """Calls `action` where the outermost program that is recorded on this thread ends; what it raises is raised there.

    Nothing is called where none is: in a `vmap` or `grad` that records no program.
    """
    recorded = [frame for trace in tracing_state.open_traces() if (frame := getattr(trace, "frame", None))]
    if recorded and (frame := recorded[-1]).__class__ in (_Frame, CheckedFrame):
        ambient.before_end(frame, action)
        frame.__class__ = CheckedFrame


_Frame: Any = partial_eval.JaxprStackFrame


class CheckedFrame(_Frame):  # type: ignore[misc]
    """The equations of a trace that does something where it ends, or whose program calls the host where a check has failed."""

    __slots__ = ()

    def to_jaxpr(self, trace: Any, out_tracers: Sequence[Any], *others: Any) -> Any:
        """The program; its only result is a value of its own."""
        for action in ambient.ending_of(self):
            action()
        code = ambient.check_of(self)
        if code is not None and len(out_tracers) == 1:
            with core.set_current_trace(trace):
                out_tracers = [_chosen(code, out_tracers[0])]
        return super().to_jaxpr(trace, out_tracers, *others)


def _chosen(code: Any, result: Any) -> Any:
    aval = result.aval
    if not isinstance(aval, core.ShapedArray) or jnp.issubdtype(aval.dtype, jax.dtypes.extended):
        return result
    failed = lax.broadcast(lax.ne(code, jnp.int32(0)), result.shape)
    return lax.select_n(failed, result, lax.full_like(result, 0))
