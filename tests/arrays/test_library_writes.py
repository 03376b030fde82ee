"""Writes by functions that are not converted: `random.shuffle(x)` of a traced array."""

import random

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autograph_lite import convert, do_not_convert, to_graph

pytestmark = pytest.mark.filterwarnings("ignore::autograph_lite.RandomNumbersWarning")


@do_not_convert
def bubbles(a):
    for i in range(len(a)):
        for j in range(len(a) - 1 - i):
            if j % 2 == 0:
                a[j], a[j + 1] = a[j + 1], a[j] + 1


def shuffled(x):
    random.shuffle(x)
    total = 0
    for v in x:
        total = total * 2 + v
    return x, total


def of_a_copy(x):
    y = x * 2
    random.shuffle(y)
    return x, y


def of_a_part(x):
    bubbles(x[1:])
    return x, x[1]


def seen_by_a_view(x):
    y = np.zeros(3, np.float32)
    y[:] = x
    part = y[:2]
    random.shuffle(y)
    return y, part


def of_a_row(x):
    m = np.zeros((2, 3), np.float32)
    m[0] = x
    bubbles(m[0])
    bubbles(m[1])
    return m, x


def on_a_path(x):
    if x[0] > 1:
        bubbles(x)
    return x, x[0]


def in_a_loop(x):
    n = 0
    while n < x[0]:
        bubbles(x[1:])
        n += 1
    return x, n


FUNCTIONS = (shuffled, of_a_copy, of_a_part, seen_by_a_view, of_a_row, on_a_path, in_a_loop)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda fn: fn.__name__)
@pytest.mark.parametrize("first", [0.5, 1.5, 3.5])
def test_they_are_seen_as_in_python(function, first):
    def given():
        random.seed(1)
        return np.array([first, 2.5, 3.5], np.float32)

    expected = given()
    wanted = function(expected)
    ours = given()
    found = convert(function)(ours)
    for a, b in zip((*found, ours), (*wanted, expected), strict=True):
        np.testing.assert_array_equal(a, b)
    for a, b in zip(jax.jit(to_graph(function))(given()), wanted, strict=True):
        np.testing.assert_array_equal(a, b)


def test_jax_says_so_where_nothing_is_converted():
    with pytest.raises(TypeError, match="immutable"):
        jax.jit(bubbles)(jnp.ones(3))
