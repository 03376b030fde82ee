"""Does a `match` on structure find the case that Python finds, with traced values in it and traced guards?"""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import numpy as np
import pytest
from hypothesis import given, strategies as st

import autograph_lite
from tests.examples import examples


def _arrays_match() -> bool:
    match np.zeros(1):
        case [_]:
            return True
    return False


@dataclasses.dataclass
class Point:
    x: Any
    y: Any


def of_pair(a, b):
    match (a, b):
        case (0, y):
            return y
        case (x, 1 | 2):
            return x * 10
        case (x, y) if x > y:
            return x - y
        case (2 as x, y) | (y, 3 as x):
            return x + y
    return -1


def of_mapping(a, b):
    match {"k": a, "other": b}:
        case {"k": 5 as v, **rest}:
            return v + len(rest)
        case {"k": v} if v == 6:
            return v * 2
        case {"missing": _}:
            return 100
    return -1


def of_object(a, b):
    match Point(a, b):
        case Point(x=0):
            return 1
        case Point(x, y=3) | Point(y=4, x=x) if x > 2:
            return x * 2
        case Point(3, y):
            return y
        case (_, _):
            return 200
        case object(x=u):
            return u + 7


def nested(a, b):
    match (a, (b, [a, b])):
        case (1, (2, [_, *others])):
            return others[0]
        case (x, (y, [3, 4])):
            return x + y
        case (x, (_, [*_, y])) if y == x:
            return 50
        case str():
            return 60
        case _:
            return 70


def in_a_loop(a, b):
    total = 0
    for i in range(a):
        match (i, b):
            case (0, _):
                continue
            case (i, 5) if i == 3:
                break
            case (k, n):
                total += k * n
    return total


@pytest.mark.parametrize("function", [of_pair, of_mapping, of_object, nested, in_a_loop])
def test_the_case_is_pythons(function) -> None:
    converted = autograph_lite.to_graph(function)
    staged = jax.jit(converted)

    @examples(40)
    @given(st.integers(-1, 7), st.integers(-1, 7))
    def check(a: int, b: int) -> None:
        assert converted(a, b) == function(a, b)
        assert int(staged(np.int32(a), np.int32(b))) == function(a, b)

    check()


def of_an_array(xs):
    match xs:
        case [x]:
            return x
        case [0, x] as whole:
            return x + whole.sum()
        case [x, y] if x > y:
            return x - y
        case [x, y, *rest]:
            return x + y * 2 + sum(rest) * 3
        case whole:
            return whole


@pytest.mark.skipif(not _arrays_match(), reason="arrays of this NumPy are no sequences to `match`")
@pytest.mark.parametrize("xs", [[4], [0, 3], [3, 1], [1, 3], [1, 2, 3, 4]])
def test_an_array_is_a_sequence_as_it_is_to_numpy(xs) -> None:
    array = np.array(xs, np.int32)
    assert int(autograph_lite.convert(of_an_array)(array)) == of_an_array(array)
    assert of_an_array(np.int32(5)) == autograph_lite.convert(of_an_array)(np.int32(5)) == 5


@pytest.mark.skipif(not _arrays_match(), reason="arrays of this NumPy are no sequences to `match`")
def test_items_of_items_are_refused_of_an_array() -> None:
    def determinant(m):
        match m:
            case [[a, b], [c, d]]:
                return a * d - b * c
        return None

    with pytest.raises(autograph_lite.PythonOnlyError, match="asks for the items of what is in a value"):
        autograph_lite.convert(determinant)(np.ones((2, 2), np.float32))


def test_the_items_of_a_part_of_unknown_length_are_refused() -> None:
    def matched(x, k):
        match x[k:]:
            case []:
                return 0
            case [first]:
                return first
            case [first, *_, last]:
                return first - last

    with pytest.raises(autograph_lite.PythonOnlyError, match="whose length a traced value decides"):
        autograph_lite.convert(matched)(np.ones(3, np.float32), np.int32(1))
