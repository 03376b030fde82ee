"""Recorded ints: between which numbers does an int of Python's lie in the program that is being recorded?

s = int(x) * 100000
while s * s > n:          what a loop starts with follows from the equations that are there so far
"""

from __future__ import annotations

import math
import weakref
from typing import Any

from jax._src import core

from autograph_lite.jax_internals import constant_folding, recorded_equations, tracing_state
from autograph_lite.jax_internals.dataflow import python_ints
from autograph_lite.jax_internals.dataflow.intervals import ANY, Ends, common_ends

_DEEPEST = 200  # equations between a value and what it follows from
_INTS = python_ints.Ints(python_ints.LONG)
_ranges: dict[int, tuple[weakref.ref[Any], tuple[int | None, int | None]]] = {}


def note_range(value: Any, least: int | None, most: int | None) -> Any:
    """Notes that a traced integer lies between two numbers, both included; returns it."""
    key = id(value)
    _ranges[key] = weakref.ref(value, lambda _: _ranges.pop(key, None)), (least, most)
    return value


def known_range(value: Any) -> tuple[int | None, int | None]:
    """The least and the greatest number that a traced integer is noted to be; None where nothing is."""
    found = _ranges.get(id(value))
    return found[1] if found is not None and found[0]() is value else (None, None)


def ends_of(value: Any, unknown: Ends) -> Ends | None:
    """Between which numbers an int of Python's lies, `unknown` those of an input; None where it is no such int, or known."""
    value = standing_for(value)
    return (
        _of(value, unknown, 0, {})
        if isinstance(value, core.Tracer) and python_ints.is_int(value.aval)
        else None
    )


def standing_for(value: Any) -> Any:
    """The constant, or the value of a program around, that a value of a program stands for; else itself."""
    return constant_folding.underlying_value(tracing_state.lowered(value))


def _of(value: Any, unknown: Ends, depth: int, known: dict[int, tuple[Any, Ends]]) -> Ends:
    if not isinstance(value, core.Tracer):
        return _INTS.of_literal(core.Literal(value, core.typeof(value)))
    if python_ints.is_float(value.aval):
        return ANY
    aval: Any = value.aval
    is_int = python_ints.is_int(aval)
    equation = getattr(value, "parent", None)
    if not is_int and (aval.shape or aval.dtype != bool):
        return _INTS.unknown(aval)
    least, most = known_range(value)
    noted = -math.inf if least is None else least, math.inf if most is None else most
    if equation is None or depth > _DEEPEST:
        ends = (unknown if equation is None else python_ints.LONG.most) if is_int else (0, 1)
        return common_ends(ends, noted)
    if id(value) not in known:
        operands = [_of(standing_for(each), unknown, depth + 1, known) for each in equation.in_tracers]
        results = _INTS.equation(recorded_equations.as_equation(equation), operands)
        ends = next(e for e, v in zip(results, equation.outvars, strict=True) if v is value.val)
        known[id(value)] = value, common_ends(ends, noted)
    return known[id(value)][1]
