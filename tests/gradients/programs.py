"""Loops of every kind, of (x, w, n): what plain Python makes of them on JAX's arrays is what is right."""

from __future__ import annotations

import jax.numpy as jnp


def counted(x, w, n):
    for i in range(n):
        x = jnp.tanh(w @ x + 0.1 * i)
    return x


def until_small(x, w, n):
    steps = 0
    while jnp.sum(x * x) > 0.01 * n:
        x = 0.7 * (w @ x)
        steps += 1
    return x * steps


def left_early(x, w, n):
    total = jnp.zeros(())
    for i in range(n):
        x = jnp.sin(w @ x)
        if x[0] < 0.05:
            break
        total = total + x[0] * i
    return x + total


def returned(x, w, n):
    for i in range(n):
        x = jnp.cos(w @ x)
        if x[0] + x[1] > 1.9:
            return x * i
    return x[::-1]


def nested(x, w, n):
    for i in range(n):
        j = 0
        while j < i:
            x = jnp.tanh(w @ x + j)
            j += 1
    return x


def in_a_branch(x, w, n):
    if x[0] > 0:
        for _ in range(n):
            x = jnp.sin(w @ x)
    else:
        x = x * x
    return x


def branch_within(x, w, n):
    for i in range(n):
        if x[0] > 0.25:
            x = w @ x
        else:
            x = x / 0.9 + 0.2 * i
    return x


def over_rows(x, w, n):
    for row in w:
        k = 0
        while k < n:
            x = jnp.sin(x) * row
            k += 1
    return x


def swapped(x, w, n):
    y = x * 2
    while n > 0:
        x, y = y, jnp.sin(w @ x)
        n = n - 1
    return x - y


def with_state(x, w, n):
    state = {"x": x, "norms": [jnp.zeros(())]}
    for _ in range(n):
        state["x"] = jnp.tanh(w @ state["x"])
        state["norms"][0] += state["x"] @ state["x"]
    return state["x"] * state["norms"][0]


def checked(x, w, n):
    for i in range(n):
        assert i >= 0
        x = jnp.tanh(w @ x)
    return x


LOOPS = {
    f.__name__: f
    for f in (
        counted, until_small, left_early, returned, nested, in_a_branch, branch_within, over_rows, swapped,
        with_state, checked,
    )
}  # fmt: skip
