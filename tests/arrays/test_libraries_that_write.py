"""Functions of libraries that write to arrays, or keep them: SciPy's with `output=`, np.apply_along_axis, np.histogram, np.poly1d."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import ndimage

import autograph_lite as al
from autograph_lite.errors import AutographError, MutationError


def smoothed(m):
    x = np.array([1.0, 5.0, 2.0])
    ndimage.uniform_filter(x, 3, output=x)
    return x + m[0]


def smoothed_where(m):
    x = np.array([1.0, 5.0, 2.0])
    if m[0, 0] > 0:
        ndimage.uniform_filter(x, 3, output=x)
    return x + m[0]


def smoothed_in_a_loop(m):
    x = np.array([1.0, 5.0, 2.0])
    total = 0.0
    while total < m[0, 0]:
        ndimage.gaussian_filter(x, 1.0, output=x)
        total += 2
    return x


def smoothed_before_a_traced_item(m):
    x = np.array([1.0, 5.0, 2.0])
    ndimage.uniform_filter(x, 3, output=x)
    y = x
    y[0] = m[0, 0]
    return x


def rows_that_are_written(m):
    def first_to_zero(row):
        row[0] = 0
        return row.sum()

    return np.apply_along_axis(first_to_zero, 1, m), m * 1


def rows_of_known_numbers(m):
    x = np.ones((2, 3))

    def first_to_zero(row):
        row[0] = 0
        return row.sum()

    if m[0, 0] > 0:
        np.apply_along_axis(first_to_zero, 1, x)
    return x + m


def rows_that_are_read(m):
    return np.apply_along_axis(lambda row: row[0] * row.sum(), 1, m), np.apply_along_axis(np.cumsum, 0, m)


def rows_that_are_copied(m):
    def without_first(row):
        row = row.copy()
        row[0] = 0
        return row

    return np.apply_along_axis(without_first, 1, m), m * 1


def bins(m):
    edges = np.array([-5.0, 0.0, 5.0])
    counts, found = np.histogram(m.ravel(), bins=edges)
    edges[0] = -7
    return counts, found, edges


def traced_bins(m):
    edges = np.array([-5.0, 0.0, 5.0])
    _, found = np.histogram(m.ravel(), bins=edges)
    found[0] = m[0, 0]
    return edges


def polynomial(m):
    x = np.array([1.0, 2.0, 3.0])
    p = np.poly1d(x)
    if m[0, 0] > 0:
        x[1] = 9
    return p(2.0) + m[0]


@pytest.mark.parametrize(
    "fn",
    [
        smoothed, smoothed_where, smoothed_in_a_loop, smoothed_before_a_traced_item, rows_that_are_written, rows_of_known_numbers,
        rows_that_are_read, rows_that_are_copied, bins, traced_bins, polynomial,
    ],
    ids=lambda fn: fn.__name__,
)  # fmt: skip
def test_the_result_is_numpys_or_an_error(fn: Any) -> None:
    m = np.array([[9.0, 2.0, 1.0], [4.0, -1.0, 3.0]])
    mine, ours = m.copy(), m.copy()
    expected = fn(mine)
    try:
        found = al.convert(fn)(ours)
    except AutographError:
        assert fn not in (smoothed, rows_that_are_read, rows_that_are_copied, bins, traced_bins)
        return
    for one, other in zip(expected, found, strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-6)
    np.testing.assert_array_equal(ours, mine)


def test_the_error_says_what_to_do() -> None:
    m = np.array([[9.0, 2.0, 1.0], [4.0, -1.0, 3.0]])
    with pytest.raises(
        MutationError, match=r"'uniform_filter' writes to an array of the program(.|\n)*store what it gives"
    ):
        al.convert(smoothed_where)(m)
    with pytest.raises(
        MutationError, match="np.apply_along_axis calls with a part of a traced array writes to it"
    ):
        al.convert(lambda m: np.apply_along_axis(clear_first, 1, m))(m)


def clear_first(row):
    row[0] = 0
    return row.sum()
