"""Parts that a traced index takes of an array of NumPy's which the function has made, under the user's own `jax.jit`."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest

from autograph_lite import MutationError, convert, to_graph


def rows_that_do_not_swap(i, j):
    m = np.arange(6.0).reshape(3, 2)
    t = m[i]
    m[i] = m[j]
    m[j] = t
    return m


def pair_that_does_not_swap(i, j):
    m = np.arange(6.0).reshape(3, 2)
    m[i], m[j] = m[j], m[i]
    return m


def tuple_of_rows(i, j):
    m = np.arange(6.0).reshape(3, 2)
    m[0] = 7
    t = (m[j], m[i])
    m[i], *rest = t
    return m, rest


def row_that_sees_a_write(i, j):
    m = np.arange(6.0).reshape(3, 2)
    r = m[i]
    m[1] = 5
    m[j] = r
    return r, m


def window_that_sees_a_write(i, j):
    a = np.arange(6.0)
    a[i : i + 2] += 1
    b = a[i : i + 3]
    a[2] = 0
    return a, b


def rows_of_a_list(i, j):
    rows = [np.arange(6.0).reshape(3, 2)]
    t = rows[0][i]
    rows[0][i] = rows[0][j]
    rows[0][j] = t
    return rows


def one_array_under_several_names(i, j):
    m = np.arange(6.0).reshape(3, 2)
    total, out = np.zeros(2), []
    for _ in range(3):
        total += m[i]
        out.append(total)
    return out


def part_of_what_has_traced_items(i, j):
    a = np.zeros(3)
    a[i] = 1
    b = a[1:]
    b += 1
    return a, b


def items_that_are_computed(i, j):
    m = np.arange(6.0).reshape(3, 2)
    m[i] += m[j] * 2
    m[0] = m[i].copy()
    m[i] = m[j].sum()
    return m


def another_row_is_written(i, j):
    m = np.zeros((4, 2))
    x = m[2:][i - 1]
    row = m[0]
    row[1] = 5
    return m, x


def table(i, j):
    t = np.array([[1.0, 2.0], [3.0, 4.0]])
    x = t[i] * 2
    n = int(t[1, 1])
    return x @ t[i - 1] + n


FOLLOWED = [
    rows_that_do_not_swap, pair_that_does_not_swap, tuple_of_rows, row_that_sees_a_write, window_that_sees_a_write,
    rows_of_a_list, one_array_under_several_names, part_of_what_has_traced_items, items_that_are_computed,
    another_row_is_written, table,
]  # fmt: skip


@pytest.mark.parametrize("f", FOLLOWED)
def test_they_see_what_is_written_to_the_array(f: Any) -> None:
    found = jax.jit(to_graph(f))(np.int32(1), np.int32(2))
    jax.tree.map(np.testing.assert_allclose, jax.tree.leaves(found), jax.tree.leaves(f(1, 2)))


def written_in_a_branch(i, j):
    m = np.zeros((4, 2))
    x = m[i]
    if j > 1:
        m[i] = 5
    return m, x


def written_in_a_loop(i, j):
    m = np.zeros((4, 2))
    x = m[i]
    for k in range(j):
        m[k] = k + 1
    return m, x


def part_is_written(i, j):
    m = np.zeros((4, 2))
    x = m[i]
    x[0] = 5
    return m, x


def part_is_written_in_a_loop(i, j):
    m = np.zeros((4, 2))
    x = m[i]
    for k in range(j):
        x[0] += k + 1
    return m, x


def part_is_changed_in_a_loop(i, j):
    m = np.zeros((4, 2))
    x = m[i]
    for k in range(j):
        x += k + 1
    return m, x


def a_row_is_written(i, j):
    m = np.zeros((4, 2))
    row = m[1]
    x = m[i]
    row[:] = 5
    return m, x, row


def the_whole_of_a_part_is_written(i, j):
    m = np.zeros((4, 2))
    x = m[1:][i - 1]
    m[1] = 5
    return m, x


def changed_by_a_traced_value(i, j):
    m = np.zeros((4, 2))
    x = m[i]
    m += j
    return m, x


REFUSED = [
    written_in_a_branch, written_in_a_loop, part_is_written, part_is_written_in_a_loop, part_is_changed_in_a_loop,
    a_row_is_written, the_whole_of_a_part_is_written, changed_by_a_traced_value,
]  # fmt: skip


@pytest.mark.parametrize("f", REFUSED)
def test_where_only_one_of_them_would_see_it_it_is_refused(f: Any) -> None:
    with pytest.raises(MutationError, match="or a part of it, is written"):
        jax.jit(to_graph(f))(np.int32(1), np.int32(2))


def part_is_changed(i, j):
    m = np.zeros((4, 2))
    x = m[i]
    x += 5
    return m


@pytest.mark.parametrize("f", [*FOLLOWED, *REFUSED, part_is_changed])
def test_what_convert_makes_is_traced_again(f: Any) -> None:
    found = convert(f)(np.int32(1), np.int32(2))
    jax.tree.map(np.testing.assert_allclose, jax.tree.leaves(found), jax.tree.leaves(f(1, 2)))
