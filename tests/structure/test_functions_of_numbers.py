"""Are loops rolled in which `math` and NumPy compute with Python's numbers, and do iterations get what these give in 64 bits?"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import autograph_lite
from autograph_lite.operators.lane_eval import number_functions
from autograph_lite.operators.numpy_calls import counterparts

X = np.array([1.0, 2.0, 5.0])


def driven(x):
    v = np.zeros(3)
    for i in range(300):
        t = i * 0.01
        v += 0.01 * (3.0 * np.cos(2.5 * t) * math.exp(-0.1 * t) - 0.2 * v - x)
        x = x + 0.01 * v
    return x, v


def fourier(x):
    real = np.zeros(60)
    for k in range(60):
        for j in range(60):
            real[k] += x[j % 3] * np.cos(1000.5 * k * j)
    return real


def fourier_of_complex_numbers(x):
    found = np.zeros(60, complex)
    for k in range(60):
        for j in range(60):
            found[k] += x[j % 3] * np.exp(-2j * np.pi * k * j / 60)
    return found


def of_each_loop_alone(x):
    s = 0.0
    for k in range(120):
        for j in range(120):
            s += x[j % 3] * np.cos(1000.5 * k) * np.sin(777.7 * j)
    return s


def three_loops(x):
    for k in range(30):
        for j in range(30):
            for i in range(30):
                x = x * 0.9 + np.sin(1234.5 * k * j + i * 777.25)
    return x


def adam(x):
    m, v, t = np.zeros(3), np.zeros(3), 0
    for _epoch in range(20):
        for _batch in range(30):
            t += 1
            g = 2 * (x - 3.0)
            m = 0.9 * m + 0.1 * g
            v = 0.999 * v + 0.001 * g**2
            x = x - 0.01 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
    return x, t


def rate_of_adam(x):
    t = 0
    while t < 200:
        t += 1
        x = x - 0.01 * math.sqrt(1 - 0.999**t) / (1 - 0.9**t) * x
    return x


def ints_of_logarithms(x):
    out = np.zeros(9)
    for i in range(1, 300):
        out[int(math.log(i) / math.log(2))] += x[0]
    return out


def cancelled(x):
    for i in range(5000, 5300):
        x = x * 0.9 + ((i + 0.001) - i) * 1000
    return x


def compared(x):
    for i in range(200):
        x = x + 1 if np.sin(i * np.pi / 4) > 0 else x * 0.9
    return x


def left_behind(x):
    s, total = 0.0, 0.0
    for i in range(200):
        s = math.sqrt(i)
        total += np.sin(i) ** 2
        x = x * 0.9 + s
    return x, round(s * 100), total, total.astype(int)


def eigenvalues_of_all_sizes(x):
    for k in range(1, 1000):
        x = x * 0.99 + 1e-4 * x / (2 - 2 * math.cos(math.pi * k / 1000))
    return x


def sizes_of_pairs(x):
    s = 0.0
    for k in range(1, 100):
        for j in range(1, 50):
            s += x[0] / (1 - math.cos(0.0005 * k * j)) * 1e-6
    return s


ROLLED = {
    eigenvalues_of_all_sizes: 1, sizes_of_pairs: 2,
    driven: 1, fourier: 2, of_each_loop_alone: 2, three_loops: 3, adam: 2, rate_of_adam: 1, ints_of_logarithms: 1, cancelled: 1,
    compared: 1, left_behind: 1, fourier_of_complex_numbers: 2,
}  # fmt: skip


@pytest.mark.parametrize("function", ROLLED, ids=lambda function: function.__name__)
def test_a_loop_whose_numbers_functions_compute_is_rolled(function: Callable[..., Any]) -> None:
    converted = autograph_lite.convert(function)
    assert str(converted.get_concrete_function(X).jaxpr).count("scan[") == ROLLED[function]
    for ours, python in zip(jax.tree.leaves(converted(X)), jax.tree.leaves(function(X)), strict=True):
        np.testing.assert_allclose(ours, python, rtol=1e-4, atol=1e-4)


def test_the_program_computes_none_of_what_is_known() -> None:
    for function in (driven, fourier, of_each_loop_alone, three_loops):
        jaxpr = str(autograph_lite.convert(function).get_concrete_function(X).jaxpr)
        assert not any(f" {name} " in jaxpr for name in ("sin", "cos", "exp"))


def test_gradients_and_lanes_of_such_a_loop() -> None:
    converted = autograph_lite.convert(lambda x: driven(x)[0].sum())
    x = jnp.asarray(X)
    numeric = [(driven(X + h)[0].sum() - driven(X - h)[0].sum()) / 2e-3 for h in np.eye(3) * 1e-3]
    np.testing.assert_allclose(jax.grad(converted)(x), numeric, rtol=1e-3)
    lanes = jax.vmap(autograph_lite.to_graph(lambda x: driven(x)[0]))(jnp.stack([x, 2 * x]))
    np.testing.assert_allclose(lanes, [driven(X)[0], driven(2 * X)[0]], rtol=1e-4, atol=1e-4)


def outside_of_its_domain(x):
    for i in range(100):
        try:
            x = x + math.log(i)
        except ValueError:
            x = x - 1
    return x


def raises(x):
    for i in range(100):
        x = x + math.sqrt(50 - i)
    return x


def infinite(x):
    for i in range(100):
        x = x + np.exp(-np.exp(i * 1.0))
    return x


def overwritten(x):
    for i in range(100):
        x = math.sin(i) if i % 50 == 3 else x + 1
    return x


def of_a_condition(x):
    for k in range(60):
        if x[0] > 3:
            x = x * 0.9 + np.cos(k * 77777.7)
        else:
            x = x + np.sin(k * 77777.7)
    return x


def of_a_while(x):
    for k in range(40):
        j = 0
        while j < k % 5 + 3:
            x = x + np.sin(123456.5 * k * j)
            j += 1
    return x


def of_all_sizes_in_a_condition(x):
    s = 0.0
    for k in range(1, 100):
        s = s + x[0] / (1 - math.cos(k * k * 0.0003)) * 1e-6 if x[1] > 0 else 1.0
    return s + 0 * x


def numbers_around_zero_in_a_condition(x):
    for k in range(100):
        x = x * 0.9 + (k * 0.1 - 3) if x[1] > 0 else x + 1
    return x


@pytest.mark.parametrize(
    "function",
    [
        outside_of_its_domain,
        infinite,
        overwritten,
        of_a_condition,
        of_all_sizes_in_a_condition,
        numbers_around_zero_in_a_condition,
        of_a_while,
    ],
)
def test_what_iterations_can_t_be_given_is_right_all_the_same(function: Callable[..., Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours, python = autograph_lite.convert(function)(X), function(X)
    np.testing.assert_allclose(ours, python, rtol=1e-4, atol=1e-4)


def test_an_exception_of_math_is_python_s() -> None:
    with (
        warnings.catch_warnings(),
        pytest.raises(ValueError, match="math domain error|expected a nonnegative"),
    ):
        warnings.simplefilter("ignore")
        autograph_lite.convert(raises)(X)


def test_a_number_of_numpys_makes_no_array_of_16_bits_of_itself() -> None:
    def scaled(x):
        for i in range(100):
            x = x * np.cos(i * 0.0)
        return x

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert autograph_lite.convert(scaled)(jnp.ones(3, jnp.float16)).dtype == jnp.float32


def test_nothing_that_an_iteration_does_is_lost() -> None:
    seen = []

    def reported(x):
        for i in range(50):
            jax.debug.callback(lambda value: seen.append(float(value)), x[0])
            x = x * 0.9 + np.sin(i * 77777.7)
        return x

    converted = autograph_lite.convert(reported)
    assert "scan[" in str(converted.get_concrete_function(X).jaxpr)
    jax.block_until_ready(converted(X))
    jax.effects_barrier()
    assert len(seen) == 50


def on_a_path(x):
    for i in range(100):
        x = x * np.cos(i * 0.0) if x[0] > 0 else x - 1
    return x


def in_a_loop_inside(x):
    total = np.zeros(3, np.float32)
    for i in range(60):
        s = np.sin(i)
        for _ in range(40):
            total += (x * s).astype(np.float32)
    return total


def pythons_after(x):
    s, y = 0.0, np.zeros(3, np.float32)
    for i in range(100):
        s = float(np.sin(i))
        y += s
    return x * s, y


def chosen_after(x):
    s, y = 0.0, np.zeros(3, np.float32)
    for i in range(100):
        s = np.sin(i) if i % 2 == 0 else 2.0
        y += i
    return x * s, y


def numpys_of_the_iteration_before(x):
    a = b = 0.0
    y = np.zeros(3, np.float32)
    for i in range(100):
        b = a * 2
        a = np.sin(i)
        y += i
    return x * b, y


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize(
    "function", [on_a_path, in_a_loop_inside, pythons_after, chosen_after, numpys_of_the_iteration_before]
)
def test_numbers_of_numpys_and_python_s_make_arrays_of_their_types(
    function: Callable[..., Any], wide: bool
) -> None:
    x = np.array([1.0, 2.0, 5.0], np.float32 if wide else np.float16)
    with jax.enable_x64(wide), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = autograph_lite.convert(function)(jnp.asarray(x))
        for array, python in zip(jax.tree.leaves(ours), jax.tree.leaves(function(x)), strict=True):
            assert array.dtype == jax.dtypes.canonicalize_dtype(python.dtype)
            np.testing.assert_allclose(array, python, rtol=1e-3)


def test_a_number_that_float_has_made_python_s_leaves_a_loop_rolled() -> None:
    text = str(autograph_lite.convert(pythons_after).get_concrete_function(jnp.asarray(X)).jaxpr)
    assert "scan[" in text


@pytest.mark.parametrize("name", list(number_functions.FUNCTIONS))
@settings(max_examples=20)
@given(numbers=st.lists(st.floats(0.01, 0.99), min_size=1, max_size=5))
def test_each_function_is_the_one_that_the_program_computes(name: str, numbers: list[float]) -> None:
    function = number_functions.FUNCTIONS[name]
    arguments = (0.5, 0.25) if "atan2" in name or "arctan2" in name else (0.5,)
    counterpart = counterparts.of(function)
    assert counterpart is not None
    fun, given_, _ = counterpart(arguments, {})
    run = number_functions.call_of_numbers(function, fun)
    for number in numbers:
        both = (number, *given_[1:])
        assert np.isclose(run(*both), function(*both), rtol=1e-5)
    (eqn,) = jax.make_jaxpr(run)(*given_).eqns
    assert number_functions.function_called(eqn) == name
