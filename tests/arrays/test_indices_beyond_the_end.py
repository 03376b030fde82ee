"""What is written at a traced index beyond the end of an axis is written nowhere, in whichever way it is written."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite


def set_row(m, i):
    m[i] = 5


def add_to_row(m, i):
    m[i] += 5


def subtract_from_item(m, i):
    m[i, 1] -= 5


def add_to_column(m, i):
    m[:, i] += np.ones(3, np.float32)


def add_to_item_of_row(m, i):
    m[i][1] *= 5


def add_to_row_of_transposed(m, i):
    m.T[i] += 5


def add_to_part(m, i):
    row = m[i]
    row += 5


def set_item_of_part(m, i):
    row = m[i]
    row[0] = 5


def set_part_without_axes(m, i):
    cell = m[1, i, ...]
    cell[...] = 5


def fill_row(m, i):
    m[i].fill(5)


def add_into_row(m, i):
    np.add(m[i], 1, out=m[i])


def add_in_loop(m, i):
    for k in range(2):
        m[i + k if i > 0 else i - k] += 1


WRITES = [
    set_row, add_to_row, subtract_from_item, add_to_column, add_to_item_of_row, add_to_row_of_transposed, add_to_part,
    set_item_of_part, set_part_without_axes, fill_row, add_into_row,
]  # fmt: skip


@pytest.mark.parametrize("index", [3, -9])
@pytest.mark.parametrize("write", [*WRITES, add_in_loop])
def test_nothing_is_written_beyond_the_end(write: Any, index: int) -> None:
    m = np.arange(6, dtype=np.float32).reshape(3, 2)
    before = m.copy()
    autograph_lite.convert(write)(m, np.int32(index))
    np.testing.assert_array_equal(m, before)


@pytest.mark.parametrize("index", [0, -1])
@pytest.mark.parametrize("write", WRITES)
def test_within_the_ends_it_is_as_in_numpy(write: Any, index: int) -> None:
    m = np.arange(6, dtype=np.float32).reshape(3, 2)
    expected = m.copy()
    write(expected, index)
    autograph_lite.convert(write)(m, np.int32(index))
    np.testing.assert_array_equal(m, expected)


def test_in_somebody_elses_program_a_part_is_left_as_it_is() -> None:
    def f(m, i):
        row = m[i]
        row[:] = 1
        return m

    m = jnp.arange(6.0).reshape(3, 2)
    np.testing.assert_array_equal(jax.jit(autograph_lite.to_graph(f))(m, 7), m)


def caught(m, i, k):
    outcomes = []
    for index in (k, (k, 0), (slice(None), k - 1), i):
        try:
            outcomes.append(m[index].sum())
        except IndexError:
            outcomes.append(-1.0)
    try:
        m[k] = 7
        outcomes.append(1)
    except IndexError:
        outcomes.append(2)
    return outcomes, m


@pytest.mark.parametrize("i", [0, 1])
@pytest.mark.parametrize("k", [[0, 1], [2, 3], [-3, -4]], ids=str)
@pytest.mark.parametrize("rows", [1, 3])
def test_a_try_catches_it_also_of_arrays_of_indices_and_of_a_single_row(rows: int, k: Any, i: int) -> None:
    def given() -> Any:
        return np.arange(rows * 2, dtype=np.float32).reshape(rows, 2), np.int32(i), np.array(k, np.int32)

    found, expected = autograph_lite.convert(caught)(*given()), caught(*given())
    jax.tree.map(np.testing.assert_allclose, found, expected)


def test_the_error_names_the_first_that_is_not_there() -> None:
    def message(m, k):
        try:
            return m[k]
        except IndexError as error:
            raise ValueError(f"not there: {error}") from None

    m, k = np.ones(3, np.float32), np.array([0, 5, 7], np.int32)
    with pytest.raises(ValueError, match="not there: index 5 is out of bounds for axis 0 with size 3"):
        autograph_lite.convert(message)(m, k)
