"""Which instance does a method run on, and what keeps what alive?"""

from __future__ import annotations

import gc
import weakref
from typing import Any

import jax.numpy as jnp
import pytest

import autograph_lite

from .probe import C, Probe, ran
from .rows import LIVE, deviates

IDENTITY = "two equal instances may hold different things, and a trace has read them from one"


@pytest.fixture
def Counter() -> Any:
    class Counter:
        def __init__(self, k: Any = 1) -> None:
            self.k = k

        @autograph_lite.convert
        def f(self, x):
            ran()
            return x + self.k

    return Counter


def test_R59_a_bound_method(Counter: Any) -> None:
    f = Probe(Counter().f)

    assert f(C(1)) == "1/1"
    assert (f(C(2)), f.value) == ("1/1", 3)


def test_R60_each_instance_has_traces_of_its_own(Counter: Any) -> None:
    a, b = Counter(), Counter(5)
    a.f(C(1))

    assert (Probe(b.f)(C(1)), b.f(C(1))) == ("1/2", 6)
    assert a.f == a.f
    assert a.f != b.f
    assert Counter.f.trace_count == 0


@deviates("the value of the call, after one more trace: it is an input from then on", why=LIVE)
def test_R61_an_attribute_of_self_that_python_changes(Counter: Any) -> None:
    a = Counter()
    f = Probe(a.f)
    f(C(1))

    a.k = 100

    assert (f(C(1)), f.value) == ("2/2", 101)
    a.k = 200
    assert (f(C(1)), f.value) == ("2/2", 201)


@deviates(
    "1, 1, 2 runs, with traces of the class's function",
    why="Python's count includes no other instance's here",
)
def test_R62_a_method_that_is_called_by_its_class(Counter: Any) -> None:
    a, b = Counter(), Counter(5)
    f = Probe(Counter.f)

    assert f(a, C(1)) == "1/1"
    assert f(a, C(1)) == "1/1"
    assert (f(b, C(1)), f.value) == ("2/2", 6)


@deviates("works: 1, 1, 2", why="identity needs no hash")
def test_R63_an_instance_without_a_hash(Counter: Any) -> None:
    class Unhashable(Counter):
        __hash__ = None  # type: ignore[assignment]

        def __eq__(self, other: object) -> bool:
            return True

    a, b = Unhashable(1), Unhashable(2)

    assert (a.f(C(1)), a.f(C(2)), b.f(C(1))) == (2, 3, 3)
    assert (a.f.trace_count, b.f.trace_count) == (1, 1)


@deviates(
    "works, and the traces hold the instance",
    why="what can't be referenced weakly is held, 256 at most of a method",
)
def test_R64_an_instance_with_slots(Equal: Any) -> None:
    class Slotted:
        __slots__ = ("k",)

        def __init__(self, k: int) -> None:
            self.k = k

        @autograph_lite.convert
        def f(self, x):
            return x + self.k

    a, b = Slotted(1), Slotted(2)

    assert (a.f(C(1)), b.f(C(1)), a.f(C(1))) == (2, 3, 2)
    assert (a.f.trace_count, b.f.trace_count) == (1, 1)


@pytest.fixture
def Equal() -> Any:
    class Equal:
        def __init__(self, w: Any) -> None:
            self.w = w

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Equal)

        def __hash__(self) -> int:
            return 1

        @autograph_lite.convert
        def f(self):
            ran()
            return jnp.int32(self.w)

    return Equal


@deviates("they have two", why=IDENTITY)
def test_R65_equal_instances_do_not_share_the_function(Equal: Any) -> None:
    one, two = Equal(10), Equal(20)

    assert one == two
    assert one.f != two.f


@deviates("10 and 20", why=IDENTITY)
def test_R79_equal_instances_run_on_themselves(Equal: Any) -> None:
    one, two = Equal(10), Equal(20)

    assert (one.f(), two.f(), one.f()) == (10, 20, 10)


def test_R66_a_static_method() -> None:
    class Static:
        @staticmethod
        @autograph_lite.convert
        def s(x):
            ran()
            return x + 1

    assert Probe(Static.s)(C(1)) == "1/1"
    assert Probe(Static().s)(C(1)) == "1/1"


def test_R67_a_class_method() -> None:
    class Class:
        k = 3

        @autograph_lite.convert
        @classmethod
        def c(cls, x):
            return x + cls.k

    assert (Class.c(C(1)), Class().c(C(2))) == (4, 5)
    assert Class.c.trace_count == 1


def test_R68_an_instance_goes_with_its_traces(Counter: Any) -> None:
    a = Counter()
    a.f(C(1))
    gone = weakref.ref(a)

    del a
    gc.collect()

    assert gone() is None


@deviates(
    "the bound function holds its instance, and works",
    why="so does a bound method of Python's: `obj.method` outlives `obj`",
)
def test_R69_a_bound_function_that_is_called_after_its_instance_went(Counter: Any) -> None:
    a = Counter()
    f = Probe(a.f)
    f(C(1))

    del a
    gc.collect()

    assert (f(C(1)), f.value) == ("1/1", 2)
    assert (f(C(1.0)), f.value) == ("2/2", 2)
