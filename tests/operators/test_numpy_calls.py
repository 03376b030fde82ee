"""Do `np`, `math` and `cmath` give on traced values what they give on NumPy's? Each public name of theirs is looked at."""

from __future__ import annotations

import cmath
import math
import sys
import warnings
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from autograph_lite import PythonOnlyError
from autograph_lite.operators.numpy_calls import counterparts, function_table
from tests.errors.messages import message

pytestmark = pytest.mark.filterwarnings("ignore::autograph_lite.RandomNumbersWarning")

X = np.array([0.3, 1.7, -2.2, 0.9], np.float32)
M = np.array([[2.0, 1.0, 0.5], [0.3, 3.0, -1.0], [1.0, 0.2, 4.0]], np.float32)
S, N = np.float32(0.7), np.array([7, -3, 2, 0], np.int32)


@pytest.mark.parametrize("module", [np, np.linalg, np.fft, math, cmath], ids=lambda module: module.__name__)
def test_each_public_name_is_mapped_or_refused_with_a_reason(module: Any) -> None:
    names = [name for name in dir(module) if name[0] != "_" and callable(getattr(module, name))]
    unknown = [name for name in names if counterparts.of(getattr(module, name)) is None]

    assert [name for name in unknown if name not in function_table.LEFT_ALONE] == []


def of_items(x, m, s, n):
    return [
        np.sin(x), np.where(x > 0, x, 0.0), np.clip(x, a_min=0, a_max=1), np.clip(x, -1, 1), np.round(x, 1), np.rint(x),
        np.floor_divide(n, [2, 2, 0, 0]), np.mod(n, 0), np.divmod(n, 2), np.fmod(n, 0), np.remainder(n, 3),
        np.isclose(x, 0.3), np.add(x, x, dtype=np.float64), np.nan_to_num(x), np.hypot(x, x), np.sign(x), np.modf(x),
        np.select([x > 1, x > 0], [x, -x], 9.0), np.heaviside(x, 0.5), np.bitwise_and(n, 3), np.interp(s, [0.0, 1.0], [3.0, 4.0]),
    ]  # fmt: skip


def of_shapes(x, m, s, n):
    return [
        np.array([s, 1.0], dtype=float), np.array([s, 1.0], np.float64), np.stack([x, x * 2], axis=1), np.full(3, s),
        np.concatenate([x, [1.0, 2.0]]), np.hstack((x, s)), np.vstack([x, x]), np.linspace(s, 2.0, 5), np.tile(x, 2),
        np.reshape(m, (9,), order="F"), np.ravel(m, order="C"), np.broadcast_to(s, (2, 2)), np.ascontiguousarray(s),
        np.pad(x, (1, 2), mode="edge"), np.pad(m, ((1, 0), (0, 2)), constant_values=s), np.ones_like(x, dtype=int), np.shape(x), np.ndim(m), np.size(m), np.meshgrid(x, x),
        np.c_[np.ones(4), x], np.c_[m, x[:3]], np.r_[s, x, [1.0, s]], np.r_[0:3, x],
        np.float32(s), np.float64(s), np.int32(x), np.bool_(s), np.isscalar(s), s.item(), x.item(2), m.item(1, 2), x.tolist(),
    ]  # fmt: skip


def reduced(x, m, s, n):
    return [
        np.max([s, 1.2]), np.sum(x, axis=0, keepdims=True), np.sum(x, where=x > 0), np.std(m, axis=0, ddof=1), np.mean(m, 1),
        np.median(m, axis=0), np.sort(x, kind="stable"), np.argsort(-x, kind="mergesort"),
        np.histogram(x, 4, (-3, 3), None), np.average(x, weights=[1, 2, 3, 4]), np.percentile(x, 30), np.any(x > 1),
        np.add.reduce(x), np.add.accumulate(x), np.multiply.outer(x, x), np.maximum.reduce(m, axis=1),
        np.add.reduceat(x, [0, 2]), np.arange(4.0).clip(s, 2), np.eye(4).dot(x), np.trapezoid(x, dx=0.1), np.diff(x, prepend=0.0),
    ]  # fmt: skip


def of_matrices(x, m, s, n):
    return [
        np.dot(m, m[0]), np.outer(x, x), np.einsum("ij,j->i", m, m[0]), np.cross(x[:3], m[0]), np.linalg.solve(m, m[0]),
        np.linalg.norm(m, axis=1), np.linalg.inv(m), np.linalg.det(m), np.linalg.lstsq(m, m[0], rcond=None)[0],
        np.linalg.svd(m, compute_uv=False), np.fft.fft(x), np.fft.rfft(x, n=8), np.tensordot(m, m, axes=1), np.trace(m),
    ]  # fmt: skip


def of_numbers(x, m, s, n):
    return [
        math.sin(s), math.floor(s * 9), math.ceil(s), math.trunc(-5.0 * s.item()), math.sqrt(2 * s), math.log(s, 2), math.log(s),
        math.pow(s, 3), math.hypot(s, s, s), math.atan2(s, 1), math.fsum([s, 1.0, s]), math.prod([s, 2.0, s]),
        math.dist([s, 1.0], [2.0, s]), math.isclose(s, 0.7, rel_tol=1e-5), math.isnan(s), math.gcd(n[0], 21), math.lcm(n[0], 3),
        math.isqrt(n[0] * 100), math.isqrt(n[0] * 7), math.isqrt(n[3]), math.lgamma(s), math.gamma(s), math.erf(s), math.erfc(s),
        math.remainder(s * 10, 2.0), math.remainder(-3.0 * (s + 0.3), 2.0), math.fmod(-s * 10, 2.0), math.modf(s * 5),
        math.frexp(s), math.ldexp(s, 3), math.degrees(s), math.copysign(1, -s), math.floor(n[1]), math.cbrt(s),
        cmath.exp(1j * s), cmath.phase(s + 1j), cmath.polar(s + 1j), cmath.rect(s, 0.5), cmath.sqrt(-s), cmath.log(-s),
    ]  # fmt: skip


@pytest.mark.parametrize("fn", [of_items, of_shapes, reduced, of_matrices, of_numbers])
def test_values_are_numpys(fn: Any) -> None:
    with np.errstate(divide="ignore"):
        expected = fn(X, M, S, N)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = autograph_lite.convert(fn)(*map(jnp.asarray, (X, M, S, N)))

    for number, (want, got) in enumerate(zip(expected, found, strict=True)):
        for one, other in zip(jax.tree.leaves(want), jax.tree.leaves(got), strict=True):
            assert np.asarray(one).dtype.kind == np.asarray(other).dtype.kind, number
            np.testing.assert_allclose(one, other, rtol=2e-4, atol=2e-5, err_msg=str(number))


def running(u, i, w):
    given = np.zeros(4, np.int32)
    np.cumsum(u, out=given)
    return [
        np.cumsum(u), u.cumsum(), i.cumprod(), np.cumprod(i), np.nancumsum(u), np.add.accumulate(u), np.multiply.accumulate(i),
        u.reshape(2, 2).cumsum(0).cumsum(axis=1), np.cumsum([u[0], u[1]]), np.cumsum(u, dtype=np.uint8), u.cumsum(dtype=float),
        np.add.accumulate(u, dtype=np.uint8), np.subtract.accumulate(u), np.cumsum(w), np.cumsum(w > 0), given,
    ]  # fmt: skip


def of_parts(u, i, w):
    b, places, both = w[:4] > 0, [0, 2, 3], np.stack([u, u])
    return [
        *(fun.reduceat(x, places) for fun in (np.add, np.multiply, np.maximum, np.logical_or) for x in (u, i)),
        *(fun.reduceat(b, places) for fun in (np.add, np.multiply, np.logical_and)), np.add.reduceat(w, places),
        np.add.reduceat(both, [0, 1], 1, None), np.add.reduceat(both, [1], axis=1, dtype=np.uint8), np.add.reduceat([u[0]], [0]),
        np.add.reduceat(u, places, 0, np.uint8), np.add.accumulate(u, 0, None), np.logical_or.accumulate(i), np.add.reduce(b),
        np.trapezoid(u), np.trapezoid(i, dx=2), np.trapezoid(both, u, axis=1), np.trapezoid(both, axis=0), np.trapezoid(b),
        np.trapezoid(w, w * w), np.vander(i, 3), np.vander(b, 2, increasing=True), np.vander(w),
        np.cumulative_prod(i), np.cumulative_prod(both, axis=1, include_initial=True), np.cumulative_sum(i),
    ]  # fmt: skip


def of_whole_numbers(u, i, w):
    n, of_two, places = i.astype(int), np.array([3, -1]) + u[1], np.array([0, 2, 2, 0])
    return [
        *(np.convolve(a, b, mode) for mode in ("full", "same", "valid") for a, b in [(n, of_two), (of_two, n), (n, n[:3])]),
        *(np.correlate(a, b, mode) for mode in ("full", "same", "valid") for a, b in [(n, of_two), (of_two, n), (n[:3], n)]),
        np.convolve(u, u), np.correlate(i, i), np.convolve(n, [0.5, 1.5]), np.convolve(n * 9001, [1, 1]),
        np.bincount(places, weights=u), np.bincount(places, weights=w, minlength=5),
    ]  # fmt: skip


@pytest.mark.parametrize("fn", [running, of_parts, of_whole_numbers])
def test_narrow_integers_have_the_type_and_the_values_of_numpy(fn: Any) -> None:
    given = np.array([250, 3, 100, 200], np.uint8), np.array([-128, 127, 5, 100], np.int8), X

    for want, got in zip(fn(*given), autograph_lite.convert(fn)(*given), strict=True):
        assert want.dtype.kind == got.dtype.kind
        np.testing.assert_allclose(got, want, rtol=1e-5)


def test_a_running_sum_of_jaxs_array_stays_narrow() -> None:
    x = jnp.array([250, 3, 100], jnp.uint8)

    found = autograph_lite.convert(lambda x: (x.cumsum(), jnp.cumsum(x)))(x)

    assert [each.dtype for each in found] == [x.cumsum().dtype] * 2


def simpson(a, b, n=20):
    h = (b - a) / n
    total = math.exp(-a * a) + math.exp(-b * b)
    for i in range(1, n):
        t = a + i * h
        total += (4 if i % 2 else 2) * math.exp(-t * t)
    return total * h / 3


def pendulum(y, t_end, dt=0.05):
    def slope(state):
        angle, speed = state
        return np.array([speed, -math.sin(angle) - 0.1 * speed])

    steps = int(np.ceil(t_end / dt))
    largest = 0.0
    for _ in range(steps):
        k1 = slope(y)
        k2 = slope(y + dt / 2 * k1)
        k3 = slope(y + dt / 2 * k2)
        k4 = slope(y + dt * k3)
        y = y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        largest = np.max([largest, np.abs(y[0])])
    return y, largest


def option(spot, noise):
    paths = np.zeros(len(noise))
    for i in range(len(noise)):
        level = math.log(spot)
        for z in noise[i]:
            level += -0.02 + 0.2 * z
        paths[i] = np.maximum(np.exp(level) - 100.0, 0.0)
    return np.mean(paths), np.std(paths) / np.sqrt(len(paths))


def smoothed(signal, alpha):
    out = np.empty_like(signal)
    out[0] = signal[0]
    for k in range(1, len(signal)):
        out[k] = np.add(np.multiply(alpha, signal[k]), np.multiply(1 - alpha, out[k - 1]))
    return out, np.convolve(out, np.ones(3) / 3, mode="valid")


NOISE = np.random.default_rng(1).normal(size=(12, 5)).astype(np.float32)


@pytest.mark.parametrize(
    ("program", "given"),
    [
        (simpson, (np.float32(0.2), np.float32(1.3))),
        (pendulum, (np.array([1.0, 0.0], np.float32), np.float32(1.02))),
        (option, (np.float32(101.0), NOISE)),
        (smoothed, (NOISE[:, 0], np.float32(0.3))),
    ],
)
def test_programs_written_for_numpy(program: Any, given: Any) -> None:
    found = autograph_lite.convert(program)(*map(jnp.asarray, given))

    for one, other in zip(jax.tree.leaves(program(*given)), jax.tree.leaves(found), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-4)


def test_gradients_and_lanes() -> None:
    def f(x):
        return math.exp(-x) * np.sum(np.sin([x, 2 * x]))

    def by_hand(x):
        return jnp.exp(-x) * (jnp.sin(x) + jnp.sin(2 * x))

    graph, xs = autograph_lite.to_graph(f), jnp.array([0.3, 0.8])

    np.testing.assert_allclose(jax.grad(graph)(0.5), jax.grad(by_hand)(0.5), rtol=1e-5)
    np.testing.assert_allclose(jax.vmap(jax.grad(graph))(xs), jax.vmap(jax.grad(by_hand))(xs), rtol=1e-5)


def test_numpy_computes_where_nothing_is_traced() -> None:
    def f(x):
        n = int(np.ceil(2.5))
        table = np.outer(np.arange(n), np.arange(n))
        assert type(table) is np.ndarray
        return x + table[n - 1, n - 1]

    assert autograph_lite.convert(f)(jnp.float32(1)) == 5
    assert "sin" not in str(jax.make_jaxpr(autograph_lite.to_graph(lambda x: x + math.sin(1.0)))(1.0))


def test_a_number_that_is_known_while_tracing_is_numpys() -> None:
    def f(x):
        n = jnp.asarray(3)
        return x + np.zeros(n).sum() + np.ones((n, 2)).size

    assert jax.jit(autograph_lite.to_graph(f))(jnp.float32(1)) == 7


def test_names_of_scipy_if_the_user_has_imported_it() -> None:
    special = pytest.importorskip("scipy.special")
    linalg = pytest.importorskip("scipy.linalg")

    def f(x, m):
        return special.erf(x), special.gammaln(x + 3), linalg.expm(m), linalg.cho_factor(m @ m.T)[0].shape

    found = autograph_lite.convert(f)(jnp.asarray(X), jnp.asarray(M))
    for one, other in zip(f(X, M), found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-4)


def test_matrices_and_distributions_of_scipy() -> None:
    linalg = pytest.importorskip("scipy.linalg")
    stats = pytest.importorskip("scipy.stats")

    def f(x, m, s):
        return (
            linalg.eigvals(m).sum().real, linalg.norm(x), linalg.sqrtm(m @ m.T), linalg.sqrtm(m + 1j * m),
            stats.norm.cdf(x), stats.norm.pdf(x, s, scale=2.0), stats.norm(0.5, 2).logpdf(x), stats.norm(0.5, scale=2).ppf(s),
            stats.multivariate_normal.logpdf(x[:3], np.zeros(3), m @ m.T, True), stats.multivariate_normal.pdf(x[:3], cov=m[1, 1]),
        )  # fmt: skip

    found = autograph_lite.convert(f)(X, M, S)
    for one, other in zip(f(X, M, S), found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-4)
        assert np.asarray(one).dtype.kind == other.dtype.kind


def test_a_square_root_that_is_not_real_is_nan() -> None:
    linalg = pytest.importorskip("scipy.linalg")
    assert np.isnan(autograph_lite.convert(lambda m: linalg.sqrtm(m))(-np.eye(2))).all()


def test_what_jax_has_not_of_scipy() -> None:
    ndimage = pytest.importorskip("scipy.ndimage")
    with pytest.raises(PythonOnlyError) as caught:
        autograph_lite.convert(lambda x: ndimage.convolve(x, x))(X)

    assert (caught.value.what, caught.value.fix) == (
        "'scipy.ndimage.convolve' is called with a traced value.",
        "jax.scipy.ndimage has none of this name: write it with jax.numpy.",
    )


def test_scipy_is_not_imported_by_us() -> None:
    assert "scipy.special" not in {module.__name__ for module, _ in function_table.NAMESPACES}
    assert sys.modules[counterparts.__name__]


def test_arrays_are_refused_where_python_takes_a_number() -> None:
    with pytest.raises(TypeError, match="only a number can be handed to a function of Python's"):
        autograph_lite.convert(lambda x: math.sin(x))(jnp.ones(3))


REFUSED = {
    "files": (lambda x: np.save("x.npy", x), "'np.save' is called with a traced value."),
    "where=": (lambda x: np.sqrt(x, where=x > 0), "'np.sqrt' leaves items without a value, by `where=`."),
    "in place": (
        lambda x: np.nan_to_num(x, copy=False),
        "'np.nan_to_num' changes a traced array in place.",
    ),
    "random": (lambda x: np.random.normal(x), "'np.random.normal' is called with a traced value."),
    "a generator": (
        lambda x: np.random.default_rng(0).normal(x),
        "'the generator's normal' is called with a traced value.",
    ),
    "items": (lambda x: np.put(jnp.ones(3), [0], x[0]), "'np.put' is called with a traced value."),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str) -> None:
    fn, what = REFUSED[name]
    with pytest.raises(PythonOnlyError) as caught:
        autograph_lite.convert(fn)(jnp.ones(3))

    assert caught.value.what == what


def test_a_whole_message() -> None:
    def f(x, y):
        z = np.add(x, 1, out=y)
        return z

    assert message(f, jnp.float32(1), jnp.ones(())) == (
        "PythonOnlyError: 'np.add' writes a traced value into an array that it is handed.\n"
        "  test.py:1 in f\n"
        "      z = np.add(x, 1, out=y)\n"
        "  It is NumPy's or Python's own: it would need the value, which is known when the compiled program runs.\n"
        "  Fix: take the result, `z[...] = np.add(x, y)`."
    )


def quantiles_of_items(x, m, s, n):
    by = ("nearest", "lower", "higher", "midpoint", "linear")
    y = np.where(x > 1, np.nan, x)
    z = np.arange(101.0) + s
    return [
        *(np.percentile(x, q, method=each) for each in by for q in (0, 25, 50, 62.5, 100)), np.quantile(z, 0.29, method="lower"),
        *(np.quantile(m, 0.5, axis=each, method="nearest", keepdims=True) for each in (0, -1, (0, 1), None)),
        np.percentile(n, [50, 10], method="nearest"), np.quantile(m, [0.1, 0.5], axis=1, method="higher"),
        np.percentile(y, 50, method="nearest"), np.nanpercentile(y, 50, method="nearest"), np.nanquantile(y, [0.5, 1], method="lower"),
        np.percentile(x, np.float32(25) + s * 0, method="nearest"),
        # 0.3 of ten is three, if it is rounded as NumPy does
        *(np.percentile(z[:11], np.float32(q) + s * 0, method="lower") for q in (10, 30, 70)),
    ]  # fmt: skip


def parts_of_numbers(x, m, s, n):
    return [
        *np.real([x[0], s, 2j]),
        *np.imag([x[0], 2j]),
        np.real(s),
        np.imag((n[0], 3)),
        np.real(n),
        np.imag(2 + 3j),
    ]


def divided_polynomials(x, m, s, n):
    quotient, rest = np.polydiv(x, m[0])
    exact = np.polydiv(np.convolve(n, [2.0, 1.0, 4.0]), [2.0, 1.0, 4.0])
    return [quotient, rest, len(rest), np.polydiv(m[0], x)[1], *np.polydiv(x, [2.0]), exact[0], len(exact[1])]


def rounded_integers(x, m, s, n):
    i, u, b = n * 5 + np.array([0, 1240, 5, -25]), np.abs(n).astype(np.uint8) * 5, n > 1
    j = np.round(i)
    j[0] = 9
    for _ in range(2):
        i = np.around(i, -1) + n
    return [
        j, i, np.round(i, -2), i.round(-1), i.round(-20), np.round(i[0], -1), np.round(u, -1), u.round(-2), np.round(b), b.round(),
        np.round(x * 12, -1), (x * 0.126).round(1),
    ]  # fmt: skip


def counted_between_edges(x, m, s, n):
    return [
        *np.histogram(n, [-4, 0, 4]),
        *np.histogram(n, (-4, 0, 9), weights=x),
        *np.histogram(n, [-4, 0, 9], density=True),
    ]


def grids(x, m, s, n):
    y, z = x.copy(), x.copy()
    a, b = np.meshgrid(y, n[:2])
    c, d = np.meshgrid(z, n[:3], copy=False, sparse=True)
    a[0] = c[0, 0] = 9
    return [
        a, b, c, d, y, z, *np.meshgrid(x, n[:2], copy=False), *np.meshgrid(m, [1, 2]), *np.meshgrid(x),
        *np.meshgrid(x, x[:2], x[:3], copy=False, indexing="ij"),
    ]  # fmt: skip


def rest_of_polynomials(x, m, s, n):
    quotient, rest = np.polydiv(x, m[0])
    _, none = np.polydiv(x * 0, m[0])
    values = [np.polyval(rest, s), np.polyval(rest, m), np.polyval(none, 2), np.polyval(rest, 1j)]
    return [
        *values, np.polyadd(np.polymul(quotient, m[0]), rest), np.polysub(x, rest), np.polysub(rest, x), np.polyadd(none, [1, 2, s]),
        np.polyval(x[: n[2]], 3), np.polyval(x[x > 0], s),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "function",
    [
        quantiles_of_items,
        divided_polynomials,
        rounded_integers,
        counted_between_edges,
        grids,
        parts_of_numbers,
        rest_of_polynomials,
    ],
    ids=lambda function: function.__name__,
)
def test_what_jax_gives_otherwise(function) -> None:
    found = autograph_lite.convert(function)(X, M, S, N)

    for ours, numpys in zip(found, function(X, M, S, N), strict=True):
        np.testing.assert_allclose(ours, numpys, rtol=1e-4, atol=1e-5)
