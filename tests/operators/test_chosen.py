"""What does a write through `rows[i]` change, where `i` is traced? The row in the list, or it is refused."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest

import autograph_lite
from autograph_lite import MutationError


def item_of_a_row(n):
    rows = [[1, 2], [3, 4]]
    rows[n][1 - n] = 100
    return rows


def augmented_item_of_a_dict(n):
    rows = [{"a": 1, "b": 2}, {"a": 3, "b": 4}]
    rows[n]["a"] += 10
    return rows


def a_table_that_is_filled(n):
    rows = [[0, 0, 0] for _ in range(3)]
    for i in range(n):
        for j in range(i + 1):
            rows[i][j] = i * 10 + j + rows[i - 1][j]
    return rows


def the_same_row_twice(n):
    row = [1, 2]
    rows = [row, [5, 6], row]
    rows[n][0] += 7
    return rows, row


def rows_of_a_tuple(n):
    rows = ([1, 2], [3, 4])
    rows[n][1] = 9
    return rows


def read_before_and_after(n):
    rows = [[1, 2], [3, 4]]
    before = rows[n][0]
    rows[0][0] = 9
    return before, rows[n][0]


@pytest.mark.parametrize(
    "function",
    [
        item_of_a_row,
        augmented_item_of_a_dict,
        a_table_that_is_filled,
        the_same_row_twice,
        rows_of_a_tuple,
        read_before_and_after,
    ],
)
def test_the_write_changes_the_row(function) -> None:
    for run in (autograph_lite.convert(function), jax.jit(autograph_lite.to_graph(function))):
        for n in (0, 1):
            assert jax.tree.map(int, run(jnp.int32(n))) == function(n)


def name_of_a_row(n):
    rows = [[1, 2], [3, 4]]
    row = rows[n]
    row[0] = 50
    return rows


def append_to_the_name_of_a_row(n):
    rows = [[1, 2], [3, 4]]
    row = rows[n]
    row.append(5)
    return rows


def row_that_a_function_changes(n):
    def bump(row):
        row[0] += 1

    rows = [[1, 2], [3, 4]]
    bump(rows[n])
    return rows


def row_that_is_read_after_a_write(n):
    rows = [[1, 2], [3, 4]]
    row = rows[n]
    rows[0][0] = 9
    return row


@pytest.mark.parametrize(
    "function",
    [name_of_a_row, append_to_the_name_of_a_row, row_that_a_function_changes, row_that_is_read_after_a_write],
)
def test_a_write_that_would_be_lost_is_refused(function) -> None:
    for run in (autograph_lite.convert(function), jax.jit(autograph_lite.to_graph(function))):
        with pytest.raises(MutationError, match="chosen by a traced index"):
            run(jnp.int32(1))


def each_item_by_its_numbers(rows, ys):
    for i, _ in enumerate(rows):
        for j in range(2):
            rows[i][j] = 1.0 + j
    return rows, ys


def divided_by_the_first(rows, ys):
    kept = rows.copy()
    for i, row in enumerate(kept):
        first = row[0]
        for j, v in enumerate(row):
            rows[i][j] = v / first
    return rows, ys


def chosen_by_the_item(rows, ys):
    xs = [1.0, 2.0]
    for i in range(len(rows)):
        a = xs if rows[i][0] > 2 else ys
        rows[i][1] = a[0] + sum(range(i))
    xs[0] = ys[0] = 8.0
    return rows, [xs, ys]


@pytest.mark.parametrize("count", [2, 3, 7, 40])
@pytest.mark.parametrize("function", [each_item_by_its_numbers, divided_by_the_first, chosen_by_the_item])
def test_a_loop_that_was_tried_in_vain_leaves_nothing_that_refuses_a_write(function, count) -> None:
    def rows():
        return [[k + 1, k + 5] for k in range(count)], [3.0]

    assert autograph_lite.convert(function)(*rows()) == function(*rows())
