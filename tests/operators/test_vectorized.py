"""`np.vectorize`, `np.apply_along_axis` and `np.frompyfunc` of the user's functions, on traced values."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al
from tests.errors.messages import message

X = np.array([0.5, 2.0, 3.0], np.float32)
Y = np.array([1.0, 1.5, 4.0], np.float32)
M = np.arange(6, dtype=np.float32).reshape(2, 3)


@np.vectorize
def larger(a: Any, b: Any) -> Any:
    return a + b if a > b else a - b


def halvings(a: Any) -> Any:
    count = 0.0
    while a > 0.5:
        a = a / 2
        count += 1
    return count


def items(x: Any, y: Any) -> Any:
    return larger(x, y), larger(x[:, None], y), larger(x[0], 2), np.vectorize(halvings)(x)


def options(x: Any, y: Any) -> Any:
    power = np.vectorize(lambda a, n: a**n)
    named = np.vectorize(lambda a, k=1.0: a + k, excluded=["k"])
    typed = np.vectorize(lambda a: int(a > 1), otypes=[float])
    both = np.vectorize(lambda a: (a + 1, a * y[0]))
    rows = np.vectorize(lambda r: r.sum(), signature="(n)->()")
    return power(x, 2), named(x, k=y[0]), larger(x, b=y), typed(x), both(x), rows(M * x[0])


def along_an_axis(x: Any, y: Any) -> Any:
    m = M * x[0]
    centred = np.apply_along_axis(lambda r: r - r.mean(), 1, m)
    return (
        centred,
        np.apply_along_axis(lambda r, k: r[:2] * k, 0, m, y[1]),
        np.apply_along_axis(np.sort, 1, -m),
    )


@pytest.mark.parametrize("function", [items, options, along_an_axis])
def test_functions_of_items(function: Any) -> None:
    found, wanted = jax.tree.leaves(al.convert(function)(X, Y)), jax.tree.leaves(function(X, Y))
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)


def test_gradients() -> None:
    square = np.vectorize(lambda a: a * a if a > 1 else a)
    gradient = jax.grad(al.convert(lambda x: square(x).sum()))(jnp.asarray(X))
    np.testing.assert_allclose(gradient, [1, 4, 6])


def test_what_is_changed_for_each_item() -> None:
    def f(x):
        seen = []

        def g(a):
            seen.append(1)
            return a

        return np.vectorize(g)(x), len(seen)

    assert message(f, X) == (
        "MutationError: 'seen' is changed by a function that np.vectorize calls with a traced value.\n"
        "  test.py:4 in g\n"
        "      seen.append(1)\n"
        "  Python calls it for each item, and the program has it once for all of them.\n"
        "  Fix: return what is to be kept; or write a loop over the items."
    )


def test_objects_of_pythons() -> None:
    def f(x):
        return np.frompyfunc(lambda a: a + 1, 1, 1)(x)

    assert message(f, X) == (
        "PythonOnlyError: '<lambda> (vectorized)', which np.frompyfunc has made, is called with a traced value.\n"
        "  test.py:1 in f\n"
        "      return np.frompyfunc(lambda a: a + 1, 1, 1)(x)\n"
        "  It makes arrays of Python's objects, which a compiled program can't hold.\n"
        "  Fix: make it by np.vectorize(f), which is jax.vmap for traced values."
    )
