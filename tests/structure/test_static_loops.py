"""Does `static_loops="stage"` trace a loop that Python knows once, and give the same values?"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest

import autograph_lite


def loops(x, n=10, names=("a", "bc")):
    total = 0.0
    for i in range(n):
        if x > i:
            total += x * i
        elif i == 7:
            break
    for v in [1, 2, 3]:
        total += v
    for v in (x, x + 1):
        total += v
    for name in names:
        total += len(name)
    for i in range(0):
        total += 5
    return total


@pytest.mark.parametrize("x", [2.0, 20.0])
def test_the_values_are_the_same(x: float) -> None:
    staged = autograph_lite.to_graph(loops, static_loops="stage")
    for run in (staged, jax.jit(staged), autograph_lite.convert(loops, static_loops="stage")):
        assert float(run(jnp.float32(x))) == loops(x)


def test_the_program_does_not_grow_with_the_loop() -> None:
    def size(n: int, **options: str) -> int:
        converted = autograph_lite.to_graph(loops, **options)  # type: ignore[arg-type]
        return len(jax.make_jaxpr(lambda x: converted(x, n))(2.0).eqns)

    assert size(10, static_loops="stage") == size(100, static_loops="stage")
    assert size(100) > 2 * size(10)


def test_it_is_an_option_of_the_decorator() -> None:
    @autograph_lite.convert(static_loops="stage")
    def f(x):
        for i in range(5):
            x = x + i
        return x

    assert float(f(jnp.float32(1))) == 11.0
