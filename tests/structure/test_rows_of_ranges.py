"""Do loops over ranges count, where rows of numbers would be read, and do indices that are known need no arithmetic?"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tests.structure.test_rows import loops

from .rolled import assert_same_derivatives, staged

N = 9


def upwards(A):
    total = np.float32(0)
    for k in range(1, N):
        total = total * 0.5 + A[k, k - 1] * k
    return total


def downwards(A):
    total = np.float32(0)
    for k in range(N - 2, -1, -1):
        total = total * 0.5 + A[k, k + 1] * k
    return total


def by_three(A):
    total = np.float32(0)
    for k in range(1, N, 3):
        total = total * 0.5 + A[0, k] - A[k, -k]
    return total


def backwards(A):
    total = np.float32(0)
    for k in reversed(range(2, N)):
        total = total - total * total * 0.01 + A[k, k - 2]
    return total


def wide(A):
    for k in range(N):
        A = 0.3 * (A + A[:, k : k + 1] + A[k : k + 1, :])
    return A


def blocks(A):
    for k in range(N - 1, 1, -1):
        A[k, 1 : k - 1] = A[k - 1, 1 : k - 1] + A[k, 0]
    return A


PROGRAMS = [upwards, downwards, by_three, backwards, wide, blocks]


def given():
    return np.random.default_rng(3).normal(size=(N, N)).astype(np.float32)


def scan_of(program):
    jaxpr = jax.make_jaxpr(staged(program))(jnp.asarray(given())).jaxpr
    (scan,) = [e for e in loops(jaxpr) if e.primitive.name == "scan"]
    return scan


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_values_are_those_of_numpy(program):
    np.testing.assert_allclose(staged(program)(given()), program(given()), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("program", PROGRAMS)
def test_no_numbers_are_read_from_an_array(program):
    taken = [v.aval for v in scan_of(program).invars]
    assert not [t for t in taken if t.shape and jnp.issubdtype(t.dtype, jnp.integer)]


@pytest.mark.parametrize("program", [upwards, downwards, by_three, backwards, wide])
def test_indices_that_are_in_range_are_not_looked_at(program):
    body = scan_of(program).params["jaxpr"].jaxpr
    assert not {e.primitive.name for e in body.eqns} & {"lt", "select_n", "jit", "pjit", "clamp"}


def test_a_loop_downwards_takes_rows_as_they_lie_in_memory():
    scan = scan_of(rows_downwards)
    assert scan.params["reverse"]
    assert "rev" not in str(jax.make_jaxpr(staged(rows_downwards))(jnp.asarray(given())).jaxpr).replace(
        "reverse", ""
    )


def rows_downwards(A):
    state = A[0]
    for k in range(N - 1, -1, -1):
        state = 0.5 * state + A[k]
    return state


@pytest.mark.parametrize("program", [upwards, downwards, by_three, backwards, rows_downwards])
def test_the_derivatives_are_those_of_the_unrolled_loop(program):
    assert_same_derivatives(program, given())


def test_many_lanes_give_what_one_by_one_give():
    lanes = jnp.stack([given(), given() + 1, -given()])
    run = staged(downwards)
    np.testing.assert_allclose(jax.vmap(run)(lanes), jnp.stack([run(A) for A in lanes]), rtol=1e-5)


def test_numbers_are_of_64_bits_where_jax_has_them():
    with jax.enable_x64(True):
        found = jax.jit(staged(squares))(jnp.zeros((), jnp.int64))
    assert (int(found), found.dtype) == (squares(0), jnp.int64)


def squares(total):
    for k in range(100, 0, -2):
        total = total + k * 60_000_000
    return total


def test_checks_that_are_known_to_pass_are_not_in_the_program():
    assert "callback" not in str(jax.make_jaxpr(staged(wide))(jnp.asarray(given())))
