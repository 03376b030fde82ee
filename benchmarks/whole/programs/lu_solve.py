"""Linear equations by LU with partial pivoting, refined; determinant, inverse and condition number beside them."""

import numpy as np


class SingularMatrix(Exception):
    pass


def lu_factor(A):
    """L and U in one matrix, the permutation of the rows, and its sign."""
    LU = A.copy()
    n = LU.shape[0]
    perm = np.arange(n)
    sign = 1
    for k in range(n - 1):
        pivot = k
        for i in range(k + 1, n):
            if abs(LU[i, k]) > abs(LU[pivot, k]):
                pivot = i
        if LU[pivot, k] == 0:
            raise SingularMatrix("no pivot")
        if pivot != k:
            LU[[k, pivot]] = LU[[pivot, k]]
            perm[[k, pivot]] = perm[[pivot, k]]
            sign = -sign
        for i in range(k + 1, n):
            LU[i, k] /= LU[k, k]
            LU[i, k + 1 :] -= LU[i, k] * LU[k, k + 1 :]
    return LU, perm, sign


def forward(LU, b):
    n = len(b)
    y = b.copy()
    for i in range(n):
        for j in range(i):
            y[i] -= LU[i, j] * y[j]
    return y


def backward(LU, y):
    n = len(y)
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        s = y[i]
        for j in range(i + 1, n):
            s -= LU[i, j] * x[j]
        x[i] = s / LU[i, i]
    return x


def solve(factors, b):
    LU, perm, _ = factors
    return backward(LU, forward(LU, b[perm]))


def refine(A, factors, b, x, tol=1e-12, most=5):
    """The solution is bettered by what is left of the right-hand side."""
    for k in range(most):
        r = b - A @ x
        if np.max(np.abs(r)) <= tol * np.max(np.abs(b)):
            return x, k
        x = x + solve(factors, r)
    return x, most


def determinant(factors):
    LU, _, sign = factors
    det = float(sign) if isinstance(sign, int) else sign * 1.0
    for i in range(len(LU)):
        det *= LU[i, i]
    return det


def inverse(factors):
    n = len(factors[0])
    columns = []
    for j in range(n):
        e = np.zeros(n)
        e[j] = 1
        columns.append(solve(factors, e))
    return np.column_stack(columns)


def norm_1(A):
    worst = 0.0
    for column in A.T:
        worst = max(worst, np.sum(np.abs(column)))
    return worst


def lu_solve(A, b):
    """The solution, steps of refinement, determinant, inverse, condition number, and how large the residual is."""
    scale = np.max(np.abs(A), axis=1)
    if np.any(scale == 0):
        raise SingularMatrix("a row of zeros")
    scaled = A / scale[:, None]
    rhs = b / scale
    factors = lu_factor(scaled)
    x = solve(factors, rhs)
    x, steps = refine(scaled, factors, rhs, x)
    det = determinant(factors) * np.prod(scale)
    inv = inverse(factors) / scale
    cond = norm_1(A) * norm_1(inv)
    residual = np.linalg.norm(A @ x - b) / np.linalg.norm(b)
    return x, steps, det, inv, cond, residual < 1e-5, factors[1]
