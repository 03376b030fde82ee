"""Is the input signature of a method that of the bound one, without `self`?"""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from autograph_lite import ArraySpec, Variable

FLOATS = ArraySpec([None], jnp.float32)


class Sums:
    def __init__(self):
        self.total = Variable(0.0)

    @autograph_lite.convert(input_signature=[FLOATS])
    def add(self, xs):
        self.total.assign_add(xs.sum())
        return self.total.value

    @classmethod
    @autograph_lite.convert(input_signature=[FLOATS])
    def name_and_sum(cls, xs):
        return cls.__name__, xs.sum()

    @staticmethod
    @autograph_lite.convert(input_signature=[FLOATS])
    def double(xs):
        return 2 * xs


def test_a_method_is_traced_once_for_each_instance() -> None:
    one, two = Sums(), Sums()
    assert [float(one.add(np.ones(n, np.float32))) for n in (1, 2, 3)] == [1, 3, 6]
    assert float(two.add([1, 2])) == 3
    assert (one.add.trace_count, two.add.trace_count) == (1, 1)
    assert str(one.add.input_signature) == "(xs: float32[?])"


def test_a_call_that_does_not_fit_is_refused() -> None:
    with pytest.raises(TypeError) as caught:
        Sums().add(jnp.ones((2, 2)))
    assert str(caught.value) == "Argument xs: found float32[2,2]; allowed: float32[?]"


def test_a_call_by_way_of_the_class_is_one_of_the_instance() -> None:
    one = Sums()
    assert Sums.add(one, jnp.ones(2)) == 2
    assert Sums.add(one, xs=jnp.ones(3)) == 5
    assert Sums.add.get_concrete_function(one, FLOATS)(jnp.ones(1)) == 6
    assert one.add.trace_count == 1


def test_class_methods_and_static_methods() -> None:
    assert Sums.name_and_sum(jnp.ones(2)) == ("Sums", 2)
    assert Sums().name_and_sum(jnp.ones(3)) == ("Sums", 3)
    assert list(Sums.double(jnp.ones(2))) == [2, 2]


def test_without_an_instance_python_says_what_is_missing() -> None:
    with pytest.raises(TypeError) as caught:
        Sums.add()
    assert str(caught.value) == "Sums.add() missing 2 required positional arguments: 'self' and 'xs'"


def test_specs_that_fit_neither_way_are_refused_at_once() -> None:
    def define():
        class C:
            @autograph_lite.convert(input_signature=[FLOATS])
            def f(self, x, y):
                return x

        return C

    with pytest.raises(TypeError) as caught:
        define()
    assert str(caught.value) == "input_signature has no spec for the parameter 'x', which has no default."
