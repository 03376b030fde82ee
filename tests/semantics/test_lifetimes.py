"""What keeps an object alive that a trace has written to or returned, and whom is it taken for? Nothing, and nobody else."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import jax.numpy as jnp
import pytest

import autograph_lite

from .probe import C, ran


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


def test_an_instance_that_its_method_writes_to_goes_too(Counter: Any) -> None:
    class Writing:
        def __init__(self) -> None:
            self.total = jnp.float32(0)
            self.inner = Counter()

        @autograph_lite.convert
        def add(self, x):
            self.total = self.total + x
            self.inner.k = self.inner.k + x
            return self.total

    a = Writing()
    assert (a.add(C(1.0)), a.add(C(2.0)), a.inner.k) == (1, 3, 4)
    gone = weakref.ref(a), weakref.ref(a.inner)

    del a
    gc.collect()

    assert [each() for each in gone] == [None, None]


def test_an_argument_that_is_written_to_goes_too(Counter: Any) -> None:
    @autograph_lite.convert
    def add(account: Any, x):
        account.k = account.k + x

    a = Counter()
    add(a, C(1.0))
    add(a, C(1.0))
    assert (a.k, len(add.concrete_functions)) == (3, 1)
    gone = weakref.ref(a)

    del a
    gc.collect()

    assert gone() is None
    assert len(add.concrete_functions) == 0


def test_equal_objects_that_are_written_to_are_two(Equal: Any) -> None:
    @autograph_lite.convert
    def add(account: Any, x):
        account.w = account.w + x

    one, two = Equal(10), Equal(20)
    for _ in range(2):
        add(one, C(1))
        add(two, C(2))

    assert (one.w, two.w) == (12, 24)


def test_an_object_that_is_returned_goes_too_and_is_not_taken_for_an_equal_one(Equal: Any) -> None:
    @autograph_lite.convert
    def same(account: Any, x):
        return account, x + 1

    one, two = Equal(10), Equal(20)
    assert same(one, C(1))[0] is one
    assert same(two, C(1))[0] is two
    assert same(one, C(1))[0] is one
    gone = weakref.ref(one)

    del one
    gc.collect()

    assert gone() is None
