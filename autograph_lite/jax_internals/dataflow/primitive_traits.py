"""Primitive traits: what does an operation do with the items of its operands, by its name?

A primitive that is in none of these is unknown to every analysis: it makes an answer careful, never silent. How the ends of
an integer go through one is in `intervals`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

COMPARISONS = frozenset({"lt", "le", "gt", "ge", "eq", "ne"})
# About one instruction an item, which makes finite numbers of finite ones, and finite derivatives.
CHEAP = COMPARISONS | {
    "abs", "add", "add_any", "and", "clamp", "convert_element_type", "copy", "max", "min", "neg", "not", "or", "select_n",
    "sign", "stop_gradient", "sub", "xor",
}  # fmt: skip
ROOTS = frozenset({"cbrt", "rsqrt", "sqrt", "square"})
# Tens of instructions an item.
TRANSCENDENTAL = frozenset({
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cos", "cosh", "digamma", "erf", "erf_inv", "erfc", "exp",
    "exp2", "expm1", "lgamma", "log", "log1p", "logistic", "sin", "sinh", "tan", "tanh",
})  # fmt: skip
ARITHMETIC = CHEAP | {
    "ceil", "conj", "div", "floor", "imag", "integer_pow", "is_finite", "mul", "pow", "real", "rem", "round", "shift_left",
    "shift_right_arithmetic", "shift_right_logical",
}  # fmt: skip
# Each item of the result is computed of those at the same place.
ELEMENTWISE = ARITHMETIC | ROOTS | TRANSCENDENTAL
REDUCTIONS = frozenset({
    "argmax", "argmin", "reduce_and", "reduce_max", "reduce_min", "reduce_or", "reduce_prod", "reduce_sum",
})  # fmt: skip
# The result has all items of the first operand as they are, at other places, and no others; or some of them.
SHAPES = frozenset({"broadcast_in_dim", "reshape", "rev", "squeeze", "transpose"})
PARTS = frozenset({"dynamic_slice", "slice"})
# Which are views in NumPy of their first operand.
VIEWS = SHAPES | PARTS | {"bitcast_convert_type", "imag", "real", "split", "unstack"}
# The result is the first operand with other items at some places.
WRITES = frozenset({"dynamic_update_slice", "scatter", "scatter-add", "scatter-mul", "scatter-sub"})
# What takes as long for all iterations of a loop at once as for one after the other, and has no effect.
BATCHED = ELEMENTWISE | REDUCTIONS | SHAPES | PARTS | {"concatenate", "dot_general", "gather", "iota", "pad"}
BARRIER = "optimization_barrier"  # of an update of an array: it changes no value, and may be left out
# What NumPy computes of Python's numbers, where these don't overflow.
FOLDS: dict[str, Callable[..., Any]] = {
    "abs": np.absolute, "add": np.add, "add_any": np.add, "and": np.bitwise_and, "copy": np.copy, "eq": np.equal,
    "ge": np.greater_equal, "gt": np.greater, "le": np.less_equal, "lt": np.less, "max": np.maximum, "min": np.minimum,
    "mul": np.multiply, "ne": np.not_equal, "neg": np.negative, "not": np.bitwise_not, "or": np.bitwise_or,
    "sign": np.sign, "sub": np.subtract, "xor": np.bitwise_xor,
}  # fmt: skip


def is_barrier_of_update(equation: Any) -> bool:
    """Whether a barrier may be left out; one of numbers keeps XLA from dividing by the reciprocal of a number that it knows."""
    return equation.primitive.name == BARRIER and any(v.aval.shape for v in equation.outvars)
