"""Calls of NumPy's functions with `out=`, `dtype=`, places beyond the end and lists: its values, types and errors."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autograph_lite import convert

X, Y = np.array([0.5, -1.25, 2.0, 3.5, -0.75, 1.0]), np.array([1.0, 2.0, -3.0, 0.25, 4.0, 0.5])
M, I = np.arange(12.0).reshape(3, 4) * 0.7 - 3, np.array([3, 1, 0, 5, 2, 4])


def put_out(x, y, m, i):
    whole, parts, quotients, rests = np.zeros(6), np.zeros(6), np.zeros(6), np.zeros(6)
    given = np.modf(x, whole), np.divmod(x, y, out=(quotients, rests)), np.modf(y, None, parts)
    sums, running, products, ends = np.zeros(4), np.zeros(6), np.zeros((6, 6)), np.zeros(3)
    np.add.reduce(m, out=sums)
    np.add.accumulate(x, out=running)
    np.multiply.outer(x, y, out=products)
    np.maximum.reduceat(x, [0, 2, 4], out=ends)
    cut, rows, taken = np.zeros(4, int), np.zeros((2, 6)), np.zeros(6)
    np.sum(m, axis=0, out=cut)
    np.add(x, 1, out=rows)
    x.take(i, out=taken)
    best = x.copy()
    np.maximum.at(best, [0, 1, 0], [3.0, 4.0, 1.0])
    return whole, parts, quotients, rests, given, sums, running, products, ends, cut, rows, taken, best


def of_types(x, y, m, i):
    return (
        np.equal(x, y, dtype=bool), np.greater(x, 0, dtype=bool), np.add(i, i, dtype=float), np.sqrt(i, dtype=np.float32),
        np.exp(x, dtype=complex), np.divmod(i, 2, dtype=int), np.add(i, 1, casting="safe"), np.reciprocal(i + 1),
        np.reciprocal(x), np.histogram(x, bins=[-2, 0, 2, 4], density=True), np.histogram2d(x, y, bins=3), np.poly(m[:, :3]),
        np.histogramdd(m, bins=[1, 2, 1, 1], range=[(-4, 6)] * 4), np.polyfit(i, x, 1, w=np.abs(y)), np.poly(x[:3]),
    )  # fmt: skip


def at_places(x, y, m, i):
    return (
        np.iterable(x), np.iterable(i[0]), np.histogram(x, weights=i, bins=2),
        np.choose(i % 3, [x, y, 1.0]), np.choose(i, [x, y], mode="wrap"), np.ravel_multi_index((i % 3, i % 4), (3, 4)),
        np.take(x, i - 3), np.take(m, [[0, -1]], axis=1), x.take(i - 3), m.take([0, -1], axis=1), m.take(-1),
        np.take(x, i + 3, mode="clip"), np.take_along_axis(m, np.argsort(-m, axis=1), axis=1), np.take_along_axis(x, i - 3, 0),
    )  # fmt: skip


@pytest.mark.parametrize("f", [put_out, of_types, at_places])
def test_values_and_kinds_are_numpys(f: Any) -> None:
    found, want = (jax.tree.leaves(call(*map(np.copy, (X, Y, M, I)))) for call in (convert(f), f))

    for one, other in zip(found, want, strict=True):
        assert np.asarray(one).dtype.kind == np.asarray(other).dtype.kind
        np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-3)


def test_a_place_beyond_the_end_is_the_last_one() -> None:
    def f(x, i):
        return np.take(x, i), x.take(i), np.take_along_axis(x, i, 0), x[i]

    for found in convert(f)(X, I + 3):
        np.testing.assert_array_equal(found, X[np.minimum(I + 3, 5)])
    assert np.isnan(convert(lambda x, i: jnp.take(x, i))(jnp.asarray(X), I + 3)).any()  # as JAX has it


def test_a_path_of_einsum_is_numpys() -> None:
    paths = []

    def f(m):
        paths.append(np.einsum_path("ij,kj->ik", m, m)[0])
        return m

    convert(f)(M)
    assert paths == [np.einsum_path("ij,kj->ik", M, M)[0]]


REFUSED = {
    "sum": lambda x, m, i: np.sum(x, out=np.zeros(3)),
    "max": lambda x, m, i: np.max(m, out=np.zeros((1,))),
    "method": lambda x, m, i: m.sum(0, out=np.zeros((2, 4))),
    "reduce": lambda x, m, i: np.maximum.reduce(m, axis=1, out=np.zeros(2)),
    "take": lambda x, m, i: np.take(x, [0, 1], out=np.zeros(3)),
    "concatenate": lambda x, m, i: np.concatenate([m, m], out=np.zeros((6, 4), int)),
    "std": lambda x, m, i: np.std(m, axis=0, out=np.zeros(4, int)),
    "fft": lambda x, m, i: np.fft.fft(x, out=np.zeros(6)),
    "casting": lambda x, m, i: np.add(i, x, casting="no"),
    "dtype": lambda x, m, i: np.add(x, x, dtype=int),
    "choose": lambda x, m, i: np.choose(i, [x, x]),
    "places": lambda x, m, i: np.ravel_multi_index((i, i), (3, 4)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_numpy_refuses_is_an_error_of_its_type(name: str) -> None:
    with pytest.raises((TypeError, ValueError)) as expected:
        REFUSED[name](X, M, I)
    with pytest.raises(TypeError if isinstance(expected.value, TypeError) else ValueError):
        convert(REFUSED[name])(X, M, I)
