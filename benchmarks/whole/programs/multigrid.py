"""Poisson's equation on a square by V-cycles: red-black Gauss-Seidel, restriction, prolongation."""

import numpy as np


def residual(u, f, h):
    r = np.zeros_like(u)
    r[1:-1, 1:-1] = (
        f[1:-1, 1:-1] - (4 * u[1:-1, 1:-1] - u[2:, 1:-1] - u[:-2, 1:-1] - u[1:-1, 2:] - u[1:-1, :-2]) / h**2
    )
    return r


def smooth(u, f, h, sweeps):
    """Red points first, then black ones."""
    for _ in range(sweeps):
        for colour in (0, 1):
            for i in range(1, u.shape[0] - 1):
                first = 1 + (i + colour) % 2
                u[i, first:-1:2] = 0.25 * (
                    u[i - 1, first:-1:2]
                    + u[i + 1, first:-1:2]
                    + u[i, first - 1 : -2 : 2]
                    + u[i, first + 1 :: 2]
                    + h**2 * f[i, first:-1:2]
                )
    return u


def restrict(r):
    """Full weighting onto every other point."""
    n = (r.shape[0] - 1) // 2 + 1
    coarse = np.zeros((n, n))
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            y, x = 2 * i, 2 * j
            corners = r[y - 1, x - 1] + r[y - 1, x + 1] + r[y + 1, x - 1] + r[y + 1, x + 1]
            edges = r[y - 1, x] + r[y + 1, x] + r[y, x - 1] + r[y, x + 1]
            coarse[i, j] = (4 * r[y, x] + 2 * edges + corners) / 16
    return coarse


def prolong(e):
    """Bilinear interpolation onto the finer grid."""
    n = 2 * (e.shape[0] - 1) + 1
    fine = np.zeros((n, n))
    fine[::2, ::2] = e
    fine[1::2, ::2] = 0.5 * (e[:-1, :] + e[1:, :])
    fine[:, 1::2] = 0.5 * (fine[:, :-1:2] + fine[:, 2::2])
    return fine


def v_cycle(u, f, h, before=2, after=2):
    n = u.shape[0]
    if n <= 3:
        u[1, 1] = (h**2 * f[1, 1] + u[0, 1] + u[2, 1] + u[1, 0] + u[1, 2]) / 4
        return u
    u = smooth(u, f, h, before)
    coarse = restrict(residual(u, f, h))
    error = v_cycle(np.zeros_like(coarse), coarse, 2 * h, before, after)
    u += prolong(error)
    return smooth(u, f, h, after)


class Convergence:
    """Norms of the residual, and when to stop."""

    def __init__(self, tol, most):
        self.tol = tol
        self.norms = np.zeros(most)
        self.count = 0

    def add(self, norm):
        self.norms[self.count] = norm
        self.count += 1
        return norm < self.tol * self.norms[0]

    def rate(self):
        """The geometric mean of what each cycle leaves."""
        if self.count < 2:
            return 1.0
        return (self.norms[self.count - 1] / self.norms[0]) ** (1 / (self.count - 1))


def boundary(n):
    u = np.zeros((n, n))
    x = np.linspace(0, 1, n)
    u[0, :] = np.sin(np.pi * x)
    u[-1, :] = 0.5 * np.sin(2 * np.pi * x)
    u[:, 0] = x * (1 - x)
    return u


def multigrid(f, tol=1e-8, max_cycles=20):
    """The solution, norms of the residual, cycles, the mean factor of a cycle, and extreme values."""
    n = f.shape[0]
    h = 1.0 / (n - 1)
    u = boundary(n)
    log = Convergence(tol, max_cycles + 1)
    log.add(np.linalg.norm(residual(u, f, h)))
    for _ in range(max_cycles):
        u = v_cycle(u, f, h)
        if log.add(np.linalg.norm(residual(u, f, h))):
            break
    flat = np.argmax(u)
    return u, log.norms, log.count - 1, log.rate(), u.max(), (flat // n, flat % n)
