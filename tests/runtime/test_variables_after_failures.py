"""Do Variables survive a program that fails while it runs, in a callback that is not ours?"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al


def refused(x):
    if x < 0:
        raise ValueError("negative")
    return np.float32(x)


@pytest.mark.parametrize(
    "callback",
    [
        lambda x: jax.pure_callback(refused, jax.ShapeDtypeStruct((), jnp.float32), x),
        lambda x: jax.debug.callback(refused, x),
    ],
    ids=["pure_callback", "debug.callback"],
)
def test_a_variable_is_as_it_was_after_a_callback_has_raised(callback):
    v = al.Variable(jnp.ones(3))

    @al.convert
    def f(x):
        v.assign_add(x * jnp.ones(3))
        return v.value * 1, callback(x)

    f(jnp.float32(1))
    with pytest.raises((ValueError, jax.errors.JaxRuntimeError), match="negative"):  # as JAX reports it
        jax.block_until_ready(f(jnp.float32(-1)))
        jax.effects_barrier()
    assert v.value.tolist() == [2, 2, 2]
    assert f(jnp.float32(2))[0].tolist() == [4, 4, 4]
