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


steps_or_products = np.frompyfunc(lambda a, b: a + b if a > b else a * b, 2, 1)


def both(a):
    if a > 1:
        return a * 2, a
    return a, 0 * a


MADE_OF_PYTHON = {
    "made in the function": lambda x: np.frompyfunc(lambda a: a + 1, 1, 1)(x),
    "of two arguments": lambda x: steps_or_products(x, 2.0),
    "of two results": lambda x: sum(np.frompyfunc(both, 1, 2)(x)),
    "of an array and its rows": lambda x: steps_or_products(x, x[::-1]).sum(),
}


@pytest.mark.parametrize("name", MADE_OF_PYTHON)
def test_what_frompyfunc_makes_is_the_function_under_vmap(name) -> None:
    f = MADE_OF_PYTHON[name]
    expected = np.asarray(f(X.copy()), np.float32)
    for run in (al.convert(f), jax.jit(al.to_graph(f))):
        np.testing.assert_allclose(run(jnp.asarray(X)), expected, rtol=1e-6)
    slope = jax.grad(lambda x: jnp.sum(al.to_graph(f)(x)))(jnp.asarray(X))
    np.testing.assert_allclose(
        slope, jax.grad(lambda x: jnp.sum(by_hand(name, x)))(jnp.asarray(X)), rtol=1e-6
    )


def by_hand(name, x):
    def joined(a, b):
        return jnp.where(a > b, a + b, a * b)

    return {
        "made in the function": x + 1,
        "of two arguments": joined(x, 2.0),
        "of two results": jnp.where(x > 1, 3 * x, x),
        "of an array and its rows": joined(x, x[::-1]).sum(),
    }[name]


def test_objects_of_pythons() -> None:
    def f(x):
        return np.frompyfunc(abs, 1, 1)(x)

    assert message(f, X) == (
        "PythonOnlyError: 'abs (vectorized)', which np.frompyfunc has made, is called with a traced value.\n"
        "  test.py:1 in f\n"
        "      return np.frompyfunc(abs, 1, 1)(x)\n"
        "  It makes arrays of Python's objects, which a compiled program can't hold. A call with its arguments alone, of\n"
        "  a function that is written in Python, gives an array of numbers.\n"
        "  Fix: make it by np.vectorize(f), which is jax.vmap for traced values."
    )
