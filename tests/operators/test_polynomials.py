"""Objects that are polynomials, called with traced values, give what NumPy gives."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autograph_lite import convert

X = np.array([[0.5, -1.0, 2.0], [3.0, 0.25, 1.5]], np.float32)


def at_arrays_and_numbers(x):
    p = np.poly1d([1.0, -2.0, 1.0])
    return p(x), p(x[0, 0]), p(3.0), p.deriv()(x[1]), (p * p)(2), p([x[0, 1], 1.0])


def of_polynomials(x):
    p, q = np.poly1d([1, -2]), np.poly1d([2, 1, 0])
    return p(q)(x), q(p(x))


def newton(x):
    p = np.poly1d(np.polyfit([0.0, 1.0, 2.0], [1.0, 3.0, 2.5], 2))
    slope, root = p.deriv(), x[0, 0]
    for _ in range(5):
        root = root - p(root) / slope(root)
    return root


def with_a_window(x):
    p = np.polynomial.Polynomial([1.0, 2.0, 3.0])
    q = np.polynomial.Polynomial([1.0, 2.0, 3.0], domain=[0, 4])
    fitted = np.polynomial.Polynomial.fit([0.0, 1.0, 2.0, 5.0], [1.0, 3.0, 2.0, 0.0], 2)
    return p(x), q(x), fitted(x), q(1.5), p.deriv()(x)


@pytest.mark.parametrize("function", [at_arrays_and_numbers, of_polynomials, newton, with_a_window])
def test_a_polynomial_is_evaluated_as_by_numpy(function):
    for one, other in zip(jax.tree.leaves(convert(function)(X)), jax.tree.leaves(function(X)), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)


def test_its_derivative_and_lanes_are_those_of_the_powers():
    p = np.poly1d([1.0, -2.0, 1.0])
    f = convert(lambda x: p(x))
    assert jax.grad(f)(jnp.float32(3)) == 4
    np.testing.assert_allclose(jax.vmap(f)(X), p(X))
