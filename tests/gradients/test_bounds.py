"""Is it known how often a loop runs at most where that follows from numbers that count, and is its gradient cheaper then?"""

from __future__ import annotations

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autograph_lite import convert


def triangular(x):
    for i in range(9):
        for j in range(i):
            x = jnp.sin(x) + j
    return x


def above_the_diagonal(x):
    for i in range(9):
        for j in range(i + 2, 9):
            x = jnp.sin(x) + j
    return x


def in_steps(x):
    for i in range(9):
        for j in range(8, i, -3):
            x = jnp.sin(x) + j
    return x


def counting_down(x):
    for i in range(9):
        k = i
        while k >= 0 and x > -5:
            x = jnp.sin(x) + k
            k -= 2
    return x


def three_deep(x):
    for i in range(4):
        for j in range(i):
            for k in range(j, i):
                x = jnp.sin(x) + k
    return x


def until_it_has_settled(x):
    steps = 0
    while steps < 50 and abs(x - jnp.cos(x)) > 1e-4:
        x = jnp.cos(x)
        steps += 1
    return x


def near_the_largest_number(x):
    k = 2**31 - 5
    while k < 2**31 - 1:
        k += 2
        x = jnp.sin(x)
        if x > 0:
            break
    return x


def doubled(x):
    k = 1
    while k < 100:
        x = jnp.sin(x) + k
        k = 2 * k
        if x > 1000:
            k = 100
    return x


def left_before_it_counts(x):
    k = 0
    while k < 40:
        x = x * 0.9
        if x < 1:
            break
        k += 1
    return x


def returned_from(x):
    k = 40
    while k > 0:
        x = x * 0.9
        if x < 1:
            return x
        k -= 1
    return x * 2


def left_at_a_number(x):
    k = 3
    while True:
        x = x * 0.9
        k += 2
        if k == 25:
            break
        if x < 1:
            break
    return x


def left_past_a_number(x):
    k, change = 0, 1.0
    while change > 1e-6:
        if k >= 20:
            break
        new = jnp.cos(x)
        change, x = abs(new - x), new
        k += 1
    return x


def counts_to_zero(x):
    k = 12
    while k != 0 and x > 1:
        x = x * 0.9
        k -= 1
    return x


def past_zero(x):
    k = 12
    while k != 1 and x > 1:
        x = x * 0.9
        k -= 2
    return x


def counts_sometimes(x):
    k = 0
    while k < 40:
        x = x * 0.9
        if x < 1.5:
            k += 1
        if x < 1:
            break
    return x


def skips(x):
    k = 0
    while k < 40:
        k += 1
        x = x * 0.9
        if x > 1.5:
            continue
        if x < 1:
            break
        x = x * 0.9
    return x


BOUNDS = {
    left_before_it_counts: [40], returned_from: [40], left_at_a_number: [11], left_past_a_number: [21],
    counts_to_zero: [12], past_zero: [], counts_sometimes: [], skips: [40],
    triangular: [8], above_the_diagonal: [7], in_steps: [3], counting_down: [5], three_deep: [3, 3],
    until_it_has_settled: [50], near_the_largest_number: [], doubled: [],
}  # fmt: skip


def bounds_of_gradient(f) -> list[int]:
    """Those that are known in the loops of the forward run."""
    derivative = jax.make_jaxpr(lambda x: jax.jvp(f, (x,), (x,)))(2.0)
    return sorted(map(int, re.findall(r"bound=(\d+)", str(derivative))))


@pytest.mark.parametrize("plain", BOUNDS, ids=[f.__name__ for f in BOUNDS])
def test_the_bound_and_the_gradient(plain) -> None:
    f = convert(static_loops="stage")(plain)
    assert bounds_of_gradient(f) == BOUNDS[plain]
    assert jnp.allclose(jax.grad(f)(2.0), jax.grad(plain)(2.0), rtol=1e-5)


def test_the_bound_is_known_under_vmap() -> None:
    f = convert(until_it_has_settled)
    lanes = jnp.array([0.1, 0.73908, 2.0])
    assert bounds_of_gradient(lambda x: jax.vmap(f)(x + lanes)) == [50]
    wanted = [jax.grad(until_it_has_settled)(x) for x in lanes]
    for found in (jax.vmap(jax.grad(f))(lanes), jax.grad(lambda xs: jnp.sum(jax.vmap(f)(xs)))(lanes)):
        np.testing.assert_allclose(found, wanted, rtol=1e-5)


def test_the_gradient_of_a_loop_in_a_loop_keeps_no_states() -> None:
    def of_any_length(x, n):
        for i in range(9):
            for j in range(n):
                x = jnp.sin(x) + j
        return x

    def loops(f, *args) -> int:
        staged = convert(static_loops="stage")(f)
        return str(jax.make_jaxpr(jax.grad(staged))(*args)).count("while[")

    assert loops(triangular, 2.0) == 3  # forwards, forwards once more, and backwards
    assert loops(of_any_length, 2.0, 3) == 8
