"""Do assignments to traced slices and masks change what NumPy changes?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given

from tests.examples import examples

from .against import assert_like_numpy
from .test_reads import bounds, rows, tables

ONE = [
    "x[i:j] = 7", "x[:j] += 2", "x[i:] *= y[i:]", "x[1:j] = y[1:j]", "x[i:j] -= x[i:j] * 2", "x[i:j:2] = 0", "x[j::-1] = y[j::-1]",
    "x[x > 0] = 1", "x[mask] += 3", "x[mask] *= y[mask]", "x[mask] = y[mask]", "x[~mask] = x[~mask] - 1", "x[i:j] = 2 - y[i:j]",
    "x[:] = y", "x[i:j] = y.sum()", "x[i:j], x[:2] = 5, 6", "x[i+1:] /= 2", "x[2*i:j+1] = 4",
]  # fmt: skip


@pytest.mark.parametrize("statement", ONE)
@examples(15)
@given(x=rows, y=rows, i=bounds, j=bounds)
def test_of_one_axis(statement: str, x: Any, y: Any, i: int, j: int) -> None:
    assert_like_numpy(f"def main(x, y, mask, i, j):\n    {statement}\n    return x\n", x, y, y > 0, i, j)


TWO = [
    "A[i:, 2] /= 3", "A[i:j, i:j] = 0", "A[1, i:j] -= A[2, i:j]", "A[i:, j:] -= xp.outer(A[i:, 1], A[1, j:])", "A[:, i:j] = 1",
    "A[i:j] = A[0]", "A[A > 1] = 0", "A[mask] += 1", "A[mask, 2] = 5", "A[i:j, mask[:1].any() * 1] = 2", "A[i:j, 1:3] = A[i:j, 3:5]",
]  # fmt: skip


@pytest.mark.parametrize("statement", TWO)
@examples(15)
@given(A=tables, i=bounds, j=bounds)
def test_of_two_axes(statement: str, A: Any, i: int, j: int) -> None:
    source = f"def main(A, mask, i, j):\n    {statement}\n    return A\n"
    assert_like_numpy(source, A, A[:, 0] > 0, i, j)


PARTS = [
    "part[0] = 5",
    "part[-1] += 2",
    "part[1:] = 3",
    "part[:-1] *= 2",
    "part[part > 0] -= 1",
    "part[j] = 1",
    "part /= 2",
]


@pytest.mark.parametrize("statement", PARTS)
@examples(15)
@given(x=rows, i=bounds, j=bounds)
def test_of_a_part_that_is_a_value_of_its_own(statement: str, x: Any, i: int, j: int) -> None:
    source = f"def main(x, i, j):\n    part = x[i:j].copy()\n    {statement}\n    return part.sum(), x\n"
    assert_like_numpy(source, x, i, j)


@pytest.mark.parametrize(
    "statement", ["A[k, i:j] = 2", "A[i:j, k] += 1", "A[k, :j] = A[k, :j] * 0.5", "A[k, i:] = A[0, i:]"]
)
@examples(8)
@given(A=tables, i=bounds, j=bounds)
def test_beside_an_array_of_places(statement: str, A: Any, i: int, j: int) -> None:
    k = np.array([3, 0, -1])
    assert_like_numpy(f"def main(A, k, i, j):\n    {statement}\n    return A\n", A, k, i, j)
