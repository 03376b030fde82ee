"""Arrays of integers that become floats in a loop, or on a path: what is written to them is NumPy's, or refused."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al

A = np.arange(5)


def on_a_path(u, n):
    u = u * 1
    if n > 2:
        u = u / 2
    u[0] = 2.75
    return u


def in_a_loop(u, n):
    u = u * 1
    for k in range(n):
        u[0] = 2.75
        u = u * 0.5
    return u


def in_a_while_loop(u, n):
    k, u = 0, u * 1
    while k < n:
        u[k % 2] = k * 1.25
        if k > 1:
            u = u / 2
        k += 1
    return u


def in_turns(u, n):
    u, v = u * 1, u * 2
    for k in range(n):
        v[1] = 2.5
        u, v = v * 0.5, u
    return u, v


def one_of_two(u, n):
    u, half = u * 1, u / 2
    v = u if n > 2 else half
    v[0] = 2.75
    return v


def a_part(u, n):
    u = u * 1
    for k in range(n):
        row = u[1:]
        row[0] = 2.5
        u = u * 0.5
    return u


def all_of_it(u, n):
    x, u = u, u * 1
    for k in range(n):
        u[:] = x / 2
        u = u * 0.5
    return u


def filled(u, n):
    u = u * 1
    for k in range(n):
        u.fill(2.5)
        u = u * 0.5
    return u


def added(u, n):
    u = u * 1
    if n > 2:
        u = u / 2
    u += 0.5
    return u


def a_copy(u, n):
    for k in range(n):
        v = u.copy()
        v[0] = 1.5
        u = v * 0.5
    return u


def one_like_it(u, n):
    for k in range(n):
        v = np.empty_like(u)
        for j in range(5):
            v[j] = u[j] * 0.5
        u = v + 0.0
    return u


def computed_of_it(u, n):
    if n > 2:
        u = u * 0.5
    v = u[::-1] * 2 + A
    v[0] = 1.5
    return v


REFUSED = [
    on_a_path, in_a_loop, in_a_while_loop, in_turns, one_of_two, a_part, all_of_it, filled, added, a_copy, one_like_it,
    computed_of_it,
]  # fmt: skip


@pytest.mark.parametrize("f", REFUSED)
def test_what_integers_would_not_hold_is_refused(f: Any) -> None:
    with pytest.raises(al.MutationError, match=r"may be one of integers in NumPy(.|\n)*astype\(float\)"):
        al.convert(f, static_loops="stage")(A.copy(), np.int32(1))


@pytest.mark.parametrize("f", REFUSED)
@pytest.mark.parametrize("n", [0, 1, 3])
def test_the_remedy_works(f: Any, n: int) -> None:
    given = A.astype(np.float32)
    found = al.convert(f, static_loops="stage")(given.copy(), np.int32(n))
    for ours, wanted in zip(*map(jax.tree.leaves, (found, f(given.copy(), n))), strict=True):
        np.testing.assert_allclose(ours, wanted, rtol=1e-6)


def whole_numbers(u, n):
    u = u * 1
    for k in range(n):
        u[0] = 2
        u[k % 5] = k
        u[1:3] += 1
        u = u * 0.5
    return u


def a_new_array_each_time(u, n):
    for k in range(n):
        u = u * 0.5
        u[0] = 2.5
    return u


def what_is_of_floats_anyhow(u, n):
    for k in range(n):
        v = u / 2
        v[0] = 1.5
        w = np.sqrt(u * 1.0) + 0.5
        w[1:] *= 0.5
        u = v + w * 0.25
    return u


def after_a_loop_that_runs(u, n):
    for k in range(3):
        u = u * 0.5
    u[0] = 2.5
    return u


def only_read(u, n):
    t = np.zeros(5)
    for k in range(n):
        t[0] += u[1] / 2
        t[1:] += u[1:] * 0.5
        u = u * 0.5
    return u, t


def beside_others_that_loops_make(u, n):
    t, b = np.zeros(5), np.ones(3, np.float16)
    for k in range(n):
        t = np.ones(5) * 2
        t[0] = 0.5
        b = b * 2
        b[0] = 0.5
        u = u * 0.5
    return u, t, b


def with_keys(u, n):
    keys = jax.random.split(jax.random.key(3), 3)
    for k in range(n):
        keys = jax.random.split(keys[0], 3)
        u = u * 0.5 + jax.random.uniform(keys[1], (5,))
        v = u + jax.random.uniform(keys[2], (5,))
        v[0] = 0.5
        u = u + v
    return u


@pytest.mark.parametrize(
    "f",
    [
        beside_others_that_loops_make,
        whole_numbers,
        a_new_array_each_time,
        what_is_of_floats_anyhow,
        after_a_loop_that_runs,
        only_read,
    ],
)
@pytest.mark.parametrize("n", [1, 3])
def test_what_they_hold_as_it_is(f: Any, n: int) -> None:
    found = al.convert(f, static_loops="stage")(A.copy(), np.int32(n))
    for ours, wanted in zip(*map(jax.tree.leaves, (found, f(A.copy(), n))), strict=True):
        np.testing.assert_allclose(ours, wanted, rtol=1e-6)


def left_by_an_iteration(u, n):
    u, s = u * 1.0, 0.0
    for k in range(n):
        u[0] = 2.75
        s += u[0]
        u = np.arange(5) + k
    return u, s


def added_to_what_an_iteration_leaves(u, n):
    u, s = u * 1.0, 0.0
    for k in range(n):
        u += 0.5
        s += u[0]
        u = np.arange(5) + k
    return u, s


def a_copy_of_what_an_iteration_leaves(u, n):
    u, s = u * 1.0, 0.0
    while s < n:
        v = u.copy()
        v[0] = 2.75
        s += v[0]
        u = np.arange(5) * 2
    return u, s


def in_an_inner_loop(u, n):
    u, s = u * 1.0, 0.0
    for k in range(n):
        for j in range(n):
            u[0] = 2.75
            s += u[0]
        u = np.arange(5) + k
    return u, s


class Held:
    def __init__(self, f):
        self.f = f


def held_by_an_object(u, n):
    h, s = Held(u * 1.0), 0.0
    for k in range(n):
        h.f[0] = 2.75
        s += h.f[0]
        h.f = np.arange(5) + k
    return h.f, s


@pytest.mark.parametrize(
    "f",
    [
        held_by_an_object,
        left_by_an_iteration,
        added_to_what_an_iteration_leaves,
        a_copy_of_what_an_iteration_leaves,
        in_an_inner_loop,
    ],
)
def test_what_an_iteration_leaves_would_not_hold_it(f: Any) -> None:
    with pytest.raises(al.MutationError, match=r"may be one of integers in NumPy(.|\n)*astype\(float\)"):
        al.convert(f, static_loops="stage")(A.copy(), np.int32(3))


def labels(u, n):
    found, t = np.zeros(5), np.zeros(5)
    for k in range(n):
        t[0] += found[1] / 2
        found = np.argsort(u * (k - 1))
    return found, t


def left_as_floats(u, n):
    u, s = u * 1.0, 0.0
    for k in range(n):
        u[0] = 2.75
        s += u[0]
        u = (np.arange(5) + k).astype(float)
    return u, s


@pytest.mark.parametrize("f", [labels, left_as_floats])
@pytest.mark.parametrize("n", [0, 1, 3])
def test_what_iterations_leave_and_others_read(f: Any, n: int) -> None:
    found = al.convert(f, static_loops="stage")(A.copy(), np.int32(n))
    for ours, wanted in zip(*map(jax.tree.leaves, (found, f(A.copy(), n))), strict=True):
        np.testing.assert_allclose(ours, wanted, rtol=1e-6)


def doubled(m, n):
    if n > 2:
        m = m * 2
    return m + m


def chosen_by(m, n):
    if n > 2:
        m = m * 2
    return A[m]


def doubled_in_a_loop(m, n):
    for k in range(n):
        m = m + m
        m = m * 2
    return m


def turned(m, n):
    if n > 2:
        m = m * 2
    return -m


def added_by_numpy(m, n):
    if n > 2:
        m = m * 2
    return np.add(m, m[::-1])


def left_by_an_iteration(x, n):
    m = np.zeros(5, int)
    s = 0
    for k in range(n):
        s += (m + m).sum()
        m = x > 1
    return s


def left_for_an_index(x, n):
    m = np.zeros(5, int)
    s = 0
    for k in range(n):
        s += x[m].sum()
        m = x > 1
    return s


def left_as_numbers(x, n):
    m = np.zeros(5, int)
    s = 0
    for k in range(n):
        s += (m + m).sum() + x[m].sum()
        m = (x > 1) * 1
    return s


@pytest.mark.parametrize("f", [left_by_an_iteration, left_for_an_index])
def test_bools_that_an_iteration_leaves_are_refused(f: Any) -> None:
    with pytest.raises(
        al.PythonOnlyError, match=r"may be one of bools in NumPy, as 'm' is after an iteration(.|\n)*'m'"
    ):
        al.convert(f, static_loops="stage")(A, np.int32(3))
    # where the loop is unrolled, nothing meets
    assert int(al.convert(f)(A, 3)) == f(A, 3)


def test_numbers_that_an_iteration_makes_of_bools() -> None:
    for n in (0, 1, 4):
        assert int(al.convert(left_as_numbers, static_loops="stage")(A, np.int32(n))) == left_as_numbers(A, n)


def in_turns_with_bools(x, n):
    u = x * 1
    v = u.copy()
    w = np.arange(5) > 2
    for k in range(6):
        u[:] = v
        u, w = w, u
    return u, w


def in_turns_with_integers(x, n):
    u = x * 1
    v = u.copy()
    w = np.arange(5)
    for k in range(n):
        u[1] = v[0]
        u, w = w, u
    return u, w


@pytest.mark.parametrize("f", [in_turns_with_bools, in_turns_with_integers])
@pytest.mark.parametrize("n", [1, 6])
def test_what_an_array_takes_in_turns_is_known_before_it_is_asked(f: Any, n: int) -> None:
    given = A / 2
    for number in (n, np.int32(n)):
        try:
            found = al.convert(f, static_loops="stage")(given.copy(), number)
        except al.MutationError:
            continue
        for ours, theirs in zip(found, f(given.copy(), n), strict=True):
            np.testing.assert_allclose(ours, theirs)


BOOLS = [doubled, chosen_by, doubled_in_a_loop, turned, added_by_numpy]


@pytest.mark.parametrize("f", BOOLS)
def test_what_bools_do_otherwise_than_numbers_is_refused(f: Any) -> None:
    with pytest.raises(al.PythonOnlyError, match=r"may be one of bools in NumPy(.|\n)*\.astype\(int\)"):
        al.convert(f, static_loops="stage")(A > 2, np.int32(1))


@pytest.mark.parametrize("f", BOOLS)
@pytest.mark.parametrize("n", [0, 1, 3])
def test_the_remedy_for_bools_works(f: Any, n: int) -> None:
    given = (A > 2).astype(int)
    np.testing.assert_array_equal(al.convert(f, static_loops="stage")(given, np.int32(n)), f(given, n))


def life(grid, n):
    for _ in range(n):
        near = sum(np.roll(np.roll(grid, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
        grid = (near == 3) | ((grid == 1) & (near == 2))
    return grid


def counted(m, n):
    for k in range(n):
        m = m * 2
        m = m.sum() + m * (m + 1)
    return m


@pytest.mark.parametrize(
    "f, given", [(life, np.eye(5, 6, 1, int)), (life, np.eye(5, 6, 1) > 0), (counted, A > 2)]
)
@pytest.mark.parametrize("n", [0, 1, 3])
def test_what_they_do_alike(f: Any, given: Any, n: int) -> None:
    np.testing.assert_array_equal(al.convert(f, static_loops="stage")(given, np.int32(n)), f(given, n))


def halved(x):
    x[1:] += 0.25
    return x


def halved_where(x):
    x[x > 2] *= 0.5
    return x


@pytest.mark.parametrize("f", [halved, halved_where])
@pytest.mark.parametrize("make", [np.array, jnp.array], ids=["numpy", "jax"])
def test_a_part_of_integers_gets_no_floats_in_place(f: Any, make: Any) -> None:
    with pytest.raises(TypeError, match="Cannot cast ufunc '(add|multiply)' output"):
        al.convert(f)(make(A))


def test_arrays_of_types_that_numpy_lacks() -> None:
    @al.convert(static_loops="stage")
    def f(u, n):
        b = jnp.ones(3, jnp.bfloat16)
        for k in range(n):
            b = b * 2
            b[0] = 0.5
            u = u * 0.5
        return u, b

    u, b = f(A, np.int32(2))
    np.testing.assert_allclose(u, A / 4)
    np.testing.assert_allclose(np.asarray(b, float), [0.5, 4, 4])
