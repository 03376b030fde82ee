"""Graphs."""

import jax.numpy as jnp
from jax import lax


def floyd_warshall(distance):
    def through(k, d):
        column = lax.dynamic_slice_in_dim(d, k, 1, 1)
        row = lax.dynamic_slice_in_dim(d, k, 1, 0)
        return jnp.minimum(d, column + row)

    return lax.fori_loop(0, len(distance), through, distance)


def bellman_ford(sources, targets, weights, nodes=64):
    def edge(state, e):
        distance, changed = state
        source, target, weight = e
        through = distance[source] + weight

        def shorter(distance, _):
            return distance.at[target].set(through), True

        return lax.cond(through < distance[target], shorter, lambda *state: state, distance, changed), None

    def turn(state):
        distance, _, turns = state
        (distance, changed), _ = lax.scan(edge, (distance, False), (sources, targets, weights))
        return distance, changed, turns + 1

    start = jnp.full(nodes, 1e9, jnp.float32).at[0].set(0)
    return lax.while_loop(lambda s: s[1] & (s[2] < nodes - 1), turn, (start, True, 0))[0]


def pagerank(links, damping=0.85):
    n = len(links)
    out = links.sum(axis=1)

    def step(state):
        rank, _ = state
        new = (1 - damping) / n + damping * (links.T @ (rank / out))
        return new, jnp.abs(new - rank).sum()

    start = jnp.ones(n) / n, jnp.float32(1)
    return lax.while_loop(lambda s: s[1] > 1e-6, step, start)[0]


def prim(weights):
    n = len(weights)

    def step(_, state):
        reached, cost, parent, total = state
        node = jnp.argmin(jnp.where(reached, jnp.inf, cost))
        total = total + cost[node]
        reached = reached.at[node].set(True)
        row = weights[node]
        better = ~reached & (row < cost)
        return reached, jnp.where(better, row, cost), jnp.where(better, node.astype(jnp.int32), parent), total

    reached = jnp.zeros(n, bool).at[0].set(True)
    start = reached, weights[0], jnp.zeros(n, jnp.int32), jnp.zeros((), weights.dtype)
    _, _, parent, total = lax.fori_loop(0, n - 1, step, start)
    return total, parent


def components(adjacency):
    n = len(adjacency)

    def node(state, x):
        label, changed = state
        i, row = x
        mine = label[i]
        smallest = jnp.min(jnp.where(row > 0, label, mine))
        label = label.at[i].set(jnp.minimum(mine, smallest))
        return (label, changed | (smallest < mine)), None

    def turn(state):
        return lax.scan(node, (state[0], False), (jnp.arange(n), adjacency))[0]

    return lax.while_loop(lambda s: s[1], turn, (jnp.arange(n), True))[0]
