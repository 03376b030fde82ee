"""Are floats that follow from an index what Python computes, in a rolled loop, or is the loop left to Python?"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite

X = np.float32(1.5)


def rolled_and_python(function: Callable[..., Any]) -> tuple[bool, float, float]:
    """Whether there is a loop in the program, what it gives and what Python gives for a Python number."""
    rolled = autograph_lite.convert(function, static_loops="stage")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", autograph_lite.UnrolledLoopWarning)
        has_loop = "scan[" in str(rolled.get_concrete_function(X).jaxpr)
        return has_loop, float(rolled(X)), float(function(1.5))


def cancels(x):
    for i in range(5000, 5003):
        x = x + ((i + 0.001) - i) * 1000
    return x


def compares_what_cancels(x):
    for i in range(5000, 5003):
        if ((i + 0.001) - i) * 1000 > 0.99:
            x = x + 1
    return x


def cancels_in_a_branch(x):
    for i in range(5000, 5004):
        if i % 2 == 0:
            x = x + ((i + 0.001) - i) * 1000
    return x


def cancels_in_an_inner_loop(x):
    for i in range(3):
        for j in range(4):
            x = x + ((5000 * i + j + 0.001) - 5000 * i - j) * 1000
    return x


def remainder_near_a_multiple(x):
    for i in range(20):
        x = x + (0.1 * i) % 0.3
    return x


def rounds_near_a_half(x):
    for i in range(5):
        x = x + round(0.1 * i + 0.4000001) + i
    return x


@pytest.mark.parametrize(
    "function", [cancels, compares_what_cancels, cancels_in_a_branch, cancels_in_an_inner_loop]
)
def test_iterations_are_given_the_floats_that_a_float32_would_change(function: Callable[..., Any]) -> None:
    has_loop, ours, python = rolled_and_python(function)
    assert has_loop
    assert np.isclose(ours, python, rtol=1e-6)


def cancels_where_data_decide(x):
    for i in range(5000, 5004):
        if x > 0:
            x = jnp.sort(jnp.full(200, x) + ((i + 0.001) - i) * 1000)[0]
    return x


def rounds_where_data_decide(x):
    for i in range(5):
        if x > 0:
            x = x + round(0.1 * i + 0.4000001) + i
    return x


@pytest.mark.parametrize(
    "function",
    [cancels_where_data_decide, rounds_where_data_decide, remainder_near_a_multiple, rounds_near_a_half],
)
def test_a_loop_whose_branches_and_calls_would_change_floats_stays_pythons(
    function: Callable[..., Any],
) -> None:
    has_loop, ours, python = rolled_and_python(function)
    assert not has_loop
    assert np.isclose(ours, python, rtol=1e-6)


def several_roundings(x):
    for i in range(50):
        t = 0.1 * i + 0.3
        x = x + (t * t - i / 3.0) * 0.7
    return x


def through_zero(x):
    for i in range(101):
        x = x + (i * 0.02 - 1.0)
    return x


def shrinks(x):
    for i in range(30):
        x = x + 0.5**i
    return x


def summed_up(x):
    t = 0.0
    for _ in range(3000):
        t += 0.1
        if t > 100.05:
            x = x + (t - 100.0) * 1e-3
    return x


@pytest.mark.parametrize("function", [several_roundings, through_zero, shrinks, summed_up])
def test_a_loop_whose_floats_are_python_s_up_to_rounding_is_rolled(function: Callable[..., Any]) -> None:
    has_loop, ours, python = rolled_and_python(function)
    assert has_loop
    assert np.isclose(ours, python, rtol=1e-5)


def test_explain_says_that_a_float_would_be_less_exact() -> None:
    f = autograph_lite.convert(cancels_where_data_decide, static_loops="stage")
    report = str(autograph_lite.explain(f)(jnp.float32(1.5)))
    assert "it can't be rolled: a float is less exact in the arrays of the program than in Python" in report


def rounded(x):
    total, before = np.zeros_like(x), np.float32(0)
    for i in range(len(x)):
        before = np.round(x[i], 1) + 0 * before
        total[i] = before
    return total


def rounded_at_once(x):
    y = np.zeros_like(x)
    for i in range(len(x)):
        y[i] = np.round(x[i], 1)
    return y


def divided_behind_a_barrier(x):
    y = np.zeros_like(x)
    for i in range(len(x)):
        y[i] = x[i] / jax.lax.optimization_barrier(np.float32(0.1))
    return y


@pytest.mark.parametrize("function", [rounded, rounded_at_once, divided_behind_a_barrier])
def test_what_stands_behind_a_barrier_is_divided_by_as_in_python(function) -> None:
    tenths = np.arange(1, 100, dtype=np.float32) / np.float32(10)
    np.testing.assert_array_equal(autograph_lite.convert(function)(tenths), function(tenths))
    assert str(jax.make_jaxpr(autograph_lite.to_graph(function))(tenths)).count("barrier") == 1
