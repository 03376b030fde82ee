"""Intervals: between which integers does the result of an operation lie, given the same of its operands?

    i in (0, 9), j in (1, 3)        i + j in (1, 12), i % j in (0, 2)

An end that nobody knows is infinite. Source: Cousot and Cousot, "Abstract interpretation" (1977).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

Ends = tuple[float, float]
"""The least and the greatest value of an integer."""
ANY: Ends = (-math.inf, math.inf)


def holds(dtype: Any, ends: Ends) -> bool:
    """Whether integers of this type have those ends."""
    if math.inf in map(abs, ends) or dtype is None or not jnp.issubdtype(dtype, np.signedinteger):
        return False
    info = np.iinfo(dtype)
    return bool(info.min <= ends[0] and ends[1] <= info.max)


def union(*ends: Ends) -> Ends:
    """The ends of a value that lies between one pair of them."""
    return min(low for low, _ in ends), max(high for _, high in ends)


def common_ends(left: Ends, right: Ends) -> Ends:
    """The ends of what lies between either pair of them."""
    return max(left[0], right[0]), min(left[1], right[1])


def _product(left: Ends, right: Ends) -> Ends:
    if math.inf in map(abs, (*left, *right)):
        return ANY
    found = [a * b for a in left for b in right]
    return min(found), max(found)


def _quotient(left: Ends, right: Ends) -> Ends:
    """Rounded towards zero, as JAX's `div` does."""
    if right[0] < 1 or math.inf in map(abs, (*left, right[0])):
        return ANY
    return min(0, -(-left[0] // right[0])), max(0, left[1] // right[0])


def _rest(left: Ends, right: Ends) -> Ends:
    return (0, min(left[1], right[1] - 1)) if left[0] >= 0 and right[0] > 0 else ANY


def _magnitude(ends: Ends) -> Ends:
    low, high = sorted(map(abs, ends))
    return (0 if ends[0] < 0 < ends[1] else low), high


RULES: dict[str, Callable[..., Ends]] = {
    "add": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "sub": lambda a, b: (a[0] - b[1], a[1] - b[0]),
    "mul": _product,
    "div": _quotient,
    "rem": _rest,
    "neg": lambda a: (-a[1], -a[0]),
    "abs": _magnitude,
    "sign": lambda _: (-1, 1),
    "max": lambda a, b: (max(a[0], b[0]), max(a[1], b[1])),
    "min": lambda a, b: (min(a[0], b[0]), min(a[1], b[1])),
    "convert_element_type": lambda a: a,
}
"""By the names of JAX's primitives; whether the result overflows is for the caller to ask."""


def _ratio(left: Ends, right: Ends) -> Ends:
    if right[0] <= 0 <= right[1]:
        return ANY
    found = [a / b for a in left for b in right]
    return min(found), max(found)


_FLOAT_RULES: dict[str, Callable[..., Ends]] = {
    **{
        name: RULES[name]
        for name in ("add", "sub", "mul", "neg", "abs", "max", "min", "convert_element_type")
    },
    **dict.fromkeys(("floor", "ceil", "round"), lambda a: (a[0] - 1, a[1] + 1)),
    **dict.fromkeys(("sin", "cos", "tanh", "sign"), lambda _: (-1, 1)),
    "div": _ratio,
    "sqrt": lambda a: (0, max(1, a[1])) if a[0] >= 0 else ANY,
}


def of_float(name: str, operands: Sequence[Ends]) -> Ends:
    """Between which numbers the float lies that an operation gives; it is no nan if these ends are finite."""
    rule = _FLOAT_RULES.get(name)
    if rule is None or math.inf in (abs(end) for ends in operands for end in ends):
        return ANY
    low, high = rule(*operands)
    slack = 1e-6 * max(abs(low), abs(high), 1.0)
    return low - slack, high + slack
