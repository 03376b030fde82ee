"""How is a system of equations solved, or an eigenvalue found?"""

import numpy as np


def conjugate_gradient(A, b, tolerance):
    """x with A x = b, for a positive definite A, and the steps that it took."""
    x = np.zeros_like(b)
    r = b - A @ x
    p = r.copy()
    rr = r @ r
    steps = 0
    for step in range(len(b)):
        if rr < tolerance:
            break
        Ap = A @ p
        alpha = rr / (p @ Ap)
        x = x + alpha * p
        r = r - alpha * Ap
        new = r @ r
        p = r + (new / rr) * p
        rr = new
        steps += 1
    return x, steps


def gauss_seidel(A, b, sweeps=20):
    """x with A x = b, each unknown from the newest others."""
    n = len(b)
    x = np.zeros_like(b)
    for sweep in range(sweeps):
        for i in range(n):
            x[i] = (b[i] - A[i, :i] @ x[:i] - A[i, i + 1 :] @ x[i + 1 :]) / A[i, i]
    return x


def power_iteration(A, v, steps=100):
    """The largest eigenvalue and its vector."""
    value = 0.0
    for step in range(steps):
        w = A @ v
        value = v @ w
        v = w / np.sqrt(w @ w)
    return value, v


def thomas(lower, diagonal, upper, b):
    """x with T x = b, for a tridiagonal T."""
    n = len(b)
    c = np.zeros_like(b)
    d = np.zeros_like(b)
    c[0] = upper[0] / diagonal[0]
    d[0] = b[0] / diagonal[0]
    for i in range(1, n):
        pivot = diagonal[i] - lower[i] * c[i - 1]
        c[i] = upper[i] / pivot
        d[i] = (b[i] - lower[i] * d[i - 1]) / pivot
    x = np.zeros_like(b)
    x[n - 1] = d[n - 1]
    for i in range(n - 2, -1, -1):
        x[i] = d[i] - c[i] * x[i + 1]
    return x


def back_substitution(U, b):
    """x with U x = b, for an upper triangular U."""
    n = len(b)
    x = np.zeros_like(b)
    for i in reversed(range(n)):
        x[i] = (b[i] - U[i, i + 1 :] @ x[i + 1 :]) / U[i, i]
    return x
