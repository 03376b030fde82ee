"""May an iteration leave a dict with its keys in another order, as `jax.tree.map` and optax do, where data decide whether it runs?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import autograph_lite


def made(x):
    return {"w": x, "b": x * 3}


def so_many(x, n):
    params = made(x)
    for _ in range(n):
        params = jax.tree.map(lambda p: p * 2, params)
    return params


def while_large(x, n):
    params = made(x)
    while params["w"] < 2 + n:
        params = jax.tree.map(lambda p: p * 1.5, params)
    return params["w"], [*params.values()]


def looked_at(x, n):
    params, total = made(x), x * 0
    for _ in range(n):
        total = total * 10 + next(iter(params.values()))
        params = jax.tree.map(lambda p: p * 2, params)
    return total, params


def left_by_break(x, n):
    params = made(x)
    for _ in range(n + 3):
        if params["w"] > 2 + n:
            break
        params = jax.tree.map(lambda p: p * 2, params)
    return jax.tree.map(lambda p: p + 1, params)


def returned(x, n):
    params = made(x)
    k = 0
    while k < n:
        params = jax.tree.map(lambda p: p * 2, params)
        if params["w"] > 10:
            return params, k
        k += 1
    return params, -1


def best_of(x, n):
    params = made(x)
    best, least = params, x * 100
    for _ in range(n):
        params = jax.tree.map(lambda p: p - 0.1, params)
        loss = (params["w"] - 1.8) ** 2
        if loss < least:
            least, best = loss, params
    return best, least


def nested(x, n):
    layers = [made(x), made(x + 1)]
    for _ in range(n):
        for k in range(20):
            layers = jax.tree.map(lambda p, k=k: p * 1.01 + k, layers)
    return layers[0]["w"] * layers[1]["b"]


class Model:
    def __init__(self, x):
        self.params = made(x)

    def step(self):
        self.params = jax.tree.map(lambda p: p * 0.9, self.params)


def of_an_object(x, n):
    model = Model(x)
    for _ in range(n):
        model.step()
    return model.params


def trained(x, n):
    params = made(x)
    optimizer = optax.adam(0.1)
    state = optimizer.init(params)
    for _ in range(n):
        slopes = jax.grad(lambda p: (p["w"] - p["b"]) ** 2)(params)
        updates, state = optimizer.update(slopes, state)
        params = optax.apply_updates(params, updates)
    return params


PROGRAMS = [so_many, while_large, looked_at, left_by_break, returned, best_of, nested, of_an_object, trained]


def keys_in_order(value: Any) -> Any:
    if isinstance(value, dict):
        return [(key, keys_in_order(item)) for key, item in value.items()]
    return [keys_in_order(item) for item in value] if isinstance(value, (tuple, list)) else None


@pytest.mark.parametrize("fun", PROGRAMS)
def test_values_and_orders_are_pythons(fun: Callable[..., Any]) -> None:
    converted = autograph_lite.convert(fun)
    for n in (0, 1, 4):
        want = fun(jnp.float32(2), n)
        got = converted(jnp.float32(2), jnp.int32(n))
        assert keys_in_order(got) == keys_in_order(want)
        jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5), got, want)
    assert converted.trace_count == 1


def test_in_the_order_that_they_have_later_there_is_one_loop() -> None:
    def f(x, n):
        params = {"b": x, "w": x}
        for _ in range(n):
            params = jax.tree.map(lambda p: p * 2, params)
        return params

    program = str(jax.make_jaxpr(autograph_lite.to_graph(f))(1.0, 3))
    assert program.count("while[") == 1
    assert "cond[" not in program


def test_gradients_go_through_both_parts() -> None:
    def f(x, n):
        params = made(x)
        for _ in range(3):
            if params["w"] < n:
                params = jax.tree.map(lambda p: p * p, params)
        return params["w"] + params["b"]

    slope = jax.grad(autograph_lite.convert(f))
    np.testing.assert_allclose(slope(jnp.float32(2), jnp.float32(20)), jax.grad(f)(2.0, 20.0))
    np.testing.assert_allclose(slope(jnp.float32(2), jnp.float32(0)), 4.0)


@pytest.mark.parametrize("most", [1, 3])
@pytest.mark.parametrize("make", [made, lambda x: {"b": x * 3, "w": x}], ids=["sorted later", "sorted"])
def test_the_first_iteration_counts(make: Callable[..., Any], most: int) -> None:
    def large(x):
        params = make(x)
        while params["w"] > 1:
            autograph_lite.set_loop_options(maximum_iterations=most)
            params = jax.tree.map(lambda p: p / 2, params)
        return params["w"]

    def so_often(x, n):
        params = make(x)
        for _ in range(n):
            autograph_lite.set_loop_options(maximum_iterations=most)
            params = jax.tree.map(lambda p: p / 2, params)
        return params["w"]

    assert autograph_lite.convert(large)(jnp.float32(64)) == 64 / 2**most
    assert autograph_lite.convert(so_often)(jnp.float32(64), jnp.int32(5)) == 64 / 2**most
