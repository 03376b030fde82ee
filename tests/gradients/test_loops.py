"""Is the derivative of a staged loop that of plain Python, which jax.grad can follow where it is not staged?"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autograph_lite import convert

from .programs import LOOPS

X = jnp.array([0.3, -0.4, 0.8], jnp.float32)
W = jnp.array([[0.5, -0.3, 0.2], [0.1, 0.8, -0.4], [0.6, 0.2, 0.3]], jnp.float32)


def loss(f):
    return lambda x, w, n: jnp.sum(f(x, w, n) ** 2)


def close(one, other, rtol=2e-4):
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=rtol, atol=1e-5), one, other)


@pytest.fixture(params=sorted(LOOPS))
def plain(request):
    return LOOPS[request.param]


def test_gradient_is_pythons(plain) -> None:
    found = jax.jit(jax.value_and_grad(loss(convert(plain)), (0, 1)))
    for n in (0, 1, 5):
        n = max(n, 1) if plain is LOOPS["until_small"] else n  # with 0 it does not end
        close(found(X, W, n), jax.value_and_grad(loss(plain), (0, 1))(X, W, n))


@pytest.mark.parametrize("name", ["counted", "nested", "with_state"])
def test_gradient_goes_through_a_converted_function_that_is_compiled(name) -> None:
    wanted = jax.grad(loss(LOOPS[name]), (0, 1))(X, W, 4)
    close(jax.grad(lambda x, w: loss(convert(LOOPS[name]))(x, w, jnp.int32(4)), (0, 1))(X, W), wanted)


@pytest.mark.parametrize("name", ["left_early", "nested", "over_rows"])
def test_gradient_goes_through_checkpoint(name) -> None:
    wanted = jax.grad(loss(LOOPS[name]))(X, W, 4)
    close(jax.jit(jax.grad(jax.checkpoint(loss(convert(LOOPS[name])))))(X, W, 4), wanted)


def test_forward_derivative_is_pythons(plain) -> None:
    close(jax.jit(jax.jacfwd(convert(plain)))(X, W, 4), jax.jacfwd(plain)(X, W, 4))


def test_each_lane_has_its_own_gradient(plain) -> None:
    numbers = [1, 6, 3]
    xs = jnp.stack([X, -X, 2 * X])
    wanted = [jax.grad(loss(plain))(x, W, n) for x, n in zip(xs, numbers, strict=True)]
    found = jax.vmap(jax.grad(loss(convert(plain))), (0, None, 0))(xs, W, jnp.array(numbers))
    close(found, jnp.stack(wanted))


def test_gradient_of_what_the_lanes_share_is_the_sum(plain) -> None:
    numbers = [1, 6, 3]
    xs = jnp.stack([X, -X, 2 * X])

    def total(w):
        return jnp.sum(jax.vmap(loss(convert(plain)), (0, None, 0))(xs, w, jnp.array(numbers)))

    wanted = sum(jax.grad(loss(plain), 1)(x, W, n) for x, n in zip(xs, numbers, strict=True))
    close(jax.jit(jax.grad(total))(W), wanted)


@pytest.mark.parametrize("name", ["until_small", "returned", "nested"])
def test_gradient_is_that_of_finite_differences(name) -> None:
    plain = LOOPS[name]
    with jax.enable_x64(True):
        x, w, step = np.asarray(X, np.float64), np.asarray(W, np.float64), 1e-5
        f = jax.jit(loss(convert(plain)))
        found = jax.jit(jax.grad(loss(convert(plain))))(x, w, 5)
        for i in range(3):
            there, back = x.copy(), x.copy()
            there[i] += step
            back[i] -= step
            wanted = (f(there, w, 5) - f(back, w, 5)) / (2 * step)
            np.testing.assert_allclose(found[i], wanted, rtol=1e-5, atol=1e-8)
