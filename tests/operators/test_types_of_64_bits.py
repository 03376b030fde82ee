"""Where the program has 64 bits, do NumPy's functions, methods and operators give what NumPy gives, type and values?

One program computes all rows of the table of one type that NumPy takes.
"""

from __future__ import annotations

import contextlib
import pathlib
import warnings
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import pytest

from autograph_lite import convert

REDUCED = """
np.mean(x) | np.var(x) | np.std(x, ddof=1) | np.average(x) | np.average(x, weights=w) | np.average(x, weights=[*range(9)]) | np.median(x)
np.percentile(x, 30) | np.percentile(x, [30, 60]) | np.quantile(x, 0.3) | np.nanmean(x) | np.nanvar(x) | np.nanstd(x) | np.nanmedian(x)
np.nanpercentile(x, 30) | np.nanquantile(x, 0.3) | np.sum(x) | np.prod(x[:4]) | np.cumsum(x) | np.cumprod(x[:4]) | np.nansum(x)
np.max(x) | np.ptp(x) | np.argmax(x) | np.argmin(x) | np.nanargmax(x) | np.all(x) | np.count_nonzero(x) | np.median(m, axis=0)
np.mean(m, axis=1) | np.mean(x, dtype=np.float32) | np.mean(m, 1, np.float32) | np.trace(m) | np.cumulative_sum(x)
np.add.reduce(x) | np.hypot.reduce(x[:3]) | np.add.accumulate(x) | np.maximum.reduce(x) | np.add.reduceat(x, [0, 2])
x.mean() | m.mean(axis=0) | x.var() | x.std() | x.mean(dtype=np.float32) | x.sum() | x.cumsum() | x.max() | x.argmax() | x.any()
"""
PLACES = """
np.searchsorted(np.sort(x), w) | np.searchsorted(np.sort(x), 2) | np.digitize(w, np.sort(x)[::4]) | np.argsort(x, kind="stable")
np.argpartition(x, 0)[:1] | np.nonzero(x) | np.flatnonzero(x) | np.argwhere(x) | np.where(x) | np.bincount(x) | np.lexsort((x, w))
np.unique(x, return_index=True, return_inverse=True, return_counts=True) | np.sort(x).searchsorted(2) | x.nonzero() | np.indices((2, 2))
np.histogram(x) | np.histogram(x, 4) | np.histogram(x, density=True) | np.histogram(x, weights=w) | np.histogram_bin_edges(x, 4)
np.histogram2d(x, w)
"""
JOINED = """
np.concatenate([x, w]) | np.concatenate([x, i]) | np.stack([x, w]) | np.hstack([x, i]) | np.vstack([x, w]) | np.dstack([x, i])
np.column_stack([x, w]) | np.block([x, w]) | np.append(x, w) | np.append(x, 2) | np.append(x, 1.5) | np.array([x[0], 1])
np.array([x[0], 1.5]) | np.array([x[0], w[0]]) | np.array([x[0], i[0]]) | np.array([w, i]) | np.where(x > 2, x, w) | np.where(x > 2, x, 1)
np.where(x > 2, x, 1.5) | np.select([x > 2, x > 1], [x, w], 0) | np.select([x > 2], [x], 1.5) | np.choose([0, 1], [x[:2], w[:2]])
np.clip(x, w, 6) | np.clip(x, 1.5, 3) | np.clip(x, 1, 3) | np.insert(x, 1, 2) | np.union1d(x, w) | np.setxor1d(x, i) | np.setdiff1d(x, w)
np.isin(x, w) | np.dot(x, w) | np.dot(x, i) | np.inner(x, w) | np.outer(x, w) | np.vdot(x, i) | np.tensordot(m, i.reshape(3, 3))
np.einsum("i,i", x, w) | np.einsum("i,i", x, i) | np.einsum("ij->i", m) | np.cross(x[:3], i[:3]) | np.linalg.multi_dot([m, m, w.reshape(3, 3)])
np.matmul(m, i.reshape(3, 3)) | np.vecdot(x, w) | np.diff(x, prepend=w[:1]) | np.full_like(x, 2.5) | np.isclose(x, i)
np.add.outer(x, w) | np.multiply.outer(x, i) | np.divide.outer(x, w) | x.dot(w) | x.dot(i)
"""
FLOATS = """
np.gradient(x) | np.trapezoid(x) | np.trapezoid(i, x) | np.trapezoid(x, w) | np.interp(x, w, w) | np.interp(x, [1.0, 2.0], [3.0, 4.0])
np.cov(m) | np.cov(x, x) | np.corrcoef(m) | np.polyfit(w, x, 1) | np.polyval(x[:3], w) | np.polyval([1.0, 2.0], x) | np.polyval([1, 2], x)
np.polyval(w[:3], 2) | np.polyadd(i, x) | np.polymul(x, x) | np.polymul(x, w) | np.polyder(x) | np.polyder(x, 2) | np.polyint(x)
np.poly(x[:3]) | np.polydiv(w, x) | np.convolve(x, x) | np.convolve(x, w) | np.correlate(x, x) | np.vander(x[:3]) | np.sinc(x) | np.i0(x)
np.linspace(x[0], x[1], 4) | np.logspace(x[0], x[1], 4) | np.geomspace(x[1], x[2], 4) | np.fft.fft(x) | np.fft.ifft(x) | np.fft.rfft(x)
np.fft.irfft(x) | np.fft.fft2(m) | np.fft.hfft(x) | np.linalg.norm(x) | np.linalg.norm(m, axis=1) | np.linalg.norm(m, 2) | np.linalg.norm(x, 1)
np.linalg.det(m) | np.linalg.inv(m) | np.linalg.solve(m, w[:3]) | np.linalg.lstsq(m, w[:3], rcond=None) | np.linalg.svd(m)[1]
np.linalg.qr(m)[1] | np.linalg.eigvalsh(m) | np.linalg.eigvals(m) | np.linalg.pinv(m) | np.linalg.matrix_rank(m) | np.linalg.slogdet(m)
np.linalg.cond(m) | np.linalg.matrix_power(m, 2) | np.linalg.matrix_power(m, -1) | np.linalg.matrix_norm(m) | np.linalg.tensorsolve(m, w[:3])
"""
UFUNCS = """
np.sqrt(x) | np.sin(x) | np.exp(x) | np.log1p(x) | np.exp2(x) | np.cbrt(x) | np.log2(x + 1) | np.arctan2(x, w) | np.hypot(x, x)
np.true_divide(x, w) | np.divide(x, 2) | np.divide(x, x + 1) | np.floor_divide(x, i + 1) | np.remainder(x, w) | np.power(x, 2) | np.power(x, w)
np.float_power(x, 2) | np.square(x) | np.abs(x) | np.fabs(x) | np.sign(x) | np.floor(x) | np.rint(x) | np.round(x, 1) | np.degrees(x)
np.logaddexp(x, w) | np.heaviside(x, 1) | np.ldexp(x, 2) | np.frexp(x) | np.modf(x) | np.copysign(x, w) | np.add(x, w) | np.multiply(x, i)
np.maximum(x, i) | np.minimum(x, w) | np.add(x, 2) | np.add(x, 2.5) | np.add(x, 1j) | np.add(x, w, dtype=np.float64) | np.equal(x, w)
np.less(x, i) | np.logical_and(x, w) | np.bitwise_and(x, x) | np.left_shift(x, 1) | np.gcd(x, i) | np.conj(x) | np.isnan(x) | np.multiply(x, True)
"""
OPERATORS = """
x * w | w * x | x + i | i + x | x - i | x * u | x / i | x / (x + 1) | x / 2 | 2 / (x + 1) | x // i | x // 2 | x % 2 | x ** w | x ** 0.5
x < w | x == i | x >= 2.5 | x @ w | i @ x | divmod(x, i + 1) | x[0] * w | x[0] * i | x[0] * w[0] | x[0] + i[0] | x[0] / x[1] | x[0] / 2
x[0] * 2.5 | x.sum() * w | x.mean() * w | x.max() / w[0] | np.mean(w) * i | len(x) * w | float(w[0]) * w | int(i[0]) * w | int(i[0]) * x
np.float32(2) * x | np.float64(2) * x | np.int64(2) * x | np.int32(2) * x | np.pi * x | np.sin(0.5) * w | np.arange(9) * x | x + 1 | x + 1j
in_a_loop(i, x) | in_a_branch(i, x) | in_place(w, x)
"""
FUNCTIONS = """
import numpy as np


def in_a_loop(i, x):
    total = x[0] * 0
    for k in range(9):
        total = total + i[k] * x[k] * k
    return total


def in_a_branch(i, x):
    return x * i if i[0] > 2 else i * x


def in_place(w, x):
    y = w.copy()
    y *= x
    return y


"""
NAMES = "reduced places joined floats ufuncs operators"
TYPES = ["int8", "float32", "int64", "bool", "int32", "float64"]
W, I, U = (
    np.arange(1, 10, dtype=np.float32),
    np.array([3, 1, 2, 0, 5, 7, 4, 2, 6]),
    np.arange(9, dtype=np.uint8),
)  # noqa: E741


@pytest.fixture(autouse=True)
def wide() -> Any:
    with jax.enable_x64(True), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _function(path: pathlib.Path, rows: list[str]) -> Callable[..., list[Any]]:
    """A function of a file, which gives what each of the rows gives."""
    lines = "".join(f"        {row},\n" for row in rows)
    path.write_text(f"{FUNCTIONS}def run(x, w, i, u):\n    m = x.reshape(3, 3)\n    return [\n{lines}    ]\n")
    names: dict[str, Any] = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    run: Callable[..., list[Any]] = names["run"]
    return run


def _taken(path: pathlib.Path, table: str, given: list[Any]) -> list[str]:
    """The rows that NumPy computes of such arrays."""
    found = []
    for row in table.replace("\n", " | ").strip(" |").split(" | "):
        with contextlib.suppress(TypeError, ValueError, np.linalg.LinAlgError, OverflowError):
            _function(path, [row])(*given)
            found.append(row)
    return found


def _leaves(value: Any) -> list[Any]:
    return [leaf for each in value for leaf in _leaves(each)] if isinstance(value, (list, tuple)) else [value]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(
    "table",
    [REDUCED, PLACES, JOINED, FLOATS, UFUNCS, OPERATORS],
    ids=NAMES.split(),
)
def test_types_and_values_are_numpys(table: str, dtype: str, tmp_path: pathlib.Path) -> None:
    given = [np.array([3, 1, 2, 5, 0, 7, 4, 2, 6]).astype(dtype), W, I, U]
    rows = _taken(tmp_path / "one.py", table, given)
    run = _function(tmp_path / "all.py", rows)

    wrong = []
    for row, want, got in zip(rows, run(*given), convert(run)(*given), strict=True):
        for one, other in zip(_leaves(want), _leaves(got), strict=True):
            rough = 2e-3 if np.float16 in (np.asarray(one).dtype, np.dtype(dtype)) else 1e-5
            if np.asarray(one).dtype != other.dtype or not np.allclose(
                one, other, rough, rough, equal_nan=True
            ):
                wrong.append((row, np.asarray(one).dtype, one, other))

    assert wrong == []


def quotient_and_product(i, j, x):
    return i / j, i * x, np.mean(i)


def test_arrays_of_jaxs_keep_its_types_but_in_numpys_functions() -> None:
    i, x = jax.numpy.arange(1, 5, dtype=np.int32), jax.numpy.ones(4, np.float32)

    found = convert(quotient_and_product)(i, i, x)

    assert [each.dtype for each in found] == [(i / i).dtype, (i * x).dtype, np.dtype(np.float64)]


def product_into(m, out):
    np.dot(m, m, out=out)
    return out


def places_into(m, out):
    np.argmax(m, axis=0, out=out[0])
    return out


def spread_into(m, out):
    np.ptp(m, axis=0, out=out[0])
    return out


def means_into(m, out):
    np.nanmean(m, axis=0, out=out[0])
    m.any(axis=1, out=out[1])
    return out


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.float32, np.float64])
@pytest.mark.parametrize("call", [product_into, places_into, spread_into, means_into])
def test_an_array_of_another_type_is_refused_for_results_as_by_numpy(call: Any, kind: Any) -> None:
    m = np.arange(1, 5, dtype=np.float32).reshape(2, 2)
    try:
        expected = call(m, np.zeros((2, 2), kind))
    except (TypeError, ValueError) as error:
        with pytest.raises(
            TypeError if isinstance(error, TypeError) else ValueError, match="array|Cannot cast"
        ):
            convert(call)(m, np.zeros((2, 2), kind))
    else:
        np.testing.assert_array_equal(convert(call)(m, np.zeros((2, 2), kind)), expected)


def test_ints_with_and_without_a_sign_are_compared_exactly() -> None:
    i = np.array([-1, 2**62 + 1, 3, 2**63 - 1, 0, -(2**63)], np.int64)
    u = np.array([5, 2**62, 3, 2**63, 2**64 - 1, 0], np.uint64)

    def f(i: Any, u: Any) -> Any:
        operators = [
            i < u,
            i <= u,
            i > u,
            i >= u,
            i == u,
            i != u,
            u < i,
            u >= i,
            u == i,
            u[0] > i[1],
            i[1] != u[1],
        ]
        functions = [
            np.less(i, u),
            np.greater_equal(i[:, None], u),
            np.not_equal(u, i),
            np.where(i < u, i, 0),
        ]
        return operators, functions, i.astype(np.int32) < u, u[:3] == i[:3].astype(np.int8)

    with jax.enable_x64(True):
        jax.tree.map(np.testing.assert_array_equal, convert(f)(i, u), f(i, u))
