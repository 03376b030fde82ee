"""State that Python computes while a function is traced, `self.x = self.x + self.v`, goes on from call to call as in Python."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autograph_lite import MutationError, convert


class Simulator:
    def __init__(self, xp: Any = np) -> None:
        self.x, self.v = xp.zeros(2, xp.float32), xp.ones(2, xp.float32)
        self.held = {"x": xp.ones(2, xp.float32)}
        self.rows = [xp.ones(2, xp.float32), xp.zeros(2, xp.float32)]
        self.pair = xp.ones(2, xp.float32), xp.zeros(2, xp.float32)
        self.number = np.float32(1)
        self.ring, self.at = np.zeros(3, np.float32), np.array(0)


def moves(s, dt):
    s.x = s.x + s.v
    return s.x * dt


def takes_no_time(s, dt):
    s.x = s.x + s.v * np.float32(0.5)


def moves_three_times(s, dt):
    for _ in range(3):
        s.x = s.x + s.v
    s.v = s.v * np.float32(0.5)
    return s.x


def items_of_a_dict(s, dt):
    s.held["x"] = s.held["x"] * 2
    return s.held["x"] + dt


def items_of_a_list(s, dt):
    s.rows[0] = s.rows[0] + 1
    s.rows[1] = s.rows[0] * 2
    return s.rows[1] * dt


def swapped(s, dt):
    s.x, s.v = s.v, s.x + 1
    return s.x * dt


def a_number_of_numpys(s, dt):
    s.number = s.number + np.float32(1)
    return s.number * dt


def a_ring(s, dt):
    s.ring[s.at] = dt
    s.at = (s.at + 1) % 3
    return s.ring.sum()


def a_new_list(s, dt):
    s.rows = [row + 1 for row in s.rows]
    return s.rows[0] * dt


def a_new_tuple(s, dt):
    s.pair = (s.pair[0] * 2, s.pair[1])
    return s.pair[0] + dt


def a_new_key(s, dt):
    s.held["y"] = s.held["x"] + 1
    s.held["x"] = s.held["y"] * 2
    return s.held["x"] * dt


def a_new_key_of_what_is_traced(s, dt):
    s.held["y"] = s.held["x"] + dt
    s.held["x"] = s.held["y"] * 2
    return s.held["x"] * dt


def in_place(s, dt):
    s.x += s.v
    return s.x * dt


ALL = [
    moves,
    takes_no_time,
    moves_three_times,
    items_of_a_dict,
    items_of_a_list,
    swapped,
    a_new_list,
    a_new_tuple,
    a_new_key,
    a_new_key_of_what_is_traced,
    a_number_of_numpys,
    a_ring,
    in_place,
]


def values(result: Any, s: Any) -> list[Any]:
    return [np.asarray(each) for each in jax.tree.leaves((result, vars(s)))]


@pytest.mark.parametrize("function", ALL, ids=lambda function: function.__name__)
def test_each_call_goes_on_from_the_one_before(function: Any) -> None:
    ours, theirs, converted = Simulator(), Simulator(), convert(function)
    for k in range(5):
        found = converted(ours, np.float32(k + 0.5)), ours
        for one, other in zip(
            values(*found), values(function(theirs, np.float32(k + 0.5)), theirs), strict=True
        ):
            np.testing.assert_allclose(one, other)


@pytest.mark.parametrize("function", ALL[:10], ids=lambda function: function.__name__)
def test_so_do_arrays_of_jax(function: Any) -> None:
    ours, theirs, converted = Simulator(jnp), Simulator(jnp), convert(function)
    for k in range(4):
        found = converted(ours, jnp.float32(k + 0.5)), ours
        for one, other in zip(
            values(*found), values(function(theirs, jnp.float32(k + 0.5)), theirs), strict=True
        ):
            np.testing.assert_allclose(one, other)


def test_it_is_traced_once_for_all_calls() -> None:
    s, converted = Simulator(), convert(moves)
    for _ in range(3):
        converted(s, np.float32(0.5))
    count = converted.trace_count
    for _ in range(5):
        converted(s, np.float32(0.5))
    assert converted.trace_count == count <= 2


def test_the_same_array_put_there_by_each_call_is_no_state() -> None:
    s = SimpleNamespace(grid=np.linspace(0, 1, 5, dtype=np.float32))

    @convert
    def f(x):
        s.grid = np.linspace(0, 1, 5, dtype=np.float32)
        return x * s.grid[: len(s.grid) - 1].sum()

    assert [float(f(np.float32(k))) for k in range(3)] == [0.0, 1.5, 3.0]
    assert type(s.grid) is np.ndarray
    assert f.trace_count == 1


class Buffers:
    x = np.zeros(3, np.float32)
    rows = [np.zeros(3, np.float32)]
    held = {"k": np.zeros(3, np.float32)}

    def clear(self) -> None:
        for each in (self.x, *self.rows, *self.held.values()):
            each[:] = 0


class More(Buffers):
    def count(self) -> int:
        return len(self.rows)


def class_by_numbers(v, n):
    x = Buffers.x
    x += 1
    return x + v


def class_by_both(v, n):
    x = More.x
    x += 1
    x *= v
    return x + 0


def class_in_a_loop(v, n):
    x = Buffers.rows[0]
    for k in range(n):
        x[k % 3] += 1
    return x + 0


def class_by_an_instance(v, n):
    Buffers().held["k"] += 1
    x = More().rows[0]
    x += v
    return x * Buffers.held["k"]


@pytest.mark.parametrize(
    "function",
    [class_by_numbers, class_by_both, class_in_a_loop, class_by_an_instance],
    ids=lambda function: function.__name__,
)
def test_arrays_that_classes_hold_are_written_in_each_call(function: Any) -> None:
    def run(called: Any, number: Any) -> list[Any]:
        Buffers().clear()
        results = [np.array(called(np.float32(k + 0.5), number(3 - k % 2))) for k in range(3)]
        return [*results, Buffers.x.copy(), Buffers.rows[0].copy(), Buffers.held["k"].copy()]

    wanted = run(function, int)
    for one, other in zip(run(convert(function), np.int32), wanted, strict=True):
        np.testing.assert_allclose(one, other)


class Named:
    """Equal to those of the same name."""

    def __init__(self, value: float) -> None:
        self.v = np.full(2, value, np.float32)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Named)

    def __hash__(self) -> int:
        return 1


def test_equal_objects_whose_arrays_are_written_are_told_apart() -> None:
    @convert
    def f(e, x):
        e.v[0] += x

    one, other = Named(1), Named(2)
    for each in (one, other, one, other):
        f(each, np.float32(1))
    np.testing.assert_array_equal(one.v, [3, 1])
    np.testing.assert_array_equal(other.v, [4, 2])


def test_whose_arrays_they_are_decides_where_another_name_is_changed_in_place() -> None:
    def f(x, n):
        o = x * 1
        q = o
        for k in range(n):
            q += x * k
        return o

    converted = convert(f)
    for x in (np.ones(2, np.float32), jnp.ones(2), np.ones(2, np.float32)):
        np.testing.assert_allclose(converted(x, np.int32(3)), f(x, 3))


def test_a_change_that_nothing_reads_is_refused_of_arrays_of_jax_also_after_numpys() -> None:
    @convert
    def f(x):
        t = x * 2
        u = t
        u += 1
        return t

    np.testing.assert_allclose(f(np.ones(2, np.float32)), 3)
    with pytest.raises(MutationError, match="nothing in the function reads it afterwards"):
        f(jnp.ones(2))
