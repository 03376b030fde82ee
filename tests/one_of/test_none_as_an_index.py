"""Is a number that begins as None an index once it is a number, and an error of ours where it is None when the program runs?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autograph_lite import DynamicShapeError, PythonOnlyError, convert

A = np.arange(12.0).reshape(3, 4)


def first_above(a: Any, t: Any) -> Any:
    j = None
    for i in range(3):
        if a[i, 0] > t and j is None:
            j = i
    return a[j]


def column_of_the_least(a: Any, t: Any) -> Any:
    best, j = t, None
    for i in range(a.shape[1]):
        if a[:, i].sum() < best:
            best, j = a[:, i].sum(), i
    return a[:, j] < 2


def item_written(a: Any, t: Any) -> Any:
    j = None
    for i in range(3):
        if a[i, 0] > t:
            j = i
    a[j, 0] += 7
    return a


def row_written(a: Any, t: Any) -> Any:
    j = None
    for i in range(3):
        if a[i, 0] > t:
            j = i
    a[j] = 7  # Python writes all of it where that is None
    return a


def asked_before(a: Any, t: Any) -> Any:
    j = None
    for i in range(3):
        if a[i, 0] > t:
            j = i
    if j is not None:
        return a[j].sum()
    return -1.0


def found_or_none(a: Any, t: Any) -> Any:
    i: Any = 0
    while True:
        try:
            if a[i, 0] > t:
                break
            i += 1
        except IndexError:
            i = None
            break
    return i


PROGRAMS = [first_above, column_of_the_least, item_written, row_written, asked_before, found_or_none]
WHERE_IT_IS_NONE = {first_above: {13.0}, item_written: {13.0}, column_of_the_least: {3.0, -1.0}}


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("t", [3.0, 13.0, -1.0])
def test_an_index_that_may_be_none(program: Callable[..., Any], t: float) -> None:
    expected, converted = program(A.copy(), t), convert(program)
    if t in WHERE_IT_IS_NONE.get(program, ()):
        with pytest.raises(
            DynamicShapeError, match="has None for an index, or a number, as a traced value decides, and it"
        ):
            converted(A.copy(), np.array(t))
    else:
        found = converted(A.copy(), np.array(t))
        assert found is expected or np.array_equal(found, expected)


def test_none_in_an_array_is_an_error_where_it_is_none() -> None:
    def split(x: Any, t: Any) -> Any:
        left = right = None
        if x[0] < t:
            left, right = x[2], x[3]
        return np.where(x <= 0, left, right)

    converted, x = convert(split), np.arange(5.0)
    np.testing.assert_array_equal(converted(x, np.array(2.0)), split(x, 2.0))
    with pytest.raises(PythonOnlyError, match=r"'np.where' makes an array of objects, of None"):
        converted(x, np.array(-2.0))
