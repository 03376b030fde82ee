"""LU with partial pivoting by loops over items; the inverse column by column."""

import numpy as np


def lu_factor(A):
    LU = A.copy()
    n = len(LU)
    perm = np.arange(n)
    sign = 1
    for k in range(n - 1):
        pivot = k
        for i in range(k + 1, n):
            if abs(LU[i, k]) > abs(LU[pivot, k]):
                pivot = i
        if LU[pivot, k] == 0:
            raise ValueError("no pivot")
        if pivot != k:
            for j in range(n):
                LU[k, j], LU[pivot, j] = LU[pivot, j], LU[k, j]
            perm[k], perm[pivot] = perm[pivot], perm[k]
            sign = -sign
        for i in range(k + 1, n):
            LU[i, k] /= LU[k, k]
            for j in range(k + 1, n):
                LU[i, j] -= LU[i, k] * LU[k, j]
    return LU, perm, sign


def solve(LU, perm, b):
    n = len(b)
    x = b[perm]
    for i in range(n):
        for j in range(i):
            x[i] -= LU[i, j] * x[j]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            x[i] -= LU[i, j] * x[j]
        x[i] /= LU[i, i]
    return x


def left_over(A, b, x):
    """b - A x, without a call of BLAS."""
    r = b.copy()
    for i in range(len(b)):
        for j in range(len(b)):
            r[i] -= A[i, j] * x[j]
    return r


def refine(A, LU, perm, b, x, tol=1e-12, most=5):
    for k in range(most):
        r = left_over(A, b, x)
        if np.max(np.abs(r)) <= tol * np.max(np.abs(b)):
            return x, k
        x = x + solve(LU, perm, r)
    return x, most


def norm_1(A):
    worst = 0.0
    for j in range(A.shape[1]):
        total = 0.0
        for i in range(A.shape[0]):
            total += abs(A[i, j])
        worst = max(worst, total)
    return worst


def norm(x):
    total = 0.0
    for value in x:
        total += value**2
    return np.sqrt(total)


def lu_solve(A, b):
    n = len(b)
    scale = np.zeros(n)
    for i in range(n):
        scale[i] = np.max(np.abs(A[i]))
        if scale[i] == 0:
            raise ValueError("a row of zeros")
    scaled = A / scale.reshape(n, 1)
    rhs = b / scale
    LU, perm, sign = lu_factor(scaled)
    x, steps = refine(scaled, LU, perm, rhs, solve(LU, perm, rhs))
    det = float(sign)
    inv = np.empty((n, n))
    for j in range(n):
        det *= LU[j, j] * scale[j]
        unit = np.zeros(n)
        unit[j] = 1.0
        inv[:, j] = solve(LU, perm, unit) / scale[j]
    cond = norm_1(A) * norm_1(inv)
    residual = norm(left_over(A, b, x)) / norm(b)
    return x, steps, det, inv, cond, residual < 1e-5, perm
