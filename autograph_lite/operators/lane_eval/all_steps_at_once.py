"""Inner loops: can all steps be taken side by side, in all lanes at once, and what is gone through then?

for i in range(500):
    for j in range(i):
        x[i] += j             124,750 lanes: the pairs; or 500 for `i` and 500 for `j`, as nothing follows from both
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from autograph_lite.jax_internals.dataflow.framework import Forward
from autograph_lite.jax_internals.dataflow.scan_ir import groups
from autograph_lite.operators.lane_eval import primitive_rules
from autograph_lite.operators.lane_eval.exact_rows import ExactRows
from autograph_lite.operators.lane_eval.interpreter import Run, Values
from autograph_lite.operators.lane_eval.primitive_rules import Known

# Steps of all lanes that are gone through at once, whether or not the lanes matter for the steps.
FEW = 10_000


def steady(body: Any, args: Values, carried: Mapping[int, int]) -> Values | None:
    """What is known of the inputs in all steps, where the carry tells no step from another; else None.

    Args:
      body: a closed jaxpr.
      args: its inputs, in the first step.
      carried: the outputs that become inputs of the next step, by the numbers of these inputs.
    """
    jaxpr = body.jaxpr
    kept, after = list(args), _OfKnown().results(jaxpr, [each is not None for each in args])
    for place, output in carried.items():
        if jaxpr.outvars[output] is jaxpr.invars[place]:
            continue
        if args[place] is not None and after[output]:
            return None
        kept[place] = None
    return kept


class _OfKnown(Forward[bool]):
    """What follows from known values alone."""

    literal = constant = True

    def joined(self, values: Sequence[bool]) -> bool:
        return all(values)

    def decided(self, test: bool, value: bool) -> bool:
        return test and value

    def operation(self, equation: Any, operands: list[bool]) -> list[bool]:
        return [all(operands)] * len(equation.outvars)


def walk_steps_at_once(
    run: Run, body: Any, lengths: Any, args: Values, inside: Sequence[bool], exact: ExactRows | None = None
) -> None:
    """Goes through a body for all steps of all lanes side by side.

    Args:
      run: the walk of the loop around.
      body: a closed jaxpr, of the loop inside.
      lengths: how many steps each lane takes.
      args: the inputs of the body.
      inside: which of them are rows, by lanes and steps; the others are by lanes.
      exact: gets what the steps are to be given, where all lanes take as many.
    """
    total = int(lengths.sum())
    if total > FEW and _apart(run, body, lengths, args, inside, exact):
        return
    run.spend(total)
    if not total:
        return
    lanes = np.repeat(np.arange(run.count), lengths)
    steps = np.arange(total) - np.repeat(np.cumsum(lengths) - lengths, lengths)

    taken = [
        a and (_pairs(a, lanes, steps) if by_step else a.at(lanes, run.count))
        for a, by_step in zip(args, inside, strict=True)
    ]
    pairs = exact and ExactRows(exact.wanted)
    run.inside(total).closed(body, taken, pairs)
    if exact is not None and pairs is not None:
        exact.take(pairs, lambda row: row.reshape(run.count, -1, *row.shape[1:]))


def _apart(
    run: Run, body: Any, lengths: Any, args: Values, inside: Sequence[bool], exact: ExactRows | None
) -> bool:
    """`walk_steps_at_once`, for all lanes and once more for all steps, where no number follows from both; whether it is so."""
    pairs = list(zip(args, inside, strict=True))
    if any(by_step and row is not None and len(row.python) > 1 for row, by_step in pairs):
        return False
    sources = [None if a is None else INSIDE if by_step else AROUND for a, by_step in pairs]
    if meet(body, sources):
        return False
    lanes, steps = np.flatnonzero(lengths), np.arange(int(lengths.max()))
    run.spend(len(lanes) + len(steps))
    around = [None if by_step else a and a.at(lanes, run.count) for a, by_step in pairs]
    ways = exact and ExactRows(exact.wanted), exact and ExactRows(exact.wanted)
    run.inside(len(lanes)).closed(body, around, ways[0])
    run.inside(len(steps)).closed(
        body, [a and _pairs(a, 0 * steps, steps) if by_step else None for a, by_step in pairs], ways[1]
    )
    if exact is not None and ways[0] is not None and ways[1] is not None:
        shape = len(lanes), len(steps)
        exact.take(ways[0], lambda row: np.broadcast_to(row[:, None], (*shape, *row.shape[1:])))
        exact.take(ways[1], lambda row: np.broadcast_to(row[None], (*shape, *row.shape[1:])))
    return True


def _pairs(rows: Known, lanes: Any, steps: Any) -> Known:
    """The numbers of rows in these lanes and steps, a lane for each."""
    return rows.changed(
        lambda a: a[lanes if len(a) > 1 else 0 * lanes, steps if a.shape[1] > 1 else 0 * steps]
    )


# What a value follows from: nothing but literals, the loop around, the loop inside, both; None where data are in it.
Sources = frozenset[str] | None
NOWHERE: frozenset[str] = frozenset()
AROUND, INSIDE = frozenset({"around"}), frozenset({"inside"})
COMPUTED = frozenset(primitive_rules.RULES) | {
    "convert_element_type", "squeeze", "reshape", "broadcast_in_dim", "shift_right_logical",
}  # fmt: skip


class MetError(Exception):
    """They do."""


class _Met(Forward[Sources]):
    literal = constant = NOWHERE

    def joined(self, values: Sequence[Sources]) -> Sources:
        found = NOWHERE
        for source in values:
            if source is None:
                return None
            found |= source
        if found >= AROUND | INSIDE:
            raise MetError
        return found

    def decided(self, test: Sources, value: Sources) -> Sources:
        # It may be the same whatever data decide.
        return value if test is None else self.joined([test, value])

    def equation(self, equation: Any, operands: list[Sources]) -> list[Sources]:
        found = super().equation(equation, operands)
        if equation.primitive.name == "scan":  # whose outputs are not gone through
            found = [now if n < len(groups(equation, operands)[1]) else None for n, now in enumerate(found)]
        return found

    def operation(self, equation: Any, operands: list[Sources]) -> list[Sources]:
        if not {"jaxpr", "call_jaxpr"}.isdisjoint(equation.params):
            raise MetError  # nobody knows
        name = equation.primitive.name
        found = self.joined(operands) if name == "iota" or name in COMPUTED else None
        return [found] * len(equation.outvars)


def meet(jaxpr: Any, inputs: Sequence[Sources]) -> bool:
    """Whether an equation of a closed jaxpr computes a number from one of `AROUND` and one of `INSIDE`."""
    try:
        _Met().results(jaxpr, inputs)
    except MetError:
        return True
    return False
