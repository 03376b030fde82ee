"""A loop over a list of arrays writes to these, or to what they are parts of: it is no loop of the program, which has copies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph_lite as al

A = np.array([[0.5, 2.5, 1.5], [3.5, 0.75, 5.5], [1.0, 2.0, 4.0]], np.float32)


def the_last_is_read_later(a):
    rows = [a[0], a[1]]
    for r in rows:
        r[0] = 1
    return rows, r


def added_to(a):
    total = np.float32(0)
    rows = list(a)
    for r in rows:
        r += 1
        total += r[0]
    return rows, total, r


def one_of_the_items(a):
    rows, total = [a[k] * 1 for k in range(3)], np.float32(0)
    for r in rows:
        rows[2][0] += 1
        total += r[0]
    return total


def by_another_name(a):
    rows, total = list(a * 2), np.float32(0)
    w = rows[1]
    for r in rows:
        w[0] += 1
        total += r[0]
    return total


def what_they_are_rows_of(a):
    total = np.float32(0)
    for r in [a[0], a[1]]:
        a += 1
        total += r[0]
    return total


def one_array_many_times(a):
    total = np.float32(0)
    for r in [a[0]] * 8:
        r[0] += 1
        total += r[0]
    return total


def kept(a):
    rows, out = [a[0] * 1, a[1] * 1], []
    for r in rows:
        r += 1
        out.append(r)
    out[0][0] = 99
    return rows


def by_a_function(a):
    def bump(row):
        row[0] += 1

    rows = [a[0] * 1, a[1] * 1]
    for _, r in enumerate(rows):
        bump(r)
    return rows, r


def in_a_loop_inside(a):
    x, y, count = a[0].copy(), a[1].copy(), 0
    for u in (x, y, x):
        for row in a:
            count += 1
            u += row
            u[0] = count
    return x, y


def of_a_dict(a):
    held, count = {"a": a[0], "b": a[1] * 1}, 0
    for u in held.values():
        k = np.float32(0)
        while k < a[2, 1]:
            count, k = count + 1, k + 1
            u[1] += k
    return held["a"], held["b"]


@pytest.mark.filterwarnings("ignore::autograph_lite.UnrolledLoopWarning")
@pytest.mark.parametrize("static_loops", ["auto", "stage", ("auto", 2)])
@pytest.mark.parametrize(
    "function",
    [
        the_last_is_read_later,
        added_to,
        one_of_the_items,
        by_another_name,
        what_they_are_rows_of,
        one_array_many_times,
        kept,
        by_a_function,
        in_a_loop_inside,
        of_a_dict,
    ],
    ids=lambda function: function.__name__,
)
def test_items_that_are_written(function: Any, static_loops: Any) -> None:
    ours, theirs = A.copy(), A.copy()
    found, wanted = al.convert(function, static_loops=static_loops)(ours), function(theirs)
    for one, other in zip(
        *([*each] if isinstance(each, (list, tuple)) else [each] for each in (found, wanted)), strict=True
    ):
        np.testing.assert_allclose(one, other)
    np.testing.assert_allclose(ours, theirs)


def test_a_long_list_by_default() -> None:
    def function(a):
        rows, total = [a[0] * k for k in range(300)], np.float32(0)
        for r in rows:
            r[0] += 1
            total += r[1]
        return rows[7], total

    found = []
    with pytest.warns(al.UnrolledLoopWarning, match="an item of what it runs over is written"):
        found = al.convert(function)(A)
    for one, other in zip(found, function(A), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)
