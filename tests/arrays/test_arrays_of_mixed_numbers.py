"""Arrays made of a number that is an int on one path and a float on another, or a bool: what NumPy cuts off is refused."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest

import autograph_lite as al
from autograph_lite.errors import MutationError, PythonOnlyError


def number(m):
    return 0 if m[0, 0] < 2 else 0.5


def truth(m):
    return True if m[0, 0] < 2 else 2


def of_full(m):
    a = np.full(3, number(m))
    a[1] = 2.7
    return a


def of_an_array(m):
    a = np.array([number(m), 1, 2])
    a[1] = 2.7
    return a


def of_zeros_like(m):
    a = np.zeros_like([number(m), number(m)])
    a[1] = 2.7
    return a


def of_a_product(m):
    a = np.arange(3) * number(m)
    a[0] = 1.7
    return a


def of_append(m):
    a = np.append(np.array(number(m)), 1)
    a[0] = 1.7
    return a


def of_a_list(m):
    now = [0] * 3
    for i in range(3):
        if m[0, i] > 4:
            now[i] = m[0, i]
    h = np.array(now)
    for i in range(3):
        h[i] = m[1, i] / 2
    return h


def of_a_sentinel(m):
    best = -1
    for i in range(3):
        if m[0, i] > 30:
            best = m[0, i]
    h = np.repeat(best, 3)
    h[0] = m[1, 2]
    return h


def of_stack(m):
    a = np.stack([number(m), 2])
    a[0] = 1.5
    return a


def of_sort(m):
    a = np.sort([number(m), 2, 0])
    a[0] = 1.5
    return a


def of_max(m):
    a = np.array([max(0, m[0, 0] - 2), max(0, m[0, 1] - 20)])
    a[0] = 1.5
    return a


def of_a_comprehension(m):
    a = np.array([v if v > 3 else 0 for v in m[0]])
    a.fill(2.5)
    return a


def of_calls(m):
    def chosen(v):
        if v > 3:
            return v
        return 0

    a = np.array([chosen(v) for v in m[0]])
    a[:] = m[1]
    return a


def divided(m):
    a = np.full(2, number(m))
    a /= 2
    return a


def of_bools_as_an_index(m):
    return m[0][np.array([truth(m), truth(m), True])]


def of_bools_that_are_added(m):
    a = np.array([truth(m), truth(m), False])
    return a + a


def of_bools_that_are_inverted(m):
    return ~np.full(2, truth(m))


def of_bools_that_are_written(m):
    a = np.full(2, truth(m))
    a[0] = 5
    return a * 1


def along_an_axis(m):
    return np.apply_along_axis(lambda row: row[0] / 2 if row[0] > 2 else 0, 1, m)


REFUSED = [
    of_full, of_an_array, of_zeros_like, of_a_product, of_append, of_a_list, of_a_sentinel, of_stack, of_sort, of_max,
    of_a_comprehension, of_calls, divided, of_bools_as_an_index, of_bools_that_are_added, of_bools_that_are_inverted,
    of_bools_that_are_written, along_an_axis,
]  # fmt: skip


def of_floats(m):
    a = np.full(3, number(m), float)
    a[1] = 2.7
    b = np.array([number(m), 1], dtype=float)
    b[0] = 0.5
    return a, b


def beside_a_float(m):
    a = np.array([number(m), 1.0])
    a[0] = 2.5
    return a


def of_products_with_floats(m):
    a = np.full(3, number(m)) * m[0]
    a[1] = 2.7
    return a


def read_alone(m):
    best = -1
    for i in range(3):
        if m[0, i] > 1:
            best = m[0, i]
    a = np.array([best, best])
    return a.sum(), a / 2, a.mean(), a.max()


def of_a_sum(m):
    total = 0
    for v in m[0]:
        total += v
    a = np.full(3, total)
    a[0] = 2.5
    return a


def of_sums_of_rows(m):
    sums = []
    for row in m:
        total = 0
        for v in row:
            total += v * v
        sums.append(total)
    a = np.array(sums)
    a[0] = 0.5
    return a


def of_a_long_sum(m):
    total = 0
    for i in range(100):
        total += m[0, i % 3]
    a = np.array([total, 1])
    a[0] = 2.5
    return a


def bisected(m):
    low, high = 0, 1
    while high - low > 1e-6:
        middle = (low + high) / 2
        if middle * middle < m[0, 0]:
            low = middle
        else:
            high = middle
    a = np.array([low, high])
    return a.mean(), a * 2


def of_floats_from_a_converted_number(m):
    a = np.full(2, float(number(m)))
    a[0] = 1.5
    return a


RIGHT = [
    of_floats, beside_a_float, of_products_with_floats, read_alone, of_a_sum, of_sums_of_rows, of_a_long_sum, bisected,
    of_floats_from_a_converted_number,
]  # fmt: skip
M = np.array([[0.5, 2.5, 1.5], [3.5, 0.75, 5.5]])


@pytest.mark.parametrize("fn", REFUSED, ids=lambda fn: fn.__name__)
def test_what_numpy_cuts_off_is_refused(fn: Any) -> None:
    with pytest.raises((MutationError, PythonOnlyError), match="may be one of|a lower type on another"):
        al.convert(fn)(M.copy())


@pytest.mark.parametrize("how", ["auto", "stage"])
@pytest.mark.parametrize("fn", RIGHT, ids=lambda fn: fn.__name__)
def test_what_is_the_same_for_both_is_as_in_numpy(fn: Any, how: str) -> None:
    with jax.enable_x64(True):
        found, expected = al.convert(fn, static_loops=how)(M.copy()), fn(M.copy())
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(one, other)
