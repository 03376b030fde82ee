"""Powers of ints that the program counts: Python's number, or an error."""

import contextlib

import jax
import numpy as np
import pytest

from autograph_lite import convert


def nested(n):
    s = 0
    for i in range(n):
        for j in range(i):
            s += 4**j + 10**j + (-3) ** j + i**j
    return s


def from_one(n):
    s = 0
    for i in range(n):
        for j in range(1, i + 1):
            s += 10**j
    return s


def whiles(n):
    s = i = 0
    while i < n:
        j = 0
        while j < i:
            s += 4**j
            j += 1
        i += 1
    return s


def quotients(n):
    s = 0.0
    for i in range(n):
        for j in range(1, i):
            s += 1 / (4**j - 1)
    return s


def romberg(n):
    d = np.zeros((6, 6))
    for i in range(n):
        d[i, 0] = 1.0 / (i + 1)
        for j in range(1, i + 1):
            d[i, j] = d[i, j - 1] + (d[i, j - 1] - d[i - 1, j - 1]) / (4**j - 1)
    return d


@pytest.mark.parametrize("x64", [False, True])
@pytest.mark.parametrize("function", [nested, from_one, whiles, quotients, romberg])
def test_a_power_in_a_nest_of_loops(function, x64):
    with jax.enable_x64(x64):
        np.testing.assert_allclose(convert(function)(np.int64(5)), function(5), rtol=1e-6)


@pytest.mark.parametrize(("n", "fits"), [(61, True), (62, False)])
def test_an_int_that_is_made_of_a_power_does_not_outgrow_64_bits(n, fits):
    def total(n):
        s = 0
        for i in range(n):
            s += 3 * 2**i
        return s

    with jax.enable_x64(True):
        outgrown = pytest.raises(OverflowError, match="does not fit int64")
        with contextlib.nullcontext() if fits else outgrown:
            assert convert(total)(np.int64(n)) == total(n)
