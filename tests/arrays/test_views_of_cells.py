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


def changed(z, w):
    z += 1
    return z * 1


def second_name(z, w):
    y = z
    y += w
    return y * 1, z * 1


def by_asarray(z, w):
    y = np.asarray(z)
    y[...] = 7
    np.asanyarray(w, float).fill(3)
    return y * 1


def copies(z, w):
    s = z.copy()
    t = s
    t += 1
    u = z.astype(float)
    u += 1
    v = z.flatten()
    v[0] = 7
    p = np.positive(z)
    p += 5
    r = z.reshape(1).copy()
    q = r
    q += 1
    return s, t, u, v, p, r, q


def many_times(z, w):
    for _ in range(3):
        z += w
    return z * 1


KINDS: dict[str, Callable[[float], Any]] = {
    "array": lambda v: np.array(v),
    "number": lambda v: np.float64(v),
    "JAX's": lambda v: jax.numpy.asarray(v),
}


@pytest.mark.parametrize("f", [changed, second_name, by_asarray, copies, many_times])
@pytest.mark.parametrize(
    "order", [("array", "number"), ("number", "array"), ("JAX's", "array"), ("array", "JAX's")]
)
def test_the_callers_arrays_and_numbers_have_programs_of_their_own(f: Any, order: Any) -> None:
    with jax.enable_x64(True):
        converted = convert(f)
        for kind in order * 2:
            if kind == "JAX's" and f in (by_asarray, copies):
                continue
            ours, pythons = (
                [KINDS[each](v) for v in (1.5, 4.0)] for each in (kind, kind.replace("JAX's", "number"))
            )
            found, expected = jax.tree.leaves(converted(*ours)), jax.tree.leaves(f(*pythons))
            assert [*map(np.ndim, found)] == [*map(np.ndim, expected)]
            assert [np.asarray(each).tolist() for each in found] == [
                np.asarray(each).tolist() for each in expected
            ]
            assert [*map(float, ours)] == [*map(float, pythons)]


def one_of_two(z, w):
    y = z if z > w else w
    y += 1
    return y * 1


def one_on_a_path(z, w):
    s = np.zeros(())
    if z > 1:
        s = z
    s += 1
    return s * 1


@pytest.mark.parametrize("f", [one_of_two, one_on_a_path])
def test_one_of_the_callers_that_the_data_choose_is_refused(f: Any) -> None:
    with pytest.raises(MutationError, match="is one of several, and the caller has another"):
        convert(f)(np.array(1.5), np.array(4.0))
    assert convert(f)(np.float64(1.5), np.float64(4)) == f(np.float64(1.5), np.float64(4))


def test_a_number_in_an_object_and_later_an_array() -> None:
    class Holder:
        total: Any = 0.0

    def f(o, x):
        o.total += x

    python, ours, converted = Holder(), Holder(), convert(f)
    arrays = np.array(9.0), np.array(9.0)
    for step in range(6):
        for o, array, call in ((python, arrays[0], f), (ours, arrays[1], converted)):
            if step == 2:
                o.total = array
            call(o, np.float64(step))
        assert float(ours.total) == float(python.total)
        assert float(arrays[0]) == float(arrays[1])
