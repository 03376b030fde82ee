"""What NumPy's functions and methods make of a number: an array without axes, one with axes, or a number, as NumPy does.

An array is changed by `+=` for all who know it, a number is not; and as an index an array gives a copy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import pytest

from autograph_lite import convert

A = np.array([[0.5, 2.5, 1.5], [3.5, 0.75, 5.5]])

# of an array of two axes and a number of it
MAKERS: dict[str, Callable[[Any, Any], Any]] = {
    "where": lambda a, x: np.where(x > 1, 0.5, 1.5),
    "zeros_like": lambda a, x: np.zeros_like(x),
    "full_like": lambda a, x: np.full_like(x, 2),
    "full": lambda a, x: np.full((), x),
    "copy": lambda a, x: np.copy(x),
    "array": lambda a, x: np.array(x),
    "array.copy": lambda a, x: np.array(x).copy(),
    "array.astype": lambda a, x: np.array(x).astype(int),
    "select": lambda a, x: np.select([x > 1], [x], 0.5),
    "piecewise": lambda a, x: np.piecewise(x, [x > 1], [lambda v: v, lambda v: -v]),
    "vectorize": lambda a, x: np.vectorize(lambda v: v * 2)(x),
    "tensordot": lambda a, x: np.tensordot(a[0], a[1], 1),
    "apply_along_axis": lambda a, x: np.apply_along_axis(np.sum, 0, a[0]),
    "squeeze": lambda a, x: np.squeeze(a.sum(keepdims=True)),
    "i0": lambda a, x: np.i0(x),
    "cov": lambda a, x: np.cov(a[0]),
    "roll": lambda a, x: np.roll(x, 1),
    "choose": lambda a, x: np.choose(1, [x, x * 2]),
    "an item": lambda a, x: x,
    "item.copy": lambda a, x: x.copy(),
    "item.astype": lambda a, x: x.astype(int),
    "sum": lambda a, x: a.sum(),
    "dot": lambda a, x: np.dot(a[0], a[1]),
    "clip": lambda a, x: np.clip(x, 0, 1),
    "einsum": lambda a, x: np.einsum("i,i", a[0], a[1]),
    "nan_to_num": lambda a, x: np.nan_to_num(x),
    "median": lambda a, x: np.median(a),
    "interp": lambda a, x: np.interp(x, a[0], a[1]),
    "atleast_1d": lambda a, x: np.atleast_1d(x),
    "atleast_2d of a sum": lambda a, x: np.atleast_2d(a.sum()),
    "ravel": lambda a, x: np.ravel(x),
    "item.ravel": lambda a, x: x.ravel(),
    "item.flatten": lambda a, x: x.flatten(),
    "item.reshape": lambda a, x: x.reshape(1),
    "reshape": lambda a, x: np.reshape(x, (1, 1)),
    "None": lambda a, x: x[None],
    "newaxis": lambda a, x: x[..., np.newaxis],
    "expand_dims": lambda a, x: np.expand_dims(x, 0),
    "ascontiguousarray": lambda a, x: np.ascontiguousarray(x),
    "cumsum": lambda a, x: x.cumsum(),
    "keepdims": lambda a, x: a.mean(keepdims=True),
    "max with keepdims": lambda a, x: np.max(a, axis=0, keepdims=True),
    "repeat": lambda a, x: np.repeat(x, 2),
    "product": lambda a, x: x * np.ones(2),
}


def with_two_names(make, a):
    z = make(a, a[0, 0])
    y = z
    y += 1
    return z


def changed_by_a_helper(make, a):
    def add(v):
        v += 1

    z = make(a, a[0, 0])
    add(z)
    return z


def in_a_dict(make, a):
    held = {"z": make(a, a[0, 0])}
    z = held["z"]
    z += 1
    return held["z"]


def its_class(make, a):
    z = make(a, a[0, 0])
    return isinstance(z, np.ndarray), np.isscalar(z)


@pytest.mark.parametrize("use", [with_two_names, changed_by_a_helper, in_a_dict, its_class])
@pytest.mark.parametrize("name", MAKERS)
def test_an_array_is_changed_and_a_number_is_not(name: str, use: Any) -> None:
    with jax.enable_x64(True):
        make, ours, pythons = MAKERS[name], A.copy(), A.copy()
        found = convert(lambda a: use(make, a))(ours)
        expected = use(make, pythons)
        np.testing.assert_allclose(found, expected)
        assert np.shape(found) == np.shape(expected)
        np.testing.assert_array_equal(ours, pythons)


# of the same, an index
INDICES: dict[str, Callable[[Any, Any], Any]] = {
    "where": lambda a, n: np.where(a[0, 0] > 1, 0, 1),
    "array": lambda a, n: np.array(1),
    "asarray": lambda a, n: np.asarray(n - 2),
    "squeeze": lambda a, n: np.squeeze(np.array([n - 2])),
    "astype": lambda a, n: np.asarray(a[0, 0] > 1).astype(int),
    "with dots": lambda a, n: np.array([0, 1])[..., 0],
    "a number": lambda a, n: n - 2,
    "an item": lambda a, n: np.array([1, 0])[n - 3],
    "clip": lambda a, n: np.clip(n, 0, 1),
    "argmax": lambda a, n: np.argmax(a[0]) % 2,
}


def written_row(k, a):
    row = a[k]
    row *= 2
    return row


def written_array(k, a):
    row = a[k]
    a[k] = 0
    return row


def written_column(k, a):
    column = a[:, k]
    column += 1
    return column


def written_part(k, a):
    part = a[k, 1:]
    part += 1
    return part


def written_item_of_a_row(k, a):
    a[k][0] = 7
    return a[k]


def changed_item_of_a_row(k, a):
    a[k][0] += 7
    return a[k]


def stored(k, a):
    a[k] += 7
    a[k, 1] = 3
    return a[k]


@pytest.mark.parametrize(
    "use",
    [
        written_row, written_array, written_column, written_part, written_item_of_a_row, changed_item_of_a_row, stored,
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", INDICES)
def test_an_array_as_an_index_gives_a_copy(name: str, use: Any) -> None:
    with jax.enable_x64(True):
        index, ours, pythons = INDICES[name], A.copy(), A.copy()
        found = convert(lambda a, n: use(index(a, n), a))(ours, np.int64(3))
        np.testing.assert_allclose(found, use(index(pythons, 3), pythons))
        np.testing.assert_array_equal(ours, pythons)


def test_truth_values_of_numpys_as_indices() -> None:
    def f(a):
        b = a[np.True_]
        a[np.True_] = 5
        a[np.False_] = 7
        return b, a[np.False_]

    ours, pythons = A.copy(), A.copy()
    for found, expected in zip(convert(f)(ours), f(pythons), strict=True):
        np.testing.assert_allclose(found, expected)
    np.testing.assert_array_equal(ours, pythons)


def test_masks_of_reductions() -> None:
    def f(a):
        m = a > 1
        return (
            np.mean(a, where=m),
            np.var(a, where=m),
            np.nanmean(a, where=m, axis=0),
            np.std(a, where=m, ddof=1),
        )

    with jax.enable_x64(True):
        for found, expected in zip(convert(f)(A), f(A), strict=True):
            np.testing.assert_allclose(found, expected)


def test_an_accumulator_without_axes_in_a_loop() -> None:
    def f(a):
        total, count = np.zeros_like(a[0, 0]), np.zeros((), int)
        for v in a.ravel():
            if v > 1:
                count += 1
            total += v
        return total, count

    for found, expected in zip(convert(f)(A), f(A), strict=True):
        np.testing.assert_allclose(found, expected)


def normed(x):
    x = x.astype(float)
    x -= x.mean()
    return x


def in_another_order(a):
    return normed(a[0]) + a.astype(float, order="C")[1]


def written_afterwards(a):
    kept = a.astype(float, copy=True)
    a += 1
    return kept


@pytest.mark.parametrize("use", [normed, in_another_order, written_afterwards])
def test_an_array_of_the_same_type_is_a_copy(use: Any) -> None:
    with jax.enable_x64(True):
        ours, pythons = A.copy(), A.copy()
        np.testing.assert_allclose(convert(use)(ours), use(pythons))
        np.testing.assert_array_equal(ours, pythons)
