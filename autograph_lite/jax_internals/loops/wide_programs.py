"""Wide programs: which ints of Python's, outside of loops, need more than 32 bits in the program that is being recorded?

    k = 70000 if c else 3
    y = (k * k) % 1000007          computed in 64 bits

What a loop leaves has 32 bits, and so has what the program gives: what does not fit is told.
"""

from __future__ import annotations

import dataclasses
import weakref
from collections.abc import Iterable, Sequence
from typing import Any

import jax
from jax._src import core

from autograph_lite.jax_internals import configuration, recorded_equations, tracing_state
from autograph_lite.jax_internals.dataflow import long_literals, python_ints, scan_ir
from autograph_lite.jax_internals.dataflow.induction_variables import open_jaxpr
from autograph_lite.jax_internals.dataflow.python_ints import LONG, NARROW, SHORT
from autograph_lite.jax_internals.dataflow.scan_ir import is_variable
from autograph_lite.jax_internals.loops.int_tests import ARITHMETIC
from autograph_lite.jax_internals.loops.wide_body import Body
from autograph_lite.jax_internals.loops.wide_loops import Tell, made_in_branch
from autograph_lite.jax_internals.loops.wide_numbers import Nest
from autograph_lite.jax_internals.references import forwarding
from autograph_lite.jax_internals.varying_types import typed

_INSIDE = frozenset({"cond", "jit", "pjit", "checkpoint"})
_BOUNDED = dataclasses.replace(LONG, most=NARROW)  # they keep their bits, and tell


class _Program(Body):
    """The ints of a program, but for those of its loops; floats stay as they are."""

    def which(self, atoms: Sequence[Any]) -> list[bool]:
        return [self._nest.is_int(v.aval) and not self._nest.native and not self._fits(v) for v in atoms]

    def _double(self, atom: Any) -> Any:
        return None

    def _cond(self, equation: Any) -> bool:
        found = super()._cond(equation)
        self._places.update((v, made_in_branch(equation, v)) for v in equation.outvars if v in self._places)
        return found

    def _while(self, equation: Any) -> bool:
        return False

    _scan = _while

    def end(self, results: int) -> _Program:
        """Has 32 bits in its results; `code` is the number of what does not fit."""
        self.settle([False] * results)
        self.code = self._joined(self.failed)
        self.places = self._nest.places
        return self

    def remade(self, recorded: Sequence[Any]) -> list[Any]:
        """Its equations that are others than the recorded ones, or follow from such."""
        before, made = {*map(_parts, recorded)}, set[Any]()
        remade = []
        for each in self._equations:
            if _parts(each) not in before or any(v in made for v in each.invars if is_variable(v)):
                made.update(each.outvars)
                remade.append(each)
        return remade

    def tests(self, recorded: Sequence[Any]) -> list[Any]:
        """The equations of `code` alone, where the others are as they are recorded; they do nothing but compute."""
        before = {v: e for e in recorded for v in e.outvars}
        found = []
        for each in self._equations:
            known = before.get(each.outvars[0]) if each.outvars else None
            if known is None:
                found.append(each)
            elif known.params is not each.params:
                outvars = [core.Var(v.aval) if v in before else v for v in each.outvars]
                found.append(_without_effects(each.replace(outvars=outvars)))
        return found


def with_wide_ints(outputs: Sequence[Any], tell: Tell) -> list[Any]:
    """The outputs of the recorded program, its ints as wide as they have to be; `tell` is told of those that don't fit."""
    recorded = _recorded()
    if not any(map(_computes_ints, recorded)):
        return [*outputs]
    x64, mesh = configuration.has_64_bits(), jax.sharding.get_abstract_mesh()
    native = x64 or jax.default_backend() == "tpu" or not mesh.empty
    width = SHORT if native and not x64 else LONG
    if not _is_wide(recorded, width, native=native):
        return [*outputs]
    ours = [tracing_state.lowered(each) for each in outputs]
    variables = {
        t.val: t for t in ours if isinstance(t, core.Tracer) and is_variable(getattr(t, "val", None))
    }
    effects = [t.val for e in recorded if e.effects for t in e.in_tracers if is_variable(t.val)]
    results, equations = (
        [*dict.fromkeys([*variables, *effects])],
        [*map(recorded_equations.as_equation, recorded)],
    )
    tracers = {**{t.val: t for e in recorded for t in e.in_tracers if is_variable(t.val)}, **variables}
    body = _body(equations, results, width, native=native)
    if native:
        _evaluate(body, body.tests(equations), {}, tracers, tell)
        return [*outputs]
    remade = body.remade(equations)
    made = {v for e in remade for v in e.outvars}
    if any(e.effects for e in remade) or any(v in made for v in effects):  # they have been done already
        body = _body(equations, results, _BOUNDED, native=True)
        _evaluate(body, body.tests(equations), {}, tracers, tell)
        return [*outputs]
    wanted = {v: atom for v, atom in zip(results, body.results, strict=True) if v in made or atom is not v}
    now = _evaluate(body, remade, wanted, tracers, tell)
    return [
        now.get(getattr(mine, "val", None), given) if isinstance(mine, core.Tracer) else given
        for mine, given in zip(ours, outputs, strict=True)
    ]


def _evaluate(
    body: _Program, made: Sequence[Any], wanted: dict[Any, Any], tracers: dict[Any, Any], tell: Tell
) -> dict[Any, Any]:
    """The values of what is `wanted`, by the variables that they had; and tells of what does not fit."""
    results = [*wanted.values(), body.code]
    equations, needed = scan_ir.live(made, results, effects=False)
    inputs = [v for v in needed - {v for e in equations for v in e.outvars} if v in tracers]
    with forwarding.as_recorded():
        *new, code = typed(_closed(equations, inputs, results))(*[tracers[v] for v in inputs])
    tell(code, body.places)
    return dict(zip(wanted, new, strict=True))


def _recorded() -> list[Any]:
    kept = [e() if isinstance(e, weakref.ref) else e for e in recorded_equations.recorded()]
    return [each for each in kept if each is not None]


def _parts(equation: Any) -> tuple[int, ...]:
    """The ids of what an equation is made of; calls of one function may have their parameters in common."""
    return id(equation.params), *map(id, equation.outvars), *map(id, equation.invars)


def _without_effects(equation: Any) -> Any:
    if not equation.effects:
        return equation
    params = {
        **equation.params,
        **{
            name: tuple(map(_pure, each)) if isinstance(each, tuple) else _pure(each)
            for name, each in equation.params.items()
            if name in ("branches", "jaxpr")
        },
    }
    return equation.replace(params=params, effects=core.no_effects)


def _pure(closed: Any) -> Any:
    jaxpr = open_jaxpr(closed)
    equations, _ = scan_ir.live(jaxpr.eqns, jaxpr.outvars, effects=False)
    pure = jaxpr.replace(eqns=[*map(_without_effects, equations)], effects=core.no_effects)
    return pure if jaxpr is closed else closed.replace(jaxpr=pure)


def _closed(equations: Sequence[Any], inputs: Sequence[Any], results: Sequence[Any]) -> Any:
    empty = jax.make_jaxpr(tuple)()
    jaxpr = open_jaxpr(empty).replace(invars=[*inputs], outvars=[*results], eqns=[*equations])
    return empty.replace(jaxpr=jaxpr)


def _body(equations: Sequence[Any], results: Sequence[Any], width: Any, *, native: bool) -> _Program:
    defined = {v for e in equations for v in e.outvars}
    used = [v for e in equations for v in e.invars if is_variable(v)]
    inputs = [*dict.fromkeys(v for v in [*used, *results] if v not in defined)]
    nest = Nest(python_ints.Ints(width), native=native)
    closed = _closed(equations, inputs, results)
    return _Program(
        closed, [False] * len(inputs), [python_ints.unknown_ends(v.aval) for v in inputs], nest
    ).end(len(results))


def _computes_ints(equation: Any) -> bool:
    """Whether an equation computes an int of Python's, by itself or in a branch."""
    name = equation.primitive.name
    if name in _INSIDE:
        if python_ints.operation_name(equation) in python_ints.CALLS:
            return python_ints.may_divide_by_zero(equation)
        return any(_computes_ints(e) for each in recorded_equations.jaxprs_in(equation) for e in each.eqns)
    if python_ints.rounds(equation) or name in long_literals.LONG:
        return True
    return name in ARITHMETIC and python_ints.is_int(equation.outvars[0].aval)


def _is_wide(recorded: Sequence[Any], width: Any, *, native: bool) -> bool:
    """Whether any int of Python's may not fit, by the equations that these follow from."""
    wanted: set[Any] = set()
    kept = []
    for each in reversed(recorded):
        if any(v in wanted for v in each.outvars) or _computes_ints(each):
            kept.append(recorded_equations.as_equation(each))
            wanted.update(_ints(t.val for t in each.in_tracers))
    results = [v for e in kept for v in e.outvars if python_ints.is_int(v.aval)]
    body = _body(kept[::-1], results, width, native=native)
    return bool(body.failed) or body.decides


def _ints(atoms: Iterable[Any]) -> list[Any]:
    return [v for v in atoms if is_variable(v) and _is_scalar(v.aval)]


def _is_scalar(aval: Any) -> bool:
    """Whether it is the type of an int or a truth value; keys have dtypes of their own."""
    return getattr(aval, "shape", None) == () and getattr(aval.dtype, "kind", "V") in "iub"
