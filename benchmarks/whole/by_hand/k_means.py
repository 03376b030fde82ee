"""Lloyd's k-means with matrices of distances, in a `while_loop`."""

import jax.numpy as jnp
from jax import lax


def _squares(X, centres):
    return jnp.sum((X[:, None] - centres) ** 2, axis=2)


def _first_centres(X, k):
    def next_centre(i, state):
        centres, nearest = state
        centre = X[jnp.argmax(nearest)]
        return centres.at[i].set(centre), jnp.minimum(nearest, jnp.sum((X - centre) ** 2, axis=1))

    centres = jnp.zeros((k, X.shape[1]), X.dtype).at[0].set(X[0])
    return lax.fori_loop(1, k, next_centre, (centres, jnp.sum((X - X[0]) ** 2, axis=1)))[0]


def _silhouette(X, labels, k):
    distances = jnp.sqrt(_squares(X, X))
    members = labels[:, None] == jnp.arange(k)
    counts = members.sum(axis=0)
    sums = distances @ members
    own = counts[labels]
    a = jnp.where(own > 1, jnp.take_along_axis(sums, labels[:, None], 1)[:, 0] / jnp.maximum(own - 1, 1), 0)
    b = jnp.min(jnp.where(members | (counts == 0), jnp.inf, sums / jnp.maximum(counts, 1)), axis=1)
    top = jnp.maximum(a, b)
    return jnp.sum(jnp.where(top > 0, (b - a) / top, 0)) / len(X)


def k_means(points, truth, n_clusters=5, max_iter=100, tol=1e-6):
    X, k = points, n_clusters

    def update(state):
        centres, _, count = state
        squares = _squares(X, centres)
        members = (jnp.argmin(squares, axis=1)[:, None] == jnp.arange(k)).astype(X.dtype)
        counts = members.sum(axis=0)[:, None]
        furthest = X[jnp.argmax(jnp.min(squares, axis=1))]
        moved = jnp.where(counts == 0, furthest, members.T @ X / jnp.maximum(counts, 1))
        return moved, jnp.sqrt(jnp.sum((moved - centres) ** 2, axis=1)).max(), count + 1

    start = _first_centres(X, k), jnp.asarray(jnp.inf, X.dtype), 0
    centres, _, count = lax.while_loop(lambda s: (s[2] < max_iter) & (s[1] >= tol), update, start)
    squares = _squares(X, centres)
    labels = jnp.argmin(squares, axis=1)
    table = jnp.zeros((k, k), int).at[labels, truth].add(1)
    purity = table.max(axis=1).sum() / len(X)
    return centres, labels, squares.min(axis=1).sum(), count, _silhouette(X, labels, k), table, purity
