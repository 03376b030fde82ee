"""Views that do not tell of what they are views, as `as_strided` makes them: a traced write to either is refused, and never lost."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided, sliding_window_view

from autograph_lite import AutographError, convert

A = np.array([0.5, 2.5, 1.5])


def windows(a):
    x = np.zeros(3)
    w = sliding_window_view(x, 2)
    x[0] = a[0]
    return w.sum(), x


def strided(a):
    x = np.zeros(3)
    w = as_strided(x, (2, 2), (8, 8))
    w[1, 1] = a[0]
    return x


def strided_afterwards(a):
    x = np.zeros(3)
    w = as_strided(x, (2, 2), (8, 8))
    x[0] = a[0]
    return w


def grids(a):
    r = np.arange(3.0)
    x, _ = np.meshgrid(r, r, copy=False)
    r[0] = a[0]
    return x


def open_grids(a):
    r = np.zeros(2)
    i, _ = np.ix_(r, r)
    r[0] = a[0]
    return i


def buffers(a):
    x = np.zeros(3)
    y = np.frombuffer(x.data)
    x[0] = a[0]
    return y * 1


@pytest.mark.parametrize("f", [windows, strided, strided_afterwards, grids, open_grids, buffers])
def test_it_is_refused(f: Any) -> None:
    with pytest.raises(AutographError):
        convert(f)(A.copy())


def read_before(a):
    x = np.zeros(3)
    total = sliding_window_view(x + 1, 2).sum()
    x[0] = a[0]
    return total, x


def of_another(a):
    x, other = np.zeros(3), np.ones(4)
    w = as_strided(other, (2, 2), (8, 8))
    x[1] = a[2]
    return w * 1, x


@pytest.mark.parametrize("f", [read_before, of_another])
def test_elsewhere_it_is_as_in_numpy(f: Any) -> None:
    for found, expected in zip(convert(f)(A.copy()), f(A.copy()), strict=True):
        np.testing.assert_allclose(found, expected)
