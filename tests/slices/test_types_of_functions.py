"""Functions of NumPy's of parts whose length only the data knows: items and types are those of NumPy."""

from __future__ import annotations

import warnings

import jax
import numpy as np
import pytest

from autograph_lite import convert

TYPES = ["bool", "int8", "uint8", "int16", "int32", "int64", "float32", "float64"]
FUNCTIONS = {
    "exp": lambda x: np.exp(x),
    "sqrt and sum": lambda x: np.sqrt(x).sum(),
    "reciprocal": lambda x: np.reciprocal(x),
    "floor_divide": lambda x: np.floor_divide(x, x),
    "true_divide": lambda x: np.true_divide(x, 3),
    "arctan2": lambda x: np.arctan2(x, x + x),
    "hypot": lambda x: np.hypot(x, x),
    "log1p": lambda x: np.log1p(x),
    "rint": lambda x: np.rint(x),
    "power": lambda x: np.power(x, 2),
    "maximum": lambda x: np.maximum(x, 1),
}


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_they_are_numpys(name, dtype):
    fun, x = FUNCTIONS[name], np.array([0, 2, 1, 3]).astype(dtype)

    def by_mask(x):
        return fun(x[x > 0])

    def by_slice(x, n):
        return fun(x[1:n])

    with jax.enable_x64(True), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for f, args in ((by_mask, (x,)), (by_slice, (x, np.int64(3)))):
            found, expected = convert(f)(*args), f(*args)
            np.testing.assert_allclose(found, expected, rtol=1e-6 if dtype != "int8" else 1e-3)
            kind = found.dtype
            assert kind == expected.dtype or expected.dtype == np.float16, (kind, expected.dtype)


@pytest.mark.parametrize("number", [2, np.float64(2.5)])
def test_numbers_beside_parts_in_a_row(number):
    def f(x, n):
        return np.hstack([n, x[x > 1]]), np.hstack([x[x > 1], n]), np.hstack([0.0, x[x > 1], n])

    x = np.array([0.5, 2.5, 1.5])
    for found, expected in zip(convert(f)(x, number), f(x, number), strict=True):
        np.testing.assert_allclose(found, expected)
