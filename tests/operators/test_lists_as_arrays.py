"""Is a list whose length only the data knows an array where NumPy takes it for one?"""

from __future__ import annotations

import jax
import numpy as np
import pytest

from autograph_lite import DynamicShapeError, convert
from tests.slices.against import same

X, TOLERANCE = np.float32(8), np.float32(0.3)


def halvings(x, tolerance):
    history = []
    while x > tolerance:
        x = x * 0.5
        history.append(x)
    return history


def made_an_array(x, tolerance):
    history = halvings(x, tolerance)
    return np.array(history), np.asarray(history, dtype=np.int32), len(history), x


def computed(x, tolerance):
    h = halvings(x, tolerance)
    a = np.array(h)
    return (
        np.mean(h), np.sum(h), np.max(h), np.argmin(h), np.std(h), np.median(h), np.diff(h), np.sqrt(h), np.cumsum(h),
        a[1:] / a[:-1], a[-1], a[0], a[::2], a[a > 1], a.max(), a.shape, a.size, np.log(a[1:]), np.linalg.norm(h),
    )  # fmt: skip


def with_a_bound(x, tolerance):
    history = [x]
    for _ in range(50):
        x = x * 0.5
        history.append(x)
        if x < tolerance:
            break
    return np.array(history), len(history)


def of_vectors(x, tolerance):
    v = x * np.array([1.0, 2.0], np.float32)
    path = [v]
    while np.linalg.norm(v) > tolerance:
        v = v * 0.5
        path.append(v)
    p = np.array(path)
    xs, ys = p.T
    return p, xs, ys, p[:, 0], p.mean(axis=0), np.stack(path), np.vstack(path), np.concatenate(path)


def of_tuples(x, tolerance):
    k, found = 0, []
    while x > tolerance:
        found.append((k, x))
        x = x * 0.5
        k += 1
    table = np.array(found)
    return table, table[:, 1].sum(), table.shape


def two_lists(x, tolerance):
    xs, ys = [], []
    while x > tolerance:
        xs.append(x)
        ys.append(x**2)
        x = x * 0.5
    return np.array([xs, ys]), np.column_stack((xs, ys)), np.vstack((xs, ys)), np.array(ys) - np.array(xs)


def written(x, tolerance):
    a = np.array(halvings(x, tolerance))
    a[0] = 3
    a[1:] *= 2
    b = a
    a += 1
    return a, b


def an_index(x, tolerance):
    y = np.arange(8.0, dtype=np.float32) * x
    places = []
    for i in range(8):
        if y[i] > 20:
            places.append(i)
    y[places] += 1
    return y[places], y, np.array(places)


def none_at_all(x, tolerance):
    return np.array(halvings(x, tolerance + 100))


@pytest.mark.parametrize(
    "f",
    [made_an_array, computed, with_a_bound, of_vectors, of_tuples, two_lists, written, an_index, none_at_all],
    ids=lambda f: f.__name__,
)
def test_it_is_numpys(f) -> None:
    found, expected = convert(f)(X, TOLERANCE), f(X, TOLERANCE)
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        same(one, other)


def test_more_items_than_there_was_room_for() -> None:
    def f(n):
        path = [n]
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            path.append(n)
        return np.array(path)

    same(convert(f)(np.int32(27)), f(27))


def test_a_function_that_needs_the_length_names_the_list() -> None:
    def f(x, tolerance):
        history = []
        while x > tolerance:
            x = x * 0.5
            history.append(x)
        return np.fft.fft(history)

    with pytest.raises(DynamicShapeError) as caught:
        convert(f)(X, TOLERANCE)
    assert (caught.value.what, caught.value.fix) == (
        "'history' is handed to 'fft', and only the data knows how many items it has.",
        "fill an array of fixed size by index, ys[k] = v, and count the items in k.",
    )


def test_derivatives_pass_through() -> None:
    def f(x):
        history = []
        for _ in range(10):
            x = x * 0.5
            history.append(x)
            if x < 1:
                break
        return np.sum(np.array(history) ** 2)

    def by_hand(x):
        return sum((x * 0.5**k) ** 2 for k in range(1, 5))

    np.testing.assert_allclose(jax.grad(convert(f))(X), jax.grad(by_hand)(X), rtol=1e-5)
