"""Doubles in loops: what is a loop made of whose Python floats are doubles? Of what they are in the program before it.

A number is known as Python had it; one that follows from numbers, through equations that are recorded already, is computed once
more, as a double. It uses JAX's insides. Checked on jax 0.10.2 and 0.12.0.1.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np
from jax import lax
from jax._src import config, core
from jax.extend.core import jaxpr_as_fun

from autograph_lite.jax_internals import avals, tracing_state
from autograph_lite.jax_internals.constant_folding import underlying_value
from autograph_lite.jax_internals.loops.double_floats import (
    F32,
    F64,
    U32,
    Body,
    cast_bits,
    convert_double,
    double_body,
    double_constant,
    is_number,
    result,
    with_consts,
)

_DEEPEST = 200  # equations between a value and the numbers that it follows from


@dataclasses.dataclass
class Loop:
    """A loop that computes with doubles.

    Attributes:
      jaxprs: of its condition, if it has one, and its body.
      init: what it starts with.
      rows: arrays; the body takes a row of each.
    """

    jaxprs: list[Any]
    init: list[Any]
    rows: list[Any]
    _wide: list[bool]

    def numbers(self, after: Sequence[Any]) -> list[Any]:
        """What it leaves, in the types that it would have had."""
        return [_rounded(v) if each else v for v, each in zip(after, self._wide, strict=True)]


def with_double_floats(
    jaxprs: Sequence[Any],
    init: Sequence[Any],
    rows: Sequence[Any] = (),
    floats: Mapping[int, Any] | None = None,
) -> Loop | None:
    """The loop with the floats of Python's as doubles; None where it has none that matter.

    Args:
      jaxprs: closed: of the condition, if it has one, and of the body.
      init: what it starts with.
      rows: arrays; the body takes a row of each.
      floats: what some of these are, by their numbers, as doubles.
    """
    floats = floats or {}
    if (
        config.enable_x64.value
        or jax.default_backend() == "tpu"
        or not jax.sharding.get_abstract_mesh().empty
    ):
        return None
    carry = [_double_of(v) for v in init]
    held = [[_double_of(v) for v in each.consts] for each in jaxprs]
    known = [[v is not None for v in each] for each in held]
    step, carried = double_body(
        jaxprs[-1], [], [v is not None for v in carry], [k in floats for k in range(len(rows))], known[-1]
    )
    tests = [Body(each, [*consts, *carried]) for each, consts in zip(jaxprs[:-1], known, strict=False)]
    if not any(carried) and not any(body.decides for body in (*tests, step)):
        return None
    bodies = [
        *(test.finish([False]) for test in tests),
        step.finish(carried + [False] * (len(step.wide) - len(carried))),
    ]
    bodies = [
        each.replace(consts=[c if v is None else _bits_of(v) for c, v in zip(each.consts, wide, strict=True)])
        for each, wide in zip(bodies, held, strict=True)
    ]
    start = [_bits_of(double) if each else v for v, double, each in zip(init, carry, carried, strict=True)]
    wide = [_bits_of(floats[k]) if k in floats else row for k, row in enumerate(rows)]
    return Loop(bodies, start, wide, carried)


def _bind(primitive: Any, operands: Sequence[Any], params: dict[str, Any], _: Any) -> Any:
    found = primitive.bind(*operands, **params)
    return found[0] if primitive.multiple_results else found


def _bits_of(value: Any) -> Any:
    if isinstance(value, (float, np.ndarray)):
        return np.asarray(value, F64)[..., None].view(U32)
    return cast_bits(_bind, value, U32, None)


def _rounded(bits: Any) -> Any:
    return convert_double(_bind, cast_bits(_bind, bits, F64, None), F32, None, weak=True)


def _double_of(value: Any, depth: int = 0) -> Any:
    """The double that a value of the program that is being recorded is, or the number; None where it is none of Python's."""
    value = underlying_value(tracing_state.lowered(value))
    if not isinstance(value, core.Tracer):
        return avals.float_of(value) if is_number(jax.typeof(value)) else None
    equation = getattr(value, "parent", None)
    if equation is None or not is_number(value.aval) or depth > _DEEPEST:
        return None

    def double(operand: Any) -> Any:
        found = _double_of(operand, depth + 1)
        return double_constant(_bind, lambda part: part, found) if isinstance(found, float) else found

    if equation.primitive.name in ("jit", "pjit", "cond") and not equation.effects:
        return _rebound(equation, value, [_double_of(each, depth + 1) for each in equation.in_tracers])
    return result(equation, equation.in_tracers, double, _bind)


def _rebound(equation: Any, value: Any, doubles: Sequence[Any]) -> Any:
    """The double that a result of a call or a conditional is: a second one, which computes nothing else."""
    which = next(n for n, v in enumerate(equation.outvars) if v is value.val)
    params, is_cond = dict(equation.params), equation.primitive.name == "cond"
    closed = params["branches"] if is_cond else [params["jaxpr"]]
    wide = [v is not None for v in doubles]
    bodies = [Body(each, with_consts(each, wide[is_cond:])) for each in closed]
    if not all(body.wide[which] for body in bodies):
        return None
    programs = [
        jaxpr_as_fun(body.finish([n == which for n in range(len(body.wide))], alone=True)) for body in bodies
    ]
    operands = [
        v if double is None else _bits_of(double)
        for v, double in zip(equation.in_tracers, doubles, strict=True)
    ]
    found = lax.switch(operands[0], programs, *operands[1:]) if is_cond else programs[0](*operands)
    return cast_bits(_bind, found[0], F64, None)
