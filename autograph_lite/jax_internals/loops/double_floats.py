"""Double arithmetic: which numbers of a loop are Python's floats? They are doubles, and rounded where arrays meet them.

    t = 0.0
    while t < 1.0 and x < 1e3:         as a float32, `t` would be 1.0000001 after 10 iterations; Python makes 11
        t += 0.1

They are the weakly typed scalars that follow from Python's numbers and from integers alone, whatever decides which of them. The
loop carries the bits of the double, as JAX, which has been told to make no float64, has no input or result of that type: and bits
have no derivative. A nest of loops is gone through once, when the outermost is made.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax import lax
from jax._src import core

from autograph_lite.jax_internals import avals, configuration
from autograph_lite.jax_internals.dataflow.primitive_traits import SHAPES

F32, F64, U32 = np.dtype("float32"), np.dtype("float64"), np.dtype("uint32")
_DOUBLE, BITS = core.ShapedArray((), F64), core.ShapedArray((2,), U32)
_ARITHMETIC = frozenset({
    "add", "sub", "mul", "div", "neg", "abs", "max", "min", "sign", "rem", "pow", "integer_pow", "floor", "ceil", "round",
    "select_n", "sqrt", "rsqrt", "cbrt", "square", "exp", "exp2", "expm1", "log", "log1p", "sin", "cos", "tan",
    "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "clamp",
})  # fmt: skip
SAME = SHAPES | {"copy", "stop_gradient"}

Emit = Callable[[Any, Sequence[Any], dict[str, Any], Any], Any]


def is_number(aval: Any) -> bool:
    """Whether a value is of the type that a float of Python's has in a program."""
    return avals.is_weak(aval) and aval.dtype == F32 and not aval.shape


def bind(primitive: Any, operands: Sequence[Any], params: dict[str, Any], _: Any) -> Any:
    """Makes an equation of the program that is being recorded."""
    found = primitive.bind(*operands, **params)
    return found[0] if primitive.multiple_results else found


def convert_double(emit: Emit, operand: Any, dtype: Any, aval: Any, *, weak: bool = False) -> Any:
    """`operand` in another type, which `aval` says; `emit` makes the equation."""
    params = {"new_dtype": np.dtype(dtype), "weak_type": weak, "sharding": None}
    return emit(lax.convert_element_type_p, [operand], params, aval)


def cast_bits(emit: Emit, operand: Any, dtype: Any, aval: Any) -> Any:
    """The bits of `operand` as a value of another type."""
    return emit(lax.bitcast_convert_type_p, [operand], {"new_dtype": np.dtype(dtype)}, aval)


def double_constant(emit: Emit, literal: Callable[[Any], Any], value: float) -> Any:
    """A double as a sum of numbers that JAX can write; exact."""
    mantissa, exponent = math.frexp(value) if math.isfinite(value) else (value, 0)
    if -60 < exponent < 120:
        mantissa, exponent = value, 0
    found = None
    while found is None or (mantissa and math.isfinite(mantissa)):
        part = np.float32(mantissa)
        mantissa -= float(part)
        term = convert_double(emit, literal(part), F64, _DOUBLE)
        found = term if found is None else emit(lax.add_p, [found, term], {}, _DOUBLE)
    while exponent:
        step = max(-100, min(100, exponent))
        factor = convert_double(emit, literal(np.float32(2.0**step)), F64, _DOUBLE)
        found, exponent = emit(lax.mul_p, [found, factor], {}, _DOUBLE), exponent - step
    return found


def float_constant(emit: Emit, value: float, dtype: Any) -> Any:
    """A number of a program, of any type of floats; JAX can write those of 64 bits where it may make them."""
    if dtype == F64 and not configuration.has_64_bits():
        return double_constant(emit, lambda part: core.Literal(part, core.ShapedArray((), F32)), value)
    return core.Literal(np.dtype(dtype).type(value), core.ShapedArray((), np.dtype(dtype)))


def result(equation: Any, operands: Sequence[Any], double: Callable[[Any], Any], emit: Emit) -> Any:
    """The double of the result of an equation; None where it has none."""
    if len(equation.outvars) != 1 or not is_number(equation.outvars[0].aval):
        return None
    avals = [_aval(each) for each in operands]
    if equation.primitive.name in SAME and not avals[0].shape:
        return double(operands[0])
    if equation.primitive is lax.convert_element_type_p:
        [operand], [aval] = operands, avals
        if aval.dtype == F64:
            return operand
        return convert_double(emit, operand, F64, _DOUBLE) if aval.dtype.kind in "iub" else double(operand)
    if equation.primitive.name not in _ARITHMETIC:
        return None
    wide = [
        each if aval.dtype.kind in "iub" else double(each) for each, aval in zip(operands, avals, strict=True)
    ]
    if any(each is None for each in wide):
        return None
    if equation.primitive.name == "div":
        # XLA would multiply by the reciprocal of a constant. What is divided by follows from both: NaN / NaN is NaN, too.
        is_nan = emit(lax.ne_p, [wide[0], wide[0]], {}, core.ShapedArray((), np.dtype("bool")))
        wide[1] = emit(lax.select_n_p, [is_nan, wide[1], wide[0]], {}, _DOUBLE)
    return emit(equation.primitive, wide, equation.params, _DOUBLE)


def _aval(value: Any) -> Any:
    return value.aval if hasattr(value, "aval") else jax.typeof(value)
