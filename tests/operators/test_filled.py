"""Is all of an array written as NumPy writes it, without a scatter?"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite

X = np.arange(6, dtype=np.float32).reshape(2, 3)
WHOLE = [":", "...", "0:2", ":5", ":, :", "..., :", ":, 0:3", "0:, ..., ::1", ":, ..., :"]
PARTS = ["0", "1:", ":1", "::2", "::-1", ":, 1", "..., 0", ":, :2", "0, :", "-2:", "x > 2"]
VALUES = ["7", "2.5", "v", "v[0]", "v[:, :1]", "v[:, 0][:, None]", "np.array([1, 2, 3])", "True"]


def function(text):
    space = {"np": np}
    exec(f"def f(x, v):\n{text}\n    return x\n", space)
    return space["f"]


def primitives(f):
    return {equation.primitive.name for equation in jax.make_jaxpr(f)(X, X).jaxpr.eqns}


@pytest.mark.parametrize("index", WHOLE + PARTS)
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
    assert "scatter" in primitives(autograph_lite.to_graph(one_row))


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
