"""`np.linalg.inv` of a singular matrix and the like in a `try` that catches the LinAlgError: what NumPy does."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autograph_lite import convert, to_graph

GOOD, SINGULAR = np.float32([[2, 1], [1, 3]]), np.float32([[1, 2], [2, 4]])


def inverted(a, b):
    try:
        return np.linalg.inv(a) @ b
    except np.linalg.LinAlgError:
        return b * 0 - 1


def solved(a, b):
    text = "solved"
    try:
        x = np.linalg.solve(a, b)
    except ValueError as error:
        text, x = str(error), b
    return x.sum() if text == "solved" else -b.sum()


def jittered(a, b):
    """As programs make a matrix positive definite."""
    jitter = 0.0
    for _ in range(4):
        try:
            root = np.linalg.cholesky(a + jitter * np.eye(2))
            break
        except np.linalg.LinAlgError:
            jitter = jitter * 10 + 1
    else:
        root = np.zeros((2, 2))
    return root @ b + jitter


class Filter:
    def __init__(self, b):
        self.b, self.failed = b, 0

    def update(self, a):
        try:
            self.b = np.linalg.solve(a, self.b)
        except np.linalg.LinAlgError:
            self.failed += 1
        return self.b


def by_a_method(a, b):
    kept = Filter(b)
    for each in (a, a.T, a @ a):
        kept.update(each)
    return kept.b, kept.failed


@pytest.mark.parametrize("form", [convert, lambda fn: jax.jit(to_graph(fn))], ids=["convert", "jit"])
@pytest.mark.parametrize("fun", [inverted, solved, jittered, by_a_method])
def test_the_handler_runs_where_numpys_would(fun, form):
    converted, b = form(fun), np.float32([1, 2])
    for a in (GOOD, SINGULAR, -GOOD):
        expected = jax.tree.leaves(fun(a.copy(), b.copy()))
        for ours, python in zip(jax.tree.leaves(converted(a, b)), expected, strict=True):
            np.testing.assert_allclose(ours, python, rtol=1e-4)


def test_derivatives_and_lanes():
    matrices, b = jnp.stack([GOOD, SINGULAR]), jnp.float32([1, 2])
    lanes = jax.vmap(convert(inverted), in_axes=(0, None))(matrices, b)
    np.testing.assert_allclose(lanes, [np.linalg.solve(GOOD, b), [-1, -1]], rtol=1e-5)
    slope = jax.grad(lambda a, b: convert(solved)(a, b))
    expected = jax.grad(lambda a, b: jnp.linalg.solve(a, b).sum())
    np.testing.assert_allclose(slope(GOOD, b), expected(GOOD, b), rtol=1e-5)
    assert not np.isnan(slope(SINGULAR, b)).any()


def test_without_a_handler_it_is_jaxs():
    assert not np.isfinite(convert(lambda a: np.linalg.inv(a))(SINGULAR)).any()
    text = str(jax.make_jaxpr(to_graph(lambda a: np.linalg.inv(a)))(GOOD))
    assert "is_finite" not in text
