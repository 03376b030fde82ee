"""Is a float of Python's in a loop that traced values end the double that it is in Python, in every iteration?"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite

STEPS = [0.1, 0.3, 0.07]


def both(x, dt):
    t, n = 0.0, 0
    while t < 1.0 and x < 1e3:
        x = x * 1.05 + 0.01
        t += dt
        n += 1
    return x, t, n


def either(x, dt):
    t, n = 0.0, 0
    while t < 2.1 or x < 1.2:
        x = x * 1.05 + 0.01
        t += dt
        n += 1
    return x, t, n


def neither(x, dt):
    t, n = 0.0, 0
    while not (x > 1e3 or t >= 1.0):
        x = x * 1.05
        t += dt
        n += 1
    return x, t, n


def between(x, dt):
    t, n = 2.1, 0
    while 0.0 < t <= 2.1 and x < 1e3:
        x = x * 1.05
        t -= dt
        n += 1
    return x, t, n


def breaks(x, dt):
    t, n = 0.0, 0
    while True:
        if t >= 1.0:
            break
        if x > 1e3:
            break
        x = x * 1.05
        t += dt
        n += 1
    return x, t, n


def returns(x, dt):
    t = 0.0
    while t < 2.1:
        if x > 1e3:
            return x, t, 0
        x = x * 1.05
        t += dt
    return x, t, 1


def continues(x, dt):
    t, n = 0.0, 0
    while t < 1.0 and x < 1e3:
        t += dt
        if x < 0.5:
            continue
        x = x * 1.05
        n += 1
    return x, t, n


def bisects(x, dt):
    lo, hi, n = 0.0, 2.0, 0
    while hi - lo > dt * 1e-7 and n < 60:
        mid = (lo + hi) / 2
        if mid * mid < x:
            lo = mid
        else:
            hi = mid
        n += 1
    return lo, hi, n


def halves(x, dt):
    t, n = 0.0, 0
    while t < 2.0 and x < 1e3:
        if t + dt > 1.0 and dt > 0.01:
            dt = dt / 2
        x = x + dt * x
        t += dt
        n += 1
    return x, t, n


def adapts(x, dt):
    t, n, rejected = 0.0, 0, 0
    while t < 2.0 and n < 500:
        if t + dt > 2.0:
            dt = 2.0 - t
        error = abs(dt * dt * x) / 2
        if error < 0.02:
            t += dt
            x = x - dt * x
            n += 1
            if error < 0.005:
                dt = dt * 1.5
        else:
            dt = dt * 0.5
            rejected += 1
    return x, t, n, rejected


def is_nested(x, dt):
    t, n = 0.0, 0
    while t < 2.1 and x < 1e3:
        end = t + 0.3
        while t < end and x < 1e3:
            x = x * 1.01
            t += dt
            n += 1
    return x, t, n


def halves_inside(x, dt):
    t, n = 0.0, 0
    while t < 1.0:
        while x * dt > 0.15:
            dt = dt / 2
        x = x + dt * x
        t += dt
        n += 1
    return x, t, n


def is_in_a_for(x, dt):
    t, n = 0.0, 0
    for k in range(20):
        s = 0.1 * k
        while s < 1.0 and x < 1e3:
            x = x * 1.001
            s += dt
            n += 1
        dt, t = dt * 0.9, t + s
    return x, t, n


def runs_over_floats(x, dt):
    t, n = 0.0, 0
    for h in [0.1, 0.2, 0.3, 0.05] * 10:
        s = 0.0
        while s < 1.0 and x < 1e3:
            s += h
            x = x * 1.0001
            n += 1
        t += s
    return x, t * dt, n


def leaves_a_for(x, dt):
    t, n = 0.0, 0
    for _ in range(60):
        if x > 2:
            dt = 0.05
        x = x * 1.05
        t += dt
        if t >= 1.0:
            break
        n += 1
    return x, t, n


def of_a_counter(x, dt):
    k = 0
    while (k + 1) * dt <= 2.1 and x < 1e3:
        x = x * 1.01
        k += 1
    return x, k * dt, k


def below_data(x, dt):
    t, n, end = 0.0, 0, x * 2
    while t < end:
        t += dt
        n += 1
    return x, t, n


def one_after_the_other(x, dt):
    t, n = 0.0, 0
    if x > 0.5:
        t = dt
    while t < 1.0 and x < 1e3:
        x = x * 1.01
        t += dt
        n += 1
    t = min(t + 0.05, 1.2)
    while t < 2.1 and x < 1e3:
        x = x * 1.01
        t += dt
        n += 1
    return x, t, n


def rounds(x, dt):
    t, n = 0.0, 0
    while t // 0.25 < 8 and x < 1e3:
        n += int(t / dt) + round(t / dt) + (t % 0.5 < 0.05)
        x = x * 1.01
        t += dt
    return x, t, n


def epsilon(x, dt):
    e, n = dt, 0
    while 1.0 + e > 1.0 and x < 1e3:
        e /= 2
        x = x * 1.001
        n += 1
    return x, e, n


class Clock:
    def __init__(self, now: float) -> None:
        self.now = now


def an_object(x, dt):
    clock, n = Clock(0.0), 0
    while clock.now < 1.0 and x < 1e3:
        x = x * 1.001
        clock.now += dt
        n += 1
    return x, clock.now, n


def tiny_and_large(x, dt):
    a, b, n = 1e-300, 1e30, 0
    while a < 1e-298 and b > dt and x < 1e3:
        a, b, x, n = a * 1.7, b / 3.0, x * 1.01, n + 1
    return x, b, n


def best(x, dt):
    least, n = math.inf, 0
    while least > dt and n < 50 and x < 1e3:
        least = min(least, 2.1 / (n + 1))
        x = x * 1.01
        n += 1
    return x, least, n


PROGRAMS: list[Callable[..., Any]] = [
    both, either, neither, between, breaks, returns, continues, bisects, halves, adapts, is_nested, halves_inside,
    is_in_a_for, runs_over_floats, leaves_a_for, of_a_counter, below_data, one_after_the_other, rounds, epsilon, an_object,
    tiny_and_large, best,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_loop_ends_where_pythons_does(program: Callable[..., Any]) -> None:
    ours = autograph_lite.convert(program)
    for dt in STEPS if program in (both, halves, of_a_counter) else STEPS[:1]:
        for x in (np.float32(1.0), np.float32(0.3)):
            x_after, t, *counts = ours(x, dt)
            python = program(x, dt)
            assert [int(each) for each in counts] == list(python[2:])
            np.testing.assert_allclose([x_after, t], python[:2], rtol=3e-6)


@pytest.mark.parametrize("program", [both, leaves_a_for, halves_inside])
def test_gradients_and_lanes(program: Callable[..., Any]) -> None:
    ours = autograph_lite.to_graph(program)
    python = [program(np.float32(x), 0.1)[2] for x in (0.3, 1.0)]
    xs = jnp.asarray([0.3, 1.0], jnp.float32)
    assert jax.vmap(lambda x: ours(x, 0.1)[2])(xs).tolist() == python
    reverse = jax.vmap(jax.grad(lambda x: ours(x, 0.1)[0]))(xs)
    forward = jax.jit(jax.vmap(jax.jacfwd(lambda x: ours(x, 0.1)[0])))(xs)
    np.testing.assert_allclose(reverse, forward, rtol=1e-5)


def test_a_weakly_typed_argument_keeps_its_derivative() -> None:
    @autograph_lite.to_graph
    def run(x):
        t = 0.0
        while t < 1.0 and x < 1e3:
            x = x * 1.5
            t += 0.1
        return x

    assert np.isclose(jax.grad(run)(jnp.asarray(1.0)), 1.5**11)


def test_the_bits_are_carried_and_no_double_enters_or_leaves() -> None:
    program = autograph_lite.convert(both).get_concrete_function(np.float32(1), 0.1).jaxpr
    (loop,) = [eqn for eqn in program.jaxpr.eqns if eqn.primitive.name == "while"]
    assert sorted(str(v.aval) for v in loop.outvars) == ["float32[]", "uint32[2]", "~int32[]"]


def test_where_no_float_decides_the_program_is_as_it_was() -> None:
    @autograph_lite.convert
    def run(x):
        k = 0
        while x < 1e3:
            x = x * 1.5 + 0.1 * k
            k += 1
        return x

    assert "f64" not in str(run.get_concrete_function(np.float32(1)).jaxpr)


def test_a_float_that_is_used_twice_at_each_step_is_computed_once_more_and_not_in_all_ways() -> None:
    def chaos(x, n):
        y = 0.5
        if n > 0:
            y = 0.25
        for _ in range(12):
            y = 3.5 * y * (1 - y)
        k = 0
        while y < x and k < 5:
            y += 0.125
            k += 1
        return y

    converted = autograph_lite.to_graph(chaos, static_loops="python")
    found = jax.jit(converted)(jnp.float32(2), jnp.int32(1))
    np.testing.assert_allclose(found, chaos(2, 1), rtol=1e-6)
    assert len(jax.make_jaxpr(converted)(jnp.float32(2), jnp.int32(1)).eqns) < 200
