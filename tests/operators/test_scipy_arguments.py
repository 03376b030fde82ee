"""Calls of SciPy's functions: an argument that JAX's function doesn't take is refused, and none is dropped."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

from autograph_lite import convert
from autograph_lite.errors import PythonOnlyError
from autograph_lite.operators.numpy_calls import counterparts, function_table

stats = pytest.importorskip("scipy.stats")
linalg = pytest.importorskip("scipy.linalg")
PARTS = ("fft", "special", "linalg", "stats", "signal", "ndimage", "integrate")
METHODS = ("pdf", "logpdf", "cdf", "logcdf", "sf", "logsf", "ppf", "isf", "pmf", "logpmf", "entropy")


def functions() -> Iterator[tuple[str, Any]]:
    for part in PARTS:
        module = importlib.import_module(f"scipy.{part}")
        for name in module.__all__:
            found = getattr(module, name)
            if inspect.isclass(found):
                continue
            if callable(found):
                yield f"{part}.{name}", found
            for method in METHODS:
                if part == "stats" and callable(getattr(found, method, None)):
                    yield f"{name}.{method}", getattr(found, method)


def dropped(fn: Any) -> list[str]:
    """The parameters of a function of SciPy's that JAX's is not handed, and that are not refused."""
    if counterparts.of(fn) is None or isinstance(fn, np.ufunc):
        return []
    known = inspect.signature(fn).parameters.values()
    needed = [jnp.ones(3) for each in known if each.default is each.empty and each.kind < each.VAR_POSITIONAL]
    found = []
    for each in known:
        if each.default is each.empty:
            continue
        value = object()
        try:
            _, args, named = counterparts.of(fn)((*needed,), {each.name: value})  # type: ignore[misc]
        except PythonOnlyError:
            continue
        if not any(given is value for given in (*args, *named.values())):
            found.append(each.name)
    return found


def test_no_argument_is_dropped() -> None:
    left_out = {
        name: names for name, fn in functions() if (names := {*dropped(fn)} - function_table.MEANINGLESS)
    }

    assert left_out == {}


S = np.array([[1.0, 2.0, 0.5], [2.0, 4.0, 1.0], [0.5, 1.0, 3.0]])
X = np.array([0.5, 1.0, -2.0])


def densities(x, s, y):
    normal, zeros = stats.multivariate_normal, np.zeros(3)
    return (
        normal.logpdf(x, zeros, s, True), normal.pdf(x, cov=s, allow_singular=True), normal.logpdf(x + y, zeros, s, True),
        normal.pdf(np.stack([x, x + y]), zeros, s, allow_singular=True), normal.logpdf(x, y, s + np.eye(3), True),
        normal.logpdf(x, y, s + np.eye(3)), normal.pdf(y, zeros, cov=[1.0, 2.0, 4.0]), normal.logpdf(x, 0, s[:1, :1], True),
        normal.logpdf(y, zeros, np.triu(s, 1) + 9 * np.eye(3)),
    )  # fmt: skip


def test_a_covariance_may_be_singular() -> None:
    given = X, S, np.array([1.0, 0.0, 0.5])

    for want, got in zip(densities(*given), convert(densities)(*given), strict=True):
        assert np.shape(want) == np.shape(got)
        np.testing.assert_allclose(got, want, rtol=1e-4)


def test_a_singular_covariance_is_nan_or_an_error_that_is_caught() -> None:
    def caught(x, s):
        try:
            return stats.multivariate_normal.logpdf(x, np.zeros(3), s)
        except np.linalg.LinAlgError:
            return -1.0

    assert np.isnan(convert(lambda x, s: stats.multivariate_normal.pdf(x, np.zeros(3), s))(X, S))
    for s in (S, S + np.eye(3)):
        np.testing.assert_allclose(convert(caught)(X, s), caught(X, s), rtol=1e-4)


def test_a_default_that_is_said_is_none_that_is_refused() -> None:
    f = lambda s: linalg.eig(s, left=False, right=True)[0].real  # noqa: E731
    with pytest.raises(
        PythonOnlyError, match="'scipy.linalg.eig' is called with 'left=', which JAX's function hasn't"
    ):
        convert(lambda s: linalg.eig(s, left=True))(S)

    np.testing.assert_allclose(np.sort(convert(f)(S)), np.sort(f(S)), atol=1e-5)
