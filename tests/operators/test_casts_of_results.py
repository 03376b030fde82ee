"""`out=` of an array whose type takes no such results: NumPy's TypeError; and what NumPy computes where JAX has an error."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import jax
import numpy as np
import pytest

from autograph_lite import DynamicShapeError, MutationError, convert

X = np.array([3, 1, 2, 5], np.float32)
I = np.array([14, 15, 25, 37], np.int32)  # noqa: E741
M = np.arange(6, dtype=np.float32).reshape(2, 3)
Z = np.array([1 + 2j, 3 - 1j, 0.5j, 2], np.complex64)

CASTS = {
    "add": lambda i, x: np.add(i, x, out=i),
    "a number": lambda i, x: np.add(i, 0.5, out=i),
    "sqrt": lambda i, x: np.sqrt(i, i),
    "clip": lambda i, x: x.clip(0, 1, out=i),
    "copyto": lambda i, x: np.copyto(i, x),
    "floor": lambda i, x: np.floor(x, out=i),
    "tens": lambda i, x: i.round(-1, out=i),
    "tens by the function": lambda i, x: np.round(i, -1, out=i),
}


@pytest.mark.parametrize("call", CASTS.values(), ids=CASTS)
def test_results_that_the_array_does_not_take_are_refused_as_by_numpy(call: Any) -> None:
    for run in (call, convert(call)):
        with pytest.raises(TypeError, match="Cannot cast"):
            run(I.copy(), X.copy())


def after_place(a, k):
    a[k:] -= a[k:] * 0.5


def at_mask(a, k):
    a[a > k] *= 1.5


def at_positions(a, k):
    a[np.nonzero(a > k)] /= 2


def of_view(a, k):
    a[::-1][k:] += 0.5


def on_a_path(a, k):
    if k > 0:
        a[:k] += 1j


def whole(a, k):
    a *= 0.5


@pytest.mark.parametrize(
    "function",
    [after_place, at_mask, at_positions, of_view, on_a_path, whole],
    ids=lambda function: function.__name__,
)
def test_changes_that_the_array_does_not_take_are_refused_as_by_numpy(function):
    a = np.arange(4)

    for run in (function, convert(function)):
        with pytest.raises(TypeError, match=r"Cannot cast ufunc '(add|subtract|multiply|divide)' output"):
            run(a, np.int32(2))

    np.testing.assert_array_equal(a, np.arange(4))


def of_one_name(x):
    i = np.arange(3)
    i += x
    return i


def of_bools(x):
    i = np.zeros(3, bool)
    i *= x
    return i


def of_an_object(x):
    held = SimpleNamespace(i=np.arange(3))
    held.i -= x
    return held.i


def of_floats(x):
    i = np.zeros(3)
    i += 1j * x
    return i


def without_axes(x):
    i = np.array(3, np.int32)
    i += x
    return i


def in_a_loop(x):
    i = np.arange(3)
    for k in range(2):
        i /= x + k
    return i


@pytest.mark.parametrize(
    "function",
    [of_one_name, of_bools, of_an_object, of_floats, without_axes, in_a_loop],
    ids=lambda function: function.__name__,
)
def test_an_array_that_the_function_makes_takes_no_other_types(function):
    for run in (function, convert(function), convert(lambda x: jax.vmap(function)(x[None]))):
        with pytest.raises(TypeError, match=r"Cannot cast ufunc '(add|subtract|multiply|divide)' output"):
            run(np.float32(1.5))


def test_an_array_that_the_function_makes_keeps_its_shape_and_type():
    def function(x, n):
        halves = np.zeros(3, np.float16)
        halves += x
        small = np.arange(3, dtype=np.int8)
        small *= n
        held = SimpleNamespace(i=np.ones(3, np.float16))
        held.i += x * np.ones(3, np.float32)
        number = np.array(2, np.int8)
        number += n
        return halves, small, held.i, number

    x, n = np.array([0.1, 0.2, 0.3], np.float32), np.array([2, 3, 4], np.int32)[0]
    for got, wanted in zip(convert(function)(x, n), function(x, np.int8(n)), strict=True):
        assert got.dtype == wanted.dtype
        np.testing.assert_array_equal(got, wanted)

    def wider(x):
        i = np.zeros(1)
        i += x
        return i

    for run in (wider, convert(wider)):
        with pytest.raises(ValueError, match="non-broadcastable output operand"):
            run(x)


def taken(i, x):
    np.add(i, 2, out=i)
    np.greater(i, 15, out=i)
    np.add(i, 0.5, out=i, casting="unsafe")
    np.floor(i, out=i)
    np.round(i, out=i)
    np.sum(np.outer(x, x), axis=0, out=i)
    np.copyto(i, x, casting="unsafe")
    np.multiply(x, i, out=x)
    return i, x


def in_orders_of_memory(m, z):
    v = m.ravel("K")
    v[0] = 9
    w = m.T.ravel("A")
    w[1] = 8
    return m, v, w, m.T.flatten("K"), m[:, ::-1].ravel("A"), np.ravel(m, "A")


def complex_limits(m, z):
    return np.clip(z, 0, 1), z.clip(0, 1 + 1j), z.clip(min=1), np.clip(z, None, 1j), np.clip(m, 1, 3)


def triangles_of_one_axis(m, z):
    return np.tril(m[0]), np.triu(m[1], 1), np.tril(m)


def parts_of_complex_parts(m, z):
    p = z[abs(z) > 2]
    return p.imag.sum(), p.real.sum(), z[z.real > 0].imag.max()


def products_with_numbers(m, z):
    u = m[0].astype(np.uint8)
    return np.dot(u, 1), np.dot(-1, u), np.dot(u, 2.5), u.dot(3), np.inner(u, -2), np.dot(m[0], m[1])


class Answer:
    def __init__(self, value):
        self.value = value

    def __bool__(self):
        return bool(self.value)


class Item:
    def __init__(self, value):
        self.value = value

    def __lt__(self, other):
        return Answer(self.value < other.value)


def least_by_an_answer(m, z):
    return min(Item(m[1, 2]), Item(m[0, 1]), Item(m[0, 2])).value


def limits_by_name(m, z):
    return (
        m.clip(max=3),
        m.clip(min=2),
        m.clip(min=1, max=m[1, 1]),
        np.clip(m, 1, None),
        np.clip(m, a_min=1, a_max=2),
    )


def products_with_lists(m, z):
    return np.dot([1, 2, 3], m[0]), np.inner(m[1], [1, 2, 3]), m.dot([1, 2, 3]), np.dot((m[0, 1], 2), (3, 4))


def numbers_that_small_integers_take(m, z):
    u = m[0].astype(np.uint8)
    np.copyto(u, 5, where=u > 1)
    return u


RIGHT = [
    limits_by_name, products_with_lists, numbers_that_small_integers_take,
    in_orders_of_memory, complex_limits, triangles_of_one_axis, parts_of_complex_parts, products_with_numbers,
    least_by_an_answer,
]  # fmt: skip


@pytest.mark.parametrize("f", RIGHT)
def test_it_is_what_numpy_gives(f: Any) -> None:
    found = convert(f)(M.copy(), Z.copy())
    jax.tree.map(np.testing.assert_allclose, jax.tree.leaves(found), jax.tree.leaves(f(M.copy(), Z.copy())))


def test_other_results_are_cast() -> None:
    i, x, expected = I.copy(), X.copy(), [I.copy(), X.copy()]
    convert(taken)(i, x)
    taken(*expected)
    jax.tree.map(np.testing.assert_allclose, [i, x], expected)


@pytest.mark.parametrize("part", ["imag", "real"])
def test_a_write_to_a_part_of_complex_parts_is_refused(part: str) -> None:
    def f(z):
        getattr(z[z.real > 1], part)[0] = 5
        return z

    with pytest.raises(MutationError):
        convert(f)(Z)


def test_parts_of_flat_are_copies() -> None:
    def f(m, i):
        y = m.flat[:]
        y[...] = 1
        m.flat[1:3] += 2
        u = m.flat[i : i + 2]
        u[0] = 9
        m.flat[0] = 7
        return m, y, u, m.flat[i]

    m, expected = M.copy(), M.copy()
    found = convert(f)(m, np.int32(2))
    jax.tree.map(np.testing.assert_allclose, jax.tree.leaves(found), jax.tree.leaves(f(expected, 2)))
    np.testing.assert_allclose(m, expected)


@pytest.mark.parametrize("c", [-1.0, 1.0])
def test_a_part_or_a_number_is_written(c: float) -> None:
    def f(x, c, i):
        m = x > 1
        y = np.zeros(4, np.float32)
        y[m] = x[m] * -1 if c > 0 else 0
        x[i:] = 0 if c > 0 else x[i:] * 2
        return x, y

    found = convert(f)(X.copy(), np.float32(c), np.int32(2))
    jax.tree.map(np.testing.assert_allclose, found, f(X.copy(), c, 2))


@pytest.mark.parametrize("p", [[0, 2.0, 1.0], [1.0, 2.0, 0.0]])
def test_a_product_of_polynomials_begins_with_no_zero(p: list[float]) -> None:
    def f(s, t):
        return (
            np.polymul([0, s], [1.0, 2.0]),
            np.polymul([0.0, 0.0, t], [0.0, 3.0]),
            np.polymul([0], [s, 1.0]),
        )

    found = convert(f)(np.float32(p[1]), np.float32(3))
    jax.tree.map(np.testing.assert_allclose, found, f(p[1], 3))


def test_where_the_data_has_a_zero_in_front_it_is_refused() -> None:
    def f(p, q):
        return np.polymul(p, q)

    multiplied = convert(f)
    np.testing.assert_allclose(multiplied(M[1], X), f(M[1], X))
    with pytest.raises(DynamicShapeError, match="begins with a zero"):
        multiplied(M[0], X)


def test_a_rest_keeps_what_no_rounding_has_left() -> None:
    def f(u):
        return np.polydiv(u, [1.0, 0.0, 0.0])[1]

    u = np.array([1, 2, 1e-7, 1], np.float32)
    np.testing.assert_allclose(convert(f)(u), f(u), atol=1e-6)
