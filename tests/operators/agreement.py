"""Does a converted function compute on traced values what plain Python computes?"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

import autograph_lite as al


def agree(f, *values):
    """Compares `f` of each value: converted, its converted code under `jax.jit`, and in plain Python."""
    for value in values:
        plain = f(value)
        for run in (al.convert(f), jax.jit(al.to_graph(f))):
            jax.tree.map(
                lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5), run(jnp.float32(value)), plain
            )


def assert_same(found, expected):
    """Two results have one structure, the same texts, and numbers that differ by rounding at most."""
    assert jax.tree.structure(found) == jax.tree.structure(expected)
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        if isinstance(other, str):
            assert one == other
        else:
            np.testing.assert_allclose(one, other, rtol=1e-5)
