"""Does linear algebra of NumPy's and SciPy's read what theirs reads, and give what theirs gives?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autograph_lite import PythonOnlyError, convert

SYMMETRIC = np.array([[4.0, 2, 1], [2, 5, 0.5], [1, 0.5, 6]])
ONE_TRIANGLE = np.array([[4.0, 9, 9], [2, 5, 9], [1, 0.5, 6]])
COMPLEX = ONE_TRIANGLE + 1j * np.array([[0, 5, 5], [1, 3, 5], [2, 1, 0]])
TALL = np.array([[1.0, 2], [3, 4], [5, 7]])


def assert_same(found: Any, expected: Any) -> None:
    assert jax.tree.structure(found) == jax.tree.structure(expected)
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        assert np.shape(one) == np.shape(other)
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


TRIANGLES: dict[str, Callable[[Any], Any]] = {
    "eigenvalues": lambda m: (np.linalg.eigvalsh(m), np.linalg.eigvalsh(m, "U")),
    "eigenvectors": lambda m: (np.abs(np.linalg.eigh(m)[1]), np.linalg.eigh(m, UPLO="U").eigenvalues),
    "a factor": lambda m: np.linalg.cholesky(m),
}


@pytest.mark.parametrize("case", TRIANGLES)
@pytest.mark.parametrize(
    "matrix", [SYMMETRIC, ONE_TRIANGLE, COMPLEX], ids=["whole", "one triangle", "complex"]
)
def test_one_triangle_is_read(case: str, matrix: Any) -> None:
    assert_same(convert(TRIANGLES[case])(matrix), TRIANGLES[case](matrix))


@pytest.mark.parametrize(
    "matrix", [SYMMETRIC, ONE_TRIANGLE, COMPLEX], ids=["whole", "one triangle", "complex"]
)
def test_one_triangle_is_read_by_scipy(matrix: Any) -> None:
    linalg = pytest.importorskip("scipy.linalg")

    def f(m: Any) -> Any:
        values = linalg.eigh(m, eigvals_only=True), linalg.eigh(m, lower=False)[0], linalg.eigvalsh(m)
        factors = linalg.cholesky(m.T, False), linalg.cholesky(m, lower=True)
        b = np.ones(3)
        solved = (
            linalg.cho_solve(linalg.cho_factor(m, True), b),
            linalg.solve(m, b, lower=True, assume_a="pos"),
        )
        return values, factors, solved, linalg.solve(m, b)

    assert_same(convert(f)(matrix), f(matrix))


def test_the_derivative_is_that_of_what_is_read() -> None:
    def least(m: Any) -> Any:
        return np.linalg.eigvalsh(m)[0]

    slope = np.asarray(jax.grad(convert(least))(jnp.asarray(SYMMETRIC)))
    step = 1e-4
    for i, j in np.ndindex(3, 3):
        moved = SYMMETRIC.copy()
        moved[i, j] += step
        np.testing.assert_allclose(slope[i, j], (least(moved) - least(SYMMETRIC)) / step, atol=1e-3)


OTHERS: dict[str, Callable[[Any], Any]] = {
    "too few equations": lambda a: np.linalg.lstsq(a.T, np.ones(2), rcond=None),
    "enough equations": lambda a: np.linalg.lstsq(a, np.ones(3)),
    "slopes": lambda a: (np.gradient(a), np.gradient(a, axis=0), np.gradient(a[:, 0])),
    "sinc": lambda a: np.sinc(np.append(a, np.inf)),
}


@pytest.mark.filterwarnings("ignore:invalid value encountered in sin")
@pytest.mark.parametrize("case", OTHERS)
def test_results_are_of_numpys_shapes_and_kinds(case: str) -> None:
    assert_same(convert(OTHERS[case])(TALL), OTHERS[case](TALL))


def of_singular_values(a: Any) -> Any:
    U, S, Vt = np.linalg.svd(a, full_matrices=False)
    U *= np.sign(U[0])
    return S


def of_triangles(a: Any) -> Any:
    Q, R = np.linalg.qr(a)
    Q *= 2
    return np.abs(R)


def of_vectors(a: Any) -> Any:
    w, v = np.linalg.eigh(a.T @ a)
    u = v
    v *= 2
    return w, np.abs(u)


@pytest.mark.parametrize("function", [of_singular_values, of_triangles, of_vectors])
def test_parts_of_a_result_are_arrays_that_nobody_else_knows(function: Any) -> None:
    assert_same(convert(function)(TALL), function(TALL))


def test_resize_to_its_own_size() -> None:
    def same(w: Any, n: Any) -> Any:
        w.resize(len(w))
        return w * n

    def other(w: Any, n: Any) -> Any:
        w.resize(7)
        return w * n

    assert_same(convert(same)(np.ones(4), np.array(3)), same(np.ones(4), 3))
    with pytest.raises(PythonOnlyError, match="An array is given another size in place, by 'resize'"):
        convert(other)(np.ones(4), np.array(3))


def test_arrays_of_one_shape_are_themselves_when_they_are_broadcast() -> None:
    def f(a: Any, b: Any) -> Any:
        x, _ = np.broadcast_arrays(a, b)
        x[0] = 5
        return a[0] + 0, x.sum()

    assert_same(convert(f)(np.ones(3), np.ones(3)), f(np.ones(3), np.ones(3)))
