"""Wide loops: what does a loop start with whose numbers of Python's are wide, and what is left of these after it?

A float is known as Python had it; one that follows from numbers, through equations that are recorded already, is computed once
more, as a double. An int is one of 32 bits before the loop and after it: there, those that do not fit are told.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import numpy as np
from jax import lax
from jax._src import core
from jax.extend.core import jaxpr_as_fun

from autograph_lite.jax_internals import avals, configuration
from autograph_lite.jax_internals.dataflow import python_ints, recorded_ints, value_ranges
from autograph_lite.jax_internals.dataflow.induction_variables import open_jaxpr
from autograph_lite.jax_internals.dataflow.intervals import ANY, Ends
from autograph_lite.jax_internals.dataflow.python_ints import LONG, NARROW, SHORT, lies_within, unknown_ends
from autograph_lite.jax_internals.dataflow.scan_ir import is_variable
from autograph_lite.jax_internals.loops import long_ints
from autograph_lite.jax_internals.loops.double_floats import (
    F32,
    F64,
    U32,
    bind,
    cast_bits,
    convert_double,
    double_constant,
    is_number,
    result,
)
from autograph_lite.jax_internals.loops.int_tests import I64
from autograph_lite.jax_internals.loops.wide_body import Body, WhileLoop, wide_body
from autograph_lite.jax_internals.loops.wide_numbers import Nest
from autograph_lite.jax_internals.references import ambient
from autograph_lite.jax_internals.varying_types import typed, with_varying_carry

_DEEPEST = 200  # equations between a value and the numbers that it follows from
Tell = Callable[[Any, Mapping[Any, int]], None]
"""Is told of ints that do not fit: the number of a line, or 0, and the numbers of the lines."""


@dataclasses.dataclass
class Loop:
    """A loop that computes with wide numbers."""

    jaxprs: list[Any]  # of its condition, if it has one, and its body
    init: list[Any]  # what it starts with
    rows: list[Any]  # arrays; the body takes a row of each
    _carried: list[bool]
    _nest: Nest
    _body: Any
    _failed_test: Any
    _tell: Tell | None
    _after: Sequence[Ends] | None

    def numbers(self, after: Sequence[Any]) -> list[Any]:
        """What it leaves, in the types that it would have had."""
        now, failed = after[: len(self._carried)], list(after[len(self._carried) :])
        if self._failed_test is not None:  # in a loop, whose ints nobody looks at once more
            test = typed(self._failed_test)
            failed += [code[0] for code in lax.scan(lambda *_: (None, test(*now)), None, None, length=1)[1]]
        found = []
        after = [None] * len(now) if self._after is None else self._after
        for value, wide, out, ends in zip(now, self._carried, self._body.outvars, after, strict=False):
            if not wide:
                found.append(value)
            elif out.aval.dtype == F32:
                found.append(_narrowed(cast_bits(bind, value, F64, None), F32))
            elif ends is not None:
                found.append(long_ints.kept(value, ends, _made_by(self._body, out)))
            else:
                long = cast_bits(bind, value, I64, None)
                found.append(_narrowed(long, out.aval.dtype))
                differs = lax.ne_p.bind(convert_double(bind, found[-1], I64, None), long)
                number = self._nest.number(_made_by(self._body, out))
                failed.append(jax.numpy.where(differs, jax.numpy.int32(number), 0))
        if failed and self._tell is not None:
            code = failed[0]
            for each in failed[1:]:
                code = jax.numpy.maximum(code, each)
            self._tell(code, self._nest.places)
        return found


def with_wide_numbers(
    jaxprs: Sequence[Any],
    init: Sequence[Any],
    rows: Sequence[Any] = (),
    floats: Mapping[int, Any] | None = None,
    ends: Sequence[Ends] = (),
    tell: Tell | None = None,
) -> Loop | None:
    """The loop with the numbers of Python's as wide ones; None where it has none that matter.

    Args:
      jaxprs: closed: of the condition, if it has one, and of the body.
      init: what it starts with.
      rows: arrays; the body takes a row of each.
      floats: what some of these are, by their numbers, as doubles.
      ends: between which numbers they lie.
      tell: is told of ints that do not fit; without it, they are left alone.
    """
    *tests, body = jaxprs
    mesh = jax.sharding.get_abstract_mesh()
    is_whole = mesh.empty or mesh.are_all_axes_manual
    native = configuration.has_64_bits() or jax.default_backend() == "tpu" or not is_whole
    floats = {} if native or floats is None else floats
    if native and tell is None:
        return None
    width = SHORT if native and not configuration.has_64_bits() else LONG
    nest = Nest(None if tell is None else python_ints.Ints(width), native)
    doubles = [None if native else _double_of(v) for v in init]
    held = [[None if native else _double_of(v) for v in each.consts] for each in jaxprs]
    known = [[v is not None for v in each] for each in held]
    start = [v is not None for v in doubles]
    inside = after = [NARROW] * len(start)
    is_kept = nest.ints is not None and not native and ambient.has_end()
    unknown = [*map(unknown_ends, body.in_avals)]
    rows_ends = _known_or([*ends] or [ANY] * len(rows), unknown[len(init) :])
    if nest.ints is not None:
        given = _known_or(
            value_ranges.of_values([*map(recorded_ints.standing_for, init)]), unknown[: len(init)]
        )
        if ambient.has_end() and (not native or configuration.has_64_bits()):
            given = [
                recorded_ints.ends_of(v, unknown_ends(jax.typeof(v))) or e
                for v, e in zip(init, given, strict=True)
            ]
        inside, after = nest.ints.loop(body, [], given, rows_ends, (tests[0], []) if tests else None)
        for n, (variable, each) in enumerate(zip(body.in_avals, after[: len(given)], strict=False)):
            start[n] |= not native and python_ints.is_int(variable) and not lies_within(each, NARROW)
    if tests:
        loop = WhileLoop(tests[0], body, nest)
        loop.rewrite(start, inside, after, 0, 0, known)
        step, carried, fails, changes = loop.step, loop.carried, loop.fails, loop.changes
        if not changes:
            return None
        bodies = [loop.test_jaxpr(), loop.step_jaxpr()]
        failed_test = loop.failed_test_jaxpr() if loop.test.failed else None
    else:
        wide_rows = [k in floats for k in range(len(rows))]
        step, carried = wide_body(body, [], start, wide_rows, [*inside, *rows_ends], nest, known[-1])
        step.settle(carried + [False] * (len(step.results) - len(carried)))
        fails, failed_test = bool(step.failed), None
        if not any(carried) and not fails and not step.decides:
            return None
        bodies = [step.finish(code=(len(carried), len(carried)) if fails else None)]
    bodies = [
        each.replace(consts=[c if v is None else _bits_of(v) for c, v in zip(each.consts, wide, strict=True)])
        for each, wide in zip(bodies, held, strict=True)
    ]
    first = [
        _start(v, double, is_kept=is_kept) if each else v
        for v, double, each in zip(init, doubles, carried, strict=True)
    ]
    if fails:
        first.append(np.int32(0))
    wide_values = [_bits_of(floats[k]) if k in floats else row for k, row in enumerate(rows)]
    if mesh.manual_axes:
        bodies[-1], first = with_varying_carry(bodies[-1], [], first, wide_values)
        bodies[:-1] = [jax.make_jaxpr(typed(each))(*map(jax.typeof, first)) for each in bodies[:-1]]
    return Loop(
        bodies,
        first,
        wide_values,
        carried,
        nest,
        open_jaxpr(body),
        failed_test,
        tell,
        after if is_kept else None,
    )


def _known_or(known: Sequence[Ends], unknown: Sequence[Ends]) -> list[Ends]:
    return [u if k == ANY else k for k, u in zip(known, unknown, strict=True)]


def _made_by(jaxpr: Any, out: Any) -> Any:
    """The equation that makes a variable of a loop, or the one that it was before, in a branch if it stands there."""
    made = {v: e for e in jaxpr.eqns for v in e.outvars}
    before, seen = dict(zip(jaxpr.invars, jaxpr.outvars, strict=False)), set()
    while is_variable(out) and out not in made and out in before and out not in seen:
        seen.add(out)
        out = before[out]
    equation = made.get(out) if is_variable(out) else None
    if equation is not None and equation.primitive.name == "cond":
        return made_in_branch(equation, out)
    if equation is not None and python_ints.operation_name(equation) in ("select_n", "_where"):
        found = [made.get(each) for each in equation.invars[1:] if is_variable(each)]
        return next((each for each in found if each is not None), equation)
    return equation


def made_in_branch(cond: Any, out: Any) -> Any:
    """The equation that makes a result of a conditional, in the first of its branches that has one."""
    which = next(n for n, v in enumerate(cond.outvars) if v is out)
    branches = [open_jaxpr(each) for each in cond.params["branches"]]
    found = [_made_by(each.replace(invars=[]), each.outvars[which]) for each in branches]
    return next((each for each in found if each is not None), cond)


def _start(value: Any, double: Any, *, is_kept: bool) -> Any:
    """The bits of what a loop starts with."""
    if double is not None:
        return _bits_of(double)
    known = recorded_ints.standing_for(value)
    if isinstance(known, core.Tracer):
        if is_kept and python_ints.is_int(known.aval):
            return long_ints.bits_of(value)
        return cast_bits(bind, convert_double(bind, value, I64, None), U32, None)
    return np.asarray(int(known), I64)[..., None].view(U32)


def _bits_of(value: Any) -> Any:
    if isinstance(value, (float, np.ndarray)):
        return np.asarray(value, F64)[..., None].view(U32)
    return cast_bits(bind, value, U32, None)


def _narrowed(wide: Any, dtype: Any) -> Any:
    return convert_double(bind, wide, dtype, None, weak=True)


def _double_of(value: Any, depth: int = 0, known: dict[int, tuple[Any, Any]] | None = None) -> Any:
    """The double that a value of the program that is being recorded is, or the number; None where it is none of Python's.

    Args:
      value: the value.
      depth: equations between it and the one that is asked for.
      known: tracers with what has been found for them, by their ids: `x * (1 - x)` forty times over has 2 ** 40 ways.
    """
    value = recorded_ints.standing_for(value)
    if not isinstance(value, core.Tracer):
        return avals.float_of(value) if is_number(jax.typeof(value)) else None
    equation = getattr(value, "parent", None)
    if equation is None or not is_number(value.aval) or depth > _DEEPEST:
        return None
    known = {} if known is None else known
    if id(value) not in known:
        known[id(value)] = value, _computed_again(value, equation, depth, known)
    return known[id(value)][1]


def _computed_again(value: Any, equation: Any, depth: int, known: dict[int, tuple[Any, Any]]) -> Any:
    """The double that an equation gives."""

    def double(operand: Any) -> Any:
        found = _double_of(operand, depth + 1, known)
        return double_constant(bind, lambda part: part, found) if isinstance(found, float) else found

    if equation.primitive.name in ("jit", "pjit", "cond") and not equation.effects:
        doubles = [_double_of(each, depth + 1, known) for each in equation.in_tracers]
        return _rebound(equation, value, doubles)
    return result(equation, equation.in_tracers, double, bind)


def _rebound(equation: Any, value: Any, doubles: Sequence[Any]) -> Any:
    """The double that a result of a call or a conditional is: a second one, which computes nothing else."""
    which = next(n for n, v in enumerate(equation.outvars) if v is value.val)
    params, is_cond = dict(equation.params), equation.primitive.name == "cond"
    closed = params["branches"] if is_cond else [params["jaxpr"]]
    wide = [v is not None for v in doubles]
    bodies = []
    for each in closed:
        consts = len(open_jaxpr(each).constvars)
        given = [*[False] * consts, *wide[is_cond:]]
        bodies.append(Body(each, given, [NARROW] * len(given), Nest(None)))
    if not all(body.wide[which] for body in bodies):
        return None
    programs = [
        jaxpr_as_fun(body.settle([n == which for n in range(len(body.wide))]).finish(only=[which]))
        for body in bodies
    ]
    operands = [
        v if double is None else _bits_of(double)
        for v, double in zip(equation.in_tracers, doubles, strict=True)
    ]
    found = lax.switch(operands[0], programs, *operands[1:]) if is_cond else programs[0](*operands)
    return cast_bits(bind, found[0], F64, None)
