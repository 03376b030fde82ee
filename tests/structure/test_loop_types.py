"""Does a loop that starts from a Python number end up with the types that tracing it again would give?"""

from __future__ import annotations

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
