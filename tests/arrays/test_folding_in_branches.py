"""What Python needs of an array that the function writes, inside a staged statement: its value by then."""

import enum
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autograph_lite import convert, to_graph


def condition(s):
    c, a = 0.0, np.zeros(2)
    for _ in range(2):
        a[0] += 1
        if s > 1 and a[1] == 0:
            if a[0] > 1:
                c = 1.0
    return c


def conversions(s):
    c, d, a = 0.0, 0.0, np.zeros(2)
    for _ in range(2):
        a[0] = s
        if s > 1:
            c = float(a[0]) + math.sqrt(a[0]) + float(a.max())
            d = 1.0 if a[0] > 1 else 2.0
    return c, d


def before_and_after(s):
    c, a = 0.0, np.zeros(2)
    for i in range(3):
        b = a[0]
        if s > 1:
            d = a[0]
            a[0] += 5
            if d > 5:
                c += 10.0 * i
            if a[0] > 10 and b < 10:
                c += 1.0
    return c


def returned(s):
    a = np.zeros(2)
    for _ in range(2):
        a[0] += 1
        if s > 1:
            if a[0] > 1:
                return 5.0
    return 0.0


def as_an_index(s):
    c, a = 0.0, np.zeros(2, int)
    for _ in range(2):
        a[0] += 1
        if s > 1:
            c += [10.0, 20.0, 30.0][a[0]] + np.where(a > 1)[0].size
    return c


def asserted(s):
    c, a = 0.0, np.zeros(2)
    for i in range(2):
        a[0] += 1
        if s > 1:
            assert a[0] == i + 1
            c = c + 1
    return c


def masks(s):
    x, c = np.array([3.0, -1.0, 4.0, 1.0], np.float32), 0.0
    lab = np.zeros(4)
    for _ in range(2):
        lab[0] = s
        if s > 1:
            c = x[lab == 0].sum()
            for _ in range(int(lab[0])):
                c += 1.0
    return c


def in_a_while(s):
    c, a, i = 0.0, np.zeros(2), 0
    while i < 2:
        a[0] += 1
        while s > c:
            c += float(a[0])
        c -= 1
        i += 1
    return c


class Mode(enum.Enum):
    IDLE = 1
    FULL = 2


def modes(s):
    h, n, mode = np.zeros(3, int), 0, Mode.IDLE
    for c in np.array([3, 1, 2, 1]) * (s > 0):
        if mode is Mode.IDLE:
            if h[2]:
                mode = Mode.FULL
            else:
                h[n] = 1 + c * 0
                n += 1
    return h, n


def stock(s):
    left, last = np.array([2, 1]), None
    for c in np.array([3.0, 1.0, 2.0, 1.0]) + s:
        if last is None:
            if left[0] > 0:
                left[0] -= 1
            else:
                last = c
    return left, last


def clusters(s):
    x, c = np.array([-5.0, -4.5, 1.5, 2.0, 7.0, 8.0]) * s, np.array([-1.0, 0.0, 1.0])
    lab = np.zeros(6, int)
    for _ in range(20):
        new = np.argmin(abs(x[:, None] - c[None]), axis=1)
        if np.all(new == lab) and s < 0:
            break
        lab[:] = new
        for k in range(3):
            if np.any(lab == k):
                c[k] = x[lab == k].mean()
    return c


FUNCTIONS = (
    condition, conversions, before_and_after, returned, as_an_index, asserted, masks, in_a_while, modes, stock, clusters,
)  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda fn: fn.__name__)
@pytest.mark.parametrize("value", [0.5, 2.5])
def test_it_is_what_has_been_written(function, value):
    expected = jax.tree.leaves(function(np.float32(value)))
    for argument in (np.float32(value), jnp.float32(value)):
        for ours, theirs in zip(jax.tree.leaves(convert(function)(argument)), expected, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-5)
    if function not in (modes, stock):
        for ours, theirs in zip(jax.tree.leaves(jax.jit(to_graph(function))(value)), expected, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-5)
