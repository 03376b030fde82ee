"""L-BFGS with a backtracking line search, on Rosenbrock's function and on a logistic regression."""

import numpy as np


class Rosenbrock:
    def value(self, x):
        total = 0.0
        for i in range(len(x) - 1):
            total += 100 * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2
        return total

    def gradient(self, x):
        g = np.zeros_like(x)
        for i in range(len(x) - 1):
            d = x[i + 1] - x[i] ** 2
            g[i] += -400 * x[i] * d - 2 * (1 - x[i])
            g[i + 1] += 200 * d
        return g


class LogisticLoss:
    def __init__(self, X, y, l2):
        self.X = X
        self.y = y
        self.l2 = l2

    def value(self, w):
        margins = self.y * (self.X @ w)
        return np.mean(np.log1p(np.exp(-margins))) + 0.5 * self.l2 * (w @ w)

    def gradient(self, w):
        margins = self.y * (self.X @ w)
        weights = -self.y / (1 + np.exp(margins))
        return self.X.T @ weights / len(self.y) + self.l2 * w


def direction(g, S, Y, count, memory):
    """The two-loop recursion over the newest `memory` of the pairs kept."""
    q = g.copy()
    alphas = np.zeros(memory)
    first = max(0, count - memory)
    for k in range(count - 1, first - 1, -1):
        s, y = S[k % memory], Y[k % memory]
        alphas[k % memory] = (s @ q) / (y @ s)
        q -= alphas[k % memory] * y
    if count > 0:
        s, y = S[(count - 1) % memory], Y[(count - 1) % memory]
        q *= (s @ y) / (y @ y)
    for k in range(first, count):
        s, y = S[k % memory], Y[k % memory]
        beta = (y @ q) / (y @ s)
        q += (alphas[k % memory] - beta) * s
    return -q


def line_search(problem, x, f, g, p, c1=1e-4, shrink=0.5, most=30):
    """Armijo's rule; the step is 0 where none is found."""
    slope = g @ p
    if slope >= 0:
        return 0.0, f, 1
    step = 1.0
    for trial in range(1, most + 1):
        value = problem.value(x + step * p)
        if value <= f + c1 * step * slope:
            return step, value, trial
        step *= shrink
    return 0.0, f, most


def minimise(problem, x, memory=6, max_iter=150, tol=1e-6):
    """The minimum, its value, the norm of the gradient, iterations and evaluations."""
    n = len(x)
    S = np.zeros((memory, n))
    Y = np.zeros((memory, n))
    count = 0
    f = problem.value(x)
    g = problem.gradient(x)
    evaluations = 1
    iterations = 0
    while iterations < max_iter:
        if np.linalg.norm(g) < tol:
            break
        p = direction(g, S, Y, count, memory)
        step, f_new, trials = line_search(problem, x, f, g, p)
        evaluations += trials
        if step == 0:
            break
        x_new = x + step * p
        g_new = problem.gradient(x_new)
        s, y = x_new - x, g_new - g
        if s @ y > 1e-10:
            S[count % memory] = s
            Y[count % memory] = y
            count += 1
        x, f, g = x_new, f_new, g_new
        iterations += 1
    return x, f, np.linalg.norm(g), iterations, evaluations


def limited_memory_bfgs(start, X, labels, l2=0.01):
    """Both problems: the minima with their figures, and how many labels the regression gets right."""
    banana = minimise(Rosenbrock(), start)
    w, loss, norm, iterations, evaluations = minimise(LogisticLoss(X, labels, l2), np.zeros(X.shape[1]))
    right = 0
    for row, label in zip(X, labels):
        if (row @ w > 0) == (label > 0):
            right += 1
    return *banana, w, loss, norm, iterations, evaluations, right
