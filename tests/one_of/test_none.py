"""None beside an array, under `grad` and `vmap`: what does it cost, and what does a function know that JAX traces?"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

import autograph_lite
from tests.one_of.none_programs import NONE, XS, smallest_positive


def inverse_of_the_smallest(xs):
    best = None
    for x in xs:
        if x > 0 and (best is None or x < best):
            best = x
    return 0.0 if best is None else 1 / best


def test_the_gradient_of_a_search() -> None:
    f = autograph_lite.to_graph(inverse_of_the_smallest)
    np.testing.assert_allclose(jax.grad(f)(jnp.asarray(XS)), [0, 0, -0.25])
    np.testing.assert_allclose(jax.grad(f)(jnp.asarray(NONE)), [0, 0])
    np.testing.assert_allclose(jax.jit(jax.grad(f))(jnp.asarray(XS)), [0, 0, -0.25])


def test_lanes_of_a_search() -> None:
    rows = jnp.asarray([[3.0, -1.0, 2.0], [-1.0, -2.0, -3.0], [5.0, 4.0, 0.0]])
    f = autograph_lite.to_graph(inverse_of_the_smallest)
    np.testing.assert_allclose(jax.vmap(f)(rows), [0.5, 0, 0.25])
    np.testing.assert_allclose(
        jax.vmap(autograph_lite.convert(inverse_of_the_smallest))(rows), [0.5, 0, 0.25]
    )
    expected = [[0, 0, -0.25], [0, 0, 0], [0, -0.0625, 0]]
    np.testing.assert_allclose(jax.vmap(jax.grad(f))(rows), expected)


def test_a_function_that_is_traced_by_jax_knows_nothing_of_the_path() -> None:
    def f(x, n):
        v = x if x > 0 else None
        plus = jax.jit(lambda y: y + (0.0 if v is None else v))
        r = plus(x) if v is not None else 0.0
        return r + plus(x) * 10

    for x in (2.0, -2.0):
        np.testing.assert_allclose(autograph_lite.convert(f)(jnp.float32(x), 0), 44.0 if x > 0 else -20.0)


def test_a_search_is_a_loop_of_as_many_equations_as_by_hand() -> None:
    def by_hand(xs):
        def step(carry, x):
            found, best = carry
            better = (x > 0) & (~found | (x < best))
            return (found | better, jnp.where(better, x, best)), None

        return jax.lax.scan(step, (False, jnp.float32(0)), xs)[0]

    assert equations(autograph_lite.to_graph(smallest_positive)) <= equations(by_hand)


def equations(f) -> int:
    def count(jaxpr) -> int:
        inner = [
            p for eqn in jaxpr.eqns for p in jax.tree.leaves(list(eqn.params.values())) if hasattr(p, "jaxpr")
        ]
        return len(jaxpr.eqns) + sum(count(each.jaxpr) for each in inner)

    return count(jax.make_jaxpr(f)(jnp.asarray(XS)).jaxpr)
