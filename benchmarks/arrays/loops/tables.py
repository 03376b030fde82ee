"""Dynamic programming: what is the best way, from the best ways of the parts?"""

import numpy as np


def edit_distance(a, b):
    """How many insertions, deletions and replacements turn `a` into `b`."""
    m, n = len(a), len(b)
    D = np.zeros((m + 1, n + 1), dtype=np.int32)
    D[:, 0] = np.arange(m + 1)
    D[0, :] = np.arange(n + 1)
    for i in range(1, m + 1):
        for j in range(1, n + 1):
            if a[i - 1] == b[j - 1]:
                D[i, j] = D[i - 1, j - 1]
            else:
                D[i, j] = 1 + min(D[i - 1, j - 1], D[i - 1, j], D[i, j - 1])
    return D[m, n]


def common_subsequence(a, b):
    """The length of the longest common subsequence, row by row."""
    n = len(b)
    row = np.zeros(n + 1, dtype=np.int32)
    for x in a:
        diagonal = 0
        for j in range(1, n + 1):
            above = row[j]
            if x == b[j - 1]:
                row[j] = diagonal + 1
            else:
                row[j] = max(above, row[j - 1])
            diagonal = above
    return row[n]


def knapsack(weights, values, capacity=500):
    """The largest value of things that weigh at most `capacity` together."""
    best = np.zeros(capacity + 1)
    for weight, value in zip(weights, values):
        best[weight:] = np.maximum(best[weight:], best[: capacity + 1 - weight] + value)
    return best[capacity]


def coins(values, total=1000):
    """In how many ways coins pay each sum."""
    ways = np.zeros(total + 1, dtype=np.int32)
    ways[0] = 1
    for value in values:
        for amount in range(value, total + 1):
            ways[amount] = (ways[amount] + ways[amount - value]) % 1000003
    return ways


def matrix_chain(sizes):
    """How many multiplications the best order of a product of matrices needs."""
    n = len(sizes) - 1
    cost = np.zeros((n, n))
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            best = np.inf
            for k in range(i, j):
                best = min(best, cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1])
            cost[i, j] = best
    return cost[0, n - 1]
