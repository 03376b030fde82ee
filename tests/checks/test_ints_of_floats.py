"""`int(x)` of a float that is nan or infinite, in a `try` that catches what Python raises of it."""

import math

import numpy as np
import pytest

from autograph_lite import convert


def made(x):
    try:
        return int(x)
    except ValueError:
        return -1
    except OverflowError:
        return -2


def told(x):
    try:
        return int(x)
    except (ValueError, OverflowError) as error:
        return str(error)


def rounded(x):
    try:
        return round(x), math.floor(x), math.ceil(x), math.trunc(x)
    except Exception:
        return 0, 0, 0, 0


def left_alone(x):
    y = np.zeros(3)
    try:
        y[int(x)] = 5
    except ArithmeticError:
        y[0] = 2
    except ValueError:
        y[0] = 1
    return y.tolist()


def counted(x):
    n = 0
    for v in (x, 1.0, x):
        try:
            n += int(v)
        except (ValueError, OverflowError):
            n -= 100
    return n


@pytest.mark.parametrize("x", [1.5, np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("function", [made, told, rounded, left_alone, counted], ids=lambda fn: fn.__name__)
def test_handlers_catch_what_python_raises(function, x):
    assert convert(function)(np.float64(x)) == function(np.float64(x))
