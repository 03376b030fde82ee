"""Does the table of primitives say what JAX computes?"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax._src.lax import lax as lax_internal, slicing
from jax.extend.core import primitives

from autograph_lite.jax_internals.dataflow import intervals, primitive_traits
from autograph_lite.jax_internals.dataflow.primitive_traits import FOLDS, VIEWS, WRITES

KNOWN: dict[str, Any] = {
    each.name: each
    for module in (primitives, lax_internal, slicing)
    for name, each in vars(module).items()
    if name.endswith("_p")
}
NAMES = primitive_traits.BATCHED | VIEWS | WRITES | set(FOLDS) | set(intervals.RULES)
OPERANDS = [np.array([-7, -1, 0, 3, 5], np.int32), np.array([2, 2, -3, 3, 1], np.int32)]


def test_every_primitive_that_is_named_exists() -> None:
    assert sorted(name for name in NAMES if name not in KNOWN) == []


@pytest.mark.parametrize("name", sorted(FOLDS))
def test_numpy_computes_what_the_primitive_does(name: str) -> None:
    operands = OPERANDS[: getattr(FOLDS[name], "nin", 1)]
    np.testing.assert_array_equal(KNOWN[name].bind(*map(jnp.asarray, operands)), FOLDS[name](*operands))


@pytest.mark.parametrize("name", sorted(intervals.RULES.keys() - {"convert_element_type"}))
def test_results_lie_within_the_interval(name: str) -> None:
    rule = intervals.RULES[name]
    ends = [(-3, 4), (-2, 5)] if name not in ("div", "rem") else [(0, 6), (1, 4)]
    numbers = [np.arange(low, high + 1, dtype=np.int32) for low, high in ends]
    operands = numbers[:1] if name in ("neg", "abs", "sign") else np.meshgrid(*numbers)
    found = np.asarray(KNOWN[name].bind(*map(jnp.asarray, operands)))
    low, high = rule(*ends[: len(operands)])
    assert low <= found.min() and found.max() <= high


@pytest.mark.parametrize(
    "fun", [jnp.transpose, jnp.ravel, jnp.flip, lambda x: lax.dynamic_slice(x, (0, 1), (2, 1))]
)
def test_what_moves_items_keeps_their_values(fun: Any) -> None:
    names = [equation.primitive.name for equation in jax.make_jaxpr(fun)(np.ones((2, 3))).eqns]
    names = [name for name in names if name not in ("jit", "pjit")]
    assert set(names) <= primitive_traits.SHAPES | primitive_traits.PARTS
