"""Linear algebra: what do those functions of NumPy's and SciPy's give that are not JAX's of the same name?

np.linalg.eigvalsh(np.tril(s))        as of `s`: one triangle is read; JAX's take the mean of the matrix and its mirror
np.linalg.inv(m)                      of a singular matrix NaN and infinity, as JAX's; in a `try` that catches it a LinAlgError
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy import linalg

from autograph_lite.errors import PythonOnlyError
from autograph_lite.operators.checks import catching


def mirrored(a: Any, lower: Any) -> Any:
    """The matrix that has one triangle of `a`, and its mirror, conjugated, in place of the other one."""
    a = jnp.asarray(a)
    triangle, rest = (jnp.tril(a), jnp.tril(a, -1)) if lower else (jnp.triu(a), jnp.triu(a, 1))
    return triangle + jnp.conj(jnp.swapaxes(rest, -2, -1))


def eigh(a: Any, UPLO: str = "L") -> Any:  # noqa: N803 (NumPy's name)
    """`np.linalg.eigh`."""
    return jnp.linalg.eigh(mirrored(a, UPLO.upper() == "L"))


def eigvalsh(a: Any, UPLO: str = "L") -> Any:  # noqa: N803 (NumPy's name)
    """`np.linalg.eigvalsh`."""
    return jnp.linalg.eigvalsh(mirrored(a, UPLO.upper() == "L"))


def cholesky(a: Any, *, upper: Any = False) -> Any:
    """`np.linalg.cholesky`."""
    return jnp.linalg.cholesky(mirrored(a, not upper), upper=upper)


def _of_scipy(name: str) -> Callable[..., Any]:
    """A function of `scipy.linalg` that says by `lower` which triangle it reads."""
    fun = getattr(linalg, name)

    @functools.wraps(fun)
    def run(*args: Any, **kwargs: Any) -> Any:
        given = inspect.signature(fun).bind(*args, **kwargs)
        given.apply_defaults()
        if given.arguments.get("assume_a", "pos") in _MIRRORED:
            given.arguments["a"] = mirrored(given.arguments["a"], given.arguments["lower"])
        return fun(*given.args, **given.kwargs)

    return run


_MIRRORED = ("pos", "positive definite", "sym", "symmetric", "her", "hermitian")


def _eigenvalues(a: Any, b: Any = None, *, lower: Any = True) -> Any:
    """`scipy.linalg.eigvalsh`."""
    return linalg.eigh(mirrored(a, lower), b, eigvals_only=True)


def _sqrtm(a: Any) -> Any:
    """The square root of a matrix, real for a real one, which SciPy's is where it can be; NaN where it can't."""
    root = linalg.sqrtm(a)
    if jnp.iscomplexobj(a):
        return root
    tolerance = 1e3 * np.finfo(root.dtype).eps * jnp.max(jnp.abs(root), initial=0)
    return jnp.where(jnp.all(jnp.abs(root.imag) <= tolerance), root.real, jnp.nan)


@functools.wraps(jnp.linalg.lstsq)
def _least_squares(a: Any, b: Any, rcond: Any = None, **options: Any) -> Any:
    """`np.linalg.lstsq`, which gives no residuals where there are no more equations than unknowns."""
    found, residuals, rank, values = jnp.linalg.lstsq(a, b, rcond, **options)
    rows, columns = jnp.shape(a)
    return found, residuals[:0] if rows <= columns else residuals, rank.astype(np.int32), values


def _raising(fun: Callable[..., Any], message: str) -> Any:
    """A function of `jax.numpy.linalg`, which raises NumPy's LinAlgError in a `try` that catches it."""

    def fails(found: Any, *args: Any) -> Any:
        known = jnp.stack([jnp.all(jnp.isfinite(jnp.asarray(each))) for each in args])
        return jnp.all(known) & ~jnp.all(jnp.isfinite(found))

    instead = lambda failed, a, *b: (jnp.where(failed, jnp.eye(jnp.shape(a)[-1]), a), *b)  # noqa: E731
    return catching.raising(fun, np.linalg.LinAlgError, message, fails, instead)


def density_of_vectors(
    density: Callable[..., Any], x: Any, mean: Any = None, cov: Any = 1, allow_singular: Any = False
) -> Any:
    """A density of `scipy.stats.multivariate_normal`: JAX's `density`, or of a covariance that may be singular."""
    x, cov = jnp.asarray(x), jnp.asarray(cov)
    cov = jnp.diag(cov) if cov.ndim == 1 else cov
    mean = jnp.zeros(cov.shape[:1]) if mean is None else jnp.asarray(mean)
    if not isinstance(allow_singular, (bool, np.bool_)):
        raise PythonOnlyError(
            "Whether 'scipy.stats.multivariate_normal' allows a singular covariance is decided by a traced value.",
            why="The density is computed another way then.",
            fix="write allow_singular=True.",
        )
    if cov.ndim < 2:
        return jnp.squeeze(density(x, mean, cov))
    cov, x = mirrored(cov, True), x.reshape(-1, 1) if cov.shape[-1] == 1 and x.ndim < 2 else x
    if not allow_singular:
        return jnp.squeeze(_density_or_error(cov, density, x, mean))
    found = jnp.squeeze(_log_density(x - mean, cov + 0.0))
    return found if density.__name__ == "logpdf" else jnp.exp(found)


def _least_of(values: Any) -> Any:
    """Which eigenvalues of a covariance count as 0: as in SciPy, and in 32 bits those that these can't tell from it."""
    limits = np.finfo(values.dtype)
    rest = 1e6 if limits.bits == 64 else 10 * values.shape[-1]
    return rest * limits.eps * jnp.max(jnp.abs(values), axis=-1, keepdims=True)


def _density_or_nan(cov: Any, density: Callable[..., Any], x: Any, mean: Any) -> Any:
    values = jnp.linalg.eigvalsh(jax.lax.stop_gradient(cov + 0.0))
    is_singular = jnp.any(values <= _least_of(values), axis=-1)
    return jnp.where(is_singular, jnp.nan, density(x, mean, cov))


_density_or_error = catching.raising(
    _density_or_nan,
    np.linalg.LinAlgError,
    "When `allow_singular is False`, the input matrix must be symmetric positive definite.",
    lambda found, cov, *_: jnp.any(jnp.isnan(found)) & jnp.all(jnp.isfinite(cov)),
    lambda failed, cov, *rest: (jnp.where(failed, jnp.eye(cov.shape[-1]), cov), *rest),
)


def _log_density(away: Any, cov: Any) -> Any:
    """The logarithm of the density on the support of a covariance that may be singular; minus infinity beside it."""
    values, vectors = jnp.linalg.eigh(cov)
    least = _least_of(values)
    counts = values > least
    kept = jnp.where(counts, values, 1)
    parts = jnp.einsum("...i,...ij->...j", away, vectors)
    sums = jnp.where(counts, jnp.log(kept) + np.log(2 * np.pi) + parts**2 / kept, 0).sum(-1)
    beside = jnp.where(counts, 0, jnp.square(parts)).sum(-1)
    found = jnp.where(beside < jnp.square(1e3 * least[..., 0]), -sums / 2, -jnp.inf)
    found = jnp.where(jnp.all(counts, axis=-1), -sums / 2, found)
    return jnp.where(jnp.any(values < -least, axis=-1), jnp.nan, found)


OF_NUMPY: dict[str, Callable[..., Any]] = {
    **{name: _raising(getattr(jnp.linalg, name), "Singular matrix") for name in ("inv", "solve")},
    "cholesky": _raising(cholesky, "Matrix is not positive definite"),
    "eigh": eigh, "eigvalsh": eigvalsh, "lstsq": _least_squares,
}  # fmt: skip
# Functions of `scipy.linalg` that `jax.scipy.linalg` lacks, or has for complex matrices alone, or that read both triangles there.
OF_SCIPY: dict[str, Callable[..., Any]] = {
    **{name: getattr(jnp.linalg, name) for name in ("eig", "eigvals", "norm", "pinv", "svdvals")},
    **{name: _of_scipy(name) for name in ("eigh", "cholesky", "cho_factor", "solve")},
    "eigvalsh": _eigenvalues, "sqrtm": _sqrtm,
}  # fmt: skip
