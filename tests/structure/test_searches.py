"""Is a search, which a traced value ends long before its last iteration, one loop of the program, however it is left?"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite

MANY = 100_000  # unrolled, it would not end


def square(x, y):
    return x * x - y


def secant(y, x0=1.0, x1=2.0, tolerance=1e-5):
    for _ in range(MANY):
        x2 = x1 - square(x1, y) * (x1 - x0) / (square(x1, y) - square(x0, y))
        if abs(square(x2, y)) < tolerance:
            return x2
        x0, x1 = x1, x2
    return x2


def newton(y, x=1.0, tolerance=1e-5):
    for k in range(MANY):
        step = square(x, y) / (2 * x)
        x = x - step
        if abs(step) < tolerance:
            return x, k
    raise RuntimeError(f"no root in {MANY} iterations")


def newton_with_flag(y, x=1.0, tolerance=1e-5):
    for k in range(MANY):
        if abs(square(x, y)) < tolerance:
            return x, k, True
        x = x - square(x, y) / (2 * x)
    return x, MANY, False


def bisection(y, low=0.0, high=10.0):
    for _ in range(MANY):
        middle = 0.5 * (low + high)
        if high - low < 1e-4:
            return middle
        if square(middle, y) < 0:
            low = middle
        else:
            high = middle
    return middle


def bisection_that_raises(y, low=0.0, high=10.0):
    for _ in range(MANY):
        middle = (low + high) / 2
        if abs(square(middle, y)) < 1e-4:
            break
        if square(low, y) * square(middle, y) < 0:
            high = middle
        elif square(middle, y) * square(high, y) < 0:
            low = middle
        else:
            raise RuntimeError("no change of sign")
    else:
        raise RuntimeError("not found")
    return middle


def beside_a_decay(y):
    x, rate = 1.0, 1.0
    for _ in range(MANY):
        step = rate * square(x, y) / (2 * x)
        x, rate = x - step, 0.99 * rate
        if abs(step) < 1e-4:
            return x
    return x


SEARCHES = [secant, newton, newton_with_flag, bisection, bisection_that_raises, beside_a_decay]


def loops(function, *args):
    """How many loops a program has, and whether it is short."""
    text = str(jax.make_jaxpr(autograph_lite.to_graph(function))(*args))
    return text.count("scan[") + text.count("while["), text.count("\n") < 1000


@pytest.mark.parametrize("function", SEARCHES, ids=lambda function: function.__name__)
def test_a_search_is_one_loop_and_finds_what_python_finds(function) -> None:
    assert loops(function, jnp.float32(2)) == (1, True)
    expected = function(np.float32(2))
    found = autograph_lite.convert(function)(np.float32(2))
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5), found, expected)


def test_a_search_that_fails_raises_what_python_raises() -> None:
    with pytest.raises(RuntimeError, match="^no change of sign$"):
        bisection_that_raises(np.float32(200))
    with pytest.raises(RuntimeError, match="^no change of sign$"):
        autograph_lite.convert(bisection_that_raises)(np.float32(200))
