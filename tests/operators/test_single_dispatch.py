"""Do functions of single dispatch call for a traced value, and for one of several objects, what Python calls?"""

from __future__ import annotations

import dataclasses
import functools
import numbers
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autograph_lite import PythonOnlyError, convert

from .agreement import assert_same


@dataclasses.dataclass
class Circle:
    r: Any


@dataclasses.dataclass
class Square:
    side: Any


class Base:
    def __init__(self, value):
        self.value = value


class Derived(Base):
    pass


@functools.singledispatch
def shown(value, k=1):
    return -1.0 * k


shown.register(np.ndarray)(lambda value, k=1: value.sum() * k)
shown.register(float)(lambda value, k=1: value * 10 * k)
shown.register(numbers.Integral)(lambda value, k=1: value * 100 * k)
shown.register(range)(lambda value, k=1: len(value) * 1000 * k)
shown.register(str)(lambda value, k=1: 5.0)
shown.register(type(None))(lambda value, k=1: 6.0)
shown.register(Circle)(lambda value, k=1: 3 * value.r * k)
shown.register(Base)(lambda value, k=1: value.value)
shown.register(Derived)(lambda value, k=1: -value.value)


@shown.register
def _(value: Square, k=1):
    value.side *= 2
    return value.side * k if value.side > 3 else 0.0


@shown.register
def _(value: list, k=1):
    return sum([shown(each, k=k) for each in value])


class Shower:
    def __init__(self):
        self.calls = 0

    @functools.singledispatchmethod
    def shown(self, value, k=1):
        return -1.0 * k

    @shown.register
    def _(self, value: np.ndarray, k=1):
        return value.sum() * k

    @shown.register
    def _(self, value: float, k=1):
        return value * 10 * k

    @shown.register
    def _(self, value: Circle, k=1):
        self.calls += 1
        return 3 * value.r * k

    @shown.register
    def _(self, value: Square, k=1):
        return value.side * k if value.side > 1 else 0.0

    @functools.singledispatchmethod
    @classmethod
    def named(cls, value):
        return cls.__name__

    @named.register
    @classmethod
    def _(cls, value: np.generic):
        return value + 1


def of_numbers_and_arrays(x):
    count = 0
    for _ in range(int(abs(x.sum()))):
        count += 1
    total = x.sum()
    return [
        shown(v)
        for v in (x, x * 2, total, [total, x], int(total), float(total), len(x.shape), count, count / 2, range(count))
    ]  # fmt: skip


def of_parameters(x):
    return shown(x, 2), shown(x, k=x.sum()), [*map(shown, [x, 1, 2.5, None, "a"])]


def of_chosen_objects(x):
    shape = Circle(x.sum()) if x.sum() > 0 else Square(-x.sum())
    related = Derived(x.sum()) if x.sum() > 0 else Base(x.sum())
    other = None if x.sum() > 0 else "text"
    return shown(related), shown(other), shown(shape, k=2), shape.side if isinstance(shape, Square) else 0


def of_numbers_of_one_implementation(x):
    value = x.sum() if x.sum() > 0 else 0.0
    return shown(float(x.sum())) if isinstance(x.sum(), np.integer) else shown(value)


def of_methods(x):
    shower = Shower()
    shape = Circle(x.sum()) if x.sum() > 0 else Square(-x.sum())
    found = [shower.shown(v) for v in (x, x.sum(), float(x.sum()), "text", shape)]
    return (
        found,
        shower.shown(x, k=2),
        shower.shown(shape, 3),
        shower.calls,
        Shower.named(x.sum()),
        shower.named([x]),
    )


def without_arguments(x):
    found = []
    for call in (shown, Shower().shown):
        try:
            found.append(call())
        except (TypeError, IndexError) as error:  # Python 3.11 has an IndexError of a method
            found.append(str(error))
    return found


PROGRAMS = [
    of_numbers_and_arrays, of_parameters, of_chosen_objects, of_numbers_of_one_implementation, of_methods,
    without_arguments,
]  # fmt: skip
GIVEN = [np.float64(1.5), np.float64(-2.0), np.int64(3), np.int64(-1), np.array([0.5, -1.0])]


@pytest.mark.parametrize("given", GIVEN, ids=repr)
@pytest.mark.parametrize("fn", PROGRAMS)
def test_implementations_are_those_of_python(fn: Any, given: Any) -> None:
    assert_same(convert(fn)(given), fn(given))


def test_jaxs_arrays_are_jaxs() -> None:
    kind = functools.singledispatch(lambda value: "any")
    kind.register(np.ndarray)(lambda value: "NumPy's")
    kind.register(float)(lambda value: "a float")
    assert convert(lambda x: kind(x))(jnp.ones(2)) == kind(jnp.ones(2)) == "any"
    kind.register(jax.Array)(lambda value: "JAX's")
    for given in (jnp.float32(1), np.ones(2), np.float64(2)):
        assert convert(lambda x: kind(x))(given) == kind(given)


def test_number_of_several_classes_is_refused_where_their_implementations_differ() -> None:
    def f(x):
        return shown(1 if x > 0 else 2.5)

    with pytest.raises(PythonOnlyError, match="asks for the class of .* numbers of several classes"):
        convert(f)(np.float64(1))
