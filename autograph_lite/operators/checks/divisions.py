"""Divisions by zero: where does a number of Python's raise, whose value the program alone knows? Where a `try` catches it.

try:
    mean = total / n          mean = ag.quotient(total, n)
except ZeroDivisionError:
    mean = 0.0

An array that is divided gives infinity and NaN, in NumPy as here; so does a number of NumPy's, on either side.
"""

from __future__ import annotations

import operator
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


def divisor(left: Any, right: Any, sign: str) -> Any:
    """What a number is divided by; where that is 0, a check fails, and it is another number."""
    if not traced(right) or not catching.is_caught(ZeroDivisionError):
        return right
    if False in map(number_types.is_pythons_number, (left, right)):
        return right  # NumPy's numbers, and JAX's, divide as they do
    # Where that is not known, too: a sum of no items, which is Python's, is divided by their number.
    is_zero = right == 0
    carried_checks.fail_if(is_zero, python_error(sign, any(map(_is_float, (left, right)))))
    return jnp.where(is_zero, 1, right)


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
