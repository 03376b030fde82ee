"""Under `jax.vmap`, do loops end for lanes that take another branch or have left the loop around, and for all others too?

In each program some lane would loop for ever in code that Python does not run for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import autograph_lite as ag

Function = Callable[..., Any]


def in_a_branch(x):
    if x > 0:
        while x != 1:
            x = x // 2
    return x


def in_the_other_branch(x):
    if x < 1:
        y = x
    else:
        y = 0
        while x != 1:
            x, y = x // 2, y + 1
    return y


def in_nested_branches(x):
    if x > 3:
        if x > 5:
            while x != 6:
                x = x - 1
        else:
            while x != 4:
                x = x - 1
    return x


def in_a_switch(k):
    match k:
        case 0:
            return k
        case 1:
            while k != 3:
                k = k + 1
        case 2:
            while k != 4:
                k = k + 1
    return k


def in_a_loop(x):
    total = 0
    while x > 0:
        y = x
        while y != 1:
            y = y // 2
            total = total + 1
        x = x - 1
    return total


def in_a_loop_over_a_range(n):
    total = 0
    for i in range(n):
        y = n - i
        while y != 1:
            y = y // 2
            total = total + 1
    return total


def in_a_loop_whose_condition_writes(x):
    seen = [0]

    def go_on():
        seen[0] = seen[0] + 1
        return seen[0] < x

    while go_on():
        k = x
        while k != seen[0]:
            k = k - 1
    return seen[0]


def after_a_guard(x):
    if x < 1:
        return x
    while x != 1:
        x = x // 2
    return x + 10


def in_a_callee(x):
    def halve(x):
        while x != 1:
            x = x // 2
        return x

    return halve(x) if x > 0 else x


def after_a_break(x):
    total = 0
    for i in range(6):
        if i >= x:
            break
        y = x - i
        while y != 1:
            y = y // 2
            total = total + 1
    return total


PROGRAMS = [
    in_a_branch, in_the_other_branch, in_nested_branches, in_a_switch, in_a_loop, in_a_loop_over_a_range,
    in_a_loop_whose_condition_writes, after_a_guard, in_a_callee, after_a_break,
]  # fmt: skip
LANES = [-3, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8]


@pytest.mark.parametrize("fn", PROGRAMS)
def test_each_lane_computes_what_python_does(fn: Function) -> None:
    assert jax.jit(jax.vmap(ag.to_graph(fn)))(jnp.array(LANES)).tolist() == [fn(x) for x in LANES]


@pytest.mark.parametrize("fn", [in_a_branch, in_a_loop])
def test_two_axes_of_lanes(fn: Function) -> None:
    lanes = jnp.array(LANES[:8]).reshape(2, 4)
    mapped = jax.vmap(jax.vmap(ag.to_graph(fn)))(lanes)
    assert mapped.ravel().tolist() == [fn(x) for x in LANES[:8]]


def test_a_loop_that_is_the_same_in_all_lanes_ends_where_no_lane_reaches_it() -> None:
    def f(x, n):
        if x > 0:
            while n != 1:
                n = n // 2
        return x + n

    mapped = jax.vmap(ag.to_graph(f), in_axes=(0, None))
    assert mapped(jnp.array([-1, -2]), jnp.int32(0)).tolist() == [-1, -2]
    assert mapped(jnp.array([-1, 2]), jnp.int32(5)).tolist() == [4, 3]


def test_a_lane_that_raises_is_named_by_what_it_raises() -> None:
    def f(x):
        if x > 0:
            while x != 1:
                x = x // 2
                assert x > 0, "fell below one"
        return x

    @ag.convert
    def run(xs):
        return jax.vmap(f)(xs)

    assert run(jnp.array([-3, 0, 8])).tolist() == [-3, 0, 1]


def test_forward_derivatives_of_each_lane() -> None:
    def f(x):
        state = [x]
        while state[0] < 10.0:
            if x > 0:
                while state[0] < 5.0:
                    state[0] *= 2.0
            state[0] *= 3.0
        return state[0]

    def tangent(x):
        return jax.jvp(ag.to_graph(f), (x,), (1.0,))[1]

    assert jax.vmap(tangent)(jnp.array([1.5, 2.0, 6.0])).tolist() == [12.0, 12.0, 3.0]


def test_without_lanes_the_program_is_what_lax_gives() -> None:
    def by_hand(x):
        return lax.cond(
            x > 0, lambda x: lax.while_loop(lambda x: x != 1, lambda x: x // 2, x), lambda x: x, x
        )

    assert _instructions(ag.to_graph(in_a_branch)) == _instructions(by_hand)


def _instructions(fn: Function) -> list[str]:
    text = jax.jit(fn).lower(jnp.int32(3)).compile().as_text() or ""
    return sorted(re.findall(r" = \S+ ([\w-]+)\(", text))


def test_an_inner_loop_that_gives_back_a_number_which_a_step_has_taken():
    def fn(xs, x):
        i = 0
        while i < 4:
            i += 1
            for k, (a, b) in enumerate(zip(xs, xs)):
                x = 2.5
                return not (k == i), a // 7 < xs[-1] + b, x
            for _ in range(1):
                print(k ^ a)
        return float(i) <= x, False, x

    lanes = np.arange(12, dtype=np.int32).reshape(3, 4)
    found = jax.vmap(ag.to_graph(fn))(jnp.asarray(lanes), jnp.ones(3))
    want = [fn(row, 1.0) for row in lanes]
    assert [tuple(map(float, row)) for row in zip(*found, strict=True)] == [
        tuple(map(float, row)) for row in want
    ]
