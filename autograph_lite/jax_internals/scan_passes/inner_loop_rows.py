"""Rows of inner loops: which rows of an array does one write? They go into that loop, and not the array.

    for i in range(1, m):                       row = D[i]
        for j in range(1, n):                   for j in range(1, n): row[j] = above[j] + row[j - 1]
            D[i, j] = D[i - 1, j] + D[i, j - 1]     D[i] = row

Then `sliding_windows` sees in the outer loop that it writes one row of the array in each iteration, and in the inner one that it
writes one item of the row.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from autograph_lite.jax_internals import avals
from autograph_lite.jax_internals.dataflow import induction_variables
from autograph_lite.jax_internals.dataflow.affine_indices import Position, Positions
from autograph_lite.jax_internals.dataflow.intervals import holds
from autograph_lite.jax_internals.dataflow.scan_ir import Bind, Scan, groups, is_variable, put_in_place
from autograph_lite.jax_internals.scan_passes.array_to_rows import Taken, take


def run(scan: Scan) -> None:
    """Puts rows in place of arrays in the loops inside, and what variables equal in place of them."""
    scan.equations = _read(scan.equations, scan.known, scan.bind)
    scan.give(scan.known.name(scan.results()))


def _read(equations: Sequence[Any], known: Positions, bind: Bind) -> list[Any]:
    """The equations of a loop's body, with rows in place of arrays in the loops inside."""
    found: list[Any] = []
    for equation in map(known.read, equations):
        replaced = _replaced(equation, known, bind) if equation.primitive.name == "scan" else None
        found += [equation] if replaced is None else map(known.read, replaced)
    return found


def _replaced(equation: Any, known: Positions, bind: Bind) -> list[Any] | None:
    """The equations in place of that of an inner scan; None where it writes no few rows of an array."""
    body, length = equation.params["jaxpr"], equation.params["length"]
    jaxpr = getattr(body, "jaxpr", body)
    consts, carried, rows = groups(equation, list(jaxpr.invars))
    arrays = [variable for variable in carried if variable.aval.shape]
    if not arrays or jaxpr.constvars or equation.effects or not isinstance(length, int) or length < 1:
        return None
    outside = dict(zip(jaxpr.invars, equation.invars, strict=True))
    inner = known.inside({v: known.of(outside[v]) for v in consts})
    equations = _read(jaxpr.eqns, inner, bind)
    results = inner.name(jaxpr.outvars)
    scan = Scan(
        equations, dict.fromkeys(consts), dict.fromkeys(carried), dict.fromkeys(rows),
        dict(zip(carried, results, strict=False)), results[len(carried) :], length, equation.params["reverse"],
        inner, {}, bind,
    )  # fmt: skip
    numbers = {v: at for v in consts if not v.aval.shape and (at := known.of(outside[v])) is not None}
    bases = {at.slope: (v, at.offset) for v, at in numbers.items()}
    taken = [each for array in arrays if (each := take(scan, array, {0, *bases})) is not None]
    if not taken:
        return None
    steps = zip(carried, induction_variables.steps(body, len(consts)), strict=False)
    counts = _counts(scan, dict(steps), {v: known.of(outside[v]) for v in carried})
    new = _New(scan, taken, counts, bases, equation)
    return _inlined(jax.make_jaxpr(new.run)(*(atom.aval for atom in equation.invars)), equation)


def _counts(
    scan: Scan, steps: Mapping[Any, int | None], first: Mapping[Any, Position | None]
) -> dict[Any, Position]:
    """The carried variables that count, and what they are in the iteration that takes a row: rows that they become."""
    found = {}
    for variable, step in steps.items():
        start = first[variable]
        if step and start is not None and not start.slope:
            at = Position(step, start.offset)
            if holds(variable.aval.dtype, at.range(scan.length + 1)):
                found[variable] = at.from_the_end(scan.length) if scan.reverse else at
    return found


def _inlined(closed: Any, equation: Any) -> list[Any] | None:
    """The equations of a closed jaxpr that takes and gives what an equation does; None where their types differ."""
    jaxpr = closed.jaxpr
    results = [v for v in jaxpr.outvars if is_variable(v)]
    made = {v for e in jaxpr.eqns for v in e.outvars}
    same = [v.aval for v in jaxpr.outvars] == [v.aval for v in equation.outvars]
    if closed.consts or not same or len(set(results)) < len(jaxpr.outvars) or not made.issuperset(results):
        return None
    return put_in_place(jaxpr, equation)


@dataclasses.dataclass
class _New:
    """The loop with rows in place of arrays."""

    scan: Scan  # its body
    taken: Sequence[Taken]  # the rows
    counts: Mapping[Any, Position]  # the variables that count
    # by its slope, a constant of the loop that is a position of the outer one, and its offset
    bases: Mapping[int, tuple[Any, int]]
    equation: Any  # that of the loop as it was

    def run(self, *operands: Any) -> list[Any]:
        """What the loop gives of its operands."""
        body, scan, params = self.equation.params["jaxpr"], self.scan, self.equation.params
        jaxpr = getattr(body, "jaxpr", body)
        given = dict(zip(jaxpr.invars, operands, strict=True))
        consts = {v: given[v] for v in scan.consts if v in given}
        carried = {v: given[v] for v in scan.carried if v in given and v not in self.counts}
        for taken in self.taken:
            carried.update((v, self._row(given, taken.array, at)) for at, v in taken.rows.items())
            consts.update((v, self._row(given, taken.array, at)) for at, v in taken.others.items())
        rows = {v: given[v] for v in scan.rows}
        rows.update((v, _numbers(at, scan.length, v.aval)) for v, at in self.counts.items())
        new = jaxpr.replace(
            constvars=list(consts), invars=[*carried, *rows], eqns=scan.equations,
            outvars=[*(scan.next[v] for v in carried), *scan.outputs],
        )  # fmt: skip
        closed = body.replace(jaxpr=new, consts=list(consts.values()))
        positions = {number: self.counts[v] for number, v in enumerate(rows) if v in self.counts}
        after, outputs = self.scan.bind(
            closed, list(carried.values()), list(rows.values()), positions, params
        )
        last = dict(zip(carried, after, strict=True))
        for taken in self.taken:
            array = given[taken.array]
            for at, row in taken.rows.items():
                array = self._put_back(given, array, at, last[row])
            last[taken.array] = array
        for variable, at in self.counts.items():
            steps = (-at.slope if scan.reverse else at.slope) * scan.length
            last[variable] = given[variable] + steps
        _, before, _ = groups(self.equation, list(jaxpr.invars))
        return [*(last[v] for v in before), *outputs]

    def _number(self, given: Mapping[Any, Any], at: Position) -> Any:
        if not at.slope:
            return at.offset
        base, offset = self.bases[at.slope]
        return given[base] + (at.offset - offset) if at.offset != offset else given[base]

    def _row(self, given: Mapping[Any, Any], array: Any, at: Position) -> Any:
        shape = array.aval.shape
        starts = [jnp.asarray(n, jnp.int32) for n in (self._number(given, at), *[0] * (len(shape) - 1))]
        one = lax.dynamic_slice(given[array], starts, (1, *shape[1:]), allow_negative_indices=False)
        return lax.squeeze(one, [0])

    def _put_back(self, given: Mapping[Any, Any], array: Any, at: Position, row: Any) -> Any:
        """The array with what a row has become."""
        numbers = lax.ScatterDimensionNumbers(tuple(range(row.ndim)), (0,), (0,))
        return lax.scatter(
            array, jnp.asarray(self._number(given, at), jnp.int32).reshape(1), row, numbers,
            indices_are_sorted=True, unique_indices=True, mode=lax.GatherScatterMode.FILL_OR_DROP,
        )  # fmt: skip


def _numbers(at: Position, length: int, aval: Any) -> Any:
    numbers = lax.iota(aval.dtype, length) * aval.dtype.type(at.slope) + aval.dtype.type(at.offset)
    return avals.as_type(numbers, aval.dtype, avals.is_weak(aval))
