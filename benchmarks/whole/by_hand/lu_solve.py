"""LU with partial pivoting by rank-one updates of the whole matrix; all columns of the inverse at once."""

import jax.numpy as jnp
from jax import lax


def _factor(A):
    n = len(A)
    rows = jnp.arange(n)

    def eliminate(k, state):
        LU, perm, sign = state
        pivot = jnp.argmax(jnp.where(rows >= k, jnp.abs(LU[:, k]), -1))
        swapped = jnp.where(rows == k, pivot, jnp.where(rows == pivot, k, rows))
        LU, perm = LU[swapped], perm[swapped]
        factors = jnp.where(rows > k, LU[:, k] / LU[k, k], 0)
        LU = LU - jnp.outer(factors, jnp.where(rows > k, LU[k], 0))
        return (
            LU.at[:, k].set(jnp.where(rows > k, factors, LU[:, k])),
            perm,
            jnp.where(pivot == k, sign, -sign),
        )

    return lax.fori_loop(0, n - 1, eliminate, (A, rows, jnp.asarray(1.0)))


def _solve(LU, perm, b):
    n = len(LU)

    def forward(i, y):
        return y.at[i].add(-jnp.where(jnp.arange(n) < i, LU[i], 0) @ y)

    def backward(k, x):
        i = n - 1 - k
        return x.at[i].set((x[i] - jnp.where(jnp.arange(n) > i, LU[i], 0) @ x) / LU[i, i])

    return lax.fori_loop(0, n, backward, lax.fori_loop(0, n, forward, b[perm]))


def lu_solve(A, b, tol=1e-12, most=5):
    scale = jnp.max(jnp.abs(A), axis=1)
    scaled, rhs = A / scale[:, None], b / scale
    LU, perm, sign = _factor(scaled)

    def residual(x):
        return rhs - scaled @ x

    def goes_on(state):
        x, steps = state
        return (steps < most) & (jnp.max(jnp.abs(residual(x))) > tol * jnp.max(jnp.abs(rhs)))

    def refine(state):
        x, steps = state
        return x + _solve(LU, perm, residual(x)), steps + 1

    x, steps = lax.while_loop(goes_on, refine, (_solve(LU, perm, rhs), 0))
    det = sign * jnp.prod(jnp.diag(LU)) * jnp.prod(scale)
    inverse = _solve(LU, perm, jnp.eye(len(A))) / scale
    cond = jnp.abs(A).sum(axis=0).max() * jnp.abs(inverse).sum(axis=0).max()
    small = jnp.linalg.norm(A @ x - b) / jnp.linalg.norm(b) < 1e-5
    return x, steps, det, inverse, cond, small, perm
