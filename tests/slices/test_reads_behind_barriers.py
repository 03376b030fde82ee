"""Is what a loop reads of an array what the last write has left, where barriers stand between reads and writes?

A part of an array that a name holds is read again after a write; so the array that the name of the whole stands for is
another one than before, and what was known of the old one must not be taken for it.
"""

from __future__ import annotations

import jax
import numpy as np
import pytest

import autograph_lite

X = np.array([-1.0, 2.0, 2.0, 5.0], np.float32)


def positions(x, k):
    x[np.flatnonzero(x > 2)] *= -1


def at_positions(x, k):
    x[np.flatnonzero(x > 2)] = x[np.flatnonzero(x > 2)] + 1


def window(x, k):
    x[k : k + 2] = x[k : k + 2] * 2


def of_any_length(x, k):
    x[: k + 1] += x[: k + 1] * 2


def masked(x, k):
    x[x > 2] *= -1


def item(x, k):
    x[0] = x[0] * 2 + x[k]


def summed(x, k):
    x[1] += x[: k + 1].sum()


STATEMENTS = [positions, at_positions, window, of_any_length, masked, item, summed]


def program(last):
    def f(x, n):
        total = 0.0
        for k in range(3):
            x[k] += 1
            part = x[0:2]
            x[0] += 1
            total = total * 2 + part.sum()
            last(x, k)
            total = total * 2 + part.sum()
        while n < 3:
            part = x[n : n + 2]
            x[n] *= 3
            last(x, n)
            total = total + part.sum()
            n = n + 1
        return x, total

    return f


@pytest.mark.parametrize("last", STATEMENTS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("form", ["convert", "jit", "vmap"])
def test_a_read_after_a_write_of_the_same_pass(last, form):
    f = program(last)
    x, total = f(X.copy(), np.int32(0))
    if form == "convert":
        found = autograph_lite.convert(f)(X.copy(), np.int32(0))
    elif form == "jit":
        found = jax.jit(autograph_lite.to_graph(f))(X, np.int32(0))
    else:
        found = jax.vmap(autograph_lite.to_graph(f))(X[None], np.zeros(1, np.int32))
        found = found[0][0], found[1][0]
    np.testing.assert_allclose(found[0], x)
    np.testing.assert_allclose(found[1], total)


def of_a_part(x):
    total = 0.0
    for k in range(3):
        part = x[0:3]
        x[k] += 1
        total = total * 2 + part[k] + part[: k + 1].sum()
        x[0] += 1
        total = total * 2 + part[k] + part[: k + 1].sum() + part[0:2].sum()
        part[0] -= 3
        total = total * 2 + part[k] + x[: k + 1].sum() + x[0:2].sum()
        part[np.flatnonzero(part > 1)] -= 1
        total = total * 2 + part[k] + x[: k + 1].sum() + part[0:2].sum()
    return total, x.copy()


def of_a_part_on_paths(m, c):
    total = 0.0
    for k in range(3):
        row = m[k]
        if c > 0:
            m[k, 0] += 1
            total = total * 2 + row[0] + row[: k + 1].sum()
            row[1] += row[0]
        m[:, 1] -= 1
        if row[0] > 1:
            total = total * 2 + row[1] + row[np.flatnonzero(row > 1)].sum() + m[k, 1]
            row[np.flatnonzero(row > 2)] -= 1
        total = total + row.sum() + m.sum()
    return total, m.copy()


@pytest.mark.parametrize(
    "run", [autograph_lite.convert, lambda f: jax.jit(autograph_lite.to_graph(f))], ids=["convert", "jit"]
)
@pytest.mark.parametrize("c", [-1.0, 1.0])
def test_a_read_of_a_part_after_writes_to_it_and_to_the_whole(run, c):
    matrix = np.arange(9, dtype=np.float32).reshape(3, 3) % 5
    for f, arguments in ((of_a_part, (X,)), (of_a_part_on_paths, (matrix, np.float32(c)))):
        want = f(arguments[0].copy(), *arguments[1:])
        found = run(f)(arguments[0].copy(), *arguments[1:])
        np.testing.assert_allclose(found[0], want[0])
        np.testing.assert_allclose(found[1], want[1])


def shifted(x, k):
    x[1:] = x[:-1]
    return x[None]


def added(x, k):
    x[1:] += x[:-1]
    return x.reshape(1, 4)


def shifted_row(x, k):
    m = np.stack([x, x])
    w = m[0]
    if k > 2:
        w[1:] = w[:-1].copy()
        w[0] = 4
    return m, w


def shifted_in_place(x, k):
    x[:-1] = x[1:]
    x[0] = k
    return x[:, None]


@pytest.mark.parametrize("f", [shifted, added, shifted_row, shifted_in_place], ids=lambda f: f.__name__)
def test_a_part_that_is_written_over_what_it_is_read_from(f):
    """XLA for CPUs fuses a `reshape` with such an update, and reads what it has written: there is a barrier between."""
    expected = jax.tree.leaves(f(X.copy(), 3))
    for found in (
        autograph_lite.convert(f)(X.copy(), np.int32(3)),
        jax.jit(autograph_lite.to_graph(f))(jax.numpy.asarray(X), np.int32(3)),
    ):
        for ours, theirs in zip(jax.tree.leaves(found), expected, strict=True):
            np.testing.assert_allclose(ours, theirs)


def test_barriers_behind_updates_that_read_what_they_replace_alone():
    def of_another(x, y):
        x[1:] = y[:-1]
        return x[None]

    for f, others, count in ((shifted, 3, 1), (of_another, X, 0)):
        text = str(jax.make_jaxpr(autograph_lite.to_graph(f))(X, others))
        hold = jax.__version_info__ >= (0, 12) and jax.default_backend() == "cpu"
        assert text.count("optimization_barrier") == (count if hold else 0)
