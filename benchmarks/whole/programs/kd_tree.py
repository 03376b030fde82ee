"""A k-d tree in arrays: built by medians, then asked for nearest neighbours and for what is within a radius."""

import numpy as np


class KDTree:
    """A complete binary tree: the children of node i are 2 i + 1 and 2 i + 2."""

    def __init__(self, points):
        self.points = points
        self.n, self.k = points.shape
        self.levels = 0
        while 2**self.levels - 1 < self.n:
            self.levels += 1
        self.index = np.full(2**self.levels - 1, -1)
        self._build()

    def _build(self):
        """Level by level; `parts` are the rows below each node of a level."""
        parts = [np.arange(self.n)]
        node = 0
        for level in range(self.levels):
            axis = level % self.k
            below = []
            for part in parts:
                if len(part) == 0:
                    below += [part, part]
                else:
                    order = part[np.argsort(self.points[part, axis])]
                    middle = len(order) // 2
                    self.index[node] = order[middle]
                    below.append(order[:middle])
                    below.append(order[middle + 1 :])
                node += 1
            parts = below

    def nearest(self, query):
        """Row and distance of the point nearest to `query`, and how many nodes were looked at."""
        best = -1
        best_d2 = np.inf
        visited = 0
        stack = np.zeros((2 * self.levels + 2, 2), dtype=int)
        gaps = np.zeros(2 * self.levels + 2)
        top = 1
        while top > 0:
            top -= 1
            node, level = stack[top]
            if gaps[top] >= best_d2 or node >= len(self.index) or self.index[node] < 0:
                continue
            visited += 1
            row = self.index[node]
            point = self.points[row]
            d2 = np.sum((point - query) ** 2)
            if d2 < best_d2:
                best_d2 = d2
                best = row
            axis = level % self.k
            delta = query[axis] - point[axis]
            near, far = 2 * node + 1, 2 * node + 2
            if delta > 0:
                near, far = far, near
            stack[top] = far, level + 1
            gaps[top] = delta**2
            stack[top + 1] = near, level + 1
            gaps[top + 1] = 0
            top += 2
        return best, np.sqrt(best_d2), visited

    def count_within(self, centre, radius):
        count = 0
        stack = np.zeros((2 * self.levels + 2, 2), dtype=int)
        top = 1
        while top:
            top -= 1
            node, level = stack[top]
            if node >= len(self.index) or self.index[node] < 0:
                continue
            point = self.points[self.index[node]]
            if np.linalg.norm(point - centre) <= radius:
                count += 1
            axis = level % self.k
            delta = centre[axis] - point[axis]
            if delta - radius <= 0:
                stack[top] = 2 * node + 1, level + 1
                top += 1
            if delta + radius >= 0:
                stack[top] = 2 * node + 2, level + 1
                top += 1
        return count


def brute_force(points, query):
    best = 0
    for i in range(1, len(points)):
        if np.sum((points[i] - query) ** 2) < np.sum((points[best] - query) ** 2):
            best = i
    return best


def kd_tree(points, queries, radius=0.2):
    """Nearest rows and distances, mean of the nodes looked at, counts within the radius, and whether all is right."""
    tree = KDTree(points)
    rows = np.zeros(len(queries), dtype=int)
    distances = np.zeros(len(queries))
    counts = np.zeros(len(queries), dtype=int)
    looked_at = 0
    right = True
    for i, query in enumerate(queries):
        rows[i], distances[i], visited = tree.nearest(query)
        looked_at += visited
        counts[i] = tree.count_within(query, radius)
        if brute_force(points, query) != rows[i]:
            right = False
    return rows, distances, looked_at / len(queries), counts, right
