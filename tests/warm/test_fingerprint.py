"""Do two functions have one fingerprint just where their traces are the same?"""

from __future__ import annotations

import functools
import threading

import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al
from autograph_lite.runtime.warm import fingerprint


def over(value):
    """The fingerprint of a function that has `value` in its closure."""
    return fingerprint.of([lambda x: (x, value)])


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
    with pytest.raises(fingerprint.UnknownError):
        over(value)
