"""May the body of a loop hold operations that JAX writes in terms of XLA's only late, such as `jnp.nonzero` on 0.12?"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

import autograph_lite

X = jnp.asarray([0.5, 2.0, 3.0, -1.0])


def moved(x, n):
    i = 0
    while i < n:
        x = x * 1.5 + x[jnp.nonzero(x > 1, size=4, fill_value=0)[0]]
        i += 1
    return x


staged = autograph_lite.to_graph(moved)


def test_in_a_while_loop() -> None:
    assert np.array_equal(jax.jit(staged)(X, jnp.int32(3)), moved(X, 3))


def test_in_the_gradient_of_a_while_loop() -> None:
    ours = jax.jit(jax.grad(lambda x, n: jnp.sum(staged(x, n))))(X, jnp.int32(3))
    assert np.array_equal(ours, jax.grad(lambda x: jnp.sum(moved(x, 3)))(X))


def test_in_a_while_loop_under_vmap() -> None:
    ours = jax.jit(jax.vmap(staged))(jnp.stack([X, X + 1]), jnp.asarray([3, 2]))
    assert np.array_equal(ours, jnp.stack([moved(X, 3), moved(X + 1, 2)]))
