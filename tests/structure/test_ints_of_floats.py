"""`int(x)` of a traced float: Python's int, or an error at the line where it is nan, infinite or too large."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autograph_lite import convert

TOO_LARGE = (
    " makes an int of a float that is nan, infinite or too large for int32 ({file}:{line}). To fix it, test the float first, "
    "as in: if abs(x) < 1e9, or have ints of 64 bits: jax.config.update('jax_enable_x64', True)."
)


def given(x, t):
    return int(x * 100)


def rest(x, t):
    k = int(x * 100)
    return k % 1000


def compared(x, t):
    if int(x) > 5:
        return 1
    return 0


def floor(x, t):
    return math.floor(x) % 13


def rounded(x, t):
    return round(x) % 13


def float_again(x, t):
    return x - float(int(x))


def item(x, t):
    return t[min(max(int(x), 0), 9)]


def counted(x, t):
    total = 0
    while x > 1:
        total = total + int(x) % 7
        x = x / 4
    return total


def rows(x, t):
    found = np.zeros(10)
    for v in t:
        found[int(v * x) % 10] += 1
    return found


UNTESTED = (given, rest, compared, floor, rounded, float_again, item, counted, rows)


def in_a_branch(x, t):
    return t[int(x)] if abs(x) < 10 else 0.0


def before_a_return(x, t):
    if not abs(x) < 10:
        return -1.0
    return t[int(x)] * 2.0


def in_iterations(x, t):
    total = 0
    for v in t:
        if abs(v * x) < 10:
            total = total + int(v * x)
    return total


def until_it_is_too_large(x, t):
    total = 0
    while abs(x) < 10:
        total = total + int(x)
        x = x * 3 + 2
    return total


TESTED = (in_a_branch, before_a_return, in_iterations, until_it_is_too_large)
T = np.arange(10, dtype=np.float32)


@pytest.mark.parametrize("f", UNTESTED, ids=lambda f: f.__name__)
def test_an_int_of_a_float_is_pythons_or_is_told(f):
    converted = convert(f)
    for x in (3.5, -2.0, 250.0, 2.0**20):
        np.testing.assert_allclose(converted(np.float32(x), jnp.asarray(T)), f(x, T))
    with pytest.raises(OverflowError) as caught:
        converted(np.float32(1e30), jnp.asarray(T))
    line = int(str(caught.value).partition(".py:")[2].partition(")")[0])
    assert str(caught.value).partition("`")[2].partition("`")[2] == TOO_LARGE.format(file=__file__, line=line)
    assert f.__code__.co_firstlineno < line <= f.__code__.co_firstlineno + 4


@pytest.mark.parametrize("f", [compared, rest, rows], ids=lambda f: f.__name__)
def test_nan_is_no_int(f):
    with pytest.raises(OverflowError, match="of a float that is nan, infinite"):
        convert(f)(np.float32("nan"), jnp.asarray(T))


@pytest.mark.parametrize("f", TESTED, ids=lambda f: f.__name__)
def test_a_float_may_be_tested_first(f):
    converted, xs = convert(f), [3.5, 1e12, math.nan, -0.5]
    wanted = [f(x, T) for x in xs]
    for x, value in zip(xs, wanted, strict=True):
        np.testing.assert_allclose(converted(np.float32(x), jnp.asarray(T)), value)
    lanes = jax.vmap(converted, in_axes=(0, None))(jnp.asarray(xs), jnp.asarray(T))
    np.testing.assert_allclose(lanes, wanted)


def test_an_index_stays_one_of_32_bits():
    jaxpr = str(
        convert(lambda x, t: t[int(x) + 1] * (x - int(x)))
        .get_concrete_function(np.float32(1), jnp.asarray(T))
        .jaxpr
    )
    assert "i64" not in jaxpr


def test_with_64_bits_more_fits():
    with jax.enable_x64(True):
        assert convert(rest)(np.float64(2.0**40), T) == rest(2.0**40, T)
        with pytest.raises(OverflowError, match=r"too large for int64.*if abs\(x\) < 1e9\."):
            convert(rest)(np.float64(1e30), T)


@pytest.mark.parametrize("dtype", [jnp.float16, jnp.bfloat16], ids=["float16", "bfloat16"])
def test_floats_of_16_bits_are_told_where_theirs_end(dtype):
    """Not each end is a number of them: the largest below it is taken, and 65504 of float16."""
    converted = convert(rest)
    fine = dtype(600.0 if dtype is jnp.float16 else 4096.0)
    assert converted(jnp.asarray(fine), T) == int(float(jnp.asarray(fine) * dtype(100.0))) % 1000
    for x in (math.inf, math.nan, *([2.0**31] if dtype is jnp.bfloat16 else [])):
        with pytest.raises(OverflowError, match="of a float that is nan, infinite"):
            converted(jnp.asarray(x, dtype), T)
