"""A list, dict or object that a loop appends, and that others have, too: after the loop each place has one of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autograph_lite import MutationError, convert

A = np.array([[0.5, 2.5, 1.5], [3.5, 0.75, 5.5]], np.float32)


def twice(a):
    rows = []
    for r in a:
        x = [r[0], 1.0]
        rows.append(x)
        rows.append(x)
    rows[0][0] = 4
    return rows


def in_two_lists(a):
    rows, others = [], []
    for r in a:
        x = [r[0], 1.0]
        rows.append(x)
        others.append(x)
    others[0][0] = 4
    return rows


def from_outside_in_a_tuple(a):
    rows, x = [], [0.0, 1.0]
    for r in a:
        rows.append((x, r[0]))
    rows[0][0][0] = 3
    return rows


def dicts(a):
    rows = []
    for r in a:
        d = {"a": r[0]}
        rows.append([d, d])
    rows[0][0]["a"] = 4
    return rows


def the_last_again(a):
    rows = []
    for r in a:
        rows.append([r[0], 1.0])
        rows.append(rows[-1])
    rows[-1][0] = 4
    return rows


@pytest.mark.parametrize(
    "function",
    [twice, in_two_lists, from_outside_in_a_tuple, dicts, the_last_again],
    ids=lambda function: function.__name__,
)
def test_a_write_is_refused(function: Any) -> None:
    with pytest.raises(MutationError, match="is written to that is one object on one path"):
        convert(function)(A)


def test_each_of_its_own_is_written() -> None:
    def f(a):
        rows, others = [], []
        for r in a:
            rows.append([r[0], 1.0])
            rows.append([r[1], {"a": r[2]}])
            others.append(rows[-2])
        rows[1][0] = 4
        rows[3][1]["a"] = 5
        return rows[1][0] + rows[3][1]["a"], rows[0][0] + others[1][0], rows[3][0]

    np.testing.assert_allclose(convert(f)(A), f(A))
