"""Are products of parts right in all the ways in which zeros are spared, whatever lies outside of the parts?"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import hypothesis.strategies as st
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given

import autograph_lite
from autograph_lite.operators.ragged_ops import masked_products
from tests.examples import examples

from .against import assert_like_numpy

N = 8
BEYOND_FLOATS = [0.0, np.inf, -np.inf, np.nan]


def first(A: Any, v: Any, k: Any) -> Any:
    return jnp.sum(jnp.sin(v[k:] @ A[k:, k:]))


def second(A: Any, v: Any, k: Any) -> Any:
    return jnp.sum(jnp.sin(A[k:, k:] @ v[k:]))


def both(A: Any, v: Any, k: Any) -> Any:
    return jnp.sum(jnp.sin(A[k:, k:] @ A[k:, k:])) + v[k]


def rows(A: Any, v: Any, k: Any) -> Any:
    return jnp.sin(A[k, k:] @ v[k:]) + jnp.vdot(v[k:], A[k:, k])


def moved(A: Any, v: Any, k: Any) -> Any:
    return jnp.sum(jnp.sin(A[k:-1, k:-1] @ v[k + 1 :]))


FUNCTIONS = [first, second, both, rows, moved]
"""Each takes nothing but `A[k:, k:]` and `v[k:]`."""


@pytest.fixture(params=[1, masked_products.LARGE], ids=["sparing", "not sparing"])
def sparing(request: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(masked_products, "LARGE", request.param)


def arrays(rest: float, k: int, seed: int = 0) -> tuple[Any, Any]:
    """A matrix and a vector with `rest` outside of the parts from k on."""
    rng = np.random.default_rng(seed)
    A, v = rng.normal(size=(N, N)), rng.normal(size=N)
    A[:k] = A[:, :k] = v[:k] = rest
    return jnp.asarray(A), jnp.asarray(v)


def known(fun: Callable[..., Any], k: int) -> Callable[[Any, Any], Any]:
    """`fun` of a `k` that is known, and so with slices that JAX takes."""
    return lambda A, v: fun(A, v, k)


@pytest.mark.usefixtures("sparing")
@pytest.mark.parametrize("fun", FUNCTIONS)
def test_values_and_derivatives(fun: Any) -> None:
    graph = autograph_lite.to_graph(fun)

    def along(A: Any, v: Any, k: int) -> Any:
        return jax.jvp(lambda A, v: graph(A, v, k), (A, v), (jnp.ones_like(A), v))

    backward, forward = jax.jit(jax.grad(graph, (0, 1))), jax.jit(along)
    for k, rest in itertools.product((0, 3, N - 2), BEYOND_FLOATS):
        A, v = arrays(rest, k)
        value, slope = forward(A, v, k)
        expected, expected_slope = jax.jvp(known(fun, k), (A, v), (jnp.ones_like(A), v))
        np.testing.assert_allclose(value, expected, rtol=1e-4, atol=1e-5)
        slopes = jax.grad(known(fun, k), (0, 1))(A, v)
        for one, other in [*zip(backward(A, v, k), slopes, strict=True), (slope, expected_slope)]:
            np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-4)


@pytest.mark.usefixtures("sparing")
@pytest.mark.parametrize("fun", FUNCTIONS)
def test_lanes(fun: Any) -> None:
    staged = autograph_lite.to_graph(fun)
    ks = [0, 2, 5]
    pairs = [arrays(rest, k, seed=k) for rest, k in zip(BEYOND_FLOATS[1:], ks, strict=True)]
    A, v = (jnp.stack(each) for each in zip(*pairs, strict=True))
    found = jax.jit(jax.vmap(staged))(A, v, jnp.array(ks))
    expected = [known(fun, k)(*pair) for k, pair in zip(ks, pairs, strict=True)]
    np.testing.assert_allclose(found, np.stack(expected), rtol=1e-4, atol=1e-5)
    gradients = jax.jit(jax.vmap(jax.grad(staged)))(A, v, jnp.array(ks))
    assert np.isfinite(gradients).all()


@pytest.mark.usefixtures("sparing")
@pytest.mark.parametrize("fun", FUNCTIONS)
def test_second_derivatives(fun: Any) -> None:
    k = 3
    A, v = arrays(np.inf, k)
    staged = autograph_lite.to_graph(fun)
    found = jax.jit(jax.hessian(staged, 1))(A, v, k)
    np.testing.assert_allclose(found, jax.hessian(known(fun, k), 1)(A, v), rtol=1e-3, atol=1e-3)


PRODUCTS = ["v[i:j] @ A[i:j]", "A[:, i:j] @ v[i:j]", "A[i:, :j] @ A[:j]", "xp.dot(A[i], A[:, j])", "xp.inner(A[:i, :j], v[:j])",
            "v[i:j] @ v[i:j]", "xp.vdot(A[i, :j], v[:j])", "A[:i] @ v", "v[i:j] @ (abs(A) > 1)[i:j]", "(A[i:j] @ A)[:, ::-1]"]  # fmt: skip
numbers = st.sampled_from([0, 1, -2, 3, -4])
wild = st.sampled_from([0.0, 1.5, -2.0, 1e9])  # BLAS leaves out what meets a zero, infinities included
bounds = st.integers(0, 4)


@pytest.mark.usefixtures("sparing")
@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.complex64])
@pytest.mark.parametrize("product", PRODUCTS)
@examples(15)
@given(data=st.data(), i=bounds, j=bounds)
def test_products(product: str, dtype: Any, data: Any, i: int, j: int) -> None:
    items = wild if dtype is np.float32 else numbers
    A = np.array(data.draw(st.lists(st.lists(items, min_size=5, max_size=5), min_size=5, max_size=5)), dtype)
    v = np.array(data.draw(st.lists(items, min_size=5, max_size=5)), dtype)
    assert_like_numpy(f"def main(A, v, i, j):\n    return xp.sum({product})\n", A, v, i, j)


@pytest.mark.skipif(jax.default_backend() != "cpu", reason="elsewhere both get zeros")
def test_a_large_matrix_gets_no_zeros() -> None:
    def f(A: Any, v: Any, k: Any) -> Any:
        return jnp.sum(v[k:] @ A[k:])

    graph = autograph_lite.to_graph(f)
    assert "while[" in str(jax.make_jaxpr(graph)(jnp.ones((64, 64)), jnp.ones(64), 2))
    assert "while[" not in str(jax.make_jaxpr(graph)(jnp.ones((8, 8)), jnp.ones(8), 2))
