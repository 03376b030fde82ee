"""Powers of NumPy's integers wrap around as NumPy's do, also where JAX reads six bits of an exponent."""

import numpy as np
import pytest

from autograph_lite import convert


def by_operator(x, e):
    return x**e


def by_function(x, e):
    return np.power(x, e)


def of_a_number(x, e):
    return np.int32(3) ** e, 0 ** np.abs(e)


def in_place(x, e):
    y = x * 1
    y **= e
    return y


def counted(x, e):
    s = x * 0
    for k in range(e[1]):
        s += x**k
    return s


PROGRAMS = [by_operator, by_function, of_a_number, in_place, counted]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint32"])
@pytest.mark.parametrize("main", PROGRAMS, ids=lambda main: main.__name__)
def test_exponents_of_more_than_six_bits(main, dtype):
    x = np.array([0, 1, 2, 3, 255]).astype(dtype)
    e = np.array([64, 100, 70, 127, 63]).astype(dtype)
    for ours, theirs in zip(convert(main)(x, e), main(x, e), strict=True):
        np.testing.assert_array_equal(ours, np.asarray(theirs).astype(ours.dtype))


def test_a_number_of_pythons_costs_nothing():
    main = convert(lambda x: (x**2, x**70))
    assert main(np.int32(3)) == (9, -102221863)
    assert {e.primitive.name for e in main.concrete_functions[0].jaxpr.eqns} == {"integer_pow"}


def test_vandermonde():
    x = np.array([0, 1, -1, 2, 3], np.int32)
    for increasing in (False, True):
        found = convert(lambda x, up=increasing: np.vander(x, 40, up))(x)
        np.testing.assert_array_equal(found, np.vander(x, 40, increasing).astype(np.int32))
