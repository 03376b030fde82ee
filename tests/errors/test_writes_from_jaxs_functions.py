"""Writes in a function that JAX traces, to an array from outside of it: refused, with what would do."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al


def by_scan(x):
    out = np.zeros(3)

    def step(total, each):
        out[0] = each
        return total + each, each

    total, _ = jax.lax.scan(step, 0.0, x)
    return total, out


def to_an_array_of_the_program(x):
    out = x * 2

    def lane(each):
        out[0] += each
        return each

    return jax.vmap(lane)(x), out


def to_a_view(x):
    out = np.zeros(3)
    last = out[1:]

    def lane(each):
        last[0] += each
        return each

    return jax.vmap(lane)(x), out


def to_the_callers(x):
    def squared(each):
        x[0] = 1.0
        return each * each

    return jax.grad(squared)(x[1])


def of_a_branch(x):
    out = np.zeros(3)

    def positive(each):
        out[0] = each
        return each

    return jax.lax.cond(x[0] > 0, positive, lambda each: each, x[0]), out


def in_a_loop_of_ours(x):
    out = np.zeros(3)

    def lane(each):
        while each < 5:
            out[0] = each
            each = each * 2
        return each

    return jax.vmap(lane)(x), out


@pytest.mark.parametrize("xp", [np, jnp], ids=["numpy", "jax"])
@pytest.mark.parametrize(
    "program",
    [by_scan, to_an_array_of_the_program, to_a_view, to_the_callers, of_a_branch, in_a_loop_of_ours],
    ids=lambda each: each.__name__,
)
def test_refused_with_a_remedy(program: Any, xp: Any) -> None:
    with pytest.raises(al.MutationError, match="in a function that JAX traces") as info:
        al.convert(program)(xp.ones(3))
    assert "return the values, and store them outside" in str(info.value)


def test_the_remedy_works() -> None:
    def f(x):
        out = np.zeros(3)

        def step(total, each):
            return total + each, 2 * each

        total, values = jax.lax.scan(step, 0.0, x)
        out[:] = values
        return total, out

    total, out = al.convert(f)(np.ones(3))
    assert float(total) == 3
    np.testing.assert_array_equal(out, [2, 2, 2])


def test_arrays_of_its_own_are_written() -> None:
    def f(x):
        def lane(each):
            out = np.zeros(2)
            for i in range(2):
                out[i] = each * i
            return out.sum()

        return jax.vmap(lane)(x)

    np.testing.assert_array_equal(al.convert(f)(np.arange(3.0)), [0, 1, 2])
