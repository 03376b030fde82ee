"""Are loops over lists of dataclass objects rolled, by item and by index, and is an object that outlives the loop Python's?"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite

X = np.linspace(0.1, 1, 4).astype(np.float32)


@dataclasses.dataclass
class Layer:
    w: Any
    b: Any
    name: str = "dense"
    act: Callable[..., Any] = jnp.tanh

    def __call__(self, x):
        return self.act(self.w @ x) + self.b


@dataclasses.dataclass(frozen=True)
class State:
    mean: Any
    spread: Any


def layers():
    return [Layer(jnp.ones((4, 4)) * k * 0.01, jnp.ones(4) * k) for k in range(30)]


def by_item(x):
    for layer in layers():
        x = layer(x)
    return x


def by_index(x):
    stack = layers()
    for k in range(30):
        x = stack[k].act(stack[k].w @ x) + stack[k].b
    return x


def with_the_number(x):
    stack, found = layers(), []
    for k, layer in enumerate(stack):
        x = layer(x) + stack[k].b * k
        found.append(x)
    return found[3], x


def history(x):
    states = []
    for k in range(30):
        x = jnp.tanh(x) + k * 0.01
        states.append(State(x, x * 2))
    y = states[-1].mean
    for k in reversed(range(29)):
        now, later = states[k], states[k + 1]
        y = y * 0.9 + now.mean * later.spread
    return y


def written_after(x):
    stack = layers()
    for layer in stack:
        x = layer(x)
    layer.b = x
    return stack[-1].b, stack[-1] is layer


ROLLED = [by_item, by_index, with_the_number, history, written_after]


def writes(x):
    stack = layers()
    for layer in stack:
        x = layer(x)
        layer.b = x
    return x, stack[3].b


def appends(x):
    stack, found = layers(), []
    for layer in stack:
        x = layer(x)
        found.append(layer)
    found[3].b = x
    return stack[3].b, found[5] is stack[5]


def indexed_and_written_after(x):
    rows = [[jnp.ones(4) * k] for k in range(30)]
    for k in range(30):
        row = rows[k]
        x = jnp.sin(x) + row[0] * x
    row[0] = x
    return rows[-1][0], row is rows[-1]


def row_written_after(x):
    rows = [[jnp.ones(4) * k] for k in range(30)]
    for row in rows:
        x = jnp.sin(x) + jnp.cos(row[0] * x)
    row[0] = x
    return rows[-1][0], row is rows[-1]


def written_in_the_next(x):
    stack = layers()
    for k in range(30):
        layer = stack[k]
        x = layer(x)
    for k in range(30):
        stack[k].b = x * k
    return stack[5].b


def unlike(x):
    stack = layers()
    stack[5] = Layer(jnp.eye(4), jnp.zeros(4), act=jnp.sin)
    for layer in stack:
        x = layer(x)
    return x


OTHERS = [writes, appends, indexed_and_written_after, row_written_after, written_in_the_next, unlike]


@pytest.mark.parametrize("program", [*ROLLED, *OTHERS])
def test_it_gives_what_python_gives(program: Callable[..., Any]) -> None:
    ours = jax.tree.leaves(autograph_lite.convert(program, static_loops="stage")(X))
    python = jax.tree.leaves(program(jnp.asarray(X)))
    for mine, other in zip(ours, python, strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("program", ROLLED)
def test_the_loop_is_a_scan(program: Callable[..., Any]) -> None:
    jaxpr = autograph_lite.convert(program, static_loops="stage").get_concrete_function(X).jaxpr
    assert "scan" in {eqn.primitive.name for eqn in jaxpr.jaxpr.eqns}


def test_why_an_item_that_is_kept_prevents_it() -> None:
    first, *_ = [
        each.why
        for each in autograph_lite.explain(autograph_lite.convert(appends, static_loops="stage"))(X)
        if "rolled" in each.why
    ]
    line = appends.__code__.co_firstlineno + 2
    why = "an object or a list keeps one of the items, of which the loop has a copy"
    assert first == f"it can't be rolled: {why} (line {line})"
