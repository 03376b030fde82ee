"""Powers of ints that the program counts: Python's number, or an error."""

import contextlib
import copy

import jax
import numpy as np
import pytest

from autograph_lite import convert
from autograph_lite.errors import PythonOnlyError


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


def in_a_test(n):
    k = 0
    while 7**k < n * 100:
        k += 1
    return k


@pytest.mark.parametrize("x64", [False, True])
@pytest.mark.parametrize("function", [in_a_test, nested, from_one, whiles, quotients, romberg])
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


def total(n):
    s = 0.0
    for i in range(n):
        s += 2**-i + (-3) ** -(i + 1)
    return s


def digits(x, n):
    y = 0.0
    for i in range(n):
        y += x[i] * 10**-i
    return y


def enumerated(x):
    y = 0.0
    for i, v in enumerate(x):
        y += v * 10**-i
    return y


def stored(x, n):
    for i in range(n):
        x[i] = 2 ** -(i + 1)
    return x


def after_a_loop(n):
    k = 0
    while k < n:
        k += 1
    return (k + 1) ** -1, pow(k + 1, -2)


def from_a_traced_start(n):
    s = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            s += j**-1 + 2**-j
    return s


def by_halves(x, n):
    for i in range(n):
        x = x * 2**-1 if i % 2 else x * 2**i
    return x


def chosen(e):
    e = int(e)
    return 2**e if e >= 0 else 1 / 2**-e


@pytest.mark.parametrize("x64", [False, True])
@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (total, (6,)), (digits, (np.array([3.0, 1, 4, 1]), 4)), (enumerated, (np.array([3.0, 1, 4, 1]),)),
        (stored, (np.ones(4), 3)), (after_a_loop, (5,)), (after_a_loop, (0,)), (from_a_traced_start, (5,)),
        (by_halves, (np.float64(1), 5)), (chosen, (3,)), (chosen, (-3,)),
    ],
)  # fmt: skip
def test_a_negative_power_is_a_float(function, arguments, x64):
    with jax.enable_x64(x64):
        given = [np.int64(each) if type(each) is int else copy.deepcopy(each) for each in arguments]
        found = convert(function)(*given)
        np.testing.assert_allclose(found, function(*copy.deepcopy(arguments)), rtol=1e-6)


def no_power(n):
    return sum((k - 2) ** -1 for k in range(n))


def no_power_of_zero(n):
    s = 0.0
    for i in range(n):
        s += 0**-i
    return s


@pytest.mark.parametrize("function", [no_power, no_power_of_zero])
def test_zero_has_no_negative_power(function):
    for n in range(4):
        raised = None
        try:
            want = function(n)
        except ZeroDivisionError as error:
            raised = str(error)
        if raised is None:
            np.testing.assert_allclose(convert(function)(np.int64(n)), want, rtol=1e-6)
        else:
            with pytest.raises(ZeroDivisionError) as caught:
                convert(function)(np.int64(n))
            assert str(caught.value).startswith(raised)


def scaled(x):
    e = 0
    while x < 1:
        x = x * 2
        e -= 1
    return x * 2**e


def rounded(x):
    return 10 ** int(x)


@pytest.mark.parametrize("x64", [False, True])
@pytest.mark.parametrize(
    ("function", "right", "wrong", "line"),
    [(scaled, 3.0, 0.3, "return x * 2**e"), (rounded, 2.5, -2.5, "return 10 ** int(x)")],
)
def test_a_power_of_unknown_sign_is_an_int_or_an_error(function, right, wrong, line, x64):
    with jax.enable_x64(x64):
        assert convert(function)(np.float64(right)) == function(right)
        with pytest.raises(PythonOnlyError) as caught:
            convert(function)(np.float64(wrong))
    where = function.__code__
    assert str(caught.value).splitlines() == [
        f"'{line}' raises an int to a negative power.",
        f"  {where.co_filename}:{where.co_firstlineno + (5 if line.endswith('e') else 1)} in {function.__name__}",
        f"      {line}",
        "  Python gives a float there, and an int for other exponents. The program has one type: the sign was not known.",
        "  Fix: make the base a float: 2.0 ** e for 2 ** e.",
    ]


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (lambda k: 2**-k, (np.array([1, 2]),)), (lambda k: 2**-k, (np.array([-1, 0]),)),
        (lambda k: k**-1, (np.array([1, 2]),)), (lambda k: k**-1, (np.array([True]),)),
        (lambda k: np.power(k, -2), (np.array([1, 2]),)), (lambda k, e: np.power(k, e), (np.array([1, 2]), np.int64(-1))),
        (lambda n: 2**n, (np.int64(-1),)), (lambda n: 2**n, (np.int64(3),)), (lambda n: pow(n, -1), (np.int64(2),)),
        (lambda k, e: k**e, (np.array([1, 2]), np.array([3, -1]))),
        (lambda k, e: k**e, (np.array([1, 2]), np.array([3, 2], np.uint8))), (lambda k: k**-1, (np.array([2.0]),)),
        (lambda e: np.array([1, 2]) ** e, (np.int64(-2),)), (lambda k: k**2, (np.array([-1, 2]),)),
        (lambda k: k**-1, (np.array([1, 2], np.uint8),)), (lambda k: np.power(k, -1), (np.array([1, 2], np.uint8),)),
    ],
)  # fmt: skip
def test_numpys_integers_have_no_negative_powers(function, arguments):
    try:
        want = function(*arguments)
    except (ValueError, OverflowError) as error:
        with pytest.raises(type(error)) as caught:
            convert(function)(*arguments)
        assert str(caught.value) == str(error)
    else:
        np.testing.assert_array_equal(convert(function)(*arguments), want)


@pytest.mark.parametrize("power", [-1, -3])
@pytest.mark.parametrize(
    ("base", "mod"), [(3, 7), (-3, 7), (3, -7), (5, 1), (123456, 2147483647), (2, 4), (0, 7), (3, 0)]
)
def test_the_inverse_by_a_modulus(base, mod, power):
    def inverse(a, m):
        return pow(a, power, m)

    try:
        want = inverse(base, mod)
    except ValueError as error:
        with pytest.raises(ValueError) as caught:  # noqa: PT011
            convert(inverse)(np.int64(base), np.int64(mod))
        assert str(caught.value) == str(error)
    else:
        assert convert(inverse)(np.int64(base), np.int64(mod)) == want
