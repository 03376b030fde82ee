"""A mixture of Gaussians by expectation and maximisation, until the likelihood stands still; several sizes, by BIC."""

import numpy as np


def logsumexp(a):
    top = a.max(axis=1)
    return top + np.log(np.sum(np.exp(a - top[:, None]), axis=1))


def cholesky(A):
    n = A.shape[0]
    L = np.zeros_like(A)
    for i in range(n):
        for j in range(i + 1):
            s = A[i, j] - np.sum(L[i, :j] * L[j, :j])
            if i == j:
                L[i, j] = np.sqrt(s)
            else:
                L[i, j] = s / L[j, j]
    return L


def log_density(X, mean, cov):
    """Of each row under one Gaussian."""
    n, d = X.shape
    L = cholesky(cov)
    z = np.zeros((d, n))
    diff = (X - mean).T
    for i in range(d):
        z[i] = (diff[i] - L[i, :i] @ z[:i]) / L[i, i]
    half_logdet = 0.0
    for i in range(d):
        half_logdet += np.log(L[i, i])
    return -0.5 * np.sum(z**2, axis=0) - half_logdet - 0.5 * d * np.log(2 * np.pi)


class GaussianMixture:
    def __init__(self, k, reg=1e-4):
        self.k = k
        self.reg = reg

    def start(self, X):
        n, d = X.shape
        self.weights = np.ones(self.k) / self.k
        self.means = np.array([X[i * n // self.k] for i in range(self.k)])
        spread = np.cov(X.T) + self.reg * np.eye(d)
        self.covs = np.stack([spread] * self.k)

    def e_step(self, X):
        logp = np.zeros((len(X), self.k))
        for j in range(self.k):
            logp[:, j] = np.log(self.weights[j]) + log_density(X, self.means[j], self.covs[j])
        norm = logsumexp(logp)
        return np.exp(logp - norm[:, None]), norm.sum()

    def m_step(self, X, resp):
        n, d = X.shape
        totals = resp.sum(axis=0) + 1e-10
        self.weights = totals / n
        for j in range(self.k):
            self.means[j] = resp[:, j] @ X / totals[j]
            diff = X - self.means[j]
            self.covs[j] = (resp[:, j] * diff.T) @ diff / totals[j] + self.reg * np.eye(d)

    def fit(self, X, tol, max_iter):
        self.start(X)
        previous = -np.inf
        for self.n_iter in range(1, max_iter + 1):
            resp, loglik = self.e_step(X)
            self.m_step(X, resp)
            if abs(loglik - previous) < tol:
                break
            previous = loglik
        self.loglik = loglik
        return self

    def bic(self, X):
        n, d = X.shape
        free = self.k - 1 + self.k * d + self.k * d * (d + 1) // 2
        return free * np.log(n) - 2 * self.loglik


def order_by(keys, values):
    """`values` in the order of `keys`, by insertion."""
    keys, values = keys.copy(), values.copy()
    for i in range(1, len(keys)):
        j = i
        while j > 0 and keys[j - 1] > keys[j]:
            keys[[j - 1, j]] = keys[[j, j - 1]]
            values[[j - 1, j]] = values[[j, j - 1]]
            j -= 1
    return values


def gaussian_mixture(X, most=4, tol=1e-3, max_iter=50):
    """The best size, and for each: criterion, iterations, log likelihood; the weights, means and labels for three."""
    bics = np.zeros(most)
    iterations = []
    logliks = []
    best_k = 1
    for k in range(1, most + 1):
        model = GaussianMixture(k).fit(X, tol, max_iter)
        bics[k - 1] = model.bic(X)
        iterations.append(model.n_iter)
        logliks.append(model.loglik)
        if bics[k - 1] < bics[best_k - 1]:
            best_k = k
        if k == 3:
            three = model
    labels = np.argmax(three.e_step(X)[0], axis=1)
    means = order_by(three.means[:, 0], three.means)
    return best_k, bics, np.array(iterations), np.array(logliks), three.weights, means, labels
