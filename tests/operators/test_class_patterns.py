"""Do the class patterns of `match` find of a traced value what `isinstance` finds, and what Python finds of NumPy's?"""

from __future__ import annotations

import collections.abc
import dataclasses
import numbers
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autograph_lite import PythonOnlyError, convert

from .agreement import assert_same

missing: Any = None


@dataclasses.dataclass
class Point:
    x: Any
    y: Any = 0


class Node:
    __match_args__ = ("value", "next")

    def __init__(self, value, next=None):
        self.value, self.next = value, next


def of_any_class(x):
    match x:
        case str() | complex():
            return 1
        case list() | tuple() | Point():
            return 2
        case bool():
            return 3
        case numbers.Integral():
            return 4
        case float(v):
            return v * 5
        case collections.abc.Iterable():
            return 6
        case object():
            return 7


def of_arrays(x):
    match x:
        case np.ndarray(shape=(n,)):
            return n
        case np.ndarray(shape=(2, n)) as y:
            return n * 10 + y.sum()
        case np.ndarray(ndim=2, size=size):
            return size * 100
        case np.integer() as n if n > 2:
            return n * 1000
        case np.generic(real=part):
            return part * 10000


def in_parts(x):
    match Point(x, {"w": x * 2, "k": 3}):
        case Point(x=int()):
            return 1
        case Point(float(v), {"w": np.floating() as w, "k": int(n)}) if v > 0:
            return v + w + n
        case Point(np.integer() | float() as v, {"k": str() | int() as n}):
            return v * 100 + n
        case Point(x=np.ndarray(shape=(n,))):
            return n


def of_chosen(x):
    v = x if x.sum() > 0 else None
    w = 1 if x.sum() > 0 else 2.5
    match v:
        case np.number() | np.ndarray():
            n = v.sum()
        case None:
            n = -1
    match w:
        case str():
            return 0
        case int() | float():
            return n + w


def of_linked_objects(x):
    node, total = Node(x, Node(x * 2, Node(3))), 0
    while node is not None:
        match node:
            case Node(int(v)):
                total += v
            case Node(np.number() as v, Node(int(w))):
                total += 10 * v * w
            case Node(v, Node(w)):
                total += 100 * v * w
        node = node.next
    return total


def of_pythons_numbers(x):
    def kind(v):
        match v:
            case int(n) if n > 100:
                return n
            case int():
                return 1
            case float(n):
                return n * 10
        return 7

    count = total = 0
    for i in range(30):
        match count:
            case int():
                total += kind(i)
        if x.sum() > i:
            count += 1
    return total, kind(count), kind(count / 2), kind(int(x.sum())), kind(float(x.sum())), kind(x.shape)


def of_items(x):
    found = []
    for v in zip(np.atleast_1d(x).ravel(), range(6), [1, "a", None, 2, "b", None], strict=False):
        match v:
            case np.number() as a, int(b), int() | str():
                found.append(a + b)
            case float() | int(), _, None:
                found.append(-1)
    return found


def of_expressions(x):
    def value(e):
        match e:
            case str(name):
                return {"x": x.sum()}[name]
            case int() | float():
                return e
            case "if", c, a, b:
                return value(a) if value(c) > 0 else value(b)
            case "+", a, b:
                return value(a) + value(b)

    return value(("if", "x", ("+", "x", 1), ("+", 5.0, 2)))


def of_texts_of_errors(x):
    found = []
    for kind in (float, Point, "float"):
        try:
            match x * 2.0:
                case kind(a, b, c):  # noqa: F841
                    found.append("a match")
            found.append("none")
        except TypeError as error:
            found.append(str(error))
    match [x]:
        case [missing.Kind(), 1]:
            found.append("two items")
    try:
        match [x]:
            case [missing.Kind()]:
                found.append("one item")
    except AttributeError as error:
        found.append(str(error))
    return found


PROGRAMS = [
    of_any_class, of_arrays, in_parts, of_chosen, of_linked_objects, of_pythons_numbers, of_items, of_expressions,
    of_texts_of_errors,
]  # fmt: skip
GIVEN = [
    np.float64(1.5),
    np.float64(-2.0),
    np.int64(3),
    np.int64(-1),
    np.array([0.5, -1.0]),
    np.full((2, 3), 1.5),
]


@pytest.mark.parametrize("given", GIVEN, ids=repr)
@pytest.mark.parametrize("fn", PROGRAMS)
def test_class_patterns_are_those_of_numpys_values(fn: Any, given: Any) -> None:
    assert_same(convert(fn)(given), fn(given))


def test_jaxs_arrays_are_jaxs():
    def f(x):
        match x:
            case float() | np.ndarray() | np.generic():
                return 1
            case jax.Array(shape=(n,)):
                return n
            case jax.Array():
                return 100

    for given in (jnp.ones(3), jnp.float32(1)):
        assert convert(f)(given) == f(given)


def test_number_of_several_classes_is_refused():
    def f(x):
        v = 1 if x > 0 else 2.5
        match v:
            case int():
                return 1
            case float():
                return 2

    with pytest.raises(
        PythonOnlyError, match=r"'int\(\)' asks for the class of .* numbers of several classes"
    ):
        convert(f)(np.float64(1))
