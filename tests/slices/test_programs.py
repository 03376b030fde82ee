"""Do programs written for NumPy, with loops, slices and updates in place, give under JAX what NumPy gives?"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from .against import assert_like_numpy, functions, traced

PROGRAMS = {
    "cholesky": """
        def main(A):
            n = A.shape[0]
            L = xp.zeros_like(A)
            for j in staged(n):
                L[j, j] = xp.sqrt(A[j, j] - L[j, :j] @ L[j, :j])
                for i in staged(j + 1, n):
                    L[i, j] = (A[i, j] - L[i, :j] @ L[j, :j]) / L[j, j]
            return L
    """,
    "cholesky by columns": """
        def main(A):
            n = A.shape[0]
            L = xp.zeros_like(A)
            for j in staged(n):
                L[j, j] = xp.sqrt(A[j, j] - xp.sum(L[j, :j] ** 2))
                L[j + 1:, j] = (A[j + 1:, j] - L[j + 1:, :j] @ L[j, :j]) / L[j, j]
            return L
    """,
    "lu": """
        def main(A):
            for k in staged(A.shape[0]):
                A[k + 1:, k] /= A[k, k]
                A[k + 1:, k + 1:] -= xp.outer(A[k + 1:, k], A[k, k + 1:])
            return A
    """,
    "lu by rows": """
        def main(A):
            for k in staged(A.shape[0]):
                for i in staged(k + 1, A.shape[0]):
                    A[i, k] /= A[k, k]
                    A[i, k + 1:] -= A[i, k] * A[k, k + 1:]
            return A
    """,
    "elimination with pivots": """
        def main(A):
            n = A.shape[0]
            order = xp.zeros(n)
            for k in staged(n):
                p = k + xp.argmax(xp.abs(A[k:, k]))
                order[k] = p
                A[k], A[p] = A[p] * 1, A[k] * 1
                A[k + 1:, k] /= A[k, k]
                A[k + 1:, k + 1:] -= xp.outer(A[k + 1:, k], A[k, k + 1:])
            return A, order
    """,
    "substitution": """
        def main(A):
            n = A.shape[0]
            x, b = xp.zeros(n), A[:, 0]
            for i in staged(n):
                x[i] = (b[i] - A[i, :i] @ x[:i]) / A[i, i]
            y = xp.zeros(n)
            for i in staged(n - 1, -1, -1):
                y[i] = (x[i] - A[i, i + 1:] @ y[i + 1:]) / A[i, i]
            return y
    """,
    "gram-schmidt": """
        def main(A):
            Q = A * 1
            for k in staged(A.shape[1]):
                v = A[:, k] - Q[:, :k] @ (Q[:, :k].T @ A[:, k])
                Q[:, k] = v / xp.linalg.norm(v)
            return Q
    """,
    "running sums": """
        def main(A):
            x, y = A[0], xp.zeros(A.shape[1])
            for i in staged(A.shape[1]):
                y[i] = xp.sum(x[: i + 1]) + x[i:].max()
            return y
    """,
    "stencil": """
        def main(A):
            B = xp.zeros_like(A)
            for i in staged(1, A.shape[0] - 1):
                for j in staged(1, A.shape[1] - 1):
                    B[i, j] = A[i - 1 : i + 2, j - 1 : j + 2].sum()
            return B
    """,
    "blocks": """
        def main(A):
            b = 3
            for i in staged(A.shape[0] // b):
                for j in staged(A.shape[1] // b):
                    A[i * b : (i + 1) * b, j * b : j * b + b] *= A[i * b, j * b : b + j * b]
            return A
    """,
    "insertion sort": """
        def main(A):
            x = A.ravel()
            for i in staged(1, 36):
                v = x[i]
                j = xp.sum(x[:i] <= v)
                x[j + 1 : i + 1] = x[j : i]
                x[j] = v
            return x
    """,
    "selection sort": """
        def main(A):
            x = A.ravel()
            for i in staged(36):
                m = i + xp.argmin(x[i:])
                x[i], x[m] = x[m], x[i]
            return x
    """,
    "bubble sort": """
        def main(A):
            x = A.ravel()
            for n in staged(35, 0, -1):
                for i in staged(n):
                    if x[i] > x[i + 1]:
                        x[i], x[i + 1] = x[i + 1], x[i]
            return x
    """,
    "horner": """
        def main(A):
            c, x = A[0], xp.zeros(6)
            for k in staged(6):
                p = 0.0
                for a in c[k:]:
                    p = p * 0.5 + a
                x[k] = p
            return x
    """,
    "longest rising run": """
        def main(A):
            x = A.ravel()
            best = xp.ones(36)
            for i in staged(1, 36):
                best[i] = 1 + xp.max(xp.where(x[:i] < x[i], best[:i], 0))
            return xp.max(best)
    """,
    "masks": """
        def main(A):
            for k in staged(4):
                x = A[k]
                A[k, x < x[x > 0].mean()] = 0
                A[A[:, k] > 1, k] *= 0.5
            return A
    """,
}


def table(seed: int = 0) -> Any:
    values = np.random.default_rng(seed).normal(size=(6, 6)).astype(np.float32)
    return values @ values.T + 6 * np.eye(6, dtype=np.float32)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_program_gives_what_numpy_gives(name: str) -> None:
    for seed in range(3):
        assert_like_numpy(PROGRAMS[name], table(seed))


@pytest.mark.parametrize("name", PROGRAMS)
def test_under_vmap_each_lane_has_its_own(name: str) -> None:
    converted, plain = functions(PROGRAMS[name])
    tables = np.stack([table(3), table(4)])
    found = jax.vmap(converted)(jnp.asarray(tables))
    lanes = [plain(one.copy()) for one in tables]
    expected = jax.tree.map(lambda *parts: np.stack(parts), *lanes)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, 1e-4, 1e-4), found, expected)


SMOOTH = [
    "cholesky by columns",
    "lu",
    "lu by rows",
    "substitution",
    "gram-schmidt",
    "running sums",
    "stencil",
    "blocks",
]


@pytest.mark.parametrize("name", SMOOTH)
def test_the_gradient_is_that_of_finite_differences(name: str) -> None:
    converted, plain = functions(PROGRAMS[name])
    A, along = table(5), np.random.default_rng(6).normal(size=(6, 6)).astype(np.float32)
    weights = np.random.default_rng(7).normal(size=36)

    def total(values: Any, xp: Any, run: Any) -> Any:
        result = run(values)
        return xp.sum(result.ravel() * weights[: result.size].astype(result.dtype))

    gradient = jax.grad(lambda values: total(values, jnp, converted))(jnp.asarray(A))
    step = 1e-4
    ends = [total(np.float64(A) + sign * step * along, np, plain) for sign in (1, -1)]
    np.testing.assert_allclose((gradient * along).sum(), (ends[0] - ends[1]) / (2 * step), 2e-2, 2e-3)


def test_a_gradient_is_finite_where_what_is_left_out_is_not() -> None:
    source = """
        def main(x, n):
            y = xp.log(x[:n]) + xp.sqrt(x[:n]) / x[:n]
            return xp.sum(y) + xp.linalg.norm(x[:n]) + xp.prod(x[:n]) + xp.sum(x[:n] * x[:n]) + x[:n] @ x[:n]
    """
    converted, _ = functions(source)
    x = jnp.array([1.0, 2.0, 0.0, jnp.inf, jnp.nan])
    whole = jax.grad(lambda x: converted(x, jnp.int32(2)))(x)
    part = jax.grad(lambda x: converted(x, jnp.int32(2)))(x[:2])
    np.testing.assert_allclose(whole, [*part, 0, 0, 0], 1e-6)


def test_a_length_may_be_an_attribute_or_that_of_an_array() -> None:
    source = """
        class Filter:
            size = 2

        def main(x, i):
            f = Filter()
            y = x[:3]
            return x[i : i + f.size], x[i : i + len(y)], x[i - x.shape[0] // 3 * 1 : i].sum(), x[f.size * i : (i + 1) * f.size]
    """
    assert_like_numpy(source, np.arange(6, dtype=np.float32), 2)


def test_bounds_may_come_from_variables_and_be_computed_in_functions() -> None:
    source = """
        def tail(v, k):
            return v[k:]

        def norm(v):
            return xp.sqrt(xp.sum(v * v))

        def main(x, k):
            low = k - 1
            high = low + 3
            return norm(x[low:high]) + norm(tail(x, k)) + (lambda v: xp.max(v))(x[:k])
    """
    assert_like_numpy(source, np.arange(6, dtype=np.float32), 2)


def test_a_part_may_come_from_either_branch_and_go_through_a_loop() -> None:
    source = """
        def main(x, n):
            if n > 2:
                part = x[:n]
            else:
                part = x[n:]
            for _ in staged(3):
                part = part * 2 + x[0]
            return xp.sum(part)
    """
    for n in (1, 3):
        converted, plain = functions(source)
        x = np.arange(1, 6, dtype=np.float32)
        assert float(converted(*traced((x, n)))) == plain(x, n)
