"""Is a `while` that traced values end, and Python's number begins, one loop: its first iteration with the others?"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite

from .test_rolled_whiles import X, assert_same, equations


def until_it_settles(x):
    change, steps = 1.0, 0
    while change > 1e-4:
        new = jnp.cos(x)
        change = abs(new - x)
        x = new
        steps += 1
    return x, steps, change, new


def from_infinity(x):
    error = float("inf")
    while error > 1e-4:
        new = 0.5 * (x + 2 / x)
        error = jnp.abs(new - x)
        x = new
    return x, error


def at_most(x):
    change, k = 1.0, 0
    while k < 30 and change > 1e-6:
        new = jnp.cos(x)
        change, x = jnp.abs(new - x), new
        k += 1
    return x, k


def for_ever(x):
    k = 0
    while True:
        x = jnp.cos(x) + 0.1
        k += 1
        if jnp.abs(jnp.cos(x) + 0.1 - x) < 1e-4:
            break
    return x, k


def returns(x):
    k = 0
    while k < 50:
        x = x * 1.5
        if x > 20:
            return x, k
        k += 1
    return -x, k


def bisects(x):
    lo, hi, k = 0.0, 4.0, 0
    while hi - lo > 1e-3:
        mid = 0.5 * (lo + hi)
        if mid * mid > x:
            hi = mid
        else:
            lo = mid
        k += 1
    return lo, hi, k


def flags(x):
    converged = False
    while not converged:
        new = 0.5 * (x + 2 / x)
        converged = abs(new - x) < 1e-4
        x = new
    return x


def an_attribute(x):
    class Solver:
        error, x = 1.0, 0.0

    solver = Solver()
    solver.x = x
    while solver.error > 1e-4:
        new = jnp.cos(solver.x)
        solver.error = abs(new - solver.x)
        solver.x = new
    return solver.x


def in_a_for(x):
    for _ in range(6):
        change = 1.0
        while change > 0.1:
            new = jnp.cos(x) + 0.2
            change = abs(new - x)
            x = new
    return x


def from_a_constant_array(x):
    rank, change = jnp.ones(4), 1.0
    while change > 1e-3:
        new = 0.1 + 0.5 * rank * jnp.cos(x)
        change = jnp.abs(new - rank).sum()
        rank = new
    return rank


WHOLE = [
    until_it_settles, from_infinity, at_most, for_ever, returns, bisects, flags, an_attribute, in_a_for,
    from_a_constant_array,
]  # fmt: skip


def becomes_a_float(n):
    change, k = 1.0, n
    while change > 1e-3:
        k = k * 0.5
        change = change * 0.5 + k * 0
    return k


def first_has_its_own_type(x):
    best, change = None, 1.0
    while change > 1e-3:
        best = x
        x = x * 0.5
        change = x
    return best


def close(x):
    change = 1e-3 + 1e-12
    while change > 1e-3:
        change = x * 0
        x = x + 1
    return x


def once(x):
    change, k = 1.0, 0
    while k < 1 and change > 1e-3:
        change = x * 0.5
        k += 1
    return change, k


def of_numpys(x):
    weights, t = np.ones(3), 0.25
    while (weights * t).sum() < 3.0:
        x = x + t
        t += 0.25
    return x


def divides(x):
    k, change = 0, 1.0
    while change > 1e-3:
        change = x / (k + 1) if k < 0 else x * 0
        x = x + (1 if k == 0 else 1 / k)
        k += 1
    return x


OTHERS = [becomes_a_float, first_has_its_own_type, close, once, of_numpys, divides]


@pytest.mark.parametrize("program", [*WHOLE, *OTHERS])
def test_it_gives_what_python_gives(program):
    x = np.int32(5) if program is becomes_a_float else X
    python = autograph_lite.convert(program, static_loops="python")(x)
    assert_same(autograph_lite.convert(program, static_loops="stage")(x), python)


@pytest.mark.parametrize("program", WHOLE)
def test_its_body_is_in_the_program_once(program):
    staged = autograph_lite.convert(program, static_loops="stage").get_concrete_function(X).jaxpr
    (loop,) = [each for each in equations(staged.jaxpr) if each.primitive.name == "while"]
    arithmetic = {"cos", "mul", "div"}
    inside = [
        each for each in equations(loop.params["body_jaxpr"].jaxpr) if each.primitive.name in arithmetic
    ]
    everywhere = [each for each in equations(staged.jaxpr) if each.primitive.name in arithmetic]
    assert inside and len(inside) == len(everywhere)


@pytest.mark.parametrize("program", [at_most, for_ever, bisects, in_a_for])
def test_its_gradient_and_its_lanes_are_those_of_pythons(program):
    def derivative(static_loops):
        run = autograph_lite.convert(program, static_loops=static_loops)
        return jax.vmap(jax.grad(lambda x: jax.tree.leaves(run(x))[0]))(jnp.arange(1.0, 4.0))

    np.testing.assert_allclose(derivative("stage"), derivative("python"), rtol=1e-4, atol=1e-6)
