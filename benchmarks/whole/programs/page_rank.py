"""PageRank of a graph given by its links, until it converges; hubs and authorities, components, the best pages."""

import numpy as np


class Graph:
    def __init__(self, n, source, target):
        self.n = n
        self.source = source
        self.target = target
        self.out_degree = np.zeros(n, dtype=int)
        self.in_degree = np.zeros(n, dtype=int)
        for s, t in zip(source, target):
            self.out_degree[s] += 1
            self.in_degree[t] += 1

    def dangling(self):
        return self.out_degree == 0


def pagerank(graph, damping=0.85, tol=1e-8, max_iter=200):
    """Ranks, how many iterations it took, and the last change."""
    n = graph.n
    rank = np.ones(n) / n
    dangling = graph.dangling()
    degree = np.maximum(graph.out_degree, 1)
    change = 1.0
    iterations = 0
    while change > tol and iterations < max_iter:
        share = rank / degree
        received = np.zeros(n)
        for s, t in zip(graph.source, graph.target):
            received[t] += share[s]
        lost = rank[dangling].sum()
        new_rank = (1 - damping) / n + damping * (received + lost / n)
        change = np.abs(new_rank - rank).sum()
        rank = new_rank
        iterations += 1
    return rank, iterations, change


def hits(graph, tol=1e-6, max_iter=50):
    """Kleinberg's hubs and authorities."""
    hub = np.ones(graph.n)
    authority = np.ones(graph.n)
    for it in range(max_iter):
        new_authority = np.zeros(graph.n)
        for s, t in zip(graph.source, graph.target):
            new_authority[t] += hub[s]
        new_authority /= np.linalg.norm(new_authority)
        new_hub = np.zeros(graph.n)
        for s, t in zip(graph.source, graph.target):
            new_hub[s] += new_authority[t]
        new_hub /= np.linalg.norm(new_hub)
        if np.allclose(new_hub, hub, atol=tol) and np.allclose(new_authority, authority, atol=tol):
            break
        hub, authority = new_hub, new_authority
    return hub, authority, it


def find(parent, v):
    while parent[v] != v:
        parent[v] = parent[parent[v]]
        v = parent[v]
    return v


def components(graph):
    """Union and find; the smallest vertex stands for each component."""
    parent = np.arange(graph.n)
    count = graph.n
    for s, t in zip(graph.source, graph.target):
        a, b = find(parent, s), find(parent, t)
        if a != b:
            parent[max(a, b)] = min(a, b)
            count -= 1
    labels = np.array([find(parent, v) for v in range(graph.n)])
    return labels, count


def best(scores, k):
    """The k best, by selection."""
    scores = scores.copy()
    chosen = []
    for _ in range(k):
        i = np.argmax(scores)
        chosen.append(i)
        scores[i] = -np.inf
    return chosen


def page_rank(source, target, n=60, k=5):
    """Ranks, iterations, the best pages, hubs, authorities, components, and how unequal the ranks are."""
    graph = Graph(n, source, target)
    rank, iterations, change = pagerank(graph)
    hub, authority, rounds = hits(graph)
    labels, count = components(graph)
    leaders = best(rank, k)
    common = 0
    for page in best(authority, k):
        if page in leaders:
            common += 1
    ordered = np.sort(rank)
    area = 0.0
    for i, r in enumerate(ordered):
        area += (2 * (i + 1) - n - 1) * r
    return (
        rank,
        iterations,
        change < 1e-6,
        np.array(leaders),
        hub,
        authority,
        rounds,
        labels,
        count,
        common,
        area / n,
    )
