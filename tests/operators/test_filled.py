"""Is all of an array, or a block of it, written as NumPy writes it, without a scatter?"""

from __future__ import annotations

import types

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite

X = np.arange(6, dtype=np.float32).reshape(2, 3)
WHOLE = [":", "...", "0:2", ":5", ":, :", "..., :", ":, 0:3", "0:, ..., ::1", ":, ..., :"]
PARTS = ["0", "::2", "::-1", ":, 1", "..., 0", "0, :", "2:", "1:0, :", "1, 1:", "None, 1:", "-2:", "x > 2"]
BLOCKS = ["1:", ":1", "-1:", ":, :2", ":-1, 1:3", "..., 1:", "1:, ..., -2:", "-9:1, 1:9"]
VALUES = ["7", "2.5", "v", "v[0]", "v[:, :1]", "v[:, 0][:, None]", "np.array([1, 2, 3])", "True"]


def function(text):
    space = {"np": np}
    exec(f"def f(x, v):\n{text}\n    return x\n", space)
    return space["f"]


def primitives(f):
    return {equation.primitive.name for equation in jax.make_jaxpr(f)(X, X).jaxpr.eqns}


@pytest.mark.parametrize("index", WHOLE + PARTS + BLOCKS)
def test_it_is_what_numpy_writes(index):
    for value in VALUES if "x" not in index else VALUES[:2]:
        for symbol in ("=", "+="):
            source = f"    x[{index}] {symbol} {value}"
            try:
                wanted = function(source)(X.copy(), X + 10)
            except ValueError:
                continue  # shapes that do not fit
            f = autograph_lite.to_graph(_with_source(source))
            for found in (jax.jit(f)(X, X + 10), f(jnp.asarray(X), jnp.asarray(X + 10))):
                np.testing.assert_array_equal(found, wanted)
                assert (found.dtype, found.weak_type) == (wanted.dtype, False)


def _with_source(source):
    import linecache

    path = f"<filled {source.strip()}>"
    text = f"def f(x, v):\n{source}\n    return x\n"
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    space = {"np": np}
    exec(compile(text, path, "exec"), space)
    return space["f"]


def all_written(x, v):
    x[:] = v
    x[..., :] = v
    return x


def one_row(x, v):
    x[1:] = v[1:]
    return x


def test_there_is_no_scatter():
    assert "scatter" not in primitives(autograph_lite.to_graph(all_written))
    assert "scatter" not in primitives(autograph_lite.to_graph(one_row))


def reversed_(x, v):
    x[:] = v[0, 0]
    y = x[::-1]
    y[:2] += 1
    return y[::-1, ::-1]


def test_what_is_written_may_be_reversed():
    # XLA would end the process, for a scatter.
    found = jax.jit(autograph_lite.to_graph(reversed_))(X, X)
    np.testing.assert_array_equal(found, reversed_(X.copy(), X))


def test_its_gradient_is_that_of_the_value():
    def f(x, v):
        x[:] = v
        return (x * x).sum()

    by_x, by_v = jax.grad(autograph_lite.to_graph(f), argnums=(0, 1))(X, X + 1)
    np.testing.assert_array_equal(by_x, np.zeros_like(X))
    np.testing.assert_array_equal(by_v, 2 * (X + 1))


def test_shapes_that_do_not_fit_are_jaxs_error():
    def f(x, v):
        x[:] = v
        return x

    with pytest.raises(ValueError, match="broadcasting"):
        jax.jit(autograph_lite.to_graph(f))(X, np.ones(4, np.float32))


@pytest.mark.parametrize("index", BLOCKS)
def test_a_block_is_an_update_of_a_slice(index):
    f = autograph_lite.to_graph(_with_source(f"    x[{index}] = 7"))
    assert "dynamic_update_slice" in primitives(f)
    assert "scatter" not in primitives(f)


def interior(x, v, n):
    for _ in range(n):
        x[1:-1, 1:-1] = np.sin(x[:-2, 1:-1] + x[2:, 1:-1]) * v[1:-1, 1:-1]
    return x


def interior_by_hand(x, v, n):
    for _ in range(n):
        x = x.at[1:-1, 1:-1].set(jnp.sin(x[:-2, 1:-1] + x[2:, 1:-1]) * v[1:-1, 1:-1])
    return x


@pytest.mark.parametrize("by", [0, 1])
def test_derivatives_of_blocks(by):
    rng = np.random.default_rng(0)
    x, v = (jnp.asarray(rng.normal(size=(3, 5, 4)), jnp.float32) for _ in range(2))
    for transform in (jax.grad, jax.jacfwd, jax.hessian):
        found, wanted = (
            jax.vmap(transform(lambda x, v, f=f: jnp.sum(f(x, v, 2) ** 2), argnums=by))(x, v)
            for f in (autograph_lite.convert(_over_jax(interior)), interior_by_hand)
        )
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4)


def _over_jax(f):
    return types.FunctionType(f.__code__, {**f.__globals__, "np": jnp}, f.__name__)


def test_the_gradient_of_a_call_keeps_no_places():
    f = autograph_lite.convert(_over_jax(interior), static_loops="stage")
    x = jnp.ones((6, 6))
    program = jax.make_jaxpr(jax.grad(lambda v: jnp.sum(f(x, v, 20))))(x)
    calls = [equation for equation in program.eqns if equation.primitive.name == "jit"]
    kept = {str(variable.aval.dtype) for variable in calls[0].outvars}
    assert kept == {"float32"}
