"""Do loops inside of loops look at indices only where these may count from the end, with the same values?"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from benchmarks import structure

from .rolled import assert_same_derivatives, staged

N = 7


def triangle(A):
    for i in range(1, N):
        for j in range(i):
            A[i, j] = A[i - 1, j] - A[j, i] * A[i, j + 1]
    return A


def table(A):
    for i in range(1, N):
        for j in range(1, N):
            A[i, j] = (A[i - 1, j - 1] + A[i - 1, j] - A[i, j - 1]) / 2 + A[i, j]
    return A


def around(A):
    for i in range(N):
        for j in range(N):
            A[i, j] = A[i, (j + 1) % N] + 0.1 * A[i, j]
    return A


def from_the_end(A):
    for i in range(N):
        for j in range(N):
            A[i, j] = A[i - 3, j - 2] + 0.1 * A[-j, i]
    return A


def downwards(A):
    for i in range(N - 1, -1, -1):
        for j in range(i, -1, -1):
            A[i, j] = A[j, i] + 0.5 * A[i - 1, j]
    return A


def searched(A):
    for i in range(1, N):
        j = i - 1
        while j >= 0 and A[0, j] > A[0, j + 1]:
            A[0, j], A[0, j + 1] = A[0, j + 1], A[0, j]
            j -= 1
    return A


NEVER = [triangle, table, around]
PROGRAMS = [*NEVER, from_the_end, downwards, searched]


def given():
    return np.random.default_rng(5).normal(size=(N, N)).astype(np.float32)


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_values_are_those_of_numpy(program):
    np.testing.assert_allclose(staged(program)(given()), program(given()), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("program", NEVER)
def test_indices_that_are_never_negative_are_not_looked_at(program):
    names = structure.primitives(staged(program), jnp.asarray(given()))
    assert "select_n" not in names


@pytest.mark.parametrize("program", [triangle, from_the_end, downwards])
def test_the_derivatives_are_those_of_the_unrolled_loop(program):
    assert_same_derivatives(program, given())


def test_a_number_that_may_overflow_has_no_range():
    def program(x, n):
        for i in range(n):
            if (i + np.int32(2_000_000_000)) + 200_000_000 < 0:
                x += 1
        return x

    run = jax.jit(autograph_lite.convert(program))
    assert int(run(jnp.int32(0), jnp.int32(3))) == 3


def test_a_loop_to_a_traced_bound_counts_from_zero():
    def program(x, n):
        for i in range(n):
            x = x + jnp.where(i < 0, 100, i)
        return x

    run = autograph_lite.convert(program)
    assert "select_n" not in structure.primitives(run, jnp.int32(0), jnp.int32(5))
    assert int(run(jnp.int32(0), jnp.int32(5))) == 1 + 2 + 3 + 4
    assert int(run(jnp.int32(0), jnp.int32(0))) == 0


def test_a_variable_that_a_loop_inside_sets_to_a_constant_has_no_range():
    def program(xs, n):
        last = 5
        for x in xs:
            for y in xs:
                n = n + last + jnp.where(y > x, 1, 2)
                last = -2
            while True:
                last = last + 1
                if last > n:
                    break
                last = 3
                n = n - 1
        return n, last

    xs = jnp.int32([4, 7, 1])
    found = jax.jit(autograph_lite.to_graph(program))(xs, jnp.int32(3))
    expected = program(xs, jnp.int32(3))
    assert [int(v) for v in found] == [int(v) for v in expected]


def test_a_variable_that_a_known_test_makes_a_literal():
    def f(a, x, xs):
        for i, j in zip((0, 1), (len(xs), 1, a)):
            k = 0
            while k < 4:
                k += 1
                for i2, _ in enumerate(xs, 1):
                    a = xs[len(xs) % len(xs)]
                    p = (i != 3) if 0.5 <= x else (i2 < j < i)
                    x -= 2.0 % 3.5
        return j, a, p

    xs = np.array([-1, 4, -1], np.int32)
    found = jax.jit(autograph_lite.to_graph(f))(2, 2.0, xs)
    assert tuple(map(int, found)) == tuple(map(int, f(2, 2.0, xs)))
