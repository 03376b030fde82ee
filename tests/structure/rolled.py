"""Loops over Python's ranges, staged, and what is asked of all of them."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

import autograph_lite


def staged(program):
    """`program` with its loops over Python values staged."""
    return autograph_lite.convert(program, static_loops="stage")


def assert_same_derivatives(program, array):
    """The gradient of the staged program is that of the unrolled one."""

    def total(form):
        return jax.jit(jax.grad(lambda A: jnp.sum(jnp.sin(form(A)))))

    expected = total(autograph_lite.convert(program, static_loops="python"))(jnp.asarray(array))
    np.testing.assert_allclose(total(staged(program))(jnp.asarray(array)), expected, rtol=1e-4, atol=1e-5)
