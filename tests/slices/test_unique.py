"""Is `np.unique` of a traced array what it is in NumPy, wherever its length is not needed?"""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autograph_lite import DynamicShapeError, convert

LABELS = [np.array([2, 0, 2, 3, 0, 2]), np.array([1, 1, 1, 1, 1, 1]), np.array([5, 4, 3, 2, 1, 0])]


def reduced(y: Any) -> Any:
    classes = np.unique(y)
    return len(classes), classes.sum(), classes.max(), classes[0], classes[-1], (classes * 2 + 1).prod()


def with_all(y: Any) -> Any:
    u, index, inverse, counts = np.unique(y, return_index=True, return_inverse=True, return_counts=True)
    return (
        u.sum(),
        index.max(),
        inverse,
        counts.max(),
        u[counts.argmax()],
        np.unique(y.reshape(2, 3), return_inverse=True)[1],
    )


def entropy(y: Any) -> Any:
    total = 0
    for label in np.unique(y):
        share = len(y[y == label]) / len(y)
        total += -share * math.log(share) / math.log(2)
    return total


def means(y: Any) -> Any:
    x, total = np.sin(y * 1.0), 0.0
    for label in np.unique(y):
        total = total + label * x[y == label].mean()
    return total


@pytest.mark.parametrize("fn", [reduced, with_all, entropy, means])
def test_values_are_numpys(fn: Any) -> None:
    converted = convert(fn)
    for y in LABELS:
        for found, expected in zip(jax.tree.leaves(converted(y)), jax.tree.leaves(fn(y)), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_nans_are_one_and_nothing_is_nothing() -> None:
    converted = convert(lambda x: len(np.unique(x)))
    given = [np.array([np.nan, 1.0, np.nan]), np.zeros(0), np.array([[1.0, 1.0], [2.0, 1.0]])]
    assert [int(converted(x)) for x in given] == [len(np.unique(x)) for x in given] == [2, 0, 2]
    assert int(convert(lambda x: len(np.unique(x, equal_nan=False)))(given[0])) == 3


def test_lanes_and_gradients() -> None:
    lanes = jax.vmap(convert(entropy))(jnp.stack(LABELS))
    np.testing.assert_allclose(lanes, [entropy(y) for y in LABELS], rtol=1e-5, atol=1e-6)
    slope = jax.grad(convert(lambda x: (np.unique(x) ** 2).sum()))(jnp.array([2.0, 1.0, 2.0]))
    assert slope.sum() == 6


def test_they_can_not_be_returned_from_a_program_of_somebody_else() -> None:
    with pytest.raises(DynamicShapeError) as caught:
        jax.jit(convert(lambda y: np.unique(y)))(LABELS[0])

    assert (caught.value.what, caught.value.fix) == (
        "'np.unique(y)' is returned, or kept in an object, and only the data knows how many items it has.",
        "say how many there are to be, and what stands for those that are missing: jnp.unique(x, size=6, fill_value=6).",
    )
