"""Python's floats in rolled loops where `jax_enable_x64` is set."""

import jax
import numpy as np
import pytest

from autograph_lite import convert, to_graph


@pytest.fixture(autouse=True)
def wide():
    with jax.enable_x64(True):
        yield


def scaled(x):
    f, t = 1.0, 0.0
    for _ in range(20):
        t += x * f
        f *= 1.1
    return t


def counted(x):
    f, t = 1.0, 0.0
    for _ in range(20):
        t += x * f
        f += 1
    return t


def listed(x):
    t = 0.0
    for f in [0.1 * i for i in range(20)]:
        t += x * f
    return t


def held(x):
    a, t, n = [1.0], 0.0, 0
    for _ in range(20):
        t = max(t, x * a[0])
        a[0] *= 1.1
        if x * a[0] > 5:
            n += 1
    return t + n


def rounded(x):
    f, n = 1.0, 0
    for _ in range(20):
        n += int(x * f)
        f *= 1.1
    return n + x * 0


@pytest.mark.parametrize("function", [scaled, counted, listed, held, rounded], ids=lambda fn: fn.__name__)
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_they_are_doubles(function, kind):
    expected = function(np.float64(1.5))
    np.testing.assert_allclose(convert(function)(kind(1.5)), expected, rtol=1e-5)
    np.testing.assert_allclose(jax.jit(to_graph(function))(kind(1.5)), expected, rtol=1e-5)
    np.testing.assert_allclose(jax.vmap(to_graph(function))(np.full(2, kind(1.5))), [expected] * 2, rtol=1e-5)
    if function in (scaled, counted, listed):
        np.testing.assert_allclose(jax.grad(to_graph(function))(kind(1.5)), expected / 1.5, rtol=1e-5)


def epochs(x):
    steps = 0
    for _epoch in range(40):
        for _batch in range(30):
            steps += 1
            x = 0.9 * x + 1 / (1 - 0.999**steps)
    return x, np.zeros(steps).shape


def test_a_counter_that_an_inner_loop_counts_stays_python_s():
    converted = convert(epochs)
    assert str(converted.get_concrete_function(np.float64(1.5)).jaxpr).count("scan[") == 2
    ours, shape = converted(np.float64(1.5))
    np.testing.assert_allclose(ours, epochs(1.5)[0], rtol=1e-12)
    assert shape == (1200,)
