"""Do two functions have one fingerprint just where their traces are the same?"""

from __future__ import annotations

import enum
import functools
import operator
import sys
import threading
import types

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al
from autograph_lite.runtime.warm import fingerprint, stable_names


def over(value):
    """The fingerprint of a function that has `value` in its closure."""
    return fingerprint.fingerprint_of([lambda x: (x, value)])


def scaled(rate):
    @al.convert
    def inner(x):
        return x * rate

    return inner


class Base:
    rate = 1

    def apply(self, x):
        return x * self.rate


class Derived(Base):
    pass


def test_equal_values_have_one_fingerprint():
    for make in (
        lambda: 1,
        lambda: [1, {"k": np.arange(3)}],
        lambda: jnp.ones(3),
        lambda: Derived(),
        lambda: scaled(2),
    ):
        assert over(make()) == over(make())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0), (1, True), (0.0, -0.0), ("1", b"1"), ([1], (1,)), ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        (np.float32(1), np.float64(1)), (np.ones(3), np.ones((3, 1))), (np.ones(3), jnp.ones(3)),
        (jnp.asarray(1.0), jnp.float32(1)), (al.Variable(1.0), al.Variable(1)), (Base(), Derived()),
        (Base().apply, Base().rate), (np.float32, np.float64), (range(3), range(4)),
    ],
)  # fmt: skip
def test_values_that_a_trace_tells_apart_have_two(one, other):
    assert over(one) != over(other)


def test_functions_that_are_called_count_whatever_they_are_wrapped_in():
    for wrap in (lambda f: f, lambda f: functools.partial(f), lambda f: [f], lambda f: {"f": f}):
        assert over(wrap(scaled(2))) != over(wrap(scaled(3)))


def test_a_base_class_counts(monkeypatch):
    before = over(Derived())
    monkeypatch.setattr(Base, "rate", 2)
    assert over(Derived()) != before


def test_which_objects_are_the_same_counts():
    one, other = [1], [1]
    assert over((one, one)) != over((one, other))
    v, w = al.Variable(1.0), al.Variable(1.0)
    assert over((v, v)) != over((v, w))


def test_the_value_of_a_variable_does_not_count():
    assert over(al.Variable(1.0)) == over(al.Variable(2.0))


@pytest.mark.parametrize("value", [threading.Lock(), iter([1]), {object()}, functools.lru_cache(len)])
def test_objects_that_nothing_is_known_of_have_none(value):
    with pytest.raises(stable_names.UnknownError):
        over(value)


HERE, RATE, NAME, look = sys.modules[__name__], 1, "RATE", getattr


def of_a_pattern():
    match HERE:
        case types.ModuleType(RATE=rate):
            return rate


def of_a_module_that_makes_it_up():
    return HERE.made_up


@pytest.mark.parametrize("fn", [of_a_pattern, of_a_module_that_makes_it_up])
def test_names_of_modules_count_however_they_are_read(monkeypatch, fn):
    monkeypatch.setattr(HERE, "__getattr__", lambda name: RATE, raising=False)
    before = over(fn)
    monkeypatch.setattr(HERE, "RATE", 2)
    assert over(fn) != before


@pytest.mark.parametrize(
    "fn",
    [
        lambda: look(HERE, NAME),
        lambda read=getattr: read(HERE, NAME),
        lambda read=functools.partial(getattr, HERE): read(NAME),
        lambda: operator.attrgetter(NAME)(HERE),
        lambda: HERE.__getattribute__(NAME),
        lambda: object.__getattribute__(HERE, NAME),
        lambda: scaled.__globals__[NAME],
        lambda: scaled.__annotations__,
        lambda read=eval: read(NAME),
        lambda: look(Base, "__doc__"),
    ],
    ids=range(10),
)
def test_names_that_are_values_are_known_by_any_spelling(fn):
    with pytest.raises(stable_names.UnknownError):
        over(fn)


@pytest.mark.parametrize("name", ["rate", "_rate"])
def test_an_attribute_of_a_converted_function_counts(name):
    fn = scaled(2)
    setattr(fn, name, 1)
    before = over(fn)
    assert over(fn) == before
    setattr(fn, name, 2)
    assert over(fn) != before


def test_what_an_enum_has_beside_its_members_counts():
    def made(of_class, of_member, of_base):
        class Mixed:
            base = of_base

        class Kind(Mixed, enum.Enum):
            A = 1

        Kind.rate = of_class
        Kind.A.rate = of_member
        return over(Kind.A)

    assert made(1, 1, 1) == made(1, 1, 1)
    assert len({made(1, 1, 1), made(2, 1, 1), made(1, 2, 1), made(1, 1, 2)}) == 4


class Tagged(np.ndarray):
    pass


@pytest.mark.parametrize("value", [np.ma.array([1, 2], mask=[0, 1]), np.ones(2).view(Tagged)])
def test_arrays_that_hold_more_than_items_have_none(value):
    with pytest.raises(stable_names.UnknownError):
        over(value)


def test_a_class_that_other_functions_make_a_pytree_has_none():
    class Pair:
        def __init__(self, a, b):
            self.a, self.b = a, b

    over(Pair(1, 2))
    jax.tree_util.register_pytree_node(Pair, lambda p: ((p.b, p.a), None), lambda _, parts: Pair(*parts))
    with pytest.raises(stable_names.UnknownError):
        over(Pair(1, 2))


class Dense(al.Module):
    def __init__(self):
        self.w = al.Variable(1.0)


def test_our_own_modules_have_one():
    assert over(Dense()) == over(Dense())
