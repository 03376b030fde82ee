"""Exact rows: where a program computes a number with less precision than Python, each iteration is given Python's number.

    for t in range(1, 300):
        m = m / (1 - 0.999 ** t)        in 32 bits, the divisor is off by some hundred roundings

What the number is in each iteration is known while tracing, so that it need not be computed in the program: it is one
more row of the loop. Where it is computed in a loop inside, it is a row of that one, and a row of these rows outside.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax.extend import core

from autograph_lite.jax_internals import avals
from autograph_lite.jax_internals.dataflow import scan_ir
from autograph_lite.operators.lane_eval import primitive_rules
from autograph_lite.operators.lane_eval.primitive_rules import Known, UnlikePythonError


class ExactRows:
    """Numbers that one walk through a body has met, which its iterations are to be given.

    Args:
      wanted: the variables that are not exact enough; those that are found later are added to it.

    Attributes:
      found: by their variables, numbers: lanes first, then the steps of loops around them in the body.
      loops: those of loops in the body, by the identities of their equations.
    """

    def __init__(self, wanted: set[Any]) -> None:
        self.wanted = wanted
        self.found: dict[Any, np.ndarray[Any, Any]] = {}
        self.loops: dict[int, ExactRows] = {}

    def want(self, atoms: Sequence[Any], made: Any, operands: Sequence[Known | None]) -> None:
        """To be called where the program computes an array from these operands; `made` says what equations have made.

        Raises:
          UnlikePythonError: one of them is less exact than Python's, and no iteration can be given it.
        """
        for atom, operand in zip(atoms, operands, strict=True):
            if operand is None or not primitive_rules.is_less_exact(operand):
                continue
            if not isinstance(atom, core.Literal) and atom in made and len(atom.aval.shape) < 2:
                self.wanted.add(atom)
            elif primitive_rules.has_drifted(operand):
                raise UnlikePythonError(primitive_rules.LESS_EXACT)

    def keep(
        self, variables: Sequence[Any], values: Sequence[Known | None], count: int
    ) -> list[Known | None]:
        """The results of an equation, exact where they are wanted; these are kept."""
        return [
            self._kept(v, value, count) if value is not None and v in self.wanted else value
            for v, value in zip(variables, values, strict=True)
        ]

    def _kept(self, variable: Any, value: Known, count: int) -> Known:
        shape = variable.aval.shape
        python = value.python if shape else value.python.reshape(-1)
        self.found[variable] = np.broadcast_to(python, (count, *shape)).astype(variable.aval.dtype)
        return dataclasses.replace(value, program=value.python.astype(value.program.dtype))

    def keep_loop(self, equation: Any, rows: ExactRows) -> None:
        """Keeps what was met in a loop, in all of its steps."""
        if rows.found or rows.loops:
            self.loops[id(equation)] = rows

    def take(self, other: ExactRows, change: Callable[[Any], Any]) -> None:
        """Keeps what `other` has met, with its rows changed."""
        self.found.update((v, change(row)) for v, row in other.found.items())
        for key, inner in other.loops.items():
            self.loops.setdefault(key, ExactRows(self.wanted)).take(inner, change)


def stacked_rows(wanted: set[Any], steps: Sequence[ExactRows]) -> ExactRows:
    """What was met in the steps of a loop: lanes first, then steps.

    Raises:
      UnlikePythonError: something was not met in all of them.
    """
    result = ExactRows(wanted)
    if any(
        step.found.keys() != steps[0].found.keys() or step.loops.keys() != steps[0].loops.keys()
        for step in steps
    ):
        raise UnlikePythonError(primitive_rules.LESS_EXACT)
    for variable in steps[0].found:
        result.found[variable] = np.stack([step.found[variable] for step in steps], axis=1)
    for key in steps[0].loops:
        result.loops[key] = stacked_rows(wanted, [step.loops[key] for step in steps])
    return result


def given(jaxpr: Any, exact: ExactRows) -> tuple[Any, list[np.ndarray[Any, Any]]]:
    """A jaxpr whose last inputs are numbers that it has computed before, and what these are: lanes first."""
    inputs, rows, equations = [], list[np.ndarray[Any, Any]](), []
    for eqn in jaxpr.eqns:
        if id(eqn) in exact.loops:
            inner, tables = _given_in_loop(eqn, exact.loops[id(eqn)])
            own = inner.params["jaxpr"].jaxpr.invars[len(eqn.invars) :]
            more = [
                core.Var(v.aval.update(shape=(eqn.params["length"], *v.aval.shape), weak_type=False))
                for v in own
            ]
            eqn = inner.replace(invars=[*eqn.invars, *more])
            inputs += more
            rows += tables
        kept = {v: exact.found[v] for v in eqn.outvars if v in exact.found}
        rows += kept.values()
        if len(kept) < len(eqn.outvars) or eqn.effects:
            equations.append(eqn.replace(outvars=[core.Var(v.aval) if v in kept else v for v in eqn.outvars]))
        for variable in kept:
            weak = avals.is_weak(variable.aval)
            inputs.append(core.Var(variable.aval.update(weak_type=False)) if weak else variable)
            equations += _typed(inputs[-1], variable, eqn)
    return jaxpr.replace(invars=[*jaxpr.invars, *inputs], eqns=equations), rows


def _typed(given: Any, variable: Any, eqn: Any) -> list[Any]:
    """The equations that give `variable` what is given, as weakly typed as it is."""
    if given is variable:
        return []
    closed = jax.make_jaxpr(lambda array: avals.as_type(array, array.dtype, weak=True))(given.aval)
    return [
        one.replace(invars=[given], outvars=[variable], source_info=eqn.source_info) for one in closed.eqns
    ]


def _given_in_loop(eqn: Any, exact: ExactRows) -> tuple[Any, list[np.ndarray[Any, Any]]]:
    """The equation of a scan, but for its last operands, and what these are."""
    body = eqn.params["jaxpr"]
    jaxpr, rows = given(body.jaxpr, exact)
    consts, carry, before = (len(group) for group in scan_ir.groups(eqn, list(eqn.invars)))
    params = {
        **eqn.params,
        "jaxpr": body.replace(jaxpr=jaxpr),
        **scan_ir.group_params(consts, carry, before + len(rows), len(eqn.outvars) - carry),
    }
    if "linear" in params:
        params["linear"] = (*params["linear"], *[False] * len(rows))
    if eqn.params["reverse"]:
        rows = [row[:, ::-1] for row in rows]
    return eqn.replace(params=params), rows
