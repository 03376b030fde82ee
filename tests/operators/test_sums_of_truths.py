"""Are Python's truth values added as the integers that they are, and NumPy's as NumPy does?"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al

RUNS = {
    "light": al.to_graph,
    "traced": lambda f: jax.jit(al.to_graph(f)),
    "convert": al.convert,
    "lanes": lambda f: (
        lambda *args: jax.tree.map(
            lambda leaf: leaf[0], jax.vmap(al.to_graph(f))(*(jnp.asarray(a)[None] for a in args))
        )
    ),
}


def asked(x, y, xs):
    return (x in xs) + (y not in (7, 8)), (not x) - (not y), -(not x), (not y) // (not x - 2)


def calls(x, y, xs):
    return any(v > 1 for v in xs) + all([x, y]), bool(x) * bool(y) + bool(x), any(xs) - (x in xs and not y)


def displays(x, y, xs):
    return ((x, y) == (x, y)) + ([x] != [y]), ((x, 1) == (y, 1)) - True


def flags(x, y, xs):
    up = down = False
    deep = x in xs if y else not x
    for v in xs:
        if v > 0:
            up = True
        if v < 3:
            down = True
            break
    both = up and down

    def inner():
        return both + up + deep

    return up + down, up - deep, (both + up) * 2, inner(), [10, 20, 30][up + down]


def counted(x, y, xs):
    found = 0
    for i in range(x + 4):
        found += (i > 1) + (i % 3 == 0) + (1 < i <= 3)
        found -= -(i == 2) - -(i < 2) + (i > y)
        late = i > 2
        found += late + late
    k, j = 0, 1
    j = 3
    while k < x + 3:
        k += j - 1
        found += (k > j) + (k != 4)
    return (found,)


def hidden(x, y, xs):
    def range(n):
        return [np.float32(0.5), np.float32(2.5), np.float32(3.5)]

    found = 0
    for i in range(3):
        found += ((i > 1) + (i > 3)) * 2
    return (found,)


def not_counted(x, y, xs):
    k = 0
    found = 0
    for i in range(3):
        k += xs[i]
        found += ((k > 1) + (k > 3)) * 2
    return (found,)


def counters(x, y, xs):
    count = not x
    count += not y
    votes = 0
    votes += x in xs
    signs = True
    for v in xs:
        signs *= bool(v)
        signs -= v in (1, 2)
    masks = not x
    masks |= y in xs
    return count, votes, signs, masks, round(x in xs), round(not y, 0), round(y in xs, -1)


def either(x, y, xs):
    doubled = True
    before, now = False, True
    for _ in range(x):
        doubled = doubled + doubled
        before, now = now, before + now
    squared = True if y else 3
    squared *= squared
    return doubled + 0, before + now, -squared, now - squared


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("x", [0, 1, 3])
def test_a_variable_that_is_a_truth_value_first_and_an_integer_then_is_added_as_one(x, run):
    arguments = np.int32(x), np.int32(1), np.zeros(1, np.int32)
    assert [int(v) for v in RUNS[run](either)(*arguments)] == [int(v) for v in either(*arguments)]


def numpys(x, y, xs):
    up = x in xs
    other = x > 0
    if y:
        up = x > 0
    return (x > 1) + (y > 0), up + other, (lambda up: up + up)(x > 0)


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("f", [asked, calls, displays, flags, counted, hidden, not_counted, counters, numpys])
def test_sums_are_pythons(f, run):
    # `True + True` of Python's was True.
    for x, y, xs in ((2, 1, [1, 4, 0]), (2, 2, [2, 1, 1]), (2, 0, [0, 1, 1])):
        arguments = np.int32(x), np.int32(y), np.array(xs, np.int32)
        assert [float(v) for v in RUNS[run](f)(*arguments)] == [float(v) for v in f(*arguments)]


def test_a_function_that_hides_a_builtin_gives_arrays_of_its_own():
    any = jnp.any

    def f(x, y):
        return any(x) + any(y)

    assert jax.jit(al.to_graph(f))(jnp.ones(2), jnp.ones(2)).dtype == bool
