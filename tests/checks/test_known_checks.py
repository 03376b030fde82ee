"""Which checks does a program not make? Those that the bounds of loops answer; and the host is called only where one has failed."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from benchmarks import structure


def pairs(x: Any, k: Any) -> Any:
    for i in autograph_lite.range(0, 16, 2):
        x[i : i + 2] = x[i : i + 2][::-1] * k
    return x


def blocks(x: Any, k: Any) -> Any:
    for i in autograph_lite.range(0, 16, 4):
        even = x[i : i + 2].copy()
        odd = x[i + 2 : i + 4] * k
        x[i : i + 2] = even + odd
        x[i + 2 : i + 4] = even - odd
    return x


def table(x: Any, k: Any) -> Any:
    grid = jnp.reshape(x, (4, 4))
    for i in autograph_lite.range(0, 4, 2):
        for j in autograph_lite.range(0, 4, 2):
            grid[i : i + 2, j : j + 2] = grid[i : i + 2, j : j + 2].T + k
    return grid


def bounded(x: Any, k: Any) -> Any:
    total = 0.0
    for i in autograph_lite.range(16):
        total = total + (x[i : i + 1].sum() * k if i >= 0 and not i > 15 else 1 / k)
    return total


@pytest.mark.parametrize("fun", [pairs, blocks, table, bounded])
def test_bounds_that_are_known_are_not_checked(fun: Any) -> None:
    x = jnp.arange(16.0)
    assert "debug_callback" not in structure.primitives(autograph_lite.to_graph(fun), x, 2.0)
    found = jax.jit(autograph_lite.to_graph(fun))(x, 2.0)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(autograph_lite, "range", range)
        patched.setattr(jnp, "reshape", np.reshape)
        np.testing.assert_allclose(found, fun(np.arange(16.0), 2.0), rtol=1e-6)


def test_bounds_that_are_not_known_are() -> None:
    def f(x: Any, n: Any) -> Any:
        for i in autograph_lite.range(0, 16, 4):
            x[i : i + 2] = x[n + i : n + i + 2]
        return x

    graph = jax.jit(autograph_lite.to_graph(f))
    x = jnp.arange(16.0)
    assert graph(x, 2).shape == (16,)
    with pytest.raises(Exception, match="equally long|2 items|does not fit|shape"):
        jax.block_until_ready(graph(x, 9))
        jax.effects_barrier()


def test_the_host_is_called_where_a_check_has_failed() -> None:
    def f(x: Any) -> Any:
        if x > 3:
            raise ValueError(f"{x} is too much")
        return x + 1

    jaxpr = jax.make_jaxpr(autograph_lite.to_graph(f))(1.0).jaxpr
    assert not any(equation.primitive.name == "debug_callback" for equation in jaxpr.eqns)
    assert "debug_callback" in structure.primitives(autograph_lite.to_graph(f), 1.0)
    graph = jax.jit(autograph_lite.to_graph(f))
    assert graph(1.0) == 2
    for function, argument in ((graph, 4.0), (jax.jit(jax.vmap(graph)), jnp.array([1.0, 4.0]))):
        with pytest.raises(Exception, match="4.0 is too much"):
            jax.block_until_ready(function(argument))
            jax.effects_barrier()
