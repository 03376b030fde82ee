"""Does a program make the checks that Python makes by itself: indices, unassigned variables, a step of 0?"""

from __future__ import annotations

import jax.numpy as jnp
import pytest

import autograph_lite

from .outcomes import outcome, raised


@pytest.mark.parametrize("i", [-4, -3, -1, 0, 2, 3])
def test_index_of_a_list(i: int) -> None:
    def f(i):
        items = [10, 20, 30]
        return items[i]

    assert outcome(autograph_lite.convert(f), jnp.int32(i)) == outcome(f, i)


@pytest.mark.parametrize("i", [-4, 0, 3])
def test_index_of_a_tuple(i: int) -> None:
    def f(i):
        return (10, 20, 30)[i]

    assert outcome(autograph_lite.convert(f), jnp.int32(i)) == outcome(f, i)


@pytest.mark.parametrize("i", [-4, 0, 3])
def test_index_of_a_list_that_is_written(i: int) -> None:
    def f(i):
        items = [10, 20, 30]
        items[i] = 5
        return items[0] + items[2]

    assert outcome(autograph_lite.convert(f), jnp.int32(i)) == outcome(f, i)


@pytest.mark.parametrize("step", [-1, 0, 3])
def test_step_of_a_range(step: int) -> None:
    def f(step):
        total = 0
        for i in range(0, 10, step):
            total += i
        return total

    assert outcome(autograph_lite.convert(f), jnp.int32(step)) == outcome(f, step)


@pytest.mark.parametrize("n", [0, 3])
def test_a_variable_of_a_loop_that_did_not_run(n: int) -> None:
    def f(n):
        for i in range(n):
            last = i
        return last

    converted = autograph_lite.convert(f)
    if n:
        assert converted(jnp.int32(n)) == f(n)
    else:
        error = raised(autograph_lite.UndefinedVariableError, converted, jnp.int32(n))
        assert isinstance(error, UnboundLocalError)


def test_a_loop_that_did_not_run_is_no_error_where_its_variable_is_not_used() -> None:
    def f(n, k):
        for i in range(n):
            last = i
        if n > 0:
            k = k + last
        return k

    assert autograph_lite.convert(f)(jnp.int32(0), jnp.int32(7)) == 7
    assert autograph_lite.convert(f)(jnp.int32(3), jnp.int32(7)) == 9
