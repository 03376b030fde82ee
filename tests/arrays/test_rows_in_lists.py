"""Rows in lists whose length only the data knows: the program has copies, and NumPy has parts. Right, or refused."""

from __future__ import annotations

import numpy as np
import pytest

from autograph_lite import MutationError, convert

V, C = np.arange(1.0, 7.0), np.arange(12.0).reshape(3, 4)


def item_is_written(x, m):
    rows = [r for r in m if r[0] > 0]
    rows[0][:] = 5
    return m.sum()


def item_of_a_pair_is_written(x, m):
    rows = [(r, 1.0) for r in m if r[0] > 0]
    rows[0][0][:] = 5
    return m.sum()


def item_is_written_that_a_loop_has_appended(x, m):
    rows = []
    for r in m:
        if r[0] > 0:
            rows.append(r)
    rows[0][:] = 5
    return m.sum()


def item_is_changed_in_place(x, m):
    rows = []
    for r in m:
        if r[0] > 0:
            rows.append(r)
    rows[-1] += 5
    return m.sum()


def items_are_written_in_a_loop(x, m):
    rows = [r for r in m if r[0] > 0]
    for r in rows:
        r[:] = 5
    return m.sum()


def filtered_item_is_written(x, m):
    rows = list(filter(lambda r: r[0] > 0, m))
    rows[0][:] = 5
    return m.sum()


def first_of_them_is_changed_in_place(x, m):
    row = next((r for r in m if r[0] > 0), None)
    row += 5
    return m.sum()


def array_is_written_and_the_list_read(x, m):
    rows = [r for r in m if r[0] > 0]
    m[1] = 0
    return rows[0].sum()


def array_is_written_after_a_while(x, m):
    rows, i = [], 0
    while x[i] < 4:
        rows.append(m[i])
        i += 1
    m[0, 0] = 50
    return rows[0].sum()


def another_name_of_an_item(x, m):
    rows = [r for r in m if r[0] > 0]
    row = rows[0]
    row[0] = 9
    return rows[0].sum()


def whole_array_in_the_list(x, m):
    rows = []
    for v in x:
        if v > 2:
            rows.append(x)
    rows[0][0] = 9
    return x.sum()


def name_beside_the_list(x, m):
    rows = []
    for v in x:
        row = np.zeros(2)
        row[0] = v
        if v > 2:
            rows.append(row)
    rows[-1][1] = 5
    return rows[0].sum(), row.sum()


REFUSED = [
    item_is_written, item_of_a_pair_is_written, item_is_written_that_a_loop_has_appended, item_is_changed_in_place,
    items_are_written_in_a_loop, filtered_item_is_written, first_of_them_is_changed_in_place,
    array_is_written_and_the_list_read, array_is_written_after_a_while, another_name_of_an_item, whole_array_in_the_list,
    name_beside_the_list,
]  # fmt: skip


def computed_items(x, m):
    rows = [r * 2 for r in m if r[0] > 0]
    rows[0][:] = 5
    return m.sum(), rows[0].sum(), rows[1].sum()


def copied_items(x, m):
    rows = [r.copy() for r in m if r[0] > 0]
    rows[0] += 5
    rows[0][1] = 3
    return m.sum(), rows[0].sum()


def written_after_it_is_appended(x, m):
    rows = []
    for v in x:
        row = np.zeros(2)
        row[0] = v
        if v > 2:
            rows.append(row)
            row[1] = 5
            rows[-1][1] += 5
    return rows[0].sum(), len(rows), row.sum()


def written_beside_items_before(x, m):
    rows = []
    if x[0] > 0:
        rows.append(x[:2] * 2)
    row = x[:2] * 2
    row[0] = x[0]
    if x[1] > 0:
        rows.append(row)
        row[1] = 5
    return rows[-1].sum(), row.sum()


def array_is_written_and_the_list_is_done(x, m):
    for _ in range(2):
        good = [r for r in m if r.sum() > 5]
        best = good[0] * 2
    m[0] = best
    return m.sum()


RIGHT = [
    computed_items, copied_items, written_after_it_is_appended, written_beside_items_before,
    array_is_written_and_the_list_is_done,
]  # fmt: skip


@pytest.mark.parametrize("function", REFUSED, ids=lambda function: function.__name__)
def test_what_the_array_or_the_list_would_not_see(function):
    with pytest.raises(MutationError):
        convert(function)(V.copy(), C.copy())


@pytest.mark.parametrize("function", RIGHT, ids=lambda function: function.__name__)
def test_what_is_the_lists_own(function):
    expected, given = (V.copy(), C.copy()), (V.copy(), C.copy())

    np.testing.assert_allclose(convert(function)(*given), function(*expected), rtol=1e-5)
    for a, b in zip(given, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5)
