"""Constants: which value has an array of NumPy's in a program? The one that it had when it was used, as in Python.

    buf = np.zeros(3)
    y = x + buf          # JAX keeps `buf` itself, and reads it when the trace is over:
    buf[0] = 5           # without a copy, `y` would have the 5 in it

JAX does this under `jax.jit` too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from jax._src import core
from jax._src.interpreters import partial_eval

from autograph_lite.jax_internals.constant_folding import FoldingTracer

_LARGE = 1 << 16  # bytes, from which on a second copy of the same numbers is looked for


class KeepingTrace(partial_eval.DynamicJaxprTrace):
    """A trace whose constants nobody else can write into, and whose tracers are folded where Python needs a value."""

    __slots__ = ()

    def var_to_tracer(self, var: Any, source_info: Any, parent: Any = None) -> Any:
        """The tracer of a result of an equation."""
        if getattr(var.aval, "has_qdd", False):  # of JAX's own boxes (0.10)
            base: Any = super()
            return base.var_to_tracer(var, source_info, parent)
        return FoldingTracer(self, var.aval, var, source_info, parent)

    def stage_value(self, val: Any) -> Any:
        """The tracer of a constant that the user's code gets to see."""
        base: Any = super()
        return folding_tracer(base.stage_value(val))

    def _new_const(self, aval: Any, c: Any, source_info: Any) -> Any:
        if not isinstance(c, np.ndarray):
            return super()._new_const(aval, c, source_info)
        if _may_be_written(c):
            known = self._copied_before(aval, c) if c.nbytes >= _LARGE else None
            if known is not None:
                return known
            c = c.copy()
        return folding_tracer(super()._new_const(aval, c, source_info))

    def _copied_before(self, aval: Any, array: np.ndarray) -> Any:
        for tracer in [*self.frame.constid_to_tracer.values()]:
            constant = self.get_const(tracer)
            if isinstance(constant, np.ndarray) and tracer.aval == aval and _are_same(constant, array):
                return tracer
        return None


def folding_tracer(tracer: Any) -> Any:
    """A tracer of a program that is recorded as one that is folded where Python needs a value; anything else itself."""
    if tracer.__class__ is partial_eval.DynamicJaxprTracer:
        tracer.__class__ = FoldingTracer  # of the same slots
    return tracer


def keep_constants() -> None:
    """Makes the programs that are recorded on this thread keep copies of NumPy's arrays, from now on."""
    trace: Any = core.trace_ctx.trace
    while trace is not None and trace.__class__ is not KeepingTrace:
        recording: list[Any] = [trace, getattr(trace, "tangent_trace", None)]
        for each in recording:
            if each.__class__ is partial_eval.DynamicJaxprTrace:
                each.__class__ = KeepingTrace  # of the same slots
        trace = getattr(trace, "parent_trace", None)


def _may_be_written(array: Any) -> bool:
    while isinstance(array, np.ndarray):
        if array.flags.writeable:
            return True
        array = array.base
    return False


def _are_same(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two arrays of one type have the same bytes: 0.0 and -0.0 differ, and a NaN is itself."""
    ours, others = (np.ascontiguousarray(each).reshape(-1).view(np.uint8) for each in (a, b))
    return np.array_equal(ours, others)
