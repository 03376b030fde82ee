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


def append_to_a_row(n):
    rows = [[1, 2], [3, 4]]
    rows[n].append(5)
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
    [name_of_a_row, append_to_a_row, row_that_a_function_changes, row_that_is_read_after_a_write],
)
def test_a_write_that_would_be_lost_is_refused(function) -> None:
    for run in (autograph_lite.convert(function), jax.jit(autograph_lite.to_graph(function))):
        with pytest.raises(MutationError, match="chosen by a traced index"):
            run(jnp.int32(1))
