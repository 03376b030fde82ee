"""Ints of 64 bits: how is one computed, and has its result outgrown them?

It is right then in its last bits, where all that it was computed of is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from jax import lax
from jax._src import core

from autograph_lite.jax_internals.loops.double_floats import Emit, convert_double

I32, I64 = np.dtype("int32"), np.dtype("int64")
LONG, BOOL, CODE = core.ShapedArray((), I64), core.ShapedArray((), np.dtype(bool)), core.ShapedArray((), I32)
RING = frozenset(
    {"add", "sub", "mul", "neg", "shift_left", "integer_pow", "and", "or", "xor", "not", "select_n"}
)
"""What the last bits of the result follow from those of the operands in."""
ARITHMETIC = RING | {
    "abs", "clamp", "div", "max", "min", "rem", "shift_right_arithmetic", "shift_right_logical", "sign",
}  # fmt: skip


def int_literal(value: int) -> Any:
    """An int32 of a program."""
    return core.Literal(np.int32(value), CODE)


def long_constant(emit: Emit, value: int) -> Any:
    """An int of 64 bits, made of numbers that JAX can write."""
    if -(2**31) <= value < 2**31:
        return convert_double(emit, int_literal(value), I64, LONG)
    high, low = long_constant(emit, value >> 30), long_constant(emit, value & (2**30 - 1))
    return emit(lax.add_p, [emit(lax.shift_left_p, [high, long_constant(emit, 30)], {}, LONG), low], {}, LONG)


class Overflow:
    """Tests of results, whose type is `aval`; `emit` makes the equations, and `number` a number of that type."""

    def __init__(self, emit: Emit, aval: Any, number: Callable[[int], Any]) -> None:
        self._emit, self._aval, self._number = emit, aval, number
        self._most = int(np.iinfo(aval.dtype).max)

    def test(
        self,
        name: str,
        operands: Sequence[Any],
        result: Any,
        params: dict[str, Any],
        known: Sequence[int | None],
    ) -> Any:
        """Whether the result of an operation does not fit; None where it always does. `known` are the operands that are known."""
        if name in ("add", "sub"):
            left, right = operands
            first = self._op(lax.xor_p, left, result if name == "add" else right)
            both = self._op(lax.and_p, first, self._op(lax.xor_p, right if name == "add" else left, result))
            return self._compare(lax.lt_p, both, self._number(0))
        if name == "mul":
            return self._product(operands, result, known)
        if name == "shift_left":
            back = self._op(lax.shift_right_arithmetic_p, result, operands[1])
            return self._compare(lax.ne_p, back, operands[0])
        if name == "integer_pow":
            root = int(self._most ** (1 / params["y"])) + 1
            while root ** params["y"] > self._most:
                root -= 1
            return self._compare(lax.gt_p, self._op(lax.abs_p, operands[0]), self._number(root))
        return None

    def _product(self, operands: Sequence[Any], result: Any, known: Sequence[int | None]) -> Any:
        for number, other in zip(known, reversed(operands), strict=True):
            if number is not None:
                most = self._number(self._most // max(1, abs(number)))
                return self._compare(lax.gt_p, self._op(lax.abs_p, other), most)
        left, right = operands
        some = self._compare(lax.ne_p, right, self._number(0))
        divisor = self._emit(lax.select_n_p, [some, self._number(1), right], {}, self._aval)
        differs = self._compare(lax.ne_p, self._op(lax.div_p, result, divisor), left)
        return self._emit(lax.and_p, [some, differs], {}, BOOL)

    def _op(self, primitive: Any, *operands: Any) -> Any:
        return self._emit(primitive, operands, {}, self._aval)

    def _compare(self, primitive: Any, *operands: Any) -> Any:
        return self._emit(primitive, operands, {}, BOOL)
