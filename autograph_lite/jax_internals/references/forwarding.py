"""Forwarding: how does a program that is recorded come to take what an array is now? The traces look at each operand.

They begin with the first write that another name is to see; before, nothing is asked.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from jax._src import core

from autograph_lite.jax_internals.numpy_constants import KeepingTrace
from autograph_lite.jax_internals.references import storages, view_equations


class ForwardingTrace(KeepingTrace):
    """A trace that takes of each operand what it is now."""

    __slots__ = ()

    def to_jaxpr_tracer(self, x: Any, source_info: Any) -> Any:
        """The operand of an equation."""
        if core.trace_ctx.trace is self:
            return super().to_jaxpr_tracer(storages.latest_version(x, self), source_info)
        with core.set_current_trace(self):  # the results of one that is left already
            return super().to_jaxpr_tracer(storages.latest_version(x, self), source_info)

    def process_primitive(self, primitive: Any, tracers: Any, params: Any, /) -> Any:
        """The results of an equation; of a function that gives back what it was handed, `x.ravel()`, that."""
        base: Any = super()
        found = base.process_primitive(primitive, tracers, params)
        if primitive.name not in view_equations.CALLS:
            return found
        with core.set_current_trace(self):  # by which the references of somebody else's program are known
            return storages.handed_back(found, tracers, self)


def install_forwarding() -> None:
    """Lets the traces that go on on this thread forward, from now on."""
    trace: Any = core.trace_ctx.trace
    while trace is not None:
        if trace.__class__ is KeepingTrace:
            trace.__class__ = ForwardingTrace  # of the same slots
        trace = getattr(trace, "parent_trace", None)


@contextlib.contextmanager
def as_recorded() -> Iterator[None]:
    """Inside, an operand of the innermost trace is what equations before have had, whatever has been written since."""
    trace: Any = core.trace_ctx.trace
    kind = trace.__class__
    if kind is ForwardingTrace:
        trace.__class__ = KeepingTrace
    try:
        yield
    finally:
        trace.__class__ = kind


def traces_up_to(array: Any) -> list[Any] | None:
    """The traces from the innermost one to that of an array, without it; None where that is none of those that record."""
    found: list[Any] = []
    trace = core.trace_ctx.trace
    while trace is not getattr(array, "_trace", None):
        if not isinstance(trace, KeepingTrace):
            return None
        found.append(trace)
        trace = trace.parent_trace
    return found if isinstance(trace, KeepingTrace) else None
