"""How is a matrix factorised: LU, Cholesky, QR twice, eigenvalues?"""

import numpy as np


def lu(A):
    """L and U in one matrix, and the order of the rows, by partial pivoting."""
    A = A.copy()
    n = A.shape[0]
    order = np.arange(n)
    for k in range(n - 1):
        pivot = k + np.argmax(np.abs(A[k:, k]))
        if pivot != k:
            row = A[k].copy()
            A[k] = A[pivot]
            A[pivot] = row
            index = order[k]
            order[k] = order[pivot]
            order[pivot] = index
        A[k + 1 :, k] /= A[k, k]
        A[k + 1 :, k + 1 :] -= np.outer(A[k + 1 :, k], A[k, k + 1 :])
    return A, order


def cholesky(A):
    """The lower triangular L with L L' = A."""
    n = A.shape[0]
    L = np.zeros_like(A)
    for j in range(n):
        L[j, j] = np.sqrt(A[j, j] - L[j, :j] @ L[j, :j])
        L[j + 1 :, j] = (A[j + 1 :, j] - L[j + 1 :, :j] @ L[j, :j]) / L[j, j]
    return L


def householder(A):
    """R of A = Q R by reflections."""
    R = A.copy()
    m, n = R.shape
    for k in range(n):
        v = R[k:, k].copy()
        norm = np.sqrt(v @ v)
        if v[0] < 0:
            norm = -norm
        v[0] += norm
        v /= np.sqrt(v @ v)
        R[k:, k:] -= 2 * np.outer(v, v @ R[k:, k:])
    return R


def gram_schmidt(A):
    """Q and R of A = Q R by the modified Gram-Schmidt process."""
    V = A.copy()
    m, n = V.shape
    R = np.zeros((n, n))
    for k in range(n):
        R[k, k] = np.sqrt(np.sum(V[:, k] ** 2))
        V[:, k] /= R[k, k]
        for j in range(k + 1, n):
            R[k, j] = V[:, k] @ V[:, j]
            V[:, j] -= R[k, j] * V[:, k]
    return V, R


def jacobi(A, sweeps=4):
    """Eigenvalues of a symmetric matrix by cyclic rotations."""
    A = A.copy()
    n = A.shape[0]
    for sweep in range(sweeps):
        for p in range(n - 1):
            for q in range(p + 1, n):
                if abs(A[p, q]) > 1e-7:
                    tau = (A[q, q] - A[p, p]) / (2 * A[p, q])
                    if tau >= 0:
                        t = 1 / (tau + np.sqrt(1 + tau * tau))
                    else:
                        t = -1 / (-tau + np.sqrt(1 + tau * tau))
                    c = 1 / np.sqrt(1 + t * t)
                    s = t * c
                    rows_p, rows_q = A[p].copy(), A[q].copy()
                    A[p] = c * rows_p - s * rows_q
                    A[q] = s * rows_p + c * rows_q
                    columns_p, columns_q = A[:, p].copy(), A[:, q].copy()
                    A[:, p] = c * columns_p - s * columns_q
                    A[:, q] = s * columns_p + c * columns_q
    return np.sort(np.diag(A))
