"""Is an item that all branches write to one place of an array written once, after the branches?"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from benchmarks import structure


def in_a_table(D, x):
    for i in range(1, len(x)):
        for j in range(1, len(x)):
            if x[i] > x[j]:
                D[i, j] = D[i - 1, j - 1]
            else:
                D[i, j] = 1 + max(D[i - 1, j], D[i, j - 1])
    return D


def products(D, x):
    for i in range(1, len(x)):
        if x[i] > 0:
            D[i] = D[i - 1] * 2
        elif x[i] < -1:
            D[i] = D[i - 1] / x[i]
        else:
            D[i] = 0.0
    return D


def read_after_it_was_written(D, x):
    for i in range(1, len(x)):
        if x[i] > 0:
            D[i, 0] = x[i]
            D[i, 0] = D[i, 0] * 2
        else:
            D[i, 0] = D[i, 0] + 1
    return D


def elsewhere(D, x):
    for i in range(1, len(x)):
        if x[i] > 0:
            D[i, 0] = x[i]
        else:
            D[i, 1] = 1.0
    return D


def on_one_way(D, x):
    for i in range(1, len(x)):
        if x[i] > 0:
            D[i, 1] = x[i] + D[i - 1, 1]
    return D


def out_of_bounds(D, x):
    for i in range(len(x)):
        k = i + 3
        if x[i] > 0:
            D[k, 0] = x[i]
        else:
            D[k, 0] = 1.0
    return D


def given():
    rng = np.random.default_rng(2)
    return rng.normal(size=(6, 6)).astype(np.float32), rng.normal(size=6).astype(np.float32)


SUNK = in_a_table, products
KEPT = read_after_it_was_written, elsewhere, on_one_way


def converted(program):
    return autograph_lite.convert(program, static_loops="stage")


@pytest.mark.parametrize("program", SUNK + KEPT)
def test_the_values_are_those_of_numpy(program):
    D, x = given()
    np.testing.assert_allclose(converted(program)(D.copy(), x), program(D.copy(), x), rtol=1e-5)


@pytest.mark.parametrize("program", SUNK + KEPT)
def test_the_derivatives_are_those_of_the_unrolled_loop(program):
    D, x = map(jnp.asarray, given())

    def total(program):
        return lambda D, x: jnp.sum(jnp.sin(program(D, x)))

    found, expected = (
        jax.jit(jax.grad(total(f), (0, 1)))(D, x)
        for f in (converted(program), autograph_lite.convert(program))
    )
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5), found, expected)


@pytest.mark.parametrize("program", SUNK)
def test_branches_give_no_array(program):
    D, x = map(jnp.asarray, given())
    found = [
        e for e in everything(jax.make_jaxpr(converted(program))(D, x).jaxpr) if e.primitive.name == "cond"
    ]
    assert not any(v.aval.shape == D.shape for e in found for v in e.outvars)


def everything(jaxpr):
    for equation in jaxpr.eqns:
        yield equation
        for inner in jax.tree.leaves(list(equation.params.values()), is_leaf=structure._is_jaxpr):
            if structure._is_jaxpr(inner):
                yield from everything(getattr(inner, "jaxpr", inner))


def test_numbers_are_chosen_without_a_branch():
    D, x = map(jnp.asarray, given())
    assert structure.primitives(converted(in_a_table), D, x)["cond"] == 0


def test_what_jax_drops_beyond_the_end_is_dropped():
    D, x = map(jnp.asarray, given())
    expected = autograph_lite.convert(out_of_bounds, static_loops="python")(D, x)
    np.testing.assert_allclose(converted(out_of_bounds)(D, x), expected)


def test_a_function_of_an_item_is_not_taken_for_its_new_value():
    def program(D, x):
        for i in range(len(x)):
            if x[i] > 0:
                D = D.at[i, 0].apply(jnp.sin)
            else:
                D = D.at[i, 0].set(x[i])
        return D

    D, x = map(jnp.asarray, given())
    expected = D.at[:, 0].set(jnp.where(x > 0, jnp.sin(D[:, 0]), x))
    np.testing.assert_allclose(converted(program)(D, x), expected, rtol=1e-6)


def test_many_lanes_give_what_one_by_one_give():
    D, x = map(jnp.asarray, given())
    xs = jnp.stack([x, -x, x * 3])
    run = converted(products)
    expected = jnp.stack([run(D, lane) for lane in xs])
    np.testing.assert_allclose(jax.vmap(run, (None, 0))(D, xs), expected, rtol=1e-5)
