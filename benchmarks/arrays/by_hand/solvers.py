"""Solvers."""

import jax.numpy as jnp
from jax import lax


def conjugate_gradient(A, b, tolerance):
    def running(state):
        *_, rr, steps = state
        return (steps < len(b)) & (rr >= tolerance)

    def step(state):
        x, r, p, rr, steps = state
        Ap = A @ p
        alpha = rr / (p @ Ap)
        x = x + alpha * p
        r = r - alpha * Ap
        new = r @ r
        return x, r, r + (new / rr) * p, new, steps + 1

    x = jnp.zeros_like(b)
    r = b - A @ x
    x, _, _, _, steps = lax.while_loop(running, step, (x, r, r, r @ r, 0))
    return x, steps


def gauss_seidel(A, b, sweeps=20):
    n = len(b)

    def unknown(i, x):
        # x[i] itself is taken out again.
        row = lax.dynamic_index_in_dim(A, i, 0, keepdims=False)
        return x.at[i].set((b[i] - row @ x.at[i].set(0)) / row[i])

    def sweep(_, x):
        return lax.fori_loop(0, n, unknown, x)

    return lax.fori_loop(0, sweeps, sweep, jnp.zeros_like(b))


def power_iteration(A, v, steps=100):
    def step(_, state):
        v, _ = state
        w = A @ v
        return w / jnp.sqrt(w @ w), v @ w

    v, value = lax.fori_loop(0, steps, step, (v, jnp.zeros((), v.dtype)))
    return value, v


def thomas(lower, diagonal, upper, b):
    def forward(state, row):
        c, d = state
        low, middle, up, right = row
        pivot = middle - low * c
        new = up / pivot, (right - low * d) / pivot
        return new, new

    def backward(x, row):
        c, d = row
        x = d - c * x
        return x, x

    zero = jnp.zeros((), b.dtype)
    # The first row's `lower` meets zeros, the last row's `c` a zero.
    _, (c, d) = lax.scan(forward, (zero, zero), (lower, diagonal, upper, b))
    return lax.scan(backward, zero, (c, d), reverse=True)[1]


def back_substitution(U, b):
    n = len(b)

    def unknown(k, x):
        i = n - 1 - k
        row = lax.dynamic_index_in_dim(U, i, 0, keepdims=False)
        return x.at[i].set((b[i] - row @ x) / row[i])  # the unknowns up to i are still zero

    return lax.fori_loop(0, n, unknown, jnp.zeros_like(b))
