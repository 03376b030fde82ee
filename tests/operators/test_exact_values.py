"""Where NumPy's result has no rounding error, or is rounded once, ours is the same number: `int` would make the one before of another."""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autograph_lite import convert

WHOLE = np.arange(0.0, 60)
CASES: dict[str, tuple[Any, Any]] = {
    "np.log2": (lambda x: np.log2(x), 2.0 ** np.arange(-20, 40)),
    "math.log2": (lambda x: math.log2(x), 2.0 ** np.arange(-20, 40)),
    "np.log10": (lambda x: np.log10(x), 10.0 ** np.arange(0, 16)),
    "math.log10": (lambda x: math.log10(x), 10.0 ** np.arange(0, 16)),
    "np.cbrt": (lambda x: np.cbrt(x), WHOLE**3),
    "np.exp2": (lambda x: np.exp2(x), np.arange(-30.0, 30)),
    "math.gamma": (lambda x: math.gamma(x), np.arange(1.0, 18)),
    "a logarithm of a base": (lambda x: math.log(x, 2), 2.0 ** np.arange(0, 20)),
    "round": (lambda x: round(x, 2), WHOLE / 200 + 1),
    "np.round": (lambda x: np.round(x, 1), WHOLE / 20),
    "a method": (lambda x: x.round(2), WHOLE / 200 + 1),
    "round to tens": (lambda x: np.round(x, -1), WHOLE),
}


@pytest.mark.parametrize("case", CASES)
def test_the_number_is_numpys(case: str) -> None:
    fun, values = CASES[case]
    with jax.enable_x64(True):
        converted = convert(fun)
        ours = [float(converted(np.array(value))) for value in values]
    assert ours == [float(fun(value)) for value in values]


@pytest.mark.parametrize("case", ["np.log2", "np.log10", "np.cbrt", "np.exp2", "np.round"])
def test_arrays_and_lanes(case: str) -> None:
    fun, values = CASES[case]
    with jax.enable_x64(True):
        np.testing.assert_array_equal(convert(fun)(values), fun(values))
        np.testing.assert_array_equal(jax.vmap(convert(fun))(values), fun(values))


@pytest.mark.parametrize("name", ["log2", "log10", "cbrt", "exp2"])
def test_derivatives_are_jaxs(name: str) -> None:
    fun, theirs = getattr(np, name), getattr(jnp, name)
    for x in (jnp.array(8.0), jnp.array(1000.0), jnp.array(1.7)):
        converted = convert(lambda x: fun(x))
        np.testing.assert_allclose(jax.grad(converted)(x), jax.grad(theirs)(x), rtol=1e-5)
        np.testing.assert_allclose(jax.grad(jax.grad(converted))(x), jax.grad(jax.grad(theirs))(x), rtol=1e-4)


def test_where_nothing_is_exact_it_is_jaxs() -> None:
    odd = np.array([0.0, -1.0, np.inf, np.nan, 3.7, 1e-30], np.float32)
    for name in ("log2", "log10", "cbrt", "exp2"):
        fun = getattr(np, name)
        np.testing.assert_allclose(
            convert(lambda x, fun=fun: fun(x))(odd), getattr(jnp, name)(odd), rtol=1e-6
        )
    assert convert(lambda x: np.log2(x))(np.array([8], np.int32)).tolist() == [3.0]
    assert convert(lambda x: np.log2(x))(jnp.array(1 + 1j)).dtype == np.complex64
