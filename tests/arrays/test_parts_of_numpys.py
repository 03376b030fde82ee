"""Parts of arrays of NumPy's that loops write, or take their items from: whoever has the array, or another part, sees it."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest

import autograph_lite as al

G = np.arange(6.0).reshape(3, 2)


class Holder:
    def __init__(self, f):
        self.f = f


def put(x, k):
    x[0] = k


def the_array(n):
    i = np.arange(6.0).reshape(3, 2)
    u = i[:, ::-1]
    k = 0
    while k < n:
        u[k % 3] = k
        k += 1
    return u, i


def another_part(n):
    i = np.arange(6.0).reshape(3, 2)
    u = i[:, ::-1]
    w = i[1:]
    k = 0
    while k < n:
        u[k % 3] = k
        k += 1
    return u, w


def another_part_in_an_object(n):
    i = np.arange(6).reshape(3, 2)
    u = i[:, ::-1]
    o = Holder(i[:, ::-1])
    v = u > 1
    k = 0
    while k < n:
        u[k % 3] = k
        v[:] = o.f
        k += 1
    return u, o.f


def of_a_global(n):
    u = G[1:]
    k = 0
    while k < n:
        u[k % 2] = k
        k += 1
    return u, G * 1


def by_a_helper(n):
    i = np.arange(6.0).reshape(3, 2)
    u = i[1:]
    k = 0
    while k < n:
        put(u, k)
        k += 1
    return i


def in_a_dict(n):
    i = np.arange(6.0).reshape(3, 2)
    d = {"a": i[1:], "b": i[:2]}
    k = 0
    while k < n:
        d["a"][0] = k
        k += 1
    return d["b"], i


def two_columns(n):
    i = np.arange(6.0).reshape(3, 2)
    a, b = i[:, 0], i[:, 1]
    k = 0
    while k < n:
        a[0], b[0] = b[0] + k, a[0]
        k += 1
    return i


@pytest.mark.parametrize(
    "f",
    [
        the_array,
        another_part,
        another_part_in_an_object,
        of_a_global,
        by_a_helper,
        in_a_dict,
        two_columns,
    ],
    ids=lambda f: f.__name__,
)
@pytest.mark.parametrize("n", [0, 1, 4])
def test_a_loop_writes_to_a_part(f: Any, n: int) -> None:
    G[:] = np.arange(6.0).reshape(3, 2)
    wanted, left = f(n), G.copy()
    G[:] = np.arange(6.0).reshape(3, 2)
    found = al.convert(f)(np.int32(n))
    for ours, theirs in zip(jax.tree.leaves((found, G)), jax.tree.leaves((wanted, left)), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def a_row_of_a_zip(a):
    u = np.arange(6).reshape(3, 2) * 1
    row = a[2] * 1
    for row, _ in zip(u, a):
        a = a + 1
    u[2] = 1
    return u, row, a


def a_row_of_a_zip_that_is_left(a):
    i = np.arange(6).reshape(3, 2)
    u = i * 1
    row = a[2] * 1
    for row, _ in zip(u, a):
        if a.sum() > 3:
            break
    put(u, 1)
    return u, row


def a_view_from_an_inner_loop(a):
    v = np.arange(6.0).reshape(3, 2) + 0.5
    w = np.arange(6.0).reshape(3, 2) + 0.5
    u = v * 1
    for row in w:
        for j in range(3):
            u = v.T.T
        v *= 0.5
    return u, v, a


@pytest.mark.parametrize("f", [a_row_of_a_zip, a_row_of_a_zip_that_is_left, a_view_from_an_inner_loop])
def test_python_writes_to_an_array_that_the_program_has_as_a_copy(f: Any) -> None:
    given = np.arange(6.0).reshape(3, 2)
    wanted = f(given.copy())
    for loops in ("stage", "auto"):
        try:
            found = al.convert(f, static_loops=loops)(given.copy())
        except al.MutationError:
            continue
        for ours, theirs in zip(jax.tree.leaves(found), jax.tree.leaves(wanted), strict=True):
            np.testing.assert_allclose(ours, theirs)


def test_what_numpy_computes_in_place_stays_numpys() -> None:
    def f(x):
        sizes = np.ones(3, int)
        for k in range(3):
            sizes *= 2
        for row in sizes.reshape(3, 1):
            row += 1
        return x.reshape(*sizes[:1], -1)

    assert al.convert(f)(np.zeros(18)).shape == (9, 2)


def test_what_numpy_changes_in_a_function_that_is_handed() -> None:
    """Its values belong to a program of JAX's, which is over when that of the function around ends."""

    def f(a, n):
        v = np.zeros((3, 2))
        row = a[2] * 1
        if n > 4:
            row = v[0]
        w = v
        w += 1
        return w, row

    given = np.arange(6.0).reshape(3, 2)
    for way in (
        f,
        lambda a, n: jax.jit(lambda a: f(a, n))(a),
        lambda a, n: jax.vmap(lambda b: f(b, n))(a[None]),
    ):
        for n in (1, 5):
            try:
                found = al.convert(way)(given.copy(), np.int32(n))
            except al.MutationError:
                continue
            for ours, theirs in zip(found, f(given.copy(), n), strict=True):
                np.testing.assert_array_equal(np.reshape(ours, np.shape(theirs)), theirs)
