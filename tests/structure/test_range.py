"""Does `autograph_lite.range` stage one loop, with any bounds, and say what is wrong with others?"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite


def visited(start, stop, step):
    seen = jnp.zeros(8, jnp.int32)
    count = jnp.asarray(0)
    for i in autograph_lite.range(start, stop, step):
        seen = seen.at[count].set(i)
        count = count + 1
    return seen, count


@pytest.mark.parametrize(
    "bounds", [(0, 5, 1), (5, 0, -2), (-3, 4, 3), (4, 4, 1), (3, 0, 1), (0, 3, -1), (2, 3, 9)]
)
@pytest.mark.parametrize("traced", [False, True])
def test_it_visits_what_pythons_range_does(bounds: tuple[int, int, int], traced: bool) -> None:
    arguments: Any = tuple(map(np.int32, bounds)) if traced else bounds
    seen, count = autograph_lite.convert(visited)(*arguments)
    assert seen.tolist()[: int(count)] == [*range(*bounds)]


def test_a_loop_over_static_bounds_is_one_loop() -> None:
    def f(x):
        for i in autograph_lite.range(1000):
            x = x + i
        return x

    assert str(jax.make_jaxpr(autograph_lite.to_graph(f))(1.0)).count("scan[") == 1


def test_a_traced_bound_may_be_of_any_integer_type() -> None:
    @autograph_lite.convert
    def f(n):
        total = 0
        for i in autograph_lite.range(n):
            total += i
        return total

    bounds = [np.bool_(True), np.uint8(5), np.int8(5), np.int32(5)]
    assert [int(f(n)) for n in bounds] == [0, 10, 10, 10]


def test_a_step_of_zero_is_pythons_error() -> None:
    @autograph_lite.convert
    def f(x):
        for i in autograph_lite.range(0, 5, 0):
            x = x + i
        return x

    with pytest.raises(ValueError, match=r"^range\(\) arg 3 must not be zero"):
        f(np.float32(1))


@pytest.mark.parametrize("make", [range, autograph_lite.range], ids=["builtin", "ours"])
def test_a_traced_step_of_zero_is_pythons_error_when_the_program_runs(make: Any) -> None:
    @autograph_lite.convert
    def f(x, step):
        for i in make(0, 5, step):
            x = x + i
        return x

    assert float(f(np.float32(1), np.int32(2))) == 7.0
    with pytest.raises(ValueError, match=r"^range\(\) arg 3 must not be zero"):
        f(np.float32(1), np.int32(0))


@pytest.mark.parametrize("make", [range, autograph_lite.range], ids=["builtin", "ours"])
def test_several_numbers_are_no_bound(make: Any) -> None:
    @autograph_lite.convert
    def f(x, n):
        for i in make(n):
            x = x + i
        return x

    line = f.python_function.__code__.co_firstlineno + 2
    with pytest.raises(autograph_lite.IterationError) as caught:
        f(np.float32(1), np.arange(3, dtype=np.int32))
    assert str(caught.value).split("\n--------")[0] == (
        "range() takes integers; a bound is int32[3].\n"
        f"  {__file__}:{line} in f\n"
        "      for i in make(n):\n"
        "  The number of iterations is one integer for the whole loop.\n"
        "  Fix: take one of its items, or its size: len(array)."
    )


def test_a_float_is_no_bound() -> None:
    @autograph_lite.convert
    def f(x):
        for i in autograph_lite.range(x):
            x = x + i
        return x

    line = f.python_function.__code__.co_firstlineno + 2
    with pytest.raises(autograph_lite.IterationError) as caught:
        f(np.float32(3))
    assert str(caught.value).split("\n--------")[0] == (
        "range() takes integers; a bound is float32[].\n"
        f"  {__file__}:{line} in f\n"
        "      for i in autograph_lite.range(x):\n"
        "  The number of iterations is one integer for the whole loop.\n"
        "  Fix: convert it: int(bound)."
    )
