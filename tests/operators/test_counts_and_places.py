"""What do functions of NumPy's give whose result is as long as the data say, or that go through the places of an array?"""

from __future__ import annotations

import jax
import numpy as np
import pytest

from autograph_lite import PythonOnlyError, convert, to_graph
from tests.slices.against import same

N = np.array([1, 3, 1, 0, 2, 3, 3], np.int32)
M = np.arange(12.0, dtype=np.float32).reshape(3, 4)


def counted(n):
    counts = np.bincount(n)
    p = counts / len(n)
    other = counts
    counts += 1
    return (
        counts, other, -np.sum(p[p > 0] * np.log(p[p > 0])), counts.argmax(), counts[1], len(np.bincount(n % 3)),
        np.bincount(n, minlength=10), np.bincount(n, minlength=2), np.bincount(n, weights=n * 0.5, minlength=6)[5],
        np.bincount(n.astype(np.uint8), minlength=256), np.bincount(n > 1), np.bincount(n[:0]), np.bincount(n[:0], minlength=3),
    )  # fmt: skip


def more_than_there_was_room_for(n):
    return np.bincount(n * 100)


def compressed(m):
    return (
        np.compress([True, False, True], m, axis=0), np.compress(m[0] > 1, m, axis=1), np.compress(m[:2, 0] > 1, m, axis=0),
        np.compress(m.ravel() > 3, m), np.extract(m > 4, m),
    )  # fmt: skip


def gone_through(m):
    out, total, i, j, v = np.zeros((3, 4), np.float32), 0.0, 0, 0, m[0, 0]
    for (i, j), v in np.ndenumerate(m):
        out[i, j] = v * i + j
        if v > 5:
            break
    for place, v in np.ndenumerate(m[0]):
        total += place[0] * v
    return out, i, j, v, total, sum(v * j for (_, j), v in np.ndenumerate(m))


@pytest.mark.parametrize(
    ("f", "given"),
    [(counted, N), (more_than_there_was_room_for, N), (compressed, M), (gone_through, M)],
    ids=lambda value: getattr(value, "__name__", "x"),
)
def test_it_is_numpys(f, given) -> None:
    for one, other in zip(jax.tree.leaves(convert(f)(given)), jax.tree.leaves(f(given)), strict=True):
        same(one, other)


@pytest.mark.parametrize(
    ("f", "kind", "text"),
    [
        (lambda n: np.bincount(n - 2), ValueError, "must have no negative elements"),
        (lambda n: np.bincount(n * 0.5), TypeError, "Cannot cast array data"),
        (lambda n: np.bincount(n.reshape(1, -1)), ValueError, "object too deep"),
    ],
)
def test_what_can_not_be_counted_is_numpys_error(f, kind, text) -> None:
    for run in (f, convert(f)):
        with pytest.raises(kind, match=text):
            run(N)


def test_nobody_finds_out_how_many_counts_there_are_in_somebody_elses_program() -> None:
    with pytest.raises(PythonOnlyError, match=r"'np.bincount' counts traced integers, int32\[7\]"):
        jax.jit(to_graph(lambda n: np.bincount(n, minlength=4)))(N)


def test_a_loop_over_the_places_of_an_array_sees_what_it_writes() -> None:
    def f(m):
        total = 0.0
        for place, v in np.ndenumerate(m):
            m[place] = v + 1
            m[-1, -1] += v
            total += v
        return m, total

    for one, other in zip(convert(f)(M.copy()), f(M.copy()), strict=True):
        np.testing.assert_allclose(one, other)


def test_attributes_of_ints() -> None:
    def f(n):
        k = int(n[1])
        return (
            k.bit_count(),
            (-k).bit_count(),
            n[1].bit_count(),
            k.numerator,
            k.denominator,
            hasattr(n, "numerator"),
        )

    assert [int(value) for value in convert(f)(N)] == [int(value) for value in f(N)]
