"""NumPy's numbers: which floats of a loop would be of type `np.float64`, if Python ran it, as what `np.sin(i)` gives is?

s = np.sin(i) * 2                   NumPy's
t = float(s)                        Python's
s if i % 2 else 2.0                 either
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograph_lite.jax_internals.dataflow.framework import Forward
from autograph_lite.operators.lane_eval import number_functions

Kinds = frozenset[bool]  # whether it is NumPy's: True, False, or either
_PYTHONS = frozenset({False})
_CHOOSE = frozenset({"select_n", "max", "min"})
_CONVERT = frozenset({"reshape", "convert_element_type"})  # the first is what `float(s)` records


class _OfNumpy(Forward[Kinds]):
    literal = constant = _PYTHONS

    def joined(self, values: Sequence[Kinds]) -> Kinds:
        return frozenset[bool]().union(*values)

    def decided(self, test: Kinds, value: Kinds) -> Kinds:
        return value

    def equation(self, equation: Any, operands: list[Kinds]) -> list[Kinds]:
        if name := number_functions.function_called(equation):
            return [frozenset({number_functions.gives_numpys_number(name)})]
        return super().equation(equation, operands)

    def operation(self, equation: Any, operands: list[Kinds]) -> list[Kinds]:
        name = equation.primitive.name
        if name in _CHOOSE:
            kinds = self.joined(operands[name == "select_n" :])
        elif name in _CONVERT and (name == "reshape" or _changes_kind(equation)):
            kinds = _PYTHONS
        else:
            kinds = frozenset({True}) if {True} in operands else self.joined(operands)
        return [kinds] * len(equation.outvars)


def _changes_kind(equation: Any) -> bool:
    return bool(equation.invars[0].aval.dtype.kind != equation.outvars[0].aval.dtype.kind)


def after(jaxpr: Any, carried: int) -> list[Kinds]:
    """What the variables of a loop may be after an iteration; before the first, they are Python's numbers, or arrays."""
    analysis = _OfNumpy()
    rows = [_PYTHONS] * (len(jaxpr.invars) - carried)
    in_any = analysis.repeated(jaxpr, [], [_PYTHONS] * carried, rows)[:carried]
    return analysis.results(jaxpr, [*in_any, *rows])
