"""Does an index with lists, arrays, numbers and slices in it take of masked parts what it takes in NumPy?"""

from __future__ import annotations

import os
import random
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autograph_lite import MutationError, convert

from .against import assert_like_numpy, functions

A = np.arange(16, dtype=np.float32).reshape(4, 4)
T = np.arange(64, dtype=np.float32).reshape(4, 4, 4) % 13
MASK, COLUMNS = np.array([True, False, True, True]), np.array([False, True, True, True])
PLACES, TABLE = np.array([2, -1, 0]), np.array([[0, 1], [2, 1]])
BASES = ["A[m]", "A[:, m]", "A[:n]", "A[1:, :n]", "A[m][:, w]", "T[:, m]", "T[..., m]", "T[m, :n]"]
# Of three items on each axis; the result of each is told by a number that depends on the order of the items.
FORMS = [
    "1", "-2", "[2, 1, 0, 2]", "(0, 1, 1, 0),", "p", "[k, 0]", "xp.array([1, 0])", "range(2)", "q", "[]", "::-2", "2:0:-1", "k::-1",
    ":k", "::2, 1", "None", "..., -1", "..., [1, 0]", ":, [2, 0]", "[2, 0], :", ":, p", ":, None, p", "q, None", "[1, 0], [2, 2]",
    "p, 1", "-1, p", "k, [0, 1]", "nz[:2], 0", "nz - 1", ":, nz[::-1] - 2", "nz[:, None] - 1, [0, 1]", "1:, [0, -1]", "[0, 1], 1:",
    "..., None, 1", "b[:, 1] > 2", "q, q",
]  # fmt: skip
DEEP = [
    "1, :, [0, 2]",
    "[0, 2], :, 1",
    "p, p, :",
    ":, p, 0",
    "1, None, p",
    "..., 1, p",
    "p, ..., p",
    "b > 5",
    "k, 1",
]

TOLD = """
def told(part):
    s = part.sum() + part.ndim
    if part.ndim:
        for v in part:
            s = (s * 3 + (v * v + v).sum()) % 97
    return s

"""


def program(base: str, forms: list[str]) -> str:
    turned = [f"b[{form}]{'.T' if number % 2 else ''}" for number, form in enumerate(forms)]
    lines = "".join(f"    found.append(told({part}))\n" for part in turned)
    return f"{TOLD}def main(A, T, m, w, p, q, k, n):\n    b, nz = {base}, xp.nonzero(w)[0]\n    found = []\n{lines}    return found\n"


@pytest.mark.parametrize("base", BASES)
def test_parts_of_parts(base: str) -> None:
    forms = [*FORMS, *(DEEP if "T" in base else [])]
    chosen = random.Random(base).sample(forms, int(os.environ.get("FORMS", "6")))
    assert_like_numpy(program(base, chosen), A, T, MASK, COLUMNS, PLACES, TABLE, 1, 3)


def test_places_that_are_unsigned() -> None:
    def f(x, places, start):
        return x[x > -9][places[1]], x[places[start[0] : start[1]]].sum()

    x = np.arange(4, dtype=np.float32)
    given = x, np.array([3, 0, 2], np.uint8), np.array([0, 2], np.uint32)
    assert [*map(float, convert(f)(*given))] == [*map(float, f(*given))] == [0, 3]


def test_the_columns_of_a_masked_part_that_a_list_picks() -> None:
    for reduced in (
        "b[:, [3, 1, 0, 2]].sum(0)",
        "(b[:, [0, 1, 1, 0]] * 2).max()",
        "b[:, xp.array([2, 0])].mean(1).sum()",
    ):
        assert_like_numpy(f"def main(x, m):\n    b = x[m]\n    return {reduced}\n", A, MASK)


WRITES = [
    "b[:, [3, 1, 0]] = 7", "b[[0, -1]] += 1", "b[p, 1] *= 2", "b[q, 0] = 5", "b[1] = b[0]", "b[::-2] -= 1", "b[:, None, 1] = 3",
    "b[2:0:-1, [0, 1]] = A[:2, :2]", "b[nz[:2], 1] = 4", "b[b > 5] = 0", "b[:, 1:] = b[:, :-1]", "b[[0, 0], [1, 1]] = 9",
]  # fmt: skip


@pytest.mark.parametrize("base", ["A[m]", "A[:n, :]", "T[m, :, 1]"])
def test_writes_to_parts_that_are_values_of_their_own(base: str) -> None:
    copies = "".join(
        f"    b = {base}.copy()\n    {statement}\n    found.append(told(b))\n" for statement in WRITES
    )
    source = f"{TOLD}def main(A, T, m, w, p, q, k, n):\n    nz, found = xp.nonzero(w)[0], []\n{copies}    return found\n"
    assert_like_numpy(source, A, T, MASK, COLUMNS, PLACES, TABLE, 1, 3)


ARRAYS = [
    "A[m, [0, 1, 2]]", "A[[0, 1], :n]", "T[m, :, 1]", "T[0, :, m]", "T[:, m, :, None]", "T[m, [2, 0, 1]]", "T[:n, [0, 1], 2]",
    "T[q, :n]", "T[m, w]", "T[T[..., 0] > 3, w]", "A[A[:n] > 3]", "A[:n, m]", "T[p, m, :n]", "A[m, -1]",
]  # fmt: skip


def test_parts_of_arrays() -> None:
    reads = "".join(f"    found.append(told({part}))\n" for part in ARRAYS if "A[A[:n]" not in part)
    args = "A, T, m, w, p, q, k, n"
    assert_like_numpy(
        f"{TOLD}def main({args}):\n    found = []\n{reads}    return found\n",
        A, T, MASK, COLUMNS, PLACES, TABLE, 1, 3,
    )  # fmt: skip
    writes = "".join(
        f"    {part} = {number}\n" for number, part in enumerate(ARRAYS) if "[..., 0]" not in part
    )
    source = f"def main({args}):\n{writes.replace('A[A[:n] > 3]', 'A[A > 3]')}    return A, T\n"
    assert_like_numpy(source, A, T, MASK, COLUMNS, PLACES, TABLE, 1, 3)


@pytest.mark.parametrize(
    "index", ["[3]", "-4", ":, [4]", "[0, 1.5]", "0, 0, 0", "[True, False]", "xp.array([0, 3])"]
)
def test_what_numpy_refuses(index: str) -> None:
    converted, plain = functions(f"def main(A, m):\n    return A[m][{index}].sum()\n")
    with pytest.raises(IndexError):
        plain(A, MASK)
    with pytest.raises((IndexError, ValueError)):
        converted(jnp.asarray(A), jnp.asarray(MASK))


def test_derivatives_and_lanes() -> None:
    def loss(A: Any, m: Any) -> Any:
        b = A[m]
        return (b[:, [1, 1, 0]] ** 2).sum() + b[[0, -1], 3].prod()

    expected = np.zeros((4, 4))
    expected[MASK, 0], expected[MASK, 1] = 2 * A[MASK, 0], 4 * A[MASK, 1]
    expected[0, 3], expected[3, 3] = A[3, 3], A[0, 3]
    gradient = jax.grad(convert(loss))
    np.testing.assert_allclose(gradient(A, MASK), expected)
    both = jax.vmap(gradient, (None, 0))(A, np.stack([MASK, MASK]))
    np.testing.assert_allclose(both, [expected, expected])


SHARED = [
    "b = x[m]; c = b[1:]; c[0] = 4; return b.sum()", "b = x[m]; c = b[::-1]; b[0] = 4; return c.sum()", "b = x[m]; c = b; c[0] = 4; return b.sum()",
    "b = x[m]; c = [b]; c[0][0] = 4; return b.sum()", "b = A[m]; c = b[:, 0]; c[0] = 4; return b.sum()", "b = A[m]; c = b.T; b[0] = 4; return c.sum()",
    "i = xp.where(x > 1)[0]; j = i[1:]; i[1] = 1; return j.sum()",
]  # fmt: skip
COPIED = [
    "b = A[m]; b[0, 0] = 5; c = b[:, [0, 1]]; c[0] = 4; return b.sum(), c.sum(), A", "b = A[m]; c = b[[0, 1]]; c[0] = 4; return b.sum(), c.sum()",
    "b = A[m]; c = b[b[:, 0] > 1]; c[0] = 4; return b.sum(), c.sum()", "b = x[m]; x[0] = 9; b[0] = 2; return b.sum(), x",
    "i = xp.where(x > 1)[0]; r = x[i]; x[0] = 9; r[0] = 7; return r.sum(), x", "b = x[m]; c = b * 1; c[0] = 4; return b.sum(), c.sum()",
]  # fmt: skip


@pytest.mark.parametrize("statements", [*SHARED, *COPIED])
def test_a_masked_part_is_a_copy_of_which_slices_are_views(statements: str) -> None:
    source = "def main(x, A, m):\n" + "".join(f"    {each}\n" for each in statements.split("; "))
    if statements in COPIED:
        assert_like_numpy(source, A[1] % 4, A, MASK)
        return
    with pytest.raises(MutationError):  # the change would be seen under one of the names only
        functions(source)[0](jnp.asarray(A[1]), jnp.asarray(A), jnp.asarray(MASK))
