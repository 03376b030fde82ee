"""Does a loop that starts from a Python number end up with the types that tracing it again would give?"""

from __future__ import annotations

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from autograph_lite.jax_internals.loops import loop_binding


def adds(xs, halves, n):
    s = 0.0
    for x in xs:
        s = s + x
    return s


def stays_a_number(xs, halves, n):
    s = 1.0
    for _ in xs:
        s = s * 0.5
    return s


def meets_another_precision(xs, halves, n):
    s = 0.0
    h = halves[0]
    for x in xs:
        h = h + halves[0] * s
        s = s + x
    return s, h


def another_precision_alone(xs, halves, n):
    s = 0.0
    for h in halves:
        s = s + h
    return s


def something_like_it(xs, halves, n):
    s = 0.0
    t = 0.0
    for x in xs:
        t = jnp.zeros_like(s)
        s = s + x
    return s, t, t + halves[0]


def integers(xs, halves, n):
    s = 0
    k = 0
    for i in range(n):
        s = s + n
        k = k + i
    return s, k, s + np.int8(1), k + np.int8(1)


def becomes_inexact(xs, halves, n):
    s = 0
    for x in xs:
        s = s + x
    return s


def while_of_it(xs, halves, n):
    s = 0.0
    while s < 10 * xs[1]:
        s = s + xs[2]
    return s


def nested(xs, halves, n):
    s = 0.0
    for x in xs:
        t = 0.0
        for y in xs:
            t = t + x * y
        s = s + t
    return s


def attributes(xs, halves, n):
    box = {"s": 0.0}
    for x in xs:
        box["s"] = box["s"] + x
    return box["s"]


ARGUMENTS = np.arange(4, dtype=np.float32), np.ones(3, np.float16), np.int32(5)


@pytest.mark.parametrize("x64", [False, True])
@pytest.mark.parametrize(
    "fn",
    [
        adds, stays_a_number, meets_another_precision, another_precision_alone, something_like_it, integers,
        becomes_inexact, while_of_it, nested, attributes,
    ],
)  # fmt: skip
def test_types_and_values_are_those_of_tracing_again(fn, x64, monkeypatch):
    converted = autograph_lite.to_graph(fn)

    def results():
        with jax.enable_x64(x64):
            leaves = jax.tree.leaves(jax.jit(lambda *args: converted(*args))(*ARGUMENTS))
        return [(np.asarray(leaf).tolist(), leaf.dtype, leaf.weak_type) for leaf in leaves]

    ours = results()
    monkeypatch.setattr(loop_binding, "settle_weak_types", lambda *_: False)
    assert ours == results()


def test_an_unknown_rule_of_promotion_traces_again():
    with jax.numpy_dtype_promotion("strict"):
        converted = autograph_lite.to_graph(adds)
        assert jax.jit(lambda *args: converted(*args))(*ARGUMENTS) == 6


@pytest.mark.parametrize("fn", [adds, nested, attributes, integers])
def test_loops_from_numbers_can_be_mapped_and_differentiated(fn):
    converted = autograph_lite.to_graph(fn)
    xs, halves, n = ARGUMENTS
    batch = jnp.stack([xs, xs + 1])
    mapped = jax.vmap(lambda x: jax.tree.leaves(converted(x, halves, n))[0])(batch)
    assert mapped[0] == jax.tree.leaves(fn(xs, halves, n))[0]
    if fn is not integers:
        slope = jax.grad(lambda x: converted(x, halves, n))(xs)
        np.testing.assert_allclose(slope, jax.grad(lambda x: fn(x, halves, n))(xs), rtol=1e-6)


def life(board):
    for _ in range(20):
        count = jnp.roll(board, 1, 0) + jnp.roll(board, 1, 1) + jnp.roll(board, (1, 1), (0, 1))
        board = jnp.where((count == 2) | ((board == 1) & (count == 1)), 1, 0)
    return board


def life_by_a_counter(board):
    n = 0
    while n < 20:
        board = jnp.where((jnp.roll(board, 1, 0) == 1) & (board == 0), 1, 0)
        n += 1
    return board


def weak_types_matter(board):
    narrow, product = jnp.ones(4, jnp.int8), board
    for _ in range(20):
        product = board * narrow
        board = jnp.where(board > 0, 1, 0)
    return board, product


@pytest.mark.parametrize(
    ("fn", "lengths"), [(life, ["20"]), (life_by_a_counter, ["20"]), (weak_types_matter, [])]
)
def test_an_array_that_is_weakly_typed_after_an_iteration_is_from_the_start(fn, lengths):
    board = jnp.asarray(np.arange(16).reshape(4, 4) % 3 == 1, jnp.int32)
    staged = autograph_lite.convert(fn, static_loops="stage")
    assert (
        re.findall(
            r"\blength=(\d+)", str(jax.make_jaxpr(autograph_lite.to_graph(fn, static_loops="stage"))(board))
        )
        == lengths
    )
    ours, python = staged(board), autograph_lite.convert(fn, static_loops="python")(board)
    assert jax.tree.map(jax.typeof, ours) == jax.tree.map(jax.typeof, python)
    jax.tree.map(np.testing.assert_array_equal, ours, python)
