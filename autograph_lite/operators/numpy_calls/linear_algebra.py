"""Linear algebra: what do those functions of NumPy's and SciPy's give that are not JAX's of the same name?

np.linalg.eigvalsh(np.tril(s))        as of `s`: one triangle is read; JAX's take the mean of the matrix and its mirror
np.linalg.inv(m)                      of a singular matrix NaN and infinity, as JAX's; in a `try` that catches it a LinAlgError
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax.scipy import linalg

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
    found, residuals, *rest = jnp.linalg.lstsq(a, b, rcond, **options)
    rows, columns = jnp.shape(a)
    return found, residuals[:0] if rows <= columns else residuals, *rest


def _raising(fun: Callable[..., Any], message: str) -> Any:
    """A function of `jax.numpy.linalg`, which raises NumPy's LinAlgError in a `try` that catches it."""

    def fails(found: Any, *args: Any) -> Any:
        known = jnp.stack([jnp.all(jnp.isfinite(jnp.asarray(each))) for each in args])
        return jnp.all(known) & ~jnp.all(jnp.isfinite(found))

    instead = lambda failed, a, *b: (jnp.where(failed, jnp.eye(jnp.shape(a)[-1]), a), *b)  # noqa: E731
    return catching.raising(fun, np.linalg.LinAlgError, message, fails, instead)


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
