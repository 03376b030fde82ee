"""Arrays that an iteration makes and fills, and that a variable is in the next one, which writes to them."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite


def filled_in_a_loop(zs):
    s = np.zeros(3)
    for z in zs:
        s[1] = z
        t = np.zeros(3)
        for k in range(2):
            t[k + 1] = z
        s = t
    return s


def written_again(zs):
    s = np.zeros(3)
    for z in zs:
        s[1] = z * 10
        t = np.zeros(3)
        for k in range(2):
            t[k + 1] = z + s[1]
        s = t
        s[0] = z
    return s, t


def read_under_the_other_name(zs):
    s, t, total = np.zeros(3), np.zeros(3), 0.0
    for z in zs:
        s[1] = z * 10
        total = total + t.sum()  # written through `s`, from the second iteration on
        t = np.zeros(3)
        for k in range(2):
            t[k + 1] = z
        s = t
    return s, total


def of_a_helper(zs):
    def weighted(points):
        mean = np.zeros(3)
        for k in range(3):
            mean[k] = points[k] * 2
        return mean

    x = np.zeros(3)
    for z in zs:
        x[0] = z
        x = weighted(x + 1)
    return x


def left_early(zs):
    s = np.zeros(3)
    for z in zs:
        s[1] = z
        if z > 2:
            break
        t = np.zeros(3)
        for k in range(2):
            t[k + 1] = z
        s = t
    return s


@pytest.mark.parametrize("program", [filled_in_a_loop, written_again, of_a_helper, left_early])
@pytest.mark.parametrize("kind", [np.array, jnp.array], ids=["numpy", "jax"])
def test_the_next_iteration_writes_to_what_this_one_has_made(program: Any, kind: Any) -> None:
    zs = [1.0, 2.0, 3.0, 4.0]
    found = autograph_lite.convert(program)(kind(zs))
    np.testing.assert_allclose(found, program(np.array(zs)))


def test_another_name_sees_the_write() -> None:
    zs = np.array([1.0, 2.0, 3.0])
    found = autograph_lite.convert(read_under_the_other_name)(zs)
    for one, other in zip(read_under_the_other_name(zs), found, strict=True):
        np.testing.assert_allclose(one, other)
