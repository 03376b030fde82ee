"""Items of lists and dicts that no name is bound to, `[b, c][k][0] = 1`: who has the arrays by a name sees the write."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest

from autograph_lite import convert

A = np.array([[0.5, 2.5, 1.5], [3.5, 0.75, 5.5]])


def chosen_by_data(a, n):
    b, c = a[0] * 1, a[1] * 1
    [b, c][n % 2][1] = 9
    return b, c


def buffers(a, n):
    b, c = np.zeros(3), np.ones(3)
    [b, c][0][1] = n
    {"l": b, "r": c}["r"][1] += n
    return b, c


def in_a_loop(a, n):
    b, c = np.zeros(3), np.ones(3)
    for k in range(n):
        [b, c][0][k] += a[0, k]
    return b, c


def sides(a, n):
    b, c, side = np.zeros(3), np.ones(3), 0
    for k in range(3):
        [b, c][side][k] = a[0, k]
        side = 1 - side
    return b, c


def on_paths(a, n):
    b, c = np.zeros(3), np.ones(3)
    for k in range(3):
        if a[0, k] > 1:
            [b, c][0][k] = a[0, k]
        else:
            [b, c][1][k] = a[0, k]
    return b, c


def by_a_function(a, n):
    b = a[0] * 1

    def held():
        return {"b": b, "r": [a]}

    held()["b"][1] = n
    held()["b"] *= 2
    held()["r"][0][1, 0] += n
    return b


def of_rows(a, n):
    b = a * 1
    [b[0], b[1]][1][0] = 5
    [b[0], b[1]][0][1:] += n
    [b[0], b[1]][0] += n
    {"a": b[0]}["a"][2] = n
    [*b][1][1] = n
    list(b)[0][0] -= n
    list(reversed(b))[0][2] = 7
    return b


def of_parts(a, n):
    b = a * 1
    np.split(b, 3, axis=1)[1][:] = 5
    np.hsplit(b, 3)[0] += n

    def halves(m):
        return np.vsplit(m, 2)

    halves(b)[0][0, 1] = n
    return b


FORMS = [chosen_by_data, buffers, in_a_loop, sides, on_paths, by_a_function, of_rows, of_parts]


@pytest.mark.parametrize("f", FORMS)
@pytest.mark.parametrize("n", [2, 3])
def test_it_is_as_in_numpy(f: Any, n: int) -> None:
    ours, pythons = A.copy(), A.copy()
    found, expected = convert(f)(ours, np.int32(n)), f(pythons, n)
    jax.tree.map(
        lambda a, b: np.testing.assert_allclose(a, b), jax.tree.leaves(found), jax.tree.leaves(expected)
    )
    np.testing.assert_allclose(ours, pythons)
