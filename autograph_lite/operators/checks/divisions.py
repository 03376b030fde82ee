"""Divisions by zero, and powers: where does a number of Python's raise, whose value the program knows? Where a `try` catches it.

try:
    mean = total / n          mean = ag.quotient(total, n)
except ZeroDivisionError:
    mean = 0.0

int(x), round(x), math.floor(x)        a ValueError where the float `x` is nan, an OverflowError where it is infinite
v ** -1, v ** 5000                     of floats: a ZeroDivisionError of 0, an OverflowError where it is too large for a double,
                                       also if the program has float32s

An array that is divided gives infinity and NaN, in NumPy as here; so does a number of NumPy's, on either side.
"""

from __future__ import annotations

import errno
import operator
import sys
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp

from autograph_lite.jax_internals.references import number_types
from autograph_lite.operators.checks import carried_checks, catching
from autograph_lite.operators.values.values import traced


def quotient(left: Any, right: Any) -> Any:
    """`left / right` in a function with a `try`."""
    return left / divisor(left, right, "/")


def floor_quotient(left: Any, right: Any) -> Any:
    """`left // right` in a function with a `try`."""
    return left // divisor(left, right, "//")


def remainder(left: Any, right: Any) -> Any:
    """`left % right` in a function with a `try`."""
    return left % divisor(left, right, "%")


def guarded_power(left: Any, right: Any) -> Any:
    """`left ** right` in a function with a `try`."""
    return left ** divisor(left, right, "**")


def divisor(left: Any, right: Any, sign: str) -> Any:
    """What a number is divided by, or raised to; where that raises, a check fails, and it is another number."""
    if sign == "**":
        return _exponent(left, right)
    if not traced(right) or not catching.is_caught(ZeroDivisionError):
        return right
    if False in map(number_types.is_pythons_number, (left, right)):
        return right  # NumPy's numbers, and JAX's, divide as they do
    # Where that is not known, too: a sum of no items, which is Python's, is divided by their number.
    is_zero = right == 0
    carried_checks.fail_if(is_zero, python_error(sign, any(map(_is_float, (left, right)))))
    return jnp.where(is_zero, 1, right)


def _exponent(base: Any, exponent: Any) -> Any:
    """What a number is raised to: as `divisor` has it."""
    errors = [each for each in (ZeroDivisionError, OverflowError) if catching.is_caught(each)]
    if not errors or not any(map(traced, (base, exponent))) or not _are_pythons_floats(base, exponent):
        return exponent
    failed: Any = False
    if ZeroDivisionError in errors and (traced(exponent) or exponent < 0):
        failed = (base == 0) & (exponent < 0)
        carried_checks.fail_if(failed, python_error("**", is_float=True))
    if OverflowError in errors and (traced(exponent) or abs(exponent) * _bits(base) >= _BITS):
        is_large = is_too_large(base, exponent)
        carried_checks.fail_if(is_large, OverflowError(errno.ERANGE, "Numerical result out of range"))
        failed = failed | is_large
    return exponent if failed is False else jnp.where(failed, 1, exponent)


def is_too_large(base: Any, exponent: Any) -> Any:
    """Whether a power of two numbers that are finite, and not 0, is too large for a double."""
    base, exponent = jnp.asarray(base, float), jnp.asarray(exponent, float)
    size = exponent * jnp.log2(jnp.where(base == 0, 1, jnp.abs(base)))
    return jnp.isfinite(base) & jnp.isfinite(exponent) & (size >= _BITS)


def _are_pythons_floats(*values: Any) -> bool:
    """Whether all may be numbers of Python's, none of them complex, and one of them is a float."""
    if False in map(number_types.is_pythons_number, values):
        return False
    kinds = {jnp.result_type(value).kind for value in values}
    return "f" in kinds and "c" not in kinds


def _bits(base: Any) -> int:
    """How many bits a base may have before its point, or behind it."""
    if not traced(base):
        return _BITS
    return int(jnp.finfo(base.dtype).maxexp) + 24 if _is_float(base) else 64  # type: ignore[no-untyped-call]


_BITS = sys.float_info.max_exp


def finite(number: Any) -> Any:
    """A number that an int of Python's is made of; where it is nan or infinite, a check fails, and it is another number."""
    for kind, fails, text in _OF_INTS if jnp.issubdtype(number.dtype, jnp.floating) else ():
        if catching.is_caught(kind):
            failed = fails(number)
            carried_checks.fail_if(failed, kind(text))
            number = jnp.where(failed, 0, number)
    return number


_OF_INTS: tuple[tuple[type[Exception], Callable[[Any], Any], str], ...] = (
    (ValueError, jnp.isnan, "cannot convert float NaN to integer"),
    (OverflowError, jnp.isinf, "cannot convert float infinity to integer"),
)


def _is_float(value: Any) -> bool:
    return bool(jnp.issubdtype(jnp.result_type(value), jnp.floating))


_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "/": operator.truediv, "//": operator.floordiv, "%": operator.mod, "**": lambda one, zero: zero**-one,
}  # fmt: skip


def python_error(sign: str, is_float: bool) -> ZeroDivisionError:
    """What this Python raises."""
    try:
        _OPERATORS[sign](1.0 if is_float else 1, 0)
    except ZeroDivisionError as raised:
        return ZeroDivisionError(*raised.args)
    raise AssertionError(sign)
