"""The only result of a program that calls the host where a check fails is what Python gives, whatever a loop makes of it."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al

XS = np.array([8, 6, -4, 6], np.int32)


def checked_after_a_loop(x, b, xs):
    if x > -100:
        k = b
        for _ in xs:
            k = k + 1
        if (k > 70) if np.ndim(k) == 0 else (k > 70).any():
            raise ValueError("large")
    return b


def checked_after_a_while(x, b, xs):
    b = b * 2
    if x > -100:
        k = b
        while np.sum(k) < 50:
            k = k + 1
        if np.sum(k) > 70:
            raise ValueError("large")
    return b


FORMS = {
    "jit of to_graph": lambda f: jax.jit(al.to_graph(f)),
    "jit of convert": lambda f: jax.jit(al.convert(f)),
    "with more around": lambda f: jax.jit(lambda x, b, xs: al.to_graph(f)(x, b, xs)),
    "convert": al.convert,
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("f", [checked_after_a_loop, checked_after_a_while])
@pytest.mark.parametrize("b", [np.int32(-2), np.array([3, -2], np.int32), np.array([[True]])])
def test_it_is_pythons(f: Any, b: Any, form: Any) -> None:
    found = form(f)(jnp.float32(1), jnp.asarray(b), jnp.asarray(XS))
    np.testing.assert_array_equal(found, f(1.0, b, XS))


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_the_check_raises(form: Any) -> None:
    with pytest.raises((ValueError, jax.errors.JaxRuntimeError), match="large"):
        form(checked_after_a_loop)(jnp.float32(1), jnp.int32(100), jnp.asarray(XS))
        jax.effects_barrier()


def test_a_key_is_left_alone() -> None:
    def f(key, n):
        if n > 3:
            raise ValueError("large")
        return key

    key = jax.random.key(3)
    assert jax.jit(al.to_graph(f))(key, jnp.int32(1)) == key
