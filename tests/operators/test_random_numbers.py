"""Random numbers of Python's and NumPy's: a warning that names the line, where Python would draw new ones at each call."""

from __future__ import annotations

import random
import warnings

import jax
import numpy as np
import pytest

import autograph_lite
from autograph_lite import RandomNumbersWarning

rng = np.random.default_rng(1)


def of_the_module(x):
    return x + np.random.rand(3)


def of_a_generator(x):
    return x + rng.normal(size=3)


def without_a_seed(x):
    return x + np.random.default_rng().normal(size=3)


def of_pythons_module(x):
    return x * random.random()


def of_a_method_in_python(x):
    return x * random.gauss(0, 1)


def in_a_loop(x):
    for _ in range(3):
        x = x * random.uniform(0, 1)
    return x


@pytest.mark.parametrize(
    "fn",
    [
        of_the_module,
        of_a_generator,
        without_a_seed,
        of_pythons_module,
        pytest.param(
            of_a_method_in_python,
            marks=pytest.mark.xfail(reason="random.gauss keeps a number, and so is traced once more"),
        ),
        in_a_loop,
    ],
)
def test_a_warning_names_the_line(fn) -> None:
    f = autograph_lite.convert(fn)
    with pytest.warns(
        RandomNumbersWarning, match=rf"is traced\.\n.*test_random_numbers\.py:\d+ in {fn.__name__}"
    ):
        first = f(np.ones(3, np.float32))
    np.testing.assert_array_equal(f(np.ones(3, np.float32)), first)


def with_a_seed(x):
    return x + np.random.default_rng(0).normal(size=3)


def with_a_seed_of_the_old_kind(x):
    return x + np.random.RandomState(3).rand(3)


def of_a_seeded_module(x):
    np.random.seed(0)
    return x + np.random.rand(3)


def of_pythons_class(x):
    return x * random.Random(3).random()


def of_pythons_seeded_module(x):
    random.seed(2)
    return x * random.random()


@pytest.mark.parametrize(
    "fn",
    [
        with_a_seed,
        with_a_seed_of_the_old_kind,
        of_a_seeded_module,
        of_pythons_class,
        of_pythons_seeded_module,
    ],
)
def test_what_has_a_seed_in_the_function_is_pythons_at_each_call(fn) -> None:
    f, x = autograph_lite.convert(fn), np.ones(3, np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            np.testing.assert_allclose(f(x), fn(x), rtol=1e-5)


def test_where_nothing_is_traced_it_is_python() -> None:
    f = autograph_lite.to_graph(of_the_module)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not np.array_equal(f(np.ones(3)), f(np.ones(3)))
        jax.make_jaxpr(f)(np.ones(3))  # as any Python under JAX
