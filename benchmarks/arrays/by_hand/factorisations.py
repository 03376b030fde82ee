"""Factorisations with masks in place of slices that shrink."""

import jax.numpy as jnp
from jax import lax


def lu(A):
    n = A.shape[0]
    rows = jnp.arange(n)

    def step(k, state):
        A, order = state
        column = lax.dynamic_slice_in_dim(A, k, 1, 1)[:, 0]
        pivot = jnp.argmax(jnp.where(rows >= k, jnp.abs(column), -1))
        swap = jnp.stack([k, pivot])
        A = A.at[swap].set(A[swap[::-1]], unique_indices=False)
        order = order.at[swap].set(order[swap[::-1]])
        top = lax.dynamic_index_in_dim(A, k, 0, keepdims=False)
        column = lax.dynamic_slice_in_dim(A, k, 1, 1)[:, 0]
        factors = jnp.where(rows > k, column / top[k], 0)
        A = A - jnp.outer(factors, jnp.where(rows > k, top, 0))
        return A.at[:, k].set(jnp.where(rows > k, factors, column)), order

    return lax.fori_loop(0, n - 1, step, (A, rows))


def cholesky(A):
    n = A.shape[0]
    rows = jnp.arange(n)

    def step(j, L):
        row = lax.dynamic_index_in_dim(L, j, 0, keepdims=False)
        column = lax.dynamic_slice_in_dim(A, j, 1, 1)[:, 0]
        rest = column - L @ row  # the columns from j on are still zero
        entry = jnp.sqrt(rest[j])
        new = jnp.where(rows > j, rest / entry, jnp.where(rows == j, entry, 0))
        return L.at[:, j].set(new)

    return lax.fori_loop(0, n, step, jnp.zeros_like(A))


def householder(A):
    m, n = A.shape
    rows = jnp.arange(m)

    def step(k, R):
        column = lax.dynamic_slice_in_dim(R, k, 1, 1)[:, 0]
        v = jnp.where(rows >= k, column, 0)
        norm = jnp.sqrt(v @ v)
        v = v.at[k].add(jnp.where(v[k] < 0, -norm, norm))
        v = v / jnp.sqrt(v @ v)
        # Columns before k hold zeros where v does not, so that the product with all of them changes nothing but rounding.
        return R - 2 * jnp.outer(v, jnp.where(jnp.arange(n) >= k, v @ R, 0))

    return lax.fori_loop(0, n, step, A)


def gram_schmidt(A):
    n = A.shape[1]

    def step(k, state):
        V, R = state
        v = lax.dynamic_slice_in_dim(V, k, 1, 1)[:, 0]
        norm = jnp.sqrt(jnp.sum(v**2))
        v = v / norm
        # The inner loop's columns don't depend on one another.
        row = jnp.where(jnp.arange(n) > k, v @ V, 0)
        V = (V - jnp.outer(v, row)).at[:, k].set(v)
        return V, R.at[k].set(row.at[k].set(norm))

    return lax.fori_loop(0, n, step, (A, jnp.zeros((n, n), A.dtype)))


def jacobi(A, sweeps=4):
    n = A.shape[0]

    def rotate(A, p, q, rows_p, rows_q):
        tau = (rows_q[q] - rows_p[p]) / (2 * rows_p[q])
        t = jnp.where(tau >= 0, 1, -1) / (jnp.abs(tau) + jnp.sqrt(1 + tau * tau))
        c = 1 / jnp.sqrt(1 + t * t)
        s = t * c
        A = A.at[p].set(c * rows_p - s * rows_q).at[q].set(s * rows_p + c * rows_q)
        columns_p, columns_q = A[:, p], A[:, q]
        return A.at[:, p].set(c * columns_p - s * columns_q).at[:, q].set(s * columns_p + c * columns_q)

    def pair(p, q, A):
        rows_p, rows_q = A[p], A[q]
        return lax.cond(jnp.abs(rows_p[q]) > 1e-7, lambda A: rotate(A, p, q, rows_p, rows_q), lambda A: A, A)

    def row(p, A):
        return lax.fori_loop(p + 1, n, lambda q, A: pair(p, q, A), A)

    A = lax.fori_loop(0, sweeps, lambda _, A: lax.fori_loop(0, n - 1, row, A), A)
    return jnp.sort(jnp.diag(A))
