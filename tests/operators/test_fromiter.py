"""`np.fromiter`: an array of the items of whatever can be iterated over."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import autograph_lite
from autograph_lite.errors import AutographError


def doubled(x):
    for each in x:
        yield each * 2


PROGRAMS: dict[str, Any] = {
    "a generator expression": lambda x, n: np.fromiter((each * 2 for each in x), float),
    "with a filter": lambda x, n: np.fromiter((each for each in x if each > 1), float),
    "a generator": lambda x, n: np.fromiter(doubled(x), float),
    "a list": lambda x, n: np.fromiter([x[0], x[1], 3], float),
    "an array": lambda x, n: np.fromiter(x, np.float32),
    "a map": lambda x, n: np.fromiter(map(np.sqrt, x), float),
    "values of a dict": lambda x, n: np.fromiter({"a": x[0], "b": x[1]}.values(), float),
    "a range that the data end": lambda x, n: np.fromiter((i * 2 for i in range(n)), int),
    "another type": lambda x, n: np.fromiter((each * 1.5 for each in x), dtype=int),
    "bools": lambda x, n: np.fromiter((each > 1 for each in x), bool),
    "so many": lambda x, n: np.fromiter((each for each in x), float, 2),
    "so many, by name": lambda x, n: np.fromiter(iter=(each for each in x), dtype=float, count=len(x)),
    "so many of what has no end": lambda x, n: np.fromiter((x[0] + i for i in itertools.count()), float, 4),
    "Python's numbers": lambda x, n: x.sum() + np.fromiter((i * i for i in range(4)), int),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_array_of_the_items(name: str) -> None:
    x, n = np.array([1.0, 2.0, 4.0]), np.int64(3)
    expected, found = PROGRAMS[name](x, n), autograph_lite.convert(PROGRAMS[name])(x, n)
    np.testing.assert_allclose(expected, found, rtol=1e-5)
    assert expected.dtype.kind == np.asarray(found).dtype.kind


def test_the_array_is_numpys_and_can_be_written() -> None:
    def f(x):
        y = z = np.fromiter((each for each in x), float)
        y[0] = 5
        return y, z

    assert np.array_equal(autograph_lite.convert(f)(np.ones(3)), f(np.ones(3)))


@pytest.mark.parametrize(
    "program",
    [
        lambda x: np.fromiter((each for each in x), float, 7),
        lambda x: np.fromiter((x for _ in range(2)), float),
    ],
    ids=["too few", "of arrays"],
)
def test_numpys_errors(program: Any) -> None:
    with pytest.raises(ValueError) as expected:  # noqa: PT011 (compared below)
        program(np.ones(3))
    with pytest.raises(ValueError) as found:  # noqa: PT011
        autograph_lite.convert(program)(np.ones(3))
    assert str(expected.value).splitlines()[0] == str(found.value).splitlines()[0]


def test_so_many_of_a_list_of_unknown_length_are_refused() -> None:
    with pytest.raises(AutographError, match="A list has a length that only the data knows"):
        autograph_lite.convert(lambda x: np.fromiter((each for each in x if each > 1), float, 1))(np.ones(3))
