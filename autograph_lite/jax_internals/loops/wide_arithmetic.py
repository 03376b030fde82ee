"""Wide arithmetic: what becomes of an operation whose operands are doubles, or ints of 64 bits?

Those on ints of Python's alone have 64 bits where 32 may not be enough, and tell where 64 are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jax import lax
from jax._src import core

from autograph_lite.jax_internals.dataflow import long_literals, python_ints
from autograph_lite.jax_internals.dataflow.induction_variables import is_integer
from autograph_lite.jax_internals.dataflow.intervals import common_ends
from autograph_lite.jax_internals.dataflow.primitive_traits import COMPARISONS
from autograph_lite.jax_internals.dataflow.python_ints import (
    NARROW,
    ROUNDED,
    largest_float,
    lies_within,
    rounded_ends,
    rounds,
)
from autograph_lite.jax_internals.dataflow.scan_ir import is_variable
from autograph_lite.jax_internals.loops.double_floats import (
    BITS,
    SAME,
    U32,
    cast_bits,
    convert_double,
    float_constant,
    is_number,
    result,
)
from autograph_lite.jax_internals.loops.int_tests import (
    ARITHMETIC,
    BOOL,
    CODE,
    I32,
    I64,
    LONG,
    RING,
    int_literal,
    long_constant,
)
from autograph_lite.jax_internals.loops.wide_numbers import Numbers

_FLOAT_COMPARISONS = COMPARISONS | {"is_finite"}


# The first operand that is an index: one that is too large is as good as the largest.
_INDEXED = {"dynamic_slice": 1, "dynamic_update_slice": 2}


class Arithmetic(Numbers):
    """The operations of a closed jaxpr."""

    def _other(self, equation: Any) -> None:
        """An equation as it is."""
        self._equations.append(equation.replace(invars=[*map(self._fitting, equation.invars)]))

    def _arithmetic(self, equation: Any) -> bool:
        """Whether an equation computes an int of Python's that may need 64 bits; it is computed."""
        name, operands = equation.primitive.name, equation.invars
        [out] = equation.outvars
        assert self._nest.ints is not None
        exact = self._nest.ints.exact(equation, self.ends(operands))
        if self._nest.strong:
            self._ends[out] = common_ends(exact, self._nest.ints.width.most)
        ints = [v for v in operands if self._nest.is_int(v.aval)]
        if not all(self._nest.is_int(v.aval) or v.aval.dtype == bool for v in operands) or not ints:
            return False
        if all(map(self._fits, ints)) and lies_within(exact, NARROW):
            return self._any_untold(ints) and self._narrow(equation)
        if name == "shift_right_logical" and self._of(operands[0])[0] < 0:
            return False
        self.decides |= not self._nest.native
        wide = [self._long(v) if self._nest.is_int(v.aval) else v for v in operands]
        if self._nest.native:
            value = out
            self._equations.append(equation)
        else:
            value = self._emit(equation.primitive, wide, equation.params, LONG)
            self._is(out, value)
        self._note_untold(name, out, operands)
        if not lies_within(exact, self._nest.ints.width.most):
            known = [None if is_variable(v) else int(v.val) for v in operands]
            test = self._overflow.test(name, wide, value, equation.params, known)
            if test is not None:
                before = [self._untold[out]] if out in self._untold else []
                self._untold[out] = self._joined([*before, self._number(test)])
                if len(before) == 0:
                    self._in_last_bits.add(out)
        return True

    def _narrow(self, equation: Any) -> bool:
        """An equation as it is: its ints have 32 bits, and some do not fit."""
        self._equations.append(equation)
        self._note_untold(equation.primitive.name, equation.outvars[0], equation.invars)
        return True

    def _divided(self, equation: Any) -> None:
        """`a // b` and `a % b` of ints of Python's: nothing is right where `b` is 0."""
        divisor, out = equation.invars[1], self._read(equation.outvars[0])
        number = self._long(divisor) if divisor in self._wide else divisor
        zero = core.Literal(number.aval.dtype.type(0), core.ShapedArray((), number.aval.dtype))
        if number.aval.dtype == I64 and not self._nest.native:
            zero = self._constant(0)
        why = python_ints.operation_name(equation)
        made = self._number(self._emit(lax.eq_p, [number, zero], {}, BOOL), why)
        self._untold[out] = self._joined([made, *([self._untold[out]] if out in self._untold else [])])
        self._in_last_bits.discard(out)

    def _any_untold(self, atoms: Sequence[Any]) -> bool:
        return any(is_variable(v) and v in self._untold for v in atoms)

    def _note_untold(self, name: str, out: Any, operands: Sequence[Any]) -> None:
        """Which numbers of what does not fit go with the result of an operation."""
        untold = [self._untold.get(v) if is_variable(v) else None for v in operands]
        if not any(each is not None for each in untold):
            return
        rights = (name in RING or name == "copy") and all(
            each is None or v in self._in_last_bits for v, each in zip(operands, untold, strict=True)
        )
        mask = name == "and" and any(
            each is None and self._of(v)[0] >= 0 for v, each in zip(operands, untold, strict=True)
        )
        if rights and mask:
            return
        if rights:
            self._in_last_bits.add(out)
        if name == "select_n":
            cases = [int_literal(0) if each is None else each for each in untold[1:]]
            self._untold[out] = self._emit(lax.select_n_p, [operands[0], *cases], {}, CODE)
        else:
            self._untold[out] = self._joined([each for each in untold if each is not None])

    def _converted(self, equation: Any) -> bool:
        """Whether an equation makes another type of an int that may need 64 bits; it is made."""
        [operand], [out] = equation.invars, equation.outvars
        if not self._is_unfit(operand) or out.aval.shape:
            return False
        if out.aval.dtype in (I32, I64):
            if self._nest.native or operand not in self._wide:
                self._equations.append(equation)
            elif out.aval.dtype == I32:
                self._is(out, self._wide[operand])
                self._ends[out] = self._of(operand)
            else:
                self._names[out] = self._wide[operand]
            self._note_untold("copy", out, [operand])
            return True
        return False

    def _rounded(self, equation: Any) -> None:
        """`int(x)` of a float: one that is nan, infinite or too large does not fit."""
        [operand], [out] = equation.invars, equation.outvars
        double = self._double(operand)
        number = operand if double is None else double
        self.decides |= double is not None
        self._equations.append(equation.replace(invars=[number]))
        ends = rounded_ends(out.aval.dtype)
        if not lies_within(self._of(operand), ends):
            aval = core.ShapedArray((), number.aval.dtype)
            size = self._emit(lax.abs_p, [number], {}, aval)
            most = float_constant(self._emit, largest_float(aval.dtype, ends[1]), aval.dtype)
            fits = self._emit(lax.le_p, [size, most], {}, BOOL)
            self._untold[out] = self._number(self._emit(lax.not_p, [fits], {}, BOOL), ROUNDED)

    def _equation(self, equation: Any) -> None:
        name, operands = equation.primitive.name, equation.invars
        if self._nest.ints is not None and rounds(equation):
            self._rounded(equation)
            return
        if self._nest.ints is not None and name in long_literals.LONG:
            self._long_int(equation)
            return
        if len(equation.outvars) == 1:
            [out] = equation.outvars
            if name in ARITHMETIC and self._nest.is_int(out.aval) and self._arithmetic(equation):
                return
            same = name == "convert_element_type" or (name in SAME and not operands[0].aval.shape)
            if same and self._converted(equation):
                return
            unfit = any(map(self._is_unfit, operands))
            if unfit and name in COMPARISONS and all(is_integer(v.aval) for v in operands):
                self._equations.append(equation.replace(invars=self._compared(operands)))
                return
            if unfit and name == "convert_element_type" and out.aval.dtype.kind in "fb":
                equation = equation.replace(invars=self._compared(operands))
        self._float_equation(equation)

    def _long_int(self, equation: Any) -> None:
        """A number of the text that has more than 32 bits, a power, or what a loop starts with, or leaves."""
        handlers = {
            "long_literal": self._literal_of_text, "power_of_ints": self._power_of_ints,
            "bits_of_int": self._bits_of_int, "int_of_bits": self._int_of_bits,
        }  # fmt: skip
        self.decides = True
        handlers[equation.primitive.name](equation)

    def _literal_of_text(self, equation: Any) -> None:
        [out], params = equation.outvars, equation.params
        if not self._nest.native:
            self._is(out, long_constant(self._emit, params["value"]))
            return
        self._equations.append(equation)
        if not params["compared"]:
            self._untold[out] = int_literal(self._nest.number(self._at))
            params["told"].is_told = True

    def _power_of_ints(self, equation: Any) -> None:
        [power], [out] = equation.invars, equation.outvars
        if self._nest.native:
            self._equations.append(equation)
        else:
            self._is(out, self._long(power))
        self._note_untold("copy", out, [power])

    def _bits_of_int(self, equation: Any) -> None:
        [number] = equation.invars
        long = self._told(number)
        if self._nest.native:
            long = convert_double(self._emit, long, I64, LONG)
        self._names[equation.outvars[0]] = cast_bits(self._emit, long, U32, BITS)

    def _int_of_bits(self, equation: Any) -> None:
        [out] = equation.outvars
        long = cast_bits(self._emit, self._read(equation.invars[0]), I64, LONG)
        if not self._nest.native:
            self._is(out, long)
            self._places[out] = equation.params["made_by"] or self._at
            return
        params = {"new_dtype": I32, "weak_type": True, "sharding": None}
        self._define(out, lax.convert_element_type_p, [long], params)
        differs = self._emit(lax.ne_p, [convert_double(self._emit, out, I64, LONG), long], {}, BOOL)
        self._untold[out] = self._number(differs)

    def _compared(self, operands: Sequence[Any]) -> list[Any]:
        """Ints that something else than an int is made of: all have the bits that one of them needs."""
        if all(map(self._fits, operands)):
            return [*map(self._looked_at, operands)]
        self.decides |= not self._nest.native
        return [*map(self._told, operands)]

    def _float_equation(self, equation: Any) -> None:
        operands = equation.invars
        known = [v for v in operands if is_variable(v) and v in self._wide and is_number(v.aval)]
        name = equation.primitive.name
        integer = name == "convert_element_type" and equation.outvars[0].aval.dtype.kind in "iub"
        if known and (name in _FLOAT_COMPARISONS or integer):
            wide = [*map(self._double, operands)]
            if None not in wide:
                self.decides = True
                self._equations.append(equation.replace(invars=wide))
                return
        first = _INDEXED.get(name, len(operands))
        fitting = [
            *map(self._fitting, operands[:first]),
            *(self._clamped(v) if self._is_unfit(v) else v for v in operands[first:]),
        ]
        double = result(equation, fitting, self._double, self._emit)
        if double is None:
            self._equations.append(equation.replace(invars=fitting))
        else:
            self._is(equation.outvars[0], double)
