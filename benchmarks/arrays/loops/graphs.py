"""What are the shortest paths, the cheapest tree, the important nodes of a graph?"""

import numpy as np


def floyd_warshall(distance):
    """The lengths of the shortest paths between all nodes."""
    distance = distance.copy()
    n = len(distance)
    for k in range(n):
        distance = np.minimum(distance, distance[:, k : k + 1] + distance[k : k + 1, :])
    return distance


def bellman_ford(sources, targets, weights, nodes=64):
    """The lengths of the shortest paths from node 0, edge by edge, until nothing changes."""
    distance = np.full(nodes, 1e9, dtype=np.float32)
    distance[0] = 0
    for turn in range(nodes - 1):
        changed = False
        for e in range(len(weights)):
            through = distance[sources[e]] + weights[e]
            if through < distance[targets[e]]:
                distance[targets[e]] = through
                changed = True
        if not changed:
            break
    return distance


def pagerank(links, damping=0.85):
    """How often a random surfer is on each page."""
    n = len(links)
    out = links.sum(axis=1)
    rank = np.ones(n) / n
    change = 1.0
    while change > 1e-6:
        new = (1 - damping) / n + damping * (links.T @ (rank / out))
        change = np.abs(new - rank).sum()
        rank = new
    return rank


def prim(weights):
    """The weight of the minimum spanning tree, and each node's parent."""
    n = len(weights)
    reached = np.zeros(n, dtype=bool)
    cost = weights[0].copy()
    parent = np.zeros(n, dtype=np.int32)
    reached[0] = True
    total = 0.0
    for step in range(n - 1):
        node = np.argmin(np.where(reached, np.inf, cost))
        total += cost[node]
        reached[node] = True
        for other in range(n):
            if not reached[other] and weights[node, other] < cost[other]:
                cost[other] = weights[node, other]
                parent[other] = node
    return total, parent


def components(adjacency):
    """The smallest node that each node is connected with."""
    n = len(adjacency)
    label = np.arange(n)
    changed = True
    while changed:
        changed = False
        for i in range(n):
            smallest = np.min(np.where(adjacency[i] > 0, label, label[i]))
            if smallest < label[i]:
                label[i] = smallest
                changed = True
    return label
