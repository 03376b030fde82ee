"""Provenance: what was a value of the recorded program computed from?

new = row.copy()                  `new` lies where `row` does, until somebody writes to it
test = u < jnp.exp(x - y)         `test` follows from `x` through an exponential
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from jax._src import core

from autograph_lite.jax_internals import constant_folding, recorded_equations, tracing_state
from autograph_lite.jax_internals.dataflow import primitive_traits

# So far back equations are looked at for what a test waits for: what is further away costs time alone.
_DEEPEST = 200
# What is made of an array by these may lie where it does; what is repeated or turned round is computed.
_WRITES = primitive_traits.WRITES | {"copy"}
_SHAPES = primitive_traits.SHAPES - {"broadcast_in_dim", "rev"}
_READS = primitive_traits.PARTS | {"gather"}
# Which may turn out to change nothing: `row * 1`.
_ARITHMETIC = frozenset({
    "add", "sub", "mul", "div", "max", "min", "and", "or", "select_n", "convert_element_type", "integer_pow", "stop_gradient",
})  # fmt: skip


def origin(value: Any) -> Any:
    """Where an array lies that is being recorded: the input of a program or a body that it is, with what has been written to it.

    None of an array that has been computed, and of what is no tracer; `Ellipsis` of a part or another shape of an array.
    """
    todo = [(value, False)]
    seen: set[int] = set()
    while todo:
        value, is_other_shape = todo.pop()
        value = tracing_state.lowered(value)
        if not isinstance(value, core.Tracer) or id(value) in seen:
            continue
        seen.add(id(value))
        equation = getattr(value, "parent", None)
        if equation is None:
            return ... if is_other_shape else value
        name, operands = equation.primitive.name, equation.in_tracers
        jaxprs: Any = core.jaxprs_in_params(equation.params) if name in ("jit", "pjit") else ()
        if name in _READS or any(each.primitive.name in _READS for jaxpr in jaxprs for each in jaxpr.eqns):
            return ...
        if name == primitive_traits.BARRIER:
            todo.append((operands[constant_folding.result_number(value)], is_other_shape))
        elif name in _WRITES:
            todo.append((operands[0], is_other_shape))
        elif name in _SHAPES:
            todo.append((operands[0], True))
        elif name in _ARITHMETIC:
            same = [each for each in operands if np.shape(each) == np.shape(value)]
            todo += [(each, is_other_shape) for each in reversed(same)]
    return None


def follows_through(value: Any, names: Collection[str], sources: Sequence[Any]) -> bool:
    """Whether a value of the program that is being recorded follows from one of others through a primitive of these names."""
    known: dict[int, tuple[bool, bool]] = {id(source): (True, False) for source in sources}

    def found(tracer: Any, depth: int) -> tuple[bool, bool]:
        """Whether it follows from one of them, and whether through such a primitive."""
        equation = getattr(tracer, "parent", None)
        if id(tracer) in known or equation is None or depth > _DEEPEST:
            return known.get(id(tracer), (False, False))
        parts = [found(each, depth + 1) for each in equation.in_tracers]
        follows = any(part[0] for part in parts)
        through = any(part[1] for part in parts) or (follows and _is_or_holds(equation, names))
        known[id(tracer)] = follows, through
        return follows, through

    return found(value, 0)[1]


def _is_or_holds(equation: Any, names: Collection[str]) -> bool:
    """Whether an equation is of one of these primitives, or one of those that it calls."""
    inner = (each for jaxpr in recorded_equations.jaxprs_in(equation) for each in jaxpr.eqns)
    return equation.primitive.name in names or any(_is_or_holds(each, names) for each in inner)
