"""Loops that write to an array in place, and make the variable another array: `edge(u); u = u * 0.5`."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from autograph_lite import MutationError

COUNT = 70  # more than Python runs


def edge(x):
    x[0] = x[1] + 1


class Holder:
    pass


def stepped(x):
    u = x * 1
    for _ in range(COUNT):
        edge(u)
        u = u * 0.5
    return u


def of_the_callers(u):
    for _ in range(COUNT):
        edge(u)
        u = u * 0.5
    return u


def known_before(x):
    u = x * 1
    first = u
    for _ in range(COUNT):
        edge(u)
        u = u * 0.5
    return u, first


def known_by_another_variable(x):
    u = x * 1
    v = u
    for _ in range(COUNT):
        edge(u)
        u = u * 0.5
        v = v * 0.9
    return u, v


def by_another_name(x):
    u, s = x * 1, 0.0
    for _ in range(COUNT):
        v, row = u, u[1]
        edge(v)
        row[:] = 0.25
        s += u.sum()
        u = u * 0.5
    return u, s


def swapped(x):
    u, v = x * 1, x * 2
    for _ in range(COUNT):
        edge(u)
        u, v = v, u * 0.5
    return u, v


def buffers(x):
    u = x * 1
    new = u.copy()
    for _ in range(COUNT):
        edge(u)
        new[1:-1] = u[1:-1] * 0.9
        u, new = new, u
    return u, new


def on_paths(x):
    u = x * 1
    for _ in range(COUNT):
        edge(u)
        if u[0, 0] > 1:
            u = u * 0.9
    return u


def in_nested_loops(x):
    u = x * 1
    for row in x:
        edge(u)
        u = u * 0.5 + row
        for _ in range(40):
            edge(u)
            u = u * 0.9
    return u


def until(x):
    u = x + 0
    while u.sum() < 100:
        edge(u)
        u = u * 1.1 + 0.1
    return u


def a_kept_copy(x):
    u, kept = x * 1, []
    for _ in range(COUNT):
        edge(u)
        kept.append(u.copy())
        u = u * 0.5
    return u, kept[3]


ROLLED = [
    stepped, of_the_callers, known_before, known_by_another_variable, by_another_name, swapped, buffers, on_paths,
    in_nested_loops, until, a_kept_copy,
]  # fmt: skip


# What the next iteration writes, others know, too.


def kept(x):
    u, hist = x * 1, []
    for _ in range(COUNT):
        edge(u)
        u = u * 0.5
        hist.append(u)
    return u, hist[3]


def its_row(x):
    u, s = x * 1, 0.0
    row = u[0]
    for _ in range(COUNT):
        edge(u)
        s += row.sum()
        u = u * 0.5
        row = u[0]
    return u, s


def in_an_object(x):
    held, s = Holder(), 0.0
    u = held.u = x * 1
    for _ in range(COUNT):
        edge(u)
        s += held.u.sum()
        u = u * 0.5
        held.u = u
    return u, s


def one_of_two(x):
    u = x * 1
    new = u.copy()
    for k in range(COUNT):
        edge(u)
        new[1:-1] = u[1:-1] * 0.9
        u = new
        if k % 7 == 0:
            u = u * 0.99
    return u, new


def reversed_views(x):
    v = x * 1
    w = v
    for k in range(6):
        w = w[::-1]
        v = v[::-1]
        w[k % 3] = k
    return v, w


def views_that_swap(x):
    u = x * 1
    v = u[::-1]
    for _ in range(6):
        v *= 0.5
        v, u = u, v
    return u, v


def a_row_on_a_path(x):
    table, row = np.zeros((3, 4)), x[2] * 1
    for k in range(6):
        if k > 2:
            row = table[0]
        row[1] = 2
    return table, row


def of_outside(x):
    v, w = x * 2, x
    for k in range(6):
        v += 1
        if k % 2:
            v = w[::-1]
    return v, x


def the_same_again(x):
    u, v = x * 1, x * 2
    for _ in range(6):
        edge(v)
        v = u[::-1]
    return u, v


KNOWN = [
    kept,
    its_row,
    in_an_object,
    one_of_two,
    reversed_views,
    views_that_swap,
    a_row_on_a_path,
    of_outside,
    the_same_again,
]


def given():
    return np.arange(12, dtype=np.float32).reshape(3, 4) / 9


@pytest.mark.filterwarnings("ignore::autograph_lite.UnrolledLoopWarning")
@pytest.mark.parametrize("f", ROLLED + KNOWN)
def test_all_who_know_the_array_see_what_is_written(f) -> None:
    wanted, handed = given(), given()
    want = jax.tree.leaves((f(wanted), wanted))
    got = jax.tree.leaves((autograph_lite.convert(f)(handed), handed))
    for one, other in zip(want, got, strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-4, atol=1e-5)


@pytest.mark.filterwarnings("ignore::autograph_lite.UnrolledLoopWarning")
@pytest.mark.parametrize("f", ROLLED + KNOWN)
def test_staged_loops_give_the_same_or_are_refused(f) -> None:
    want = jax.tree.leaves(f(given()))
    try:
        got = jax.tree.leaves(autograph_lite.convert(f, static_loops="stage")(given()))
    except MutationError:
        assert f in KNOWN
        return
    for one, other in zip(want, got, strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("f", [f for f in ROLLED if f is not a_kept_copy])
def test_the_loop_is_rolled(f) -> None:
    jaxpr = jax.make_jaxpr(autograph_lite.to_graph(f))(jnp.asarray(given()))
    assert len(str(jaxpr).splitlines()) < COUNT * 2


@pytest.mark.filterwarnings("ignore::autograph_lite.errors.UnrolledLoopWarning")
def test_gradients() -> None:
    for f in (stepped, on_paths):
        ours, unrolled = (
            jax.jit(autograph_lite.to_graph(f, static_loops=loops)) for loops in ("auto", "python")
        )
        found, wanted = (
            jax.grad(lambda x, fn=fn: fn(x).sum())(jnp.asarray(given())) for fn in (ours, unrolled)
        )
        np.testing.assert_allclose(found, wanted, rtol=1e-4)


@pytest.mark.parametrize("count", [1, 2])
def test_a_part_of_numpys_array_that_a_path_has_chosen(count: int) -> None:
    def chosen(x):
        table, row = np.ones((3, 4)), x[2] * 1
        if x[0, 0] < 2:
            row = table[0]
        row[count] = 2
        return table, row

    with pytest.raises(MutationError, match="'row'.*shares its memory with 'table'"):
        autograph_lite.convert(chosen)(given())
