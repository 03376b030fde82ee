"""Parts of an array that NumPy makes in the function, taken in loops and written: it sees them, with 32 bits and with 64."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import pytest

from autograph_lite import convert

X = np.array([0.5, 2.0, 1.0, 3.0])


def a_row_for_each_item(x: Any, n: Any) -> Any:
    out = np.zeros((4, 2))
    for i, v in enumerate(x):
        row = out[i]
        row[0] = v
    return out


def a_row_for_each_label(x: Any, n: Any) -> Any:
    found = np.zeros((2, 2))
    for v, label in zip(x, (x > 1).astype(int), strict=True):
        row = found[label]
        row[0] += 1
        row[1] += v
    return found


def parts_with_names(x: Any, n: Any) -> Any:
    state = np.zeros(8)
    p, v = state[:4], state[4:]
    for _ in range(n):
        v[:] = x - p
        p[0] += 0.1
    return state


def a_table_of_rows(x: Any, n: Any) -> Any:
    table = np.zeros((4, 5))
    for i in range(1, n + 1):
        before, now = table[i - 1], table[i]
        for c in range(n):
            now[c] = max(before[c], before[c - 1] + x[i])
    return table


class Forest:
    def __init__(self, n: int) -> None:
        self.parent = np.arange(n)

    def find(self, i: Any) -> Any:
        parent = self.parent
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    def union(self, i: Any, j: Any) -> None:
        self.parent[self.find(i)] = self.find(j)


def a_forest(x: Any, n: Any) -> Any:
    forest = Forest(6)
    for i in range(n):
        forest.union(i, i + 2)
    forest.union(n, 0)
    return forest.parent, forest.find(1)


PROGRAMS = [a_row_for_each_item, a_row_for_each_label, parts_with_names, a_table_of_rows, a_forest]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("n", [3, np.array(3)], ids=["known", "traced"])
@pytest.mark.parametrize("wide", [False, True], ids=["32 bits", "64 bits"])
def test_it_is_numpys(program: Callable[..., Any], n: Any, wide: bool) -> None:
    expected = program(X.copy(), int(n))
    with jax.enable_x64(wide):
        found = convert(program)(X.copy(), n)
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)
