"""Are NumPy's functions of sets, and those that change a length, what they are in NumPy where the data say how long their results are?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import pytest

from autograph_lite import DynamicShapeError, PythonOnlyError, convert

X, Y = np.array([3.0, 1, 3, 0, 7]), np.array([2.0, 3, 7, 7])
NANS, ZEROS = np.array([np.nan, 1.0, np.nan]), np.zeros(3)

SETS: dict[str, Callable[[Any, Any], Any]] = {
    "of both": lambda x, y: np.union1d(x, y),
    "of both, counted": lambda x, y: (len(np.union1d(x, y)), np.union1d(x, y).sum()),
    "in both": lambda x, y: np.intersect1d(x, y),
    "in both, with places": lambda x, y: np.intersect1d(x, y, return_indices=True),
    "in both, each once": lambda x, y: np.intersect1d(np.unique(x), np.unique(y), True, True),
    "in one alone": lambda x, y: np.setdiff1d(x, y),
    "in one alone, as they come": lambda x, y: np.setdiff1d(x, y, assume_unique=True),
    "in one of them": lambda x, y: np.setxor1d(x, y),
    "of a part": lambda x, y: (np.unique(x[x > 0]), np.setdiff1d(x[x > 0], y[y > 2]), len(np.union1d(x[x > 5], y[:2]))),
    "of a part, with places": lambda x, y: np.unique(x[x > 0], return_index=True, return_counts=True),
    "of a matrix": lambda x, y: np.intersect1d(np.stack([x, x + 1]), y),
    "by their names": lambda x, y: (np.unique_counts(x).counts, np.unique_inverse(x)[1], np.unique_all(x).indices),
    "without zeros": lambda x, y: (np.trim_zeros(x - 3), np.trim_zeros(x - 3, "b"), np.trim_zeros(y)),
    "that a loop takes": lambda x, y: sum(v * v for v in np.setdiff1d(x, y)),
}  # fmt: skip


def assert_same(found: Any, expected: Any) -> None:
    pairs = zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True)
    for one, other in pairs:
        np.testing.assert_allclose(one, other, rtol=1e-5)


@pytest.mark.parametrize("case", SETS)
def test_sets_are_numpys(case: str) -> None:
    converted = convert(SETS[case])
    for x, y in ((X, Y), (Y, X), (X, X), (X + 10, Y)):
        assert_same(converted(x, y), SETS[case](x, y))


def test_nan_is_in_no_other_set() -> None:
    def all_of(x: Any, y: Any) -> Any:
        return np.union1d(x, y), np.intersect1d(x, y), np.setdiff1d(x, y), np.setxor1d(x, y)

    converted = convert(all_of)
    for x, y in ((NANS, X), (X, NANS), (NANS, NANS), (ZEROS[:0], X), (X, ZEROS[:0]), (ZEROS[:0], ZEROS[:0])):
        assert_same(converted(x, y), all_of(x, y))


def test_nothing_is_left_of_zeros() -> None:
    assert_same(convert(lambda x: np.trim_zeros(x))(ZEROS), np.trim_zeros(ZEROS))


PLACES: dict[str, Callable[[Any, Any], Any]] = {
    "an item less": lambda x, n: np.delete(x, n),
    "a row less": lambda x, n: np.delete(np.outer(x, x), n, axis=1),
    "some items less": lambda x, n: np.delete(x, np.array([0, 2]) * (n > 0) + n),
    "nothing less": lambda x, n: np.delete(x, []) + n,
    "those of a mask less": lambda x, n: np.delete(x, x > n),
    "an item more": lambda x, n: np.insert(x, n, 9.0),
    "an item in its place": lambda x, n: np.partition(x, n)[n],
    "several items in their places": lambda x, n: np.partition(x, np.array([0, 1]) + abs(n))[abs(n)],
    "where that is": lambda x, n: x[np.argpartition(x, n)[n]],
}


@pytest.mark.parametrize("case", PLACES)
@pytest.mark.parametrize("n", [0, 2, -1])
def test_places_are_the_datas(case: str, n: int) -> None:
    assert_same(convert(PLACES[case])(X, np.array(n)), PLACES[case](X, n))


@pytest.mark.parametrize("case", ["an item less", "some items less", "an item more"])
@pytest.mark.parametrize("n", [9, -7])
def test_no_place_is_an_index_error(case: str, n: int) -> None:
    for run in (PLACES[case], convert(PLACES[case])):
        with pytest.raises(IndexError):
            run(X, np.array(n))


def put(x: Any, n: Any) -> Any:
    np.put(x, n, 9.0)
    return x


def put_by_the_array(x: Any, n: Any) -> Any:
    x.put(n, 9.0)
    return x


def caught(x: Any, n: Any) -> Any:
    try:
        np.put(x, n, 9.0)
    except IndexError:
        return -x
    return x


@pytest.mark.parametrize("function", [put, put_by_the_array, lambda x, n: x.item(n), caught])
@pytest.mark.parametrize("n", [0, -1, 9, -7])
def test_put_and_item_have_numpys_places(function: Any, n: int) -> None:
    try:
        expected = function(X.copy(), n)
    except IndexError:
        with pytest.raises(IndexError):
            convert(function)(X.copy(), np.array(n))
    else:
        assert_same(convert(function)(X.copy(), np.array(n)), expected)


def test_roots() -> None:
    for p in (np.array([1.0, -6, 11, -6]), np.array([2.0, 0, -8]), np.array([1.0, 2, 0]), np.array([4.0])):
        found, expected = convert(lambda p: np.roots(p))(p), np.roots(p)
        np.testing.assert_allclose(np.sort(np.asarray(found)), np.sort(expected + 0j), atol=1e-4)
    with pytest.raises(DynamicShapeError, match="finds the roots of a polynomial that begins with a zero"):
        convert(lambda p: np.roots(p))(np.array([0.0, 1, 2]))


def test_a_size_says_that_it_has_to_be_known() -> None:
    with pytest.raises(
        PythonOnlyError, match="It is handed over for a size, an axis or the like, which has to be known"
    ):
        convert(lambda x, n: np.resize(x, n))(X, np.array(2))


def test_bins_that_the_data_ask_for_are_refused() -> None:
    with pytest.raises(
        PythonOnlyError, match="'np.histogram' finds as many bins as the data ask for, 'auto'"
    ):
        convert(lambda x: np.histogram(x, "auto")[0])(X)
