"""A check of what one of several values does fails where it is that one, and not where it is another."""

from __future__ import annotations

import itertools

import jax
import jax.numpy as jnp
import pytest

import autograph_lite


class Holder:
    def __init__(self, items):
        self.items = items


def picked(n):
    if n > 1:
        return [3, 9, 2]
    return [4]


def table(n, j):
    rows = [[1], [2, 3], [4, 5, 6]]
    return rows[n][j]


def triangle(n, j):
    rows = [[1], [1, 2], [1, 2, 3]]
    s = j
    for k in range(len(rows[n])):
        s += rows[n][k]
    return s


def left_early(n, j):
    for row in ([1, 2, 3], [4]):
        if n > 1:
            break
    return row[j]


def added(n, j):
    p = [1, 2, 3] if n > 1 else [4]
    p[j] += 9
    return p[0]


def guarded(n, j):
    d = {0: 1, 1: 2} if n > 1 else {0: 3}
    return d[j] if j in d else -1


def two(n, j):
    a = [1, 2] if n > 1 else [5]
    b = [10, 20, 30] if j > 1 else [7, 8]
    return a[j] + b[j]


PROGRAMS = {
    "a list": lambda n, j: ([3, 9, 2] if n > 1 else [4])[j],
    "a tuple": lambda n, j: ((3, 9, 2) if n > 1 else (4, 5))[j],
    "a dict": lambda n, j: ({0: 1, 1: 2} if n > 1 else {0: 3})[j],
    "a list by a chosen key": lambda n, j: {"a": [1, 2], "b": [5]}["a" if n > 1 else "b"][j],
    "an attribute": lambda n, j: (Holder([1, 2]) if n > 1 else Holder([5])).items[j],
    "a result": lambda n, j: picked(n)[j],
    **{f.__name__: f for f in (table, triangle, left_early, added, guarded, two)},
}


def or_handled(function):
    def f(n, j):
        try:
            return function(n, j)
        except (IndexError, KeyError):
            return -100

    return f


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_check_is_of_one_variant(name) -> None:
    function, handled = PROGRAMS[name], or_handled(PROGRAMS[name])
    converted, staged = autograph_lite.convert(function), jax.jit(autograph_lite.to_graph(handled))
    for n, j in itertools.product((0, 1, 2), (-2, 0, 1, 2)):
        args = jnp.int32(n), jnp.int32(j)
        assert staged(*args) == handled(n, j)
        if handled(n, j) == -100:
            with pytest.raises((IndexError, KeyError)):
                converted(*args)
        else:
            assert converted(*args) == function(n, j)
