"""Dependence: does an operation of the program take both the numbers of a loop and those of the loop around it?

    for i in range(500):
        for j in range(500):
            C[i, j] = A[i, j]        no: each index is looked at by itself
            C[i, j] = i + j          yes, in `i + j`

Where they don't, 500 numbers of each loop are compared with Python's, and not the 250,000 pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograph_lite.jax_internals.dataflow.framework import Forward
from autograph_lite.jax_internals.dataflow.scan_ir import groups
from autograph_lite.operators.lane_eval import primitive_rules

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
        return (
            value if test is None else self.joined([test, value])
        )  # it may be the same whatever data decide

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
