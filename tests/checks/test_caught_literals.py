"""Items at an index that is written as a number, where a `try` waits for the IndexError."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import autograph_lite


def second(c):
    try:
        return c[1]
    except IndexError:
        return 0.0


def assigned(c):
    try:
        v = c[5]
    except Exception:  # noqa: BLE001
        v = c[0] * 0
    return v


def in_a_sum(c):
    try:
        return c[0] + c[2]
    except LookupError:
        return -1.0


def then_else(c):
    r = 0.0
    try:
        r = c[1]
    except IndexError:
        pass
    else:
        r += 100
    return r


def of_two_axes(c):
    m = c.reshape(1, -1)
    try:
        return m[0, 1] + m[1][0]
    except (ValueError, IndexError):
        return m[0, 0]


def of_a_part(c):
    m = c.reshape(1, -1)
    try:
        return m[1, :].sum()
    except IndexError:
        return m[0, :].sum()


def of_a_local_array(c):
    y = c * 2
    try:
        return y[3]
    except IndexError:
        return y[0]


def first_two(c):
    return c[1] * 2


def in_a_callee(c):
    try:
        return first_two(c)
    except IndexError:
        return 7.0


def in_a_branch(c):
    if c[0] > 0:
        try:
            return c[1]
        except IndexError:
            return 4.0
    return 5.0


def in_a_loop(c):
    total = 0.0
    for k in range(3):
        try:
            total += c[2] * k
        except IndexError:
            total += 10
    return total


@pytest.mark.parametrize("size", [1, 2, 3, 6])
@pytest.mark.parametrize(
    "f",
    [
        second, assigned, in_a_sum, then_else, of_two_axes, of_a_part, of_a_local_array, in_a_callee, in_a_branch,
        in_a_loop,
    ],
)  # fmt: skip
def test_what_python_gives(f, size):
    c = np.arange(3, 3 + size).astype(np.float32)
    for run in (autograph_lite.convert(f), jax.jit(autograph_lite.to_graph(f))):
        np.testing.assert_allclose(run(c), f(c))
