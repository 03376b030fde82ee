"""Rows that a `for` takes of an array are parts of it: what is written to them is written to the array, as in NumPy."""

from __future__ import annotations

import copy
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite

M = np.arange(12, dtype=np.float32).reshape(4, 3) + 1
W = np.full((4, 3), 2.0, np.float32) + np.arange(3, dtype=np.float32)


def items(m: Any, w: Any) -> Any:
    for row in m:
        row[0] = 5.0
    return m


def all_items(m: Any, w: Any) -> Any:
    for i, row in enumerate(m):
        row[:] = w[i] * 2
    return m


def two_arrays_in_place(m: Any, w: Any) -> Any:
    for a, b in zip(m, w):
        a += b
    return m


def two_arrays(m: Any, w: Any) -> Any:
    for a, b in zip(m, w):
        a[0] = b[1]
        b[1] = 0
    return m, w


def an_array_that_numpy_made(m: Any, w: Any) -> Any:
    out = np.zeros((4, 3))
    for row, x in zip(out, m):
        row[:] = x * 2
    return out


def columns(m: Any, w: Any) -> Any:
    for col in m.T:
        col /= col.sum()
    return m


def backwards(m: Any, w: Any) -> Any:
    for row in reversed(m):
        row[0] = 3.0
    return m


def items_of_items(m: Any, w: Any) -> Any:
    for row in m:
        for j in range(len(row)):
            if row[j] > 2:
                row[j] = 0.0
    return m


def sorted_rows(m: Any, w: Any) -> Any:
    for row in m:
        row.sort()
    return m


def out_parameters(m: Any, w: Any) -> Any:
    for row in m:
        np.multiply(row, 2, out=row)
    return m


def in_a_function(m: Any, w: Any) -> Any:
    for row in m:
        _scale(row, w[0])
    return m


def read_meanwhile(m: Any, w: Any) -> Any:
    total = 0.0
    for row in m:
        row[0] += 1
        total = total + m.sum()
    return total


def left_by_the_data(m: Any, w: Any) -> Any:
    for row in m:
        row[0] = 5.0
        if row[1] > 4:
            break
    return m


def in_a_loop(m: Any, w: Any) -> Any:
    for r in range(int(w[0, 0])):
        for row in m:
            row += 1
    return m


def rows_and_array(m: Any, w: Any) -> Any:
    for k, row in enumerate(m):
        m[k] = row * 2
        row[0] = 1.0
    return m


def parts(m: Any, w: Any) -> Any:
    for row, src in zip(m[1:], m[:-1]):
        row += src
    return m


def _scale(row: Any, v: Any) -> None:
    row *= v
    row[0] = 0


PROGRAMS = [
    items,
    all_items,
    two_arrays_in_place,
    two_arrays,
    an_array_that_numpy_made,
    columns,
    backwards,
    items_of_items,
    sorted_rows,
    out_parameters,
    in_a_function,
    read_meanwhile,
    left_by_the_data,
    in_a_loop,
    rows_and_array,
    parts,
]


@pytest.mark.parametrize("function", PROGRAMS)
def test_rows_are_parts(function: Any) -> None:
    ours, theirs = (M.copy(), W.copy()), (M.copy(), W.copy())
    wanted = copy.deepcopy(function(*theirs))
    found = autograph_lite.convert(function)(*ours)
    for one, other in zip(jax.tree.leaves((found, ours)), jax.tree.leaves((wanted, theirs)), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)


def test_gradients_through_rows() -> None:
    def f(m):
        m = m * 2
        for row in m:
            row[0] = row[1] * row[0]
        return (m * m).sum()

    def by_hand(m):
        m = m * 2
        return (m.at[:, 0].set(m[:, 1] * m[:, 0]) ** 2).sum()

    converted = autograph_lite.convert(f)
    np.testing.assert_allclose(jax.grad(converted)(M), jax.grad(by_hand)(jnp.asarray(M)), rtol=1e-5)
    lanes = jnp.stack([M, M + 1])
    np.testing.assert_allclose(jax.vmap(converted)(lanes), jax.vmap(by_hand)(lanes), rtol=1e-5)


def test_one_loop_of_the_program() -> None:
    def f(m):
        for row in m:
            row[0] = row[1]
        return m

    jaxpr = jax.make_jaxpr(autograph_lite.convert(f))(jnp.ones((40, 3)))
    assert str(jaxpr).count("scan[") == 1
