"""Is a loop rolled whose test has a number and a bool in it, `if grid[i, j] and not seen[i, j]`, and is its value Python's?"""

from __future__ import annotations

import warnings

import jax
import numpy as np
import pytest

import autograph_lite
from autograph_lite import UnrolledLoopWarning


def count_items(grid, seen):
    n = 0
    for i in range(14):
        for j in range(14):
            if grid[i, j] and not seen[i, j]:
                n += 1
                seen[i, j] = n
    return n, seen


def count_names(grid, seen):
    n = 0
    for i in range(14):
        for j in range(14):
            here = grid[i, j]
            before = seen[i, j] > 0
            if not before and here:
                n += 1
                seen[i, j] = n
    return n, seen


def first_of_each_row(grid, seen):
    for i in range(14):
        j = 0
        while j < 13 and not (grid[i, j] or j > 10):
            j += 1
        seen[i, j] = 1
    return seen


def by_an_expression(grid, seen):
    total = 0
    for i in range(14):
        for j in range(14):
            total += i if grid[i, j] % 2 or i == j else j
    return total, seen


@pytest.mark.parametrize("fn", [count_items, count_names, first_of_each_row, by_an_expression])
def test_it_is_rolled_and_right(fn) -> None:
    grid = np.random.default_rng(0).integers(0, 3, size=(14, 14)).astype(np.int32)
    seen = np.zeros((14, 14), np.int32)
    want = fn(grid.copy(), before := seen.copy())
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnrolledLoopWarning)
        got = autograph_lite.convert(fn)(grid.copy(), after := seen.copy())
    jax.tree.map(np.testing.assert_array_equal, got, want)
    np.testing.assert_array_equal(after, before)
    equations = jax.make_jaxpr(autograph_lite.to_graph(fn))(grid, seen).jaxpr.eqns
    assert len(equations) < 30
