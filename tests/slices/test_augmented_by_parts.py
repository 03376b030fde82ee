"""Is `w += part` of parts whose length the data tell NumPy's, where they have together as many items as the array?"""

from __future__ import annotations

import jax
import numpy as np
import pytest

import autograph_lite


def turned(x, p):
    w = x * 2
    w += np.concatenate([x[p:], x[:p]])
    same = w
    same *= np.concatenate([x[p:], x[:p]])[::-1]
    return w, same


def filtered(x, wanted, n):
    w, last, p, found = np.zeros(3), np.zeros(3), 0, np.zeros(6)
    for k in range(n):
        last[p] = x[k]
        p = (p + 1) % 3
        u = np.concatenate([last[p:], last[:p]])[::-1]
        found[k] = w @ u
        w += 0.1 * (wanted[k] - found[k]) * u
    return found, w


def of_an_argument(x, p):
    x += np.concatenate([x[p:], x[:p]])
    return x.sum()


@pytest.mark.parametrize("p", [0, 1, 2, 3])
@pytest.mark.parametrize("function", [turned, of_an_argument])
def test_an_array_is_changed_by_parts_that_are_as_long_together(function, p):
    x = np.array([1, 3, 0.5], np.float32)
    mine, its = x.copy(), x.copy()
    for found, want in zip(
        jax.tree.leaves(autograph_lite.convert(function)(mine, np.int32(p))),
        jax.tree.leaves(function(its, p)),
        strict=True,
    ):
        np.testing.assert_allclose(found, want)
    np.testing.assert_allclose(mine, its)


def test_a_filter_whose_last_values_are_a_ring():
    x, wanted = np.arange(6, dtype=np.float32), np.ones(6, np.float32)
    for found, want in zip(
        autograph_lite.convert(filtered)(x, wanted, np.int32(5)), filtered(x, wanted, 5), strict=True
    ):
        np.testing.assert_allclose(found, want, rtol=1e-5)


def test_parts_of_another_length_are_refused_where_the_program_runs():
    def f(x, p):
        w = x * 2
        w += x[p:]
        return w

    x = np.array([1, 3, 0.5, 2], np.float32)
    np.testing.assert_allclose(autograph_lite.convert(f)(x, np.int32(0)), f(x, 0))
    with pytest.raises(autograph_lite.SliceLengthError, match="not equally long"):
        autograph_lite.convert(f)(x, np.int32(1))


def of_ones(x, p):
    w = np.ones(3)
    same = w
    w += np.concatenate([x[p:], x[:p]])
    return w, same, w.shape[0]


def in_loops(x, p):
    held = [np.ones(3)]
    w = held[0]
    for _ in range(3):
        w *= np.concatenate([x[p:], x[:p]])
        w -= np.concatenate([x[p:], x[:p]])[::-1]
    return held[0], w


def of_a_part(x, p):
    w = np.arange(3.0)
    w[1:] += x[1:]
    half = w[:2]
    half -= np.concatenate([x[p:], x[:p]])[:2]
    return w, half


def answers(x, p):
    one, two, part = np.float64(2), np.array([1.0, 2.0, 3.0]), x[p * 0 :]
    return (
        *(
            (one * part).sum(),
            (part < one).sum(),
            (one < part).sum(),
            (two + part).sum(),
            (two > part).sum(),
            two @ part,
        ),
        *(
            (x[0] < part).sum(),
            (x == part).all(),
            (np.array(2.0) / part).sum(),
            (two**part).sum(),
            (np.float32(3) - part).sum(),
        ),
    )


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("function", [of_ones, in_loops, of_a_part, answers])
def test_arrays_of_numpys_that_the_function_makes(function, p):
    x = np.array([1, 3, 0.5], np.float32)
    found, want = autograph_lite.convert(function)(x, np.int32(p)), function(x, p)
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(want), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)
