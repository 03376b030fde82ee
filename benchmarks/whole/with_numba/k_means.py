"""Lloyd's method point by point; sums and counts of the clusters are gathered in one pass."""

import numpy as np


def squared_distance(p, q):
    total = 0.0
    for c in range(len(p)):
        total += (p[c] - q[c]) ** 2
    return total


def first_centres(X, n_clusters):
    centres = np.zeros((n_clusters, X.shape[1]))
    centres[0] = X[0]
    nearest = np.full(len(X), np.inf)
    for k in range(1, n_clusters):
        for i in range(len(X)):
            nearest[i] = min(nearest[i], squared_distance(X[i], centres[k - 1]))
        centres[k] = X[np.argmax(nearest)]
    return centres


def assign(X, centres, labels, distances):
    for i in range(len(X)):
        distances[i] = np.inf
        for k in range(len(centres)):
            d = squared_distance(X[i], centres[k])
            if d < distances[i]:
                labels[i], distances[i] = k, d


def update(X, labels, distances, centres):
    """The moved centres, and how far the furthest has moved."""
    sums = np.zeros_like(centres)
    counts = np.zeros(len(centres), dtype=np.int64)
    for i in range(len(X)):
        counts[labels[i]] += 1
        for c in range(X.shape[1]):
            sums[labels[i], c] += X[i, c]
    shift = 0.0
    for k in range(len(centres)):
        if counts[k] == 0:
            sums[k] = X[np.argmax(distances)]
        else:
            sums[k] /= counts[k]
        shift = max(shift, np.sqrt(squared_distance(sums[k], centres[k])))
    return sums, shift


def silhouette(X, labels, n_clusters):
    total = 0.0
    counts = np.bincount(labels, minlength=n_clusters)
    for i in range(len(X)):
        sums = np.zeros(n_clusters)
        for j in range(len(X)):
            sums[labels[j]] += np.sqrt(squared_distance(X[i], X[j]))
        a, b = 0.0, np.inf
        for k in range(n_clusters):
            if k == labels[i]:
                if counts[k] > 1:
                    a = sums[k] / (counts[k] - 1)
            elif counts[k] > 0:
                b = min(b, sums[k] / counts[k])
        if max(a, b) > 0:
            total += (b - a) / max(a, b)
    return total / len(X)


def k_means(X, truth, n_clusters=5, max_iter=100, tol=1e-6):
    labels = np.zeros(len(X), dtype=np.int64)
    distances = np.zeros(len(X))
    centres = first_centres(X, n_clusters)
    n_iter = 0
    while n_iter < max_iter:
        assign(X, centres, labels, distances)
        centres, shift = update(X, labels, distances, centres)
        n_iter += 1
        if shift < tol:
            break
    assign(X, centres, labels, distances)
    table = np.zeros((n_clusters, n_clusters), dtype=np.int64)
    for i in range(len(X)):
        table[labels[i], truth[i]] += 1
    purity = 0
    for k in range(n_clusters):
        purity += table[k].max()
    return (
        centres,
        labels,
        distances.sum(),
        n_iter,
        silhouette(X, labels, n_clusters),
        table,
        purity / len(X),
    )
