"""Python's ints: between which numbers do they lie in a program, and which of them may have more than 32 bits?

    n += 1                             32 bits, for as long as anybody waits
    seed = (seed * 16807) % 2147483647     32 bits, and 64 on the way
    total += k * k                     64 bits
    p = p * 2                          after some iterations, more than these

They are the weakly typed scalars; those that nothing is known of are taken to have 32 bits, as they have where they come from. A
variable of a loop is first what it is before it, then a counter, then a sum of such, then whatever it may become: the widening of
Cousot and Cousot, "Abstract interpretation" (1977).
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autograph_lite.jax_internals import avals, configuration
from autograph_lite.jax_internals.dataflow import value_ranges
from autograph_lite.jax_internals.dataflow.framework import Forward
from autograph_lite.jax_internals.dataflow.induction_variables import is_integer
from autograph_lite.jax_internals.dataflow.intervals import ANY, RULES, Ends, holds, of_float, union
from autograph_lite.jax_internals.dataflow.primitive_traits import PARTS, SHAPES
from autograph_lite.jax_internals.dataflow.scan_ir import is_variable


@dataclasses.dataclass(frozen=True)
class Width:
    """Of how many bits the ints of a program are."""

    narrow: Ends  # the ends of those that nothing is known of
    counter: Ends  # those of a counter; the sum of two fits
    step: int  # by how much it changes in an iteration at most
    sum: Ends  # the ends of a sum of such numbers, after as many iterations as anybody waits for
    term: int  # what it changes by in an iteration at most
    most: Ends  # the ends of all


def _ends(most: int) -> Ends:
    return -most, most


NARROW = _ends(2**31 - 1)
LONG = Width(NARROW, _ends(2**30 - 16), 16, _ends(2**62), 2**32, _ends(2**63 - 1))
SHORT = Width(_ends(46_000), _ends(46_000), 16, _ends(46_000), 16, NARROW)
"""Where there are no 64 bits: counters are taken to be numbers whose squares fit."""


def is_int(aval: Any) -> bool:
    """Whether a value is of the type that an int of Python's has in a program."""
    return is_integer(aval) and avals.is_weak(aval)


def is_float(aval: Any) -> bool:
    """Whether a value is one float."""
    dtype = getattr(aval, "dtype", None)
    return dtype is not None and not aval.shape and bool(jnp.issubdtype(dtype, jnp.floating))


def unknown_ends(aval: Any) -> Ends:
    """Between which numbers a value lies that nothing is known of: an int has as many bits as where it comes from."""
    if is_float(aval):
        return ANY
    is_long = configuration.has_64_bits() and getattr(aval, "dtype", None) == np.int64
    return LONG.most if is_long else NARROW


def with_any_floats(variables: Sequence[Any], ends: Sequence[Ends]) -> list[Ends]:
    """The ends of variables, where those that nothing is known of are given as those of an int."""
    return [ANY if e == NARROW and is_float(v.aval) else e for v, e in zip(variables, ends, strict=True)]


def lies_within(ends: Ends, known: Ends, slack: float = 0) -> bool:
    """Whether all numbers between these ends are between those."""
    return known[0] - slack <= ends[0] and ends[1] <= known[1] + slack


class Ints(Forward[Ends]):
    """Between which numbers integers lie, and floats that follow from them; what is neither lies anywhere."""

    def __init__(self, width: Width) -> None:
        self.width = width
        self.literal = self.constant = width.narrow
        self._found: dict[Any, list[Ends]] = {}

    def unknown(self, aval: Any) -> Ends:
        """Between which numbers the result of an equation lies that no rule tells of."""
        found = unknown_ends(aval)
        return self.width.narrow if found == NARROW else found

    def of_constant(self, variable: Any) -> Ends:  # noqa: D102
        return self.unknown(variable.aval)

    def of_literal(self, atom: Any) -> Ends:  # noqa: D102
        if is_float(atom.aval):
            return (float(atom.val), float(atom.val)) if math.isfinite(atom.val) else ANY
        return (int(atom.val), int(atom.val)) if is_integer(atom.aval) else self.literal

    def known(self, jaxpr: Any, inputs: Sequence[Ends]) -> dict[Any, Ends]:  # noqa: D102
        return super().known(jaxpr, with_any_floats(jaxpr.invars, inputs))

    def joined(self, values: Sequence[Ends]) -> Ends:  # noqa: D102
        return union(*values)

    def decided(self, test: Ends, value: Ends) -> Ends:  # noqa: D102
        return value

    def results(self, jaxpr: Any, inputs: Sequence[Ends]) -> list[Ends]:  # noqa: D102
        key = jaxpr, tuple(inputs)
        if key not in self._found:
            self._found[key] = super().results(jaxpr, inputs)
        return self._found[key]

    def equation(self, equation: Any, operands: list[Ends]) -> list[Ends]:  # noqa: D102
        params = equation.params
        if operation_name(equation) in CALLS:
            return self.operation(equation, operands)
        if equation.primitive.name != "while":
            return super().equation(equation, operands)
        first = params["cond_nconsts"]
        last = first + params["body_nconsts"]
        test = params["cond_jaxpr"], operands[:first]
        return self.loop(params["body_jaxpr"], operands[first:last], operands[last:], [], test)[1]

    def repeated(  # noqa: D102
        self, body: Any, consts: Sequence[Ends], carry: Sequence[Ends], rows: Sequence[Ends]
    ) -> list[Ends]:
        return self.loop(body, consts, carry, rows)[1]

    def loop(
        self,
        body: Any,
        consts: Sequence[Ends],
        carry: Sequence[Ends],
        rows: Sequence[Ends],
        test: tuple[Any, Sequence[Ends]] | None = None,
    ) -> tuple[list[Ends], list[Ends]]:
        """What is known of a loop's variables before any iteration; and the same, or after it, with what these put out.

        Args:
          body: the jaxpr of an iteration.
          consts: what is known of its first inputs.
          carry: the same of the variables.
          rows: the same of the rows that it takes.
          test: the jaxpr of the condition, and what is known of its first inputs.
        """
        known = [ANY] * len(carry)
        if test is not None and any(is_int(v.aval) for v in getattr(body, "jaxpr", body).outvars):
            known = value_ranges.while_ranges(test[0], body, test[1], carry)[1]
        variables = getattr(body, "jaxpr", body).outvars
        fixed = [math.inf not in map(abs, ends) for ends in known]
        now = [e if is_fixed else c for e, c, is_fixed in zip(known, carry, fixed, strict=True)]
        level = [0] * len(carry)
        while True:
            results = self.results(body, [*consts, *now, *rows])
            slack = (0, 0, self.width.step, self.width.term, math.inf)
            grown = [
                n
                for n, (before, after) in enumerate(zip(now, results, strict=False))
                if not fixed[n] and not lies_within(after, before, slack[level[n]])
            ]
            if not grown:
                after = [union(a, b) if c else a for a, b, c in zip(now, results, fixed, strict=False)]
                return now, [*after, *results[len(now) :]]
            for n in grown:
                level[n] += 2 if level[n] == 1 and not lies_within(carry[n], self.width.counter) else 1
                wider = (results[n], self.width.counter, self.width.sum, self.width.most)[level[n] - 1]
                now[n] = ANY if is_float(variables[n].aval) else union(now[n], wider)

    def operation(self, equation: Any, operands: list[Ends]) -> list[Ends]:  # noqa: D102
        if len(equation.outvars) != 1:
            return [self.unknown(v.aval) for v in equation.outvars]
        [out] = equation.outvars
        if is_float(out.aval):
            known = equation.primitive.name == "select_n"
            return [union(*operands[1:]) if known else of_float(equation.primitive.name, operands)]
        found = self.exact(equation, operands)
        if is_int(out.aval):
            return [(max(found[0], self.width.most[0]), min(found[1], self.width.most[1]))]
        return [found if holds(getattr(out.aval, "dtype", None), found) else self.unknown(out.aval)]

    def exact(self, equation: Any, operands: Sequence[Ends]) -> Ends:
        """Between which numbers the result of an equation would be that has as many bits as it needs."""
        name = operation_name(equation)
        if name == "select_n":
            return union(*operands[1:])
        if name == "long_literal":
            return (equation.params["value"],) * 2
        if name == "int_of_bits":
            ends: Ends = equation.params["ends"]
            return ends
        if name == "power_of_ints":
            return self.width.most
        if rounds(equation):
            most = rounded_ends(equation.outvars[0].aval.dtype)
            return operands[0] if lies_within(operands[0], most) else most
        if name == "convert_element_type" and equation.invars[0].aval.dtype.kind != "i":
            return (0, 1) if equation.invars[0].aval.dtype == bool else self.unknown(equation.outvars[0].aval)
        if name == "integer_pow":
            most = max(map(abs, operands[0])) ** equation.params["y"]
            return (0 if equation.params["y"] % 2 == 0 else -most), most
        if name == "iota":
            size = equation.params["shape"][equation.params["dimension"]]
            return (0, size - 1) if isinstance(size, int) and size else self.unknown(equation.outvars[0].aval)
        rule = _RULES.get(name)
        return self.unknown(equation.outvars[0].aval) if rule is None else rule(*operands)


def may_divide_by_zero(equation: Any) -> bool:
    """Whether an equation is `a // b` or `a % b` of ints of Python's, of a `b` that is no literal."""
    name = operation_name(equation)
    operands = operands_of(equation)
    return (
        name in CALLS
        and is_int(equation.outvars[0].aval)
        and is_int(operands[1].aval)
        and is_variable(operands[1])
    )


def operands_of(equation: Any) -> list[Any]:
    """The operands of an equation, which may be one that is being recorded."""
    recorded = getattr(equation, "in_tracers", None)
    return [*equation.invars] if recorded is None else [t.val for t in recorded]


def rounds(equation: Any) -> bool:
    """Whether an equation makes an int of Python's of a float, as `int(x)` does."""
    if equation.primitive.name != "convert_element_type" or not is_int(equation.outvars[0].aval):
        return False
    return is_float(operands_of(equation)[0].aval)


def rounded_ends(dtype: Any) -> Ends:
    """Between which numbers a float has to lie that an int of this type is made of; another is told.

    There is room for what is added to an index: `k = int(x)` has 32 bits, and so has `k + 1`.
    """
    return _ends(2**62) if dtype.itemsize == 8 else _ends(2**31 - 2**16)


def largest_float(dtype: Any, most: float) -> float:
    """The largest number of a type of floats that is not above another one: 65504 of a float16."""
    most = min(most, float(jnp.finfo(dtype).max))  # type: ignore[no-untyped-call]
    number = np.dtype(dtype).type(most)
    return float(number if float(number) <= most else np.nextafter(number, number.dtype.type(0)))


def operation_name(equation: Any) -> str:
    """The name of what an equation does: of its primitive, or of JAX's function that it calls; its derivative has none."""
    name = str(equation.primitive.name)
    if name not in ("jit", "pjit"):
        return name
    called, closed = str(equation.params["name"]), equation.params["jaxpr"]
    operands = _OPERANDS.get(called)
    if operands is None or operands != len(equation.invars) or len(equation.outvars) != 1:
        return name
    debug_info = getattr(closed, "jaxpr", closed).debug_info
    return called if str(debug_info.func_filename).startswith(_OF_JAX) else name


def _remainder(left: Ends, right: Ends) -> Ends:
    most = max(map(abs, right)) - 1
    return (0 if right[0] > 0 else -most, 0 if right[1] < 0 else most)


def _rest(left: Ends, right: Ends) -> Ends:
    most = min(max(map(abs, right)) - 1, max(map(abs, left)))
    return (0 if left[0] >= 0 else -most, most)


def _quotient(left: Ends, right: Ends) -> Ends:
    most = max(map(abs, left)) // max(1, right[0])
    return (0 if left[0] >= 0 and right[0] > 0 else -most - 1, most)


def _and(left: Ends, right: Ends) -> Ends:
    positive = [ends[1] for ends in (left, right) if ends[0] >= 0]
    return (0, min(positive)) if positive else _bits(left, right)


def _bits(left: Ends, right: Ends) -> Ends:
    most = (1 << max(int(abs(end)).bit_length() for end in (*left, *right))) - 1
    return (0 if left[0] >= 0 and right[0] >= 0 else -most - 1, most)


def _shifted(left: Ends, right: Ends) -> Ends:
    by = [2 ** int(min(max(end, 0), 99)) for end in right]
    return RULES["mul"](left, (min(by), max(by)))


def _shifted_back(left: Ends, right: Ends) -> Ends:
    by = int(min(max(right[0], 0), 99))
    return int(left[0]) >> by if left[0] < 0 else 0, int(left[1]) >> by if left[1] >= 0 else -1


_RULES: dict[str, Callable[..., Ends]] = {
    **RULES,
    **dict.fromkeys((*SHAPES, *PARTS, "copy", "stop_gradient"), lambda a, *_: a),
    "remainder": _remainder,
    "floor_divide": _quotient,
    "rem": _rest,
    "div": _quotient,
    "and": _and,
    "or": _bits,
    "xor": _bits,
    "not": lambda a: (-a[1] - 1, -a[0] - 1),
    "shift_left": _shifted,
    "shift_right_arithmetic": _shifted_back,
    "shift_right_logical": lambda a, b: _shifted_back(a, b) if a[0] >= 0 else NARROW,
    "clamp": lambda low, _, high: (low[0], high[1]),
}
LARGE, ROUNDED, NEGATIVE = "large", "rounded", "negative"
"""Why there is no such int: it is too large, made of a float that is, or a power with a negative exponent; or the name of a
division, whose divisor is 0."""
CALLS = frozenset({"remainder", "floor_divide"})
_OPERANDS = {**dict.fromkeys(CALLS, 2), "_where": 3}
_OF_JAX = str(Path(jax.__file__).parent)
