"""What does `iter(from_slices(...))` give? An iterator from which each execution of a program takes further slices."""

from __future__ import annotations

import collections
import copy
import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from autograph_lite import from_slices


def test_the_guides_iterator_as_an_argument(capsys: pytest.CaptureFixture[str]) -> None:
    @autograph_lite.convert
    def good_consume_next(iterator):
        autograph_lite.print("Value:", next(iterator))

    iterator = iter(from_slices([1, 2, 3]))
    for _ in range(3):
        good_consume_next(iterator)
    jax.effects_barrier()
    assert capsys.readouterr().out == "Value: 1\nValue: 2\nValue: 3\n"


def test_the_guides_iterator_from_around_the_function(capsys: pytest.CaptureFixture[str]) -> None:
    iterator = iter(from_slices([1, 2, 3]))

    @autograph_lite.convert
    def good_consume_next():
        autograph_lite.print("Value:", next(iterator))

    for _ in range(3):
        good_consume_next()
    jax.effects_barrier()
    assert capsys.readouterr().out == "Value: 1\nValue: 2\nValue: 3\n"


def test_each_execution_takes_further_slices_and_the_end_is_stop_iteration() -> None:
    traced = []
    it = iter(from_slices((jnp.arange(3), jnp.arange(3.0))))

    @autograph_lite.convert
    def f(x):
        traced.append(1)
        k, y = next(it)
        return x * y + k

    assert [float(f(jnp.float32(10))) for _ in range(3)] == [0, 11, 22]
    for _ in range(2):
        with pytest.raises(StopIteration):
            f(jnp.float32(10))
    assert it.position.value == 3
    assert len(traced) <= 2


def test_a_default_at_the_end() -> None:
    it = iter(from_slices(jnp.arange(2.0)))
    f = autograph_lite.convert(lambda: next(it, -1.0))
    assert [float(f()) for _ in range(4)] == [0, 1, -1, -1]
    assert next(it, "end") == "end"


def test_python_and_a_program_take_turns() -> None:
    it = iter(from_slices(jnp.arange(4)))
    f = autograph_lite.convert(lambda: next(it) + 100)
    assert [int(next(it)), int(f()), int(next(it)), int(f())] == [0, 101, 2, 103]
    with pytest.raises(StopIteration):
        next(it)


def test_it_is_taken_from_in_a_staged_loop_and_branch() -> None:
    it = iter(from_slices(jnp.arange(10)))

    @autograph_lite.convert
    def f(n):
        total = 0
        for _ in range(n):
            total += next(it)
        if n > 2:
            total += 100 * next(it)
        return total

    assert f(jnp.int32(2)) == 0 + 1
    assert f(jnp.int32(3)) == 2 + 3 + 4 + 100 * 5
    assert next(it) == 6


def test_a_loop_over_it_goes_on_where_it_is() -> None:
    it = iter(from_slices(jnp.arange(6)))

    @autograph_lite.convert
    def until(limit):
        total = 0
        for x in it:
            total += x
            if x >= limit:
                break
        return total

    assert until(jnp.int32(1)) == 0 + 1
    assert until(jnp.int32(3)) == 2 + 3
    assert until(jnp.int32(100)) == 4 + 5
    assert until(jnp.int32(100)) == 0


def test_python_loops_over_it() -> None:
    it = iter(from_slices(np.arange(4)))
    assert int(next(it)) == 0
    assert [int(x) for x in it] == [1, 2, 3]
    assert iter(it) is it
    assert repr(it) == "iter(from_slices(int32[4]))"


def test_one_made_in_the_function_starts_anew_at_each_execution() -> None:
    @autograph_lite.convert
    def f(xs):
        it = iter(from_slices(xs))
        return next(it) + 10 * next(it)

    assert f(jnp.arange(1.0, 4.0)) == 21
    assert f(jnp.arange(2.0, 5.0)) == 32


def test_another_iterator_of_its_kind_uses_its_trace() -> None:
    traced = []

    @autograph_lite.convert
    def take(it):
        traced.append(1)
        return next(it)

    first, second = iter(from_slices(jnp.arange(3))), iter(from_slices(jnp.arange(10, 13)))
    assert [int(take(it)) for it in (first, second, first, second)] == [0, 10, 1, 11]
    assert len(traced) <= 2


def test_a_copy_has_a_position_of_its_own() -> None:
    it = iter(from_slices(jnp.arange(3)))
    next(it)
    other = copy.deepcopy(it)
    assert (int(next(it)), int(next(it)), int(next(other))) == (1, 2, 1)


def test_without_slices() -> None:
    it = iter(from_slices(jnp.zeros(0)))
    with pytest.raises(StopIteration):
        autograph_lite.convert(lambda x: next(it) + x)(jnp.float32(1))
    assert autograph_lite.convert(lambda x: next(it, x))(jnp.float32(1)) == 1


def test_an_except_catches_the_end() -> None:
    it = iter(from_slices(jnp.arange(3)))

    @autograph_lite.convert
    def f(x):
        try:
            x = next(it)
        except StopIteration:
            x = -x
        return x

    assert [int(f(jnp.int32(5))) for _ in range(5)] == [0, 1, 2, -5, -5]


@pytest.mark.parametrize("kind", [list, tuple, sorted, collections.deque])
def test_a_list_or_tuple_of_what_is_left(kind) -> None:
    it = iter(from_slices(jnp.arange(5)))
    next(it)
    f = autograph_lite.convert(lambda: sum(kind(it)))
    assert [int(f()), int(f())] == [1 + 2 + 3 + 4, 0]
    assert it.position.value == 5


def _unpacked(it):
    first, *others = it
    return first + len(others)


@pytest.mark.parametrize(
    "take",
    [_unpacked, lambda it: [*it], lambda it: max(*it), lambda it: [].extend(it)],
    ids=["unpacked", "display", "arguments", "extend"],
)
def test_where_python_takes_all_items_it_is_told_that_it_can_not(take) -> None:
    it = iter(from_slices(jnp.arange(5)))
    f = autograph_lite.convert(lambda: take(it))
    for _ in range(2):
        with pytest.raises(autograph_lite.IterationError) as caught:
            f()
    assert str(caught.value).startswith("Python takes all items of iter(from_slices(int32[5])).")
    assert "use a `for` loop" in str(caught.value)
    assert next(it) == 0


def test_python_takes_some_items_in_each_trace() -> None:
    it = iter(from_slices(jnp.arange(8)))
    f = autograph_lite.convert(lambda n: sum(itertools.islice(it, 2)) + n)
    assert [int(f(n)) for n in (0, 0, 100, 200)] == [0 + 1, 2 + 3, 104 + 5, 206 + 7]
