"""Do higher derivatives, in every order of the two modes, agree with those of a `scan`?"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from autograph_lite import convert

X = jnp.array([0.3, -0.4, 0.8], jnp.float32)
W = jnp.array([[0.5, -0.3, 0.2], [0.1, 0.8, -0.4], [0.6, 0.2, 0.3]], jnp.float32)


@convert
def ours(x):
    i = jnp.int32(0)
    while i < 5:
        x = jnp.tanh(W @ x + 0.1)
        i += 1
    return x


def scanned(x):
    return lax.scan(lambda s, _: (jnp.tanh(W @ s + 0.1), None), x, None, length=5)[0]


def total(f):
    return lambda x: jnp.sum(f(x))


ORDERS = {
    "jvp": lambda f: lambda x: jax.jvp(f, (x,), (2 * x,)),
    "jacfwd": jax.jacfwd,
    "jacrev": jax.jacrev,
    "linearize": lambda f: lambda x: jax.linearize(f, x)[1](x),
    "vmap of linearize": lambda f: lambda x: jax.vmap(jax.linearize(f, x)[1])(jnp.eye(3)),
    "forward over forward": lambda f: jax.jacfwd(jax.jacfwd(f)),
    "forward over reverse": lambda f: jax.jacfwd(jax.jacrev(f)),
    "reverse over forward": lambda f: jax.jacrev(jax.jacfwd(f)),
    "reverse over reverse": lambda f: jax.grad(lambda x: jnp.sum(jax.grad(total(f))(x) ** 2)),
    "hessian": lambda f: jax.hessian(total(f)),
    "vmap of hessian": lambda f: lambda x: jax.vmap(jax.hessian(total(f)))(jnp.stack([x, -x])),
    "hessian-vector product": lambda f: lambda x: jax.jvp(jax.grad(total(f)), (x,), (x,))[1],
}


@pytest.mark.parametrize("order", sorted(ORDERS))
def test_derivative_is_that_of_a_scan(order) -> None:
    of = ORDERS[order]
    one, other = jax.jit(of(ours))(X), jax.jit(of(scanned))(X)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-6), one, other)


def test_transpose_of_a_loop_that_is_linear() -> None:
    @convert
    def powers(v, n):
        for _ in range(n):
            v = W @ v
        return v

    transposed = jax.jit(lambda v, n: jax.linear_transpose(lambda u: powers(u, n), X)(v)[0])
    np.testing.assert_allclose(transposed(X, 3), W.T @ (W.T @ (W.T @ X)), rtol=1e-5)


def test_gradient_within_a_scan_and_a_loop_within_that_gradient() -> None:
    def descend(f):
        step = jax.grad(lambda x: jnp.sum(f(x) ** 2))
        return jax.jit(lambda x: lax.scan(lambda s, _: (s - 0.1 * step(s), None), x, None, length=3)[0])

    np.testing.assert_allclose(descend(ours)(X), descend(scanned)(X), rtol=1e-5)
