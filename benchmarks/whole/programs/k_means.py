"""Lloyd's k-means until nothing moves, from well spread first centres, with the silhouette of the result."""

import numpy as np


class KMeans:
    """Clusters of points, as scikit-learn spells it."""

    def __init__(self, n_clusters, max_iter=100, tol=1e-6):
        self.n_clusters = n_clusters
        self.max_iter = max_iter
        self.tol = tol

    def _first_centres(self, X):
        """Each next centre is the point furthest from those that there are."""
        centres = np.zeros((self.n_clusters, X.shape[1]))
        centres[0] = X[0]
        nearest = np.sum((X - X[0]) ** 2, axis=1)
        for k in range(1, self.n_clusters):
            far = np.argmax(nearest)
            centres[k] = X[far]
            nearest = np.minimum(nearest, np.sum((X - X[far]) ** 2, axis=1))
        return centres

    def _assign(self, X, centres):
        labels = np.zeros(len(X), dtype=int)
        distances = np.full(len(X), np.inf)
        for k in range(self.n_clusters):
            d = np.sum((X - centres[k]) ** 2, axis=1)
            closer = d < distances
            labels[closer] = k
            distances[closer] = d[closer]
        return labels, distances

    def _update(self, X, labels, distances, centres):
        moved = centres.copy()
        for k in range(self.n_clusters):
            members = labels == k
            count = np.sum(members)
            if count == 0:
                moved[k] = X[np.argmax(distances)]
            else:
                moved[k] = np.sum(X[members], axis=0) / count
        return moved

    def fit(self, X):
        self.centres = self._first_centres(X)
        self.n_iter = 0
        self.converged = False
        while self.n_iter < self.max_iter:
            labels, distances = self._assign(X, self.centres)
            moved = self._update(X, labels, distances, self.centres)
            shift = np.sqrt(np.sum((moved - self.centres) ** 2, axis=1)).max()
            self.centres = moved
            self.n_iter += 1
            if shift < self.tol:
                self.converged = True
                break
        self.labels, distances = self._assign(X, self.centres)
        self.inertia = distances.sum()
        return self

    def predict(self, X):
        return self._assign(X, self.centres)[0]


def silhouette(X, labels, n_clusters):
    """Mean of (b - a) / max(a, b) over the points."""
    total = 0.0
    for i in range(len(X)):
        d = np.sqrt(np.sum((X - X[i]) ** 2, axis=1))
        own = labels[i]
        a = 0.0
        b = np.inf
        for k in range(n_clusters):
            members = labels == k
            count = members.sum()
            if k == own:
                if count > 1:
                    a = d[members].sum() / (count - 1)
            elif count > 0:
                b = min(b, d[members].mean())
        if max(a, b) > 0:
            total += (b - a) / max(a, b)
    return total / len(X)


def confusion(found, truth, n):
    table = np.zeros((n, n), dtype=int)
    for f, t in zip(found, truth):
        table[f, t] += 1
    return table


def k_means(points, truth, n_clusters=5):
    """Centres, labels, inertia, iterations, silhouette, and the table of found against true labels."""
    model = KMeans(n_clusters).fit(points)
    score = silhouette(points, model.labels, n_clusters)
    table = confusion(model.predict(points), truth, n_clusters)
    purity = 0
    for row in table:
        purity += row.max()
    return model.centres, model.labels, model.inertia, model.n_iter, score, table, purity / len(points)
