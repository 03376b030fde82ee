"""Lists that hold one array twice: what is written at a traced index is seen at both places."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_lite


class Held:
    pass


def doubled(x, k):
    bufs = [x * 1] * 2
    bufs[k] += 1
    return bufs


def of_zeros(x, k):
    bufs = [np.zeros(3)] * 2
    bufs[k] += x
    return bufs[0]


def in_a_loop(x, k):
    bufs = [x * 1] * 3
    for i in range(k + 1):
        bufs[i] += 1
    for t in range(5):
        bufs[t % 3] += t
    return bufs


def in_a_while(x, k):
    b = [x * 1, x * 2] * 2
    while k < 3:
        b[k] *= 2
        k += 1
    return b


def of_an_attribute(x, k):
    s = Held()
    s.b = [np.zeros(3)] * 2
    s.b[k] += x
    s.b[1 - k][0] = 7
    return s.b


def in_a_tuple(x, k):
    m = (x * 1,) * 2
    m[k][1] += 5
    return m


def views_of_one(x, k):
    m = x * 1
    rows = [m[:2], m[1:], m[:2]]
    rows[k] += 1
    return m, rows


@pytest.mark.parametrize("k", [0, 1])
@pytest.mark.parametrize(
    "f", [doubled, of_zeros, in_a_loop, in_a_while, of_an_attribute, in_a_tuple, views_of_one]
)
def test_both_places_see_it(f, k):
    x = np.array([1, 2, 3], np.float32)
    wanted, found = f(x.copy(), np.int32(k)), autograph_lite.convert(f)(x, np.int32(k))
    for one, other in zip(wanted, found, strict=True):
        np.testing.assert_allclose(other, one)
