"""Arrays without axes: their views and copies, and values that are such an array on one path and a number on another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import pytest
from hypothesis import given, strategies as st

from autograph_lite import MutationError, convert

X = np.array([1.0, 2.0, 3.0])

MAKES: dict[str, Callable[[Any], Any]] = {
    "itself": lambda z: z,
    "reshape": lambda z: z.reshape(1),
    "reshape twice": lambda z: np.reshape(z, (1, 1))[0],
    "back": lambda z: z.reshape(()),
    "ravel": lambda z: z.ravel(),
    "None": lambda z: z[None],
    "...": lambda z: z[...],
    "T": lambda z: z.T,
    "real": lambda z: z.real,
    "view": lambda z: z.view(),
    "atleast_1d": lambda z: np.atleast_1d(z),
    "expand_dims": lambda z: np.expand_dims(z, 0),
    "squeeze": lambda z: np.squeeze(z),
    "asarray": lambda z: np.asarray(z),
    "asarray float": lambda z: np.asarray(z, dtype=float),
    "copy": lambda z: z.copy(),
    "array": lambda z: np.array(z),
    "astype": lambda z: z.astype(float),
    "astype copy=False": lambda z: z.astype(float, copy=False),
    "flatten": lambda z: z.flatten(),
    "full": lambda z: np.full((), z.sum()),
    "where": lambda z: np.where(z > 0, z, z),
}


def add(v, n):
    v += n


def multiply(v, n):
    np.multiply(v, n, out=v)


def put(v, n):
    v[...] = n


def put_first(v, n):
    v[(0,) * v.ndim] = n


def double_first(v, n):
    v[(0,) * v.ndim] *= 2


def run(x, steps):
    known = [np.array(x[0])]
    for make, change, number, of in steps:
        known.append(MAKES[make](known[of % len(known)]))
        change(known[number % len(known)], x[1])
    return known


STEP = st.tuples(
    st.sampled_from(sorted(MAKES)),
    st.sampled_from([add, multiply, put, put_first, double_first]),
    st.integers(0, 5),
    st.integers(0, 5),
)


@given(st.lists(STEP, min_size=1, max_size=4))
def test_views_see_what_is_written_and_copies_do_not(steps: list[Any]) -> None:
    def f(x):
        return run(x, steps)

    with jax.enable_x64(True):
        for found, expected in zip(convert(f)(X), f(X), strict=True):
            np.testing.assert_array_equal(found, expected)


def path_before(x):
    z = 1.0
    if x[0] > 0:
        z = np.array(5.0)
    u = z
    z += x[1]
    return u, z


def path_after(x):
    z = np.array(5.0)
    if x[0] > 0:
        z = z * 2
    u = z
    z += x[1]
    return u, z


def by_a_helper(x):
    z = np.array(5.0)
    if x[0] > 0:
        z = z * 2
    add(z, x[1])
    return z


def loop(x):
    total = np.zeros(())
    for v in x:
        if v > 1:
            total = total + v
    kept = total
    total += 1
    return kept, total


def in_a_dict(x):
    state = {"total": np.array(0.0)}
    for v in x:
        if v > 1:
            state["total"] = state["total"] + v
    kept = state["total"]
    state["total"] += 1
    return kept, state["total"]


def in_a_list(x):
    z = x[1] if x[0] > 0 else np.array(2.0)
    both = [z, z]
    both[0] += 1
    return both


def view(x):
    z = np.array(2.0)
    if x[0] > 0:
        z = z * 1
    row = z.reshape(1)
    row[0] = 7
    return z


def index(x):
    a, i = np.arange(12.0).reshape(4, 3), 0
    if x[0] > 0:
        i = np.array(1)
    a[i][0] = 7
    return a


def index_in_a_loop(x):
    a, i, k = np.arange(12.0).reshape(4, 3), np.array(0), 0
    while k < x[1]:
        row = a[i]
        row[0] = 7
        i = i + 1
        k += 1
    return a


@pytest.mark.parametrize(
    "f", [path_before, path_after, by_a_helper, loop, in_a_dict, in_a_list, view, index, index_in_a_loop]
)
def test_what_only_the_data_knows_is_refused_where_it_matters(f: Any) -> None:
    f(X)
    with pytest.raises(MutationError, match="On one path, or in one iteration, it is an array"):
        convert(f)(X)


def one_name(x):
    z = 1.0
    if x[0] > 0:
        z = np.array(5.0)
    z += x[1]
    z *= 2
    return z


def sums(x):
    total, others = np.zeros(()), np.zeros(())
    for v in x:
        total = total + v
        others += v
    total += 1
    return total, others


def kept_of_each(x):
    total = np.zeros(())
    for v in x:
        old = total
        total += v
        total = total * 1
    return old, total


def item_by_index(x):
    k = np.array(0)
    for v in x:
        if v > 1.5:
            k = k + 1
    return x[k], x[int(k) :]


@pytest.mark.parametrize("f", [one_name, sums, kept_of_each, item_by_index])
@pytest.mark.parametrize("x", [X, -X], ids=["positive", "negative"])
def test_elsewhere_it_does_not_matter(f: Any, x: Any) -> None:
    ours, pythons = jax.tree.leaves(convert(f)(x.copy())), jax.tree.leaves(f(x.copy()))
    for found, expected in zip(ours, pythons, strict=True):
        np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("f", [sums, kept_of_each])
def test_gradients_and_lanes(f: Any) -> None:
    def weighed(x):
        return sum(2.0**n * leaf for n, leaf in enumerate(jax.tree.leaves(convert(f)(x))))

    steps = [(weighed(X + each) - weighed(X - each)) / 2 for each in np.eye(3)]
    np.testing.assert_allclose(jax.grad(weighed)(X), steps, rtol=1e-5)
    rows = np.stack([X, -X])
    np.testing.assert_allclose(jax.vmap(weighed)(rows), [weighed(row) for row in rows], rtol=1e-6)
