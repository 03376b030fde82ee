"""Are the methods that Python calls converted while tracing, and the user's classes as they were afterwards?"""

from __future__ import annotations

import functools
import gc

import jax
import jax.numpy as jnp
import pytest

import autograph_lite as al
from autograph_lite import MutationError
from tests.operators.agreement import agree


class Point:
    def __init__(self, x):
        self.x = x
        self.asked = 0

    @functools.cached_property
    def size(self):
        self.asked += 1
        return self.x if self.x > 0 else -self.x

    @property
    def sign(self):
        return 1.0 if self.x > 0 else -1.0

    def __contains__(self, value):
        return value == self.x

    def __enter__(self):
        self.x = self.x + 1 if self.x > 0 else self.x - 1
        return self

    def __exit__(self, *error):
        self.x = 0.0

    def away(self):
        return self.x if self.x > 0 else -self.x


@functools.total_ordering
class Ordered:
    def __init__(self, x):
        self.x = x

    def __eq__(self, other):
        return self.x == other.x

    def __lt__(self, other):
        return self.x < other.x


def test_cached_property_is_computed_once():
    def f(x):
        point = Point(x)
        return point.size + point.size, point.asked

    agree(f, 3.0, -3.0)


def test_cached_property_made_on_one_path_leaves_no_tracer():
    point = Point(2.0)

    @al.convert
    def f(x):
        y = 0.0
        if x > 0:
            y = point.size * x
        return y

    with pytest.raises(MutationError, match="inside of a staged statement, where 'self.asked' is changed"):
        f(jnp.float32(3))
    assert vars(point) == {"x": 2.0, "asked": 0}


def test_total_ordering():
    agree(lambda x: x if Ordered(x) >= Ordered(1.0) else 0.0, 3.0, 1.0, -3.0)


def test_user_contains_answers_a_traced_value():
    agree(lambda x: 1.0 if x in Point(3.0) else 0.0, 3.0, -3.0)


def test_property_of_an_object_of_the_enclosing_function():
    point = Point(2.0)

    @al.convert
    def f(x):
        point.x = x
        return point.sign

    assert [float(f(jnp.float32(x))) for x in (3, -3)] == [1.0, -1.0]


def test_context_manager_of_the_enclosing_function():
    point = Point(2.0)

    @al.convert
    def f(x):
        point.x = x
        with point as entered:
            y = entered.x
        return y, point.x

    assert [tuple(map(float, f(jnp.float32(x)))) for x in (3, -3)] == [(4.0, 0.0), (-4.0, 0.0)]


def test_classes_are_given_back_after_success_and_failure():
    before = dict(vars(Point))

    def fails(x):
        Point(x).away()
        raise KeyError("always")

    for run in (lambda x: Point(x).away(), fails):
        for transform in (al.convert, lambda f: jax.jit(al.to_graph(f)), lambda f: jax.grad(al.to_graph(f))):
            try:
                transform(run)(jnp.float32(3))
            except KeyError:
                continue
    gc.collect()
    assert {name: value for name, value in vars(Point).items() if before.get(name) is not value} == {}


def test_garbage_of_a_failed_trace_does_not_unconvert_the_next():
    def fails(x):
        Point(x).away()
        return {}["a"]

    def f(x):
        point = Point(x)
        gc.collect()
        return point.away()

    with pytest.raises(KeyError):
        jax.jit(al.to_graph(fails))(jnp.float32(3))
    assert float(jax.jit(al.to_graph(f))(jnp.float32(-3))) == 3.0


def test_a_method_that_the_program_replaces_stays_replaced():
    class Local:
        def m(self):
            return 1.0

    def new(self):
        return 2.0

    def f(x):
        before = Local().m()
        Local.m = new
        return x + before + Local().m()

    assert float(al.convert(f)(jnp.float32(0))) == 3.0
    assert Local.m is new


def test_a_metaclass_does_not_see_the_replacement():
    written = []

    class Meta(type):
        def __setattr__(cls, name, value):
            written.append(name)
            super().__setattr__(name, value)

    class Local(metaclass=Meta):
        def m(self, x):
            return x if x > 0 else -x

    assert float(al.convert(lambda x: Local().m(x))(jnp.float32(-2))) == 2.0
    assert written == []


class Absolute:
    """A descriptor whose methods decide on the value."""

    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, instance, owner=None):
        value = getattr(instance, self.name)
        return value if value < 10 else 10.0

    def __set__(self, instance, value):
        setattr(instance, self.name, value if value > 0 else -value)


class Measured:
    size = Absolute()


def test_descriptors_of_the_user():
    def f(x):
        measured = Measured()
        measured.size = x
        total = 0.0
        for _ in range(3):
            if x < 5:
                measured.size = measured.size - 2
            total += measured.size
        return total

    for value in (3.0, -4.0, 12.0):
        for run in (al.convert(f), jax.jit(al.to_graph(f))):
            assert float(run(jnp.float32(value))) == f(value)
