"""Is an error about a traced value ours under somebody else's `jax.jit`, as it is under `convert`?"""

from __future__ import annotations

import math
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from autograph_lite import PythonOnlyError

PROGRAMS = {
    "np.random": (lambda x: np.random.normal(x), 2.0, "draw with jax.random"),
    "math.factorial": (lambda x: math.factorial(x), 2.0, "compute it in floats"),
    "text": (
        lambda n: "ab" * n,
        2,
        "compute with jax.numpy on the array, or pass the value as a Python number",
    ),
    "list": (lambda n: [0] * n, 2, ""),
    "shape": (
        lambda n: jnp.zeros(n),
        2,
        "make an array as large as it may get",
    ),
    "bytes": (
        lambda n: bytes(n),
        2,
        "compute with jax.numpy on the array, or pass the value as a Python number",
    ),
}


def in_a_branch(x):
    if x > 0:
        return np.random.normal(x)
    return x


def helper(x):
    return math.factorial(x)


PROGRAMS["in a branch"] = in_a_branch, 2.0, "draw with jax.random"
PROGRAMS["in a helper"] = lambda x: helper(x), 2.0, "compute it in floats"
PROGRAMS["partial"] = partial(lambda k, x: np.random.normal(x) * k, 2), 2.0, "draw with jax.random"


@pytest.mark.parametrize("around", [jax.jit, jax.vmap], ids=["jit", "vmap"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_it_names_the_line_and_the_remedy(name, around):
    f, x, remedy = PROGRAMS[name]
    with pytest.raises(PythonOnlyError) as error:
        around(autograph_lite.to_graph(f))(jnp.array([x] if around is jax.vmap else x))
    assert __file__ in str(error.value)
    assert f"Fix: {remedy}" in str(error.value)


@pytest.mark.parametrize("around", [jax.jit, jax.vmap], ids=["jit", "vmap"])
def test_it_names_the_line_of_what_only_the_data_bounds(around):
    x = jnp.array([[1.0, 1.0]] if around is jax.vmap else [1.0, 1.0])
    with pytest.raises(autograph_lite.DynamicShapeError) as error:
        around(autograph_lite.to_graph(lambda x: np.unique(x)))(x)
    assert __file__ in str(error.value)
    assert "Fix: say how many there are to be" in str(error.value)


def test_a_users_own_error_is_the_users():
    def f(x):
        if x.shape[0] == 3:
            raise TypeError("no triples")
        return x

    with pytest.raises(TypeError, match="^no triples"):
        jax.jit(autograph_lite.to_graph(f))(jnp.ones(3))
    with pytest.raises(TypeError, match="^no triples"):
        jax.jit(autograph_lite.to_graph(lambda x: f(x)))(jnp.ones(3))


def test_an_assignment_to_a_variable_of_flax_in_a_branch():
    nnx = pytest.importorskip("flax.nnx")

    class Counter(nnx.Module):
        def __init__(self):
            self.count = nnx.Variable(jnp.int32(0))

    def step(model, x):
        if x > 0:
            model.count[...] = model.count[...] + 1
        return x

    with pytest.raises(
        PythonOnlyError, match="A variable of Flax's is changed in a trace that is not its own"
    ) as error:
        nnx.jit(autograph_lite.to_graph(step))(Counter(), jnp.float32(1))
    assert "model.count[...] = model.count[...] + 1" in str(error.value)
