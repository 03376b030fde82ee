"""Is a view that a loop's body takes, and puts behind a barrier before it writes, still a part of its array?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import pytest

from autograph_lite import convert

A = np.arange(1.0, 13.0).reshape(3, 4)


class Table:
    def __init__(self) -> None:
        self.rows = np.zeros((3, 4))


def filled_and_written_in_a_loop(a: Any, n: Any) -> Any:
    rows, s = np.zeros((3, 4)), 0.0
    for y in range(n):
        row = rows[y]
        row[:] = 1
        for k in range(4):
            s += a[y, k]
            row[k] = s
    return rows, s


def one_item_before(a: Any, n: Any) -> Any:
    rows = np.zeros((3, 4))
    for y in range(n):
        row = rows[y]
        row[0] = 1
        for k in range(n):
            row[k] += a[y, k]
    return rows


def divided_by_its_norm(a: Any, n: Any) -> Any:
    found = np.zeros((3, 4))
    for i in range(n):
        v = found[i]
        v[:] = a[i]
        for _ in range(n):
            v[:] = a.T @ (a @ v)
            v /= np.linalg.norm(v)
    return found


def halved_beside_another_array(a: Any, n: Any) -> Any:
    q, r = a.copy(), np.zeros(4)
    for j in range(n):
        row = q[j]
        row /= 2
        r[j] = 2
        for k in range(j + 1, 3):
            r[k] = 1
            q[k] = row
    return q, r


def of_an_attribute(a: Any, n: Any) -> Any:
    table, s = Table(), 0.0
    for y in range(n):
        row = table.rows[y]
        row[:] = 1
        while s < a[y, 1]:
            s += a[y, 0]
            row[2] = s
    return table.rows


def a_column_of_a_turned_one(a: Any, n: Any) -> Any:
    rows = np.zeros((4, 3))
    turned, s = rows.T, 0.0
    for y in range(n):
        column = turned[y]
        column[1] = y
        for k in range(4):
            s += a[y, k]
            column[k] = s
    return rows


def two_rows_at_once(a: Any, n: Any) -> Any:
    for y in range(n):
        one, other = a[y], a[y - 1]
        one += other
        other[0] = one[1]
        one[0] += other[0]
    return a


def read_after_the_array_was_written(a: Any, n: Any) -> Any:
    s = 0.0
    for y in range(n):
        row, before = a[y], a[y - 1]
        a[y] = before * 2
        s += row.sum()
        a[y - 1] = row + 1
        s += before[0]
    return a, s


PROGRAMS = [
    filled_and_written_in_a_loop, one_item_before, divided_by_its_norm, halved_beside_another_array, of_an_attribute,
    a_column_of_a_turned_one, two_rows_at_once, read_after_the_array_was_written,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("n", [3, np.array(3)], ids=["known", "traced"])
def test_it_is_numpys(program: Callable[..., Any], n: Any) -> None:
    given, ours = A.copy(), A.copy()
    expected = program(given, int(n))
    found = convert(program)(ours, n)
    for one, other in zip(jax.tree.leaves((found, ours)), jax.tree.leaves((expected, given)), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4)
