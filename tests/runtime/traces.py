"""Traces to report on, of functions that were never called."""

from __future__ import annotations

import inspect
from typing import Any

from autograph_lite.errors import Location
from autograph_lite.runtime.explaining.trace_differences import TraceRecord
from autograph_lite.runtime.types.function_type import FunctionType, Slot
from autograph_lite.runtime.types.structure import from_value
from autograph_lite.runtime.types.trace_type import TraceType, TracingContext


def dictionary(**leaves: Any) -> TraceType:
    """The type of a dictionary of leaves, which are values or trace types."""
    return from_value(leaves, TracingContext(specs=True))


def of_call(
    fn: Any, args: Any, kwargs: Any, *, specs: bool = False
) -> tuple[FunctionType, inspect.BoundArguments]:
    """The type of a call, and its arguments as Python binds them, the defaults filled in."""
    signature = inspect.signature(fn)
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    return FunctionType.from_bound(signature, bound, TracingContext(specs=specs)), bound


def record(
    line: int = 8,
    *,
    trace: float = 0.0125,
    compile: float | None = 0.03,
    context: Any = (),
    changed: Any = (),
    **types: Any,
) -> TraceRecord:
    """A trace for arguments of the given types, called from train.py."""
    kinds = [inspect.Parameter.POSITIONAL_OR_KEYWORD] * len(types)
    function_type = FunctionType(list(map(Slot, types)), list(types.values()), kinds)
    place = Location("/model/train.py", line, "main", "step(x, n)")
    return TraceRecord(function_type, place, trace, compile, tuple(changed), tuple(context))
