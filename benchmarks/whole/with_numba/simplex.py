"""The tableau as one array that is worked on in place."""

import numpy as np

OPTIMAL, UNBOUNDED, OUT_OF_STEPS = 0, 1, 2
EPS = 1e-9


def entering(T, bland):
    chosen, least = -1, -EPS
    for j in range(T.shape[1] - 1):
        if T[-1, j] < least:
            if bland:
                return j
            chosen, least = j, T[-1, j]
    return chosen


def leaving(T, basis, j):
    best, row = np.inf, -1
    for i in range(len(basis)):
        if T[i, j] > EPS:
            ratio = T[i, -1] / T[i, j]
            if ratio < best - EPS:
                best, row = ratio, i
            elif ratio < best + EPS and row >= 0 and basis[i] < basis[row]:
                row = i
    return row


def pivot(T, basis, row, col):
    by = T[row, col]
    for j in range(T.shape[1]):
        T[row, j] /= by
    for i in range(T.shape[0]):
        if i != row:
            factor = T[i, col]
            for j in range(T.shape[1]):
                T[i, j] -= factor * T[row, j]
    basis[row] = col


def solve(c, A, b, max_steps):
    m, n = A.shape
    T = np.zeros((m + 1, n + m + 1))
    for i in range(m):
        T[i, n + i] = 1.0
        T[i, -1] = b[i]
        for j in range(n):
            T[i, j] = A[i, j]
    T[m, :n] = -c
    basis = np.arange(n, n + m)
    steps = stalled = 0
    value, status = 0.0, OUT_OF_STEPS
    while steps < max_steps:
        col = entering(T, stalled > 3)
        if col < 0:
            status = OPTIMAL
            break
        row = leaving(T, basis, col)
        if row < 0:
            status = UNBOUNDED
            break
        pivot(T, basis, row, col)
        steps += 1
        stalled = stalled + 1 if T[-1, -1] <= value + EPS else 0
        value = T[-1, -1]
    x = np.zeros(n)
    for i in range(m):
        if basis[i] < n:
            x[basis[i]] = T[i, -1]
    return status, x, value, T[-1, n : n + m].copy(), steps


def simplex(c, A, b, max_steps=100):
    status, x, value, prices, steps = solve(c, A, b, max_steps)
    slack = b.copy()
    worth = cost = violation = 0.0
    tight = 0
    for i in range(len(b)):
        cost += b[i] * prices[i]
        for j in range(len(c)):
            slack[i] -= A[i, j] * x[j]
        violation = max(violation, -slack[i])
        if abs(slack[i]) < 1e-6:
            tight += 1
    for j in range(len(c)):
        worth += c[j] * x[j]
        violation = max(violation, -x[j])
    without = solve(c, A[1:], b[1:], max_steps)
    gap = abs(worth - cost)
    return status, x, value, prices, steps, violation, gap, slack, tight, without[0], without[2]
