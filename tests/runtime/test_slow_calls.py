"""Are calls right where this JAX lacks what calls in C++ need, and the policy looks at each of them?"""

from __future__ import annotations

import dataclasses

import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al
from autograph_lite.jax_internals import cpp_registry
from autograph_lite.runtime.dispatch.cpp_dispatch import SlowDispatch

X = jnp.float32(2)


@pytest.fixture(autouse=True)
def without_fast_calls(monkeypatch):
    monkeypatch.setattr(cpp_registry, "works", lambda: False)


def scaled(x, n=1, *, by="sum"):
    for _ in range(n):
        x = x * 2 if x > 0 else x - 1
    return {by: x, "n": n}


def test_literals_and_keywords_choose_the_program():
    f = al.convert(scaled)
    assert isinstance(f._dispatch, SlowDispatch)
    for _ in range(2):
        for args, kwargs in [
            ((X,), {}), ((-X, 1), {}), ((X,), {"n": 1}), ((X, 3), {"by": "k"}), ((), {"by": "k", "x": -X, "n": 3})
        ]:  # fmt: skip
            assert f(*args, **kwargs) == scaled(*args, **kwargs)
    assert f.trace_count == 2
    assert [type(f(X, n)["n"]) for n in (1, True)] == [int, bool]
    assert f.trace_count == 3


def test_dtypes_shapes_and_structures_choose_the_program():
    f = al.convert(lambda tree, *rest: tree["w"].sum() + sum(rest))
    for _ in range(2):
        assert f({"w": jnp.ones(2)}) == 2
        assert f({"w": np.ones(3, np.int32), "b": X}) == 3
        assert f({"b": -X, "w": np.ones(3, np.int32)}) == 3
        assert f({"w": jnp.ones(2)}, X, 1) == 5
    assert f.trace_count == 3


class Counter:
    def __init__(self, k):
        self.k, self.count = k, al.Variable(0)

    @al.convert
    def add(self, x, n=1):
        self.count.assign_add(n)
        return x * self.k

    @classmethod
    @al.convert
    def name(cls, x):
        return cls.__name__, x


def test_methods_have_traces_by_instance_and_update_variables():
    one, two = Counter(2), Counter(jnp.float32(3))
    for _ in range(3):
        assert [float(one.add(X)), float(two.add(x=X, n=2)), Counter.name(X)] == [4, 6, ("Counter", 2)]
    assert [one.count.value, two.count.value] == [3, 6]
    assert (one.add.trace_count, two.add.trace_count) == (1, 1)
    one.k = 5
    assert float(al.convert(lambda c, x: c.add(x))(one, X)) == 10
    assert one.count.value == 4


@dataclasses.dataclass
class Point:
    x: float
    path: list

    @al.convert
    def move(self, by):
        self.x = self.x + by
        self.path.append(self.x)
        if by > 1:
            self.x = self.x * 2
        return self.x


def test_what_a_call_changes_in_its_objects_is_written_back():
    point = Point(1.0, [])
    assert [float(point.move(X)), float(point.move(-X)), float(point.move(X))] == [6, 4, 12]
    assert (float(point.x), [float(x) for x in point.path]) == (12, [3, 4, 6])


def test_a_call_that_does_not_fit_or_raises_says_what_it_says_in_python():
    @al.convert
    def checked(x, *, k=1):
        if x < 0:
            raise ValueError(f"{x} is negative")
        return x + k

    assert [checked(X, k=3), checked(X)] == [5, 3]
    for _ in range(2):
        with pytest.raises(ValueError) as raised:
            checked(-X)
        assert str(raised.value) == "-2.0 is negative"
        with pytest.raises(TypeError) as misfit:
            checked(X, 3)
        assert "takes 1 positional argument but 2 were given" in str(misfit.value)


def test_a_call_inside_of_another_is_part_of_its_trace_and_a_cleared_function_is_traced_again():
    inner = al.convert(scaled)
    outer = al.convert(lambda x: inner(x, 2)["sum"] + 1)
    assert [outer(X), outer(X), inner(X, 2)["sum"]] == [9, 9, 8]
    assert (outer.trace_count, inner.trace_count) == (1, 1)
    inner.clear_cache()
    assert (inner(X, 2)["sum"], inner.trace_count) == (8, 2)
