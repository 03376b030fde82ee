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


def tells_the_iteration(y, x=1.0):
    for k in range(MANY):
        if abs(square(x, y)) < 1e-4:
            return x
        if abs(x) < 1e-3:
            raise ValueError(f"flat at iteration {k}, {2 * k + 1:>4} evaluations", k)
        x = x - square(x, y) / (2 * x)
    raise RuntimeError("no root after %d iterations" % MANY)  # noqa: UP031


def counts_what_it_tells(y, x=1.0):
    steps = 0
    for k in range(MANY):
        steps += k
        if abs(x) < 1e-3:
            raise ArithmeticError(f"{steps} in {k}")
        if abs(square(x, y)) < 1e-4:
            return x
        x = x - square(x, y) / (2 * x)
    return x


def tells_a_distance(y, x=1.0):
    for k in range(MANY):
        step = square(x, y) / (2 * x)
        if step > 100:
            raise ValueError(f"{step:.2f} at iteration {k}")
        x = x - step
        if abs(step) < 1e-4:
            return x
    return x


@pytest.mark.parametrize(
    ("function", "fails"),
    [(tells_the_iteration, -1), (counts_what_it_tells, -1), (tells_a_distance, -1024)],
)
def test_a_search_may_tell_in_which_iteration_it_failed(function, fails) -> None:
    assert loops(function, jnp.float32(2)) == (1, True)
    converted = autograph_lite.convert(function)
    np.testing.assert_allclose(converted(np.float32(2)), function(np.float32(2)), rtol=1e-4)
    with pytest.raises((ValueError, ArithmeticError)) as expected:
        function(np.float32(fails))
    with pytest.raises((ValueError, ArithmeticError)) as found:
        converted(np.float32(fails))
    assert (type(found.value), found.value.args) == (type(expected.value), expected.value.args)


def tells_a_time(x):
    for k in range(30):
        if x > k and k > 2:
            raise ValueError(f"at {0.1 * k} s")
    return x


def holds_a_time(x):
    for k in range(30):
        if x > k and k > 2:
            raise ValueError("late", 0.1 * k)
    return x


@pytest.mark.parametrize("function", [tells_a_time, holds_a_time])
def test_a_float_of_pythons_in_an_exception_has_all_its_digits(function) -> None:
    with pytest.raises(ValueError) as expected:
        function(np.float32(5))
    with pytest.raises(ValueError) as found:
        autograph_lite.convert(function)(np.float32(5))
    assert found.value.args == expected.value.args


LAYERS = {f"w{k}": jnp.float32(k) for k in range(30)}


READS = {
    "key": lambda k: LAYERS[f"w{k}"],
    "get": lambda k: LAYERS.get(f"w{k}", 1000),
    "attribute": lambda k: getattr(np, f"pi{k}", k * k),
    "membership": lambda k: f"w{k}" in LAYERS,
    "place": lambda k: "w12 w13".find(f"w{k}"),
    "int": lambda k: int(f"{k}1"),
}


@pytest.mark.parametrize("name", READS)
def test_text_of_the_iteration_that_is_read_is_pythons(name) -> None:
    read = READS[name]

    def function(x):
        for k in range(30):
            x = x + read(k)
        return x

    assert autograph_lite.convert(function)(np.float32(1)) == function(np.float32(1))
