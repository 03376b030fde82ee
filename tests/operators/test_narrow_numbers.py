"""Numbers of Python's beside arrays of NumPy's whose type does not hold them, uint8 and 300: NumPy's results and errors."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest

from autograph_lite import PythonOnlyError, convert
from tests.properties.running import loaded

U = np.array([250, 3, 10, 7], np.uint8)


def compared(u, n):
    count = 0
    for v in u:
        if v == 300:
            count += 1
        if v < 300:
            count += 10
        if v > -1:
            count += 100
    return u == 300, u != 300, u < 300, 300 > u, u >= -1, u[n] > -1, np.equal(u, 300), np.less(u, 300), count


def of_no_type(u, n):
    return (
        np.clip(u, 0, 300), np.clip(u, -1, 5), u.clip(0, 300), np.isin(u, 300), np.append(u, 300), np.dot(u, 300),
        np.searchsorted(np.sort(u), 300), u / 300, u - 1, u[n] * 2, np.copysign(u, 300),
    )  # fmt: skip


def not_taken(u, n):
    if n > 5:
        u[0] = 300
        u = u + 300
    return u, u.sum()


def floats_not_taken(u, n):
    if n > 5:
        u[0] = 300.7
    elif n > 4:
        u.fill(np.nan)
    else:
        u[1:] = 255.9, -0.5, 128.5
    try:
        if n > 1:
            u[n] = float("nan")
    except ValueError:
        u[0] = 9
    return u, u.sum()


def loops_that_do_not_run(u, n):
    for i in range(n - 2):
        u[i] = 300
    i, total = n, 0
    while i < 2:
        u[i] = float("inf")
        total = total + u[i] + 300
        i += 1
    for v in u:
        if v > 251:
            u[0] = -1.5
    try:
        for i in range(n):
            u[i] = 300.7
    except OverflowError:
        u[1] = 9
    return u, u.sum(), total


def floats_of_no_type(u, n):
    z, i = np.zeros(3), np.zeros(3, np.int8)
    z[n], z[0], z[1], i[n], i[0] = 1e30, np.inf, np.nan, 127.9, -128.9
    u[n] = np.float64(3.7)
    np.insert(np.zeros(400, np.uint8) + np.uint8(n), 300, 5)
    return (
        np.maximum(u, 300.7),
        u + 300.7,
        np.clip(u, 0, 300.7),
        np.where(u > n, u, 300.7),
        z,
        i,
        np.insert(u, -1, n),
    )


@pytest.mark.parametrize(
    "f", [compared, of_no_type, not_taken, floats_not_taken, floats_of_no_type, loops_that_do_not_run]
)
def test_values_are_numpys(f: Any) -> None:
    for found, want in zip(
        jax.tree.leaves(convert(f)(U.copy(), np.int32(2))), jax.tree.leaves(f(U.copy(), 2)), strict=True
    ):
        np.testing.assert_allclose(found, want, rtol=1e-6)


def item(u, n):
    u[n] = 300


def items(u, n):
    u[1:] = [n, 300, 2]


def filled(u, n):
    u.fill(-1)


def copied(u, n):
    np.copyto(u, 300)


def put(u, n):
    u.put([0], 300)


def marked(u, n):
    np.putmask(u, u > n, 300)


def born(u, n):
    z = np.zeros(3, np.int8)
    z[n] = 128
    return z


def in_place(u, n):
    u += 300


def taken(u, n):
    if n > 1:
        u[0] = -1
    return u


REFUSED = [
    item, items, filled, copied, put, marked, born, in_place, taken, lambda u, n: u + 300, lambda u, n: 300 - u[n],
    lambda u, n: u**-1, lambda u, n: np.maximum(u, 300), lambda u, n: np.where(u > n, u, 300), lambda u, n: np.full_like(u, 300),
]  # fmt: skip


@pytest.mark.parametrize("f", REFUSED, ids=map(str, range(len(REFUSED))))
def test_what_numpy_refuses_is_its_error(f: Any) -> None:
    if f is REFUSED[13] and np.lib.NumpyVersion(np.__version__) < "2.5.0":
        pytest.skip("np.where of this NumPy takes 300")
    with pytest.raises(OverflowError) as expected:
        f(U.copy(), 2)
    u = U.copy()
    with pytest.raises(OverflowError, match=str(expected.value)):
        convert(f)(u, np.int32(2))
    assert u.tolist() == U.tolist()


def slices(u, n):
    u[n:] = [1, 300.7]


def rows(u, n):
    for row in u.reshape(2, 2):
        row[0] = -1.5


def matrix(u, n):
    u.reshape(2, 2)[n - 1, :] = 300.7


def selected(u, n):
    v = u[u > n]
    v[0] = 300.7
    return v


def float_on_a_path(u, n):
    if n > 1:
        u[0] = float("nan")


def flat(u, n):
    u.flat = 300.7


def own(u, n):
    z = np.arange(3, dtype=np.int32) * np.int32(n)
    z[n] = 1e10
    return z


def of_numpys(u, n):
    z = np.zeros(3, np.int16)
    z[n] = np.float64("nan")
    return z


BEYOND = [
    slices, rows, matrix, selected, float_on_a_path, flat, own, of_numpys,
    lambda u, n: u.__setitem__(n, -2.99), lambda u, n: u.__setitem__(u > n, -1.5), lambda u, n: u.fill(300.7),
    lambda u, n: u.fill(np.inf), lambda u, n: np.put(u, [n, 1], [1, 300.7]), lambda u, n: np.putmask(u, u > n, values=300.7),
    lambda u, n: np.place(u, u > n, [300.7]), lambda u, n: np.fill_diagonal(u.reshape(2, 2), 300.7),
    lambda u, n: np.put_along_axis(u, np.array([0]), 300, 0), lambda u, n: np.insert(u, n, 300.7), lambda u, n: np.insert(arr=u, obj=n, values=300),
    lambda u, n: np.array([n, 300.7], np.uint8),
]  # fmt: skip


@pytest.mark.parametrize("f", BEYOND, ids=map(str, range(len(BEYOND))))
def test_floats_that_numpy_refuses_to_store_are_its_error(f: Any) -> None:
    with pytest.raises((OverflowError, ValueError)) as expected:
        f(U.copy(), 2)
    with pytest.raises(expected.type) as found:
        convert(f)(U.copy(), np.int32(2))
    assert str(found.value) == str(expected.value)


def test_jaxs_arrays_compute_as_jaxs() -> None:
    x = jax.numpy.asarray(U)
    f = lambda x: (x + 300, x == 44)

    for found, want in zip(convert(f)(x), f(x), strict=True):
        np.testing.assert_array_equal(found, want)


def test_a_diagonal_goes_on_below_a_tall_matrix() -> None:
    def f(x):
        m = np.zeros((7, 3))
        np.fill_diagonal(m, x[:3], wrap=True)
        np.fill_diagonal(m[:2, :2], x[3], wrap=True)
        return m

    x = np.arange(1, 5, dtype=np.float32)
    np.testing.assert_array_equal(convert(f)(x), f(x))


@pytest.mark.parametrize(
    "call",
    [
        "np.tril(m, -1)", "np.diag(m, -1)", "np.diagonal(m, -1)", "np.sort(m, -1)", "np.partition(u, -1)", "np.partition(m, 1, -1)",
        "np.argpartition(u, -1)", "np.resize(u, 300)", "np.swapaxes(m, -1, 0)", "np.rollaxis(m, -1)", "np.append(m, m, -1)",
        "np.take_along_axis(m, m % 3, -1)", "np.diff(m, 1, -1)", "np.cumsum(m, -1)", "np.median(m, -1)", "np.quantile(m, 0.5, -1)",
        "np.count_nonzero(m, -1)", "np.round(u, -1)", "np.linspace(u[0], u[1], 300)",
        "np.cross(m, m, -1, -1, -1)", "np.unpackbits(u, -1)", "np.packbits(m, -1)", "np.fft.fft(m, 3, -1)",
        "np.fft.fftshift(m, -1)", "np.linalg.norm(u, -1)", "np.linalg.norm(m, None, -1)", "np.linalg.cond(m, -1)",
        "np.linalg.matrix_power(m, 300)", "np.nanmax(m, -1)", "np.histogram(u, 300)[0]", "np.roll(m, -1, -1)",
    ],
)  # fmt: skip
def test_an_axis_or_a_count_is_a_number_whatever_the_array_holds(call: str) -> None:
    m = np.array([[2, 1, 0], [1, 3, 1], [0, 1, 5]], np.uint8)
    with loaded(f"def main(u, m):\n    return {call}\n", np=np) as namespace:
        ours, python = convert(namespace["main"])(U, m), namespace["main"](U, m)
    np.testing.assert_allclose(np.asarray(ours), python, rtol=1e-5, atol=1e-5)


def largest(u):
    best = -1
    for v in u:
        if v > best:
            best = v
    return best


@pytest.mark.parametrize("use", [
    lambda n, u: n + 10, lambda n, u: 3 - n, lambda n, u: n * 2, lambda n, u: n**2, lambda n, u: -n, lambda n, u: u - n,
    lambda n, u: n << 1,
], ids=["+", "-", "*", "**", "negative", "of an array", "<<"])  # fmt: skip
def test_an_int_that_the_type_does_not_hold_and_an_item_are_not_computed_with(use: Any) -> None:
    with pytest.raises(PythonOnlyError, match=r"one of uint8, is an operand(.|\n)*int\(x\[i, j\]\)"):
        convert(lambda u: use(largest(u), u))(U)


@pytest.mark.parametrize("use", [
    lambda n, u: n / 4, lambda n, u: n // 3, lambda n, u: n % 7, lambda n, u: n > 9, lambda n, u: u >= n, lambda n, u: n + 0.5,
    lambda n, u: int(n) + 10, lambda n, u: u[n % 4],
], ids=["/", "//", "%", ">", ">=", "float", "int", "index"])  # fmt: skip
def test_what_does_not_depend_on_the_type_is_as_it_is(use: Any) -> None:
    np.testing.assert_array_equal(convert(lambda u: use(largest(u), u))(U), use(largest(U), U))
