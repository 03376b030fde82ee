"""Is a list in an index of an array, some of whose numbers are traced, what it is to NumPy: an array?"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, strategies as st

import autograph_lite
from tests.properties.running import loaded

# Of an array of NumPy's with three rows and four columns, and of one that is handed in.
OWN = "x = np.arange(12.0, dtype=np.float32).reshape(3, 4)\n"
GIVEN = "x = given.copy()\n"
INDICES = [
    "[i, j]",
    "[[i, 0], [1, j]]",
    "[i, -1], 1",
    "[i, 0], [j, 2]",
    ":, [j, i]",
    "[i, j], None",
    "[j], 1:3",
    "..., [i]",
]
STATEMENTS = [
    "y = x[{0}]\nreturn x, y",
    "x[{0}] = 7\nreturn x",
    "x[{0}] += 2\nreturn x",
    "x[{0}] = x[{0}] * 2\nreturn x",
    "if i > 0:\n    x[{0}] -= 1\nreturn x",
    "for k in range(3):\n    if i > k: x[{0}] *= 2\nreturn x",
    "k = 0\nwhile k < i:\n    x[{0}] += k\n    k += 1\nreturn x",
]
SWAPS = [
    "x[[i, j]] = x[[j, i]]\nreturn x",
    "x[:, [i, j]] = x[:, [j, i]]\nreturn x",
    "if i > j: x[[i, j]] = x[[j, i]]\nreturn x",
]
numbers = st.integers(0, 2)


@given(st.sampled_from([OWN, GIVEN]), st.sampled_from(INDICES), st.sampled_from(STATEMENTS), numbers, numbers)
def test_items_at_a_list(array: str, index: str, statement: str, i: int, j: int):
    assert_as_numpy(array + statement.format(index), i, j)


@given(st.sampled_from([OWN, GIVEN]), st.sampled_from(SWAPS), numbers, numbers)
def test_rows_and_columns_are_swapped(array: str, swap: str, i: int, j: int):
    assert_as_numpy(array + swap, i, j)


def assert_as_numpy(lines: str, i: int, j: int) -> None:
    source = "def main(i, j, given):\n" + "".join(f"    {line}\n" for line in lines.splitlines())
    given_ = np.arange(12, dtype=np.float32).reshape(3, 4) / 2
    with loaded(source, np=np) as namespace:
        wanted = namespace["main"](i, j, given_)
        found = jax.jit(autograph_lite.to_graph(namespace["main"]))(i, j, jnp.asarray(given_))
        jax.tree.map(np.testing.assert_array_equal, found, wanted)


def test_a_list_in_an_index_of_a_list_is_pythons_error():
    @autograph_lite.convert
    def f(i):
        xs = [1, 2, 3]
        return xs[[i]]

    with pytest.raises(TypeError, match="list indices must be integers or slices, not list"):
        f(jnp.asarray(1))


def decomposed(matrix):
    """Rows of a triangular matrix, the order of the rows, and how often two were swapped."""
    matrix = matrix.copy()
    n = len(matrix)
    order = np.arange(n)
    swaps = 0
    for k in range(n - 1):
        p = k
        for i in range(k + 1, n):
            if abs(matrix[i, k]) > abs(matrix[p, k]):
                p = i
        if matrix[p, k] == 0:
            raise ZeroDivisionError("the matrix is singular")
        if p != k:
            matrix[[k, p]] = matrix[[p, k]]
            order[[k, p]] = order[[p, k]]
            swaps += 1
        for i in range(k + 1, n):
            matrix[i, k] /= matrix[k, k]
            matrix[i, k + 1 :] -= matrix[i, k] * matrix[k, k + 1 :]
    return matrix, order, swaps


def test_a_decomposition_with_pivots():
    matrix = np.array([[0, 2, 1], [1, 1, 0], [4, 1, 3]], np.float32)
    converted = autograph_lite.convert(decomposed)
    jax.tree.map(np.testing.assert_allclose, converted(jnp.asarray(matrix)), decomposed(matrix))
    with pytest.raises(ZeroDivisionError, match="the matrix is singular"):
        converted(jnp.zeros((3, 3)))
