"""Number flow: which variables of a loop would be Python's numbers, if Python ran it? Those that follow from numbers alone.

n = n // 2 + i                      a number, if `n` is one before the loop
s = s + jnp.sin(i)                  an array, as sin() gives one also for a number
if x > 0: n = 1                     an array, as a traced value decides
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from jax.extend import core

from autograph_lite.jax_internals import avals
from autograph_lite.jax_internals.dataflow import primitive_traits
from autograph_lite.jax_internals.dataflow.framework import Forward
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


def become_python(body: Any, stay: Iterable[int], rows: Sequence[Known | None]) -> list[int]:
    """The variables, by their places, that are arrays before the loop, and that an iteration leaves as numbers of Python's."""
    jaxpr = body.jaxpr
    carried = len(jaxpr.invars) - len(rows)
    numbers = [*(k in stay for k in range(carried)), *(row is not None for row in rows)]
    follow = _Plain().known(jaxpr, numbers)
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
