"""Number flow: which variables of a loop would be Python's numbers, if Python ran it? Those that follow from numbers alone.

n = n // 2 + i                      a number, if `n` is one before the loop
s = s + jnp.sin(i)                  an array, as sin() gives one also for a number
if x > 0: n = 1                     an array, as a traced value decides

And which floats among them would be of type `np.float64`, as what `np.sin(i)` gives is?

s = np.sin(i) * 2                   NumPy's
t = float(s)                        Python's
s if i % 2 else 2.0                 either
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from jax.extend import core

from autograph_lite.jax_internals import avals
from autograph_lite.jax_internals.dataflow import primitive_traits
from autograph_lite.jax_internals.dataflow.framework import Forward
from autograph_lite.operators.lane_eval import number_functions
from autograph_lite.operators.lane_eval.primitive_rules import Known

# What only functions of arrays give, also where they are called with numbers.
OF_ARRAYS = primitive_traits.TRANSCENDENTAL | primitive_traits.ROOTS | primitive_traits.REDUCTIONS | {
    "dot_general", "cumsum", "cumprod", "sort", "random_bits", "random_seed", "random_wrap", "random_fold_in", "threefry2x32",
    "fft",
}  # fmt: skip


class _Plain(Forward[bool]):
    """What follows from numbers by what Python may compute."""

    literal, constant = True, False

    def joined(self, values: Sequence[bool]) -> bool:
        return all(values)

    def decided(self, test: bool, value: bool) -> bool:
        return test and value

    def operation(self, equation: Any, operands: list[bool]) -> list[bool]:
        return [all(operands) and _of_python(equation)] * len(equation.outvars)


def python_only(body: Any, numbers: Sequence[bool], rows: Sequence[Known | None]) -> list[int]:
    """The variables, by their places in the carry, that are numbers before the loop and follow from numbers alone."""
    stay = _Plain().repeated(body, [], numbers, [row is not None for row in rows])
    return [k for k, _ in enumerate(numbers) if stay[k]]


def follow_from_numbers(body: Any, stay: Iterable[int], rows: Sequence[Known | None]) -> list[bool]:
    """For each output of an iteration, whether it follows from numbers alone, those of the carry that `stay` among them."""
    found = _following(body, stay, rows)
    return [isinstance(out, core.Literal) or found[out] for out in body.jaxpr.outvars]


def _following(body: Any, stay: Iterable[int], rows: Sequence[Known | None]) -> Any:
    """The same, for each variable of an iteration."""
    carried = len(body.jaxpr.invars) - len(rows)
    numbers = [*(k in stay for k in range(carried)), *(row is not None for row in rows)]
    return _Plain().known(body.jaxpr, numbers)


def become_python(body: Any, stay: Iterable[int], rows: Sequence[Known | None]) -> list[int]:
    """The variables, by their places, that are arrays before the loop, and that an iteration leaves as numbers of Python's."""
    jaxpr, follow = body.jaxpr, _following(body, stay, rows)
    carried = len(jaxpr.invars) - len(rows)
    made = {v: eqn for eqn in jaxpr.eqns for v in eqn.outvars if eqn.primitive.name == "convert_element_type"}
    found = []
    for k, out in enumerate(jaxpr.outvars[:carried]):
        source = out if isinstance(out, core.Literal) or out not in made else made[out].invars[0]
        if k not in stay and (isinstance(source, core.Literal) or follow[source]):
            found.append(k)
    return found


def _of_python(eqn: Any) -> bool:
    name = eqn.primitive.name
    aval: Any = eqn.outvars[0].aval if eqn.outvars else None
    to_array = name == "convert_element_type" and aval.dtype.kind in "fc" and not avals.is_weak(aval)
    return name not in OF_ARRAYS and not to_array


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


def numpys_after(jaxpr: Any, carried: int) -> list[Kinds]:
    """What the variables of a loop may be after an iteration; before the first, they are Python's numbers, or arrays."""
    analysis = _OfNumpy()
    rows = [_PYTHONS] * (len(jaxpr.invars) - carried)
    in_any = analysis.repeated(jaxpr, [], [_PYTHONS] * carried, rows)[:carried]
    return analysis.results(jaxpr, [*in_any, *rows])
