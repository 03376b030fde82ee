"""Dynamic programming."""

import jax.numpy as jnp
from jax import lax


def edit_distance(a, b):
    n = len(b)

    def row(above, x):
        i, x = x

        def cell(state, column):
            left, diagonal = state
            y, up = column
            here = jnp.where(x == y, diagonal, 1 + jnp.minimum(diagonal, jnp.minimum(up, left)))
            return (here, up), here

        _, cells = lax.scan(cell, (i, above[0]), (b, above[1:]))
        return jnp.concatenate([i[None], cells]), None

    first = jnp.arange(n + 1, dtype=jnp.int32)
    last, _ = lax.scan(row, first, (jnp.arange(1, len(a) + 1, dtype=jnp.int32), a))
    return last[n]


def common_subsequence(a, b):
    def row(above, x):
        def cell(state, column):
            left, diagonal = state
            y, up = column
            here = jnp.where(x == y, diagonal + 1, jnp.maximum(up, left))
            return (here, up), here

        zero = jnp.int32(0)
        return lax.scan(cell, (zero, zero), (b, above))[1], None

    return lax.scan(row, jnp.zeros(len(b), jnp.int32), a)[0][-1]


def knapsack(weights, values, capacity=500):
    sums = jnp.arange(capacity + 1)

    def thing(best, item):
        weight, value = item
        without = jnp.where(sums >= weight, jnp.roll(best, weight), -jnp.inf)
        return jnp.maximum(best, without + value), None

    return lax.scan(thing, jnp.zeros(capacity + 1), (weights, values))[0][capacity]


def coins(values, total=1000):
    def coin(ways, value):
        def amount(s, ways):
            return ways.at[s].set((ways[s] + ways[s - value]) % 1000003)

        return lax.fori_loop(value, total + 1, amount, ways), None

    return lax.scan(coin, jnp.zeros(total + 1, jnp.int32).at[0].set(1), values)[0]


def matrix_chain(sizes):
    n = len(sizes) - 1
    ks = jnp.arange(n)

    def span(length, cost):
        def start(i, cost):
            j = i + length
            left = lax.dynamic_index_in_dim(cost, i, 0, keepdims=False)
            below = jnp.roll(lax.dynamic_slice_in_dim(cost, j, 1, 1)[:, 0], -1)
            products = sizes[i] * sizes[1:] * sizes[j + 1]
            split = jnp.where((ks >= i) & (ks < j), left + below + products, jnp.inf)
            return cost.at[i, j].set(jnp.min(split))

        return lax.fori_loop(0, n - length, start, cost)

    return lax.fori_loop(1, n, span, jnp.zeros((n, n)))[0, n - 1]
