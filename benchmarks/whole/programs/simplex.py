"""Linear programs by the simplex method with a tableau: max c x, A x <= b, x >= 0, and the price of each constraint."""

import numpy as np

OPTIMAL, UNBOUNDED, OUT_OF_STEPS = 0, 1, 2
EPS = 1e-9


class Tableau:
    def __init__(self, c, A, b):
        m, n = A.shape
        self.m, self.n = m, n
        self.T = np.zeros((m + 1, n + m + 1))
        self.T[:m, :n] = A
        self.T[:m, n : n + m] = np.eye(m)
        self.T[:m, -1] = b
        self.T[m, :n] = -c
        self.basis = np.arange(n, n + m)

    def entering(self, bland):
        """The column to enter; -1 where the solution is optimal."""
        costs = self.T[-1, :-1]
        if bland:
            for j in range(self.n + self.m):
                if costs[j] < -EPS:
                    return j
            return -1
        j = np.argmin(costs)
        if costs[j] >= -EPS:
            return -1
        return j

    def leaving(self, j):
        """The row to leave, by the smallest ratio; -1 where nothing bounds the column."""
        best = np.inf
        row = -1
        for i in range(self.m):
            if self.T[i, j] > EPS:
                ratio = self.T[i, -1] / self.T[i, j]
                if ratio < best - EPS:
                    best = ratio
                    row = i
                elif ratio < best + EPS and row >= 0 and self.basis[i] < self.basis[row]:
                    row = i
        return row

    def pivot(self, row, col):
        self.T[row] /= self.T[row, col]
        for i in range(self.m + 1):
            if i != row:
                self.T[i] -= self.T[i, col] * self.T[row]
        self.basis[row] = col

    def solution(self):
        x = np.zeros(self.n + self.m)
        for i in range(self.m):
            x[self.basis[i]] = self.T[i, -1]
        return x[: self.n]

    def prices(self):
        return self.T[-1, self.n : self.n + self.m]


def solve(c, A, b, max_steps):
    """Status, solution, value, prices, steps."""
    tableau = Tableau(c, A, b)
    steps = 0
    stalled = 0
    value = 0.0
    status = OUT_OF_STEPS
    while steps < max_steps:
        col = tableau.entering(stalled > 3)
        if col < 0:
            status = OPTIMAL
            break
        row = tableau.leaving(col)
        if row < 0:
            status = UNBOUNDED
            break
        tableau.pivot(row, col)
        steps += 1
        if tableau.T[-1, -1] <= value + EPS:
            stalled += 1
        else:
            stalled = 0
        value = tableau.T[-1, -1]
    return status, tableau.solution(), value, tableau.prices(), steps


def check(c, A, b, x, prices):
    """How far the solution is from being allowed, and the gap between both problems."""
    violation = 0.0
    for row, bound in zip(A, b):
        violation = max(violation, row @ x - bound)
    for v in x:
        violation = max(violation, -v)
    return violation, abs(c @ x - b @ prices)


def simplex(c, A, b, max_steps=100):
    """The solution with its figures; then the same without its first constraint, which may have no end."""
    status, x, value, prices, steps = solve(c, A, b, max_steps)
    violation, gap = check(c, A, b, x, prices)
    slack = np.array([bound - row @ x for row, bound in zip(A, b)])
    tight = 0
    for s in slack:
        if abs(s) < 1e-6:
            tight += 1
    without = solve(c, A[1:], b[1:], max_steps)
    return status, x, value, prices, steps, violation, gap, slack, tight, without[0], without[2]
