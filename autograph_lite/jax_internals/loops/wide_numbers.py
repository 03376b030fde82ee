"""Wide numbers: which variable of a program is a double, or an int of 64 bits, and what is known of it while it is rewritten?

An int that does not fit is a number in the end, that of its line, or 0. It matters where something else is made of it than the
last bits of an int.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax import lax
from jax._src import core

from autograph_lite.jax_internals import avals, recorded_equations
from autograph_lite.jax_internals.dataflow import python_ints
from autograph_lite.jax_internals.dataflow.induction_variables import is_integer, open_jaxpr
from autograph_lite.jax_internals.dataflow.intervals import Ends
from autograph_lite.jax_internals.dataflow.python_ints import LARGE, NARROW, is_int, lies_within
from autograph_lite.jax_internals.dataflow.scan_ir import is_variable
from autograph_lite.jax_internals.loops.double_floats import (
    BITS,
    F32,
    F64,
    U32,
    cast_bits,
    convert_double,
    double_constant,
    is_number,
)
from autograph_lite.jax_internals.loops.int_tests import (
    BOOL,
    CODE,
    I64,
    LONG,
    Overflow,
    int_literal,
    long_constant,
)


@dataclasses.dataclass
class Nest:
    """What is known of the ints of a nest of loops."""

    ints: python_ints.Ints | None  # between which numbers they lie; None where they are left alone
    native: bool = False  # whether they have the bits that the program has for them, and are looked at alone
    # whether those are ints of Python's, too, whose type says that they came from arrays
    strong: bool = False
    # the user's lines that compute one that may not fit, with why, and their numbers
    places: dict[tuple[Any, str], int] = dataclasses.field(default_factory=dict)
    nonzero: frozenset[Any] = frozenset()  # inputs of a branch that are not 0 in it

    def is_int(self, aval: Any) -> bool:
        """Whether a value is an int of Python's that is looked at."""
        return self.ints is not None and (is_integer(aval) if self.strong else is_int(aval))

    def number(self, equation: Any, why: str = LARGE) -> int:
        """Of the line that an equation comes from."""
        place = equation and recorded_equations.equation_place(equation)
        return self.places.setdefault((place, why), len(self.places) + 1)


class Numbers:
    """The numbers of a closed jaxpr.

    Args:
      closed: the jaxpr.
      wide: which of its inputs, constants included, come as bits.
      ends: between which numbers they lie.
      nest: that it is part of.
    """

    def __init__(self, closed: Any, wide: Sequence[bool], ends: Sequence[Ends], nest: Nest) -> None:
        self._closed, self._nest, jaxpr = closed, nest, open_jaxpr(closed)
        self._equations: list[Any] = []
        self._names: dict[Any, Any] = {}
        self._wide: dict[Any, Any] = {}  # doubles, and ints of 64 bits
        self._untold: dict[Any, Any] = {}  # the numbers of those that have outgrown them
        self._in_last_bits: set[Any] = set()  # of these, those that are right there
        self._at: Any = None
        self._within: Any = None  # the call whose equations these are
        self._places: dict[Any, Any] = {}  # the equations that wide numbers are made at
        # whether a comparison of doubles, a rounding to an integer, or an int of 64 bits is in it
        self.decides = False
        self.failed: list[Any] = []  # the numbers of what does not fit
        self._overflow = Overflow(self._emit, self._long_aval(), self._constant)
        variables = [*jaxpr.constvars, *jaxpr.invars]
        self._ends: dict[Any, Ends] = {}
        self._know(jaxpr, ends)
        self._inputs = [core.Var(BITS) if is_wide else v for v, is_wide in zip(variables, wide, strict=True)]
        if jaxpr.eqns:
            self._at = jaxpr.eqns[0]
        for variable, bits in zip(variables, self._inputs, strict=True):
            if variable is not bits:
                self._take(variable, bits)

    def which(self, atoms: Sequence[Any]) -> list[bool]:
        """Which of these are doubles, or ints that may not fit."""
        native = self._nest.native
        return [
            self._has(v)
            if is_number(v.aval)
            else self._nest.is_int(v.aval) and not native and not self._fits(v)
            for v in atoms
        ]

    def ends(self, atoms: Sequence[Any]) -> list[Ends]:
        """Between which numbers they lie."""
        return [*map(self._of, atoms)]

    # Equations

    def _read(self, atom: Any) -> Any:
        return self._names.get(atom, atom) if is_variable(atom) else atom

    def _emit(self, primitive: Any, operands: Sequence[Any], params: dict[str, Any], aval: Any) -> Any:
        return self._define(core.Var(aval), primitive, operands, params)

    def _define(self, out: Any, primitive: Any, operands: Sequence[Any], params: dict[str, Any]) -> Any:
        made = core.new_jaxpr_eqn(
            [*operands], [out], primitive, params, core.no_effects,
            self._at and self._at.source_info, self._at and self._at.ctx,
        )  # fmt: skip
        self._equations.append(made)
        return out

    def _take(self, variable: Any, bits: Any) -> None:
        """`variable` is the number of these bits."""
        wide = F64 if variable.aval.dtype == F32 else I64
        self._is(variable, cast_bits(self._emit, bits, wide, core.ShapedArray((), wide)))

    def _is(self, variable: Any, wide: Any) -> None:
        self._wide[variable] = wide
        self._places[variable] = self._at
        narrow = variable.aval.dtype
        params = {"new_dtype": narrow, "weak_type": avals.is_weak(variable.aval), "sharding": None}
        self._define(variable, lax.convert_element_type_p, [wide], params)

    def _has(self, atom: Any) -> bool:
        return not is_variable(atom) or atom in self._wide

    def _double(self, atom: Any) -> Any:
        """The double that a number is; None where it is none of Python's."""
        if is_variable(atom):
            return self._wide.get(atom)
        return double_constant(self._emit, _literal, float(atom.val)) if is_number(atom.aval) else None

    def _bits(self, atom: Any) -> Any:
        wide = self._double(atom) if atom.aval.dtype == F32 else self._told(atom)
        return cast_bits(self._emit, wide, U32, BITS)

    # Ints

    def _know(self, jaxpr: Any, ends: Sequence[Ends]) -> dict[Any, Ends]:
        if self._nest.ints is None:
            return {}
        found = self._nest.ints.known(jaxpr, ends[len(jaxpr.constvars) :])
        held = ends[: len(jaxpr.constvars)]
        found.update(zip(jaxpr.constvars, python_ints.with_any_floats(jaxpr.constvars, held), strict=True))
        self._ends.update(found)
        return found

    def _of(self, atom: Any) -> Ends:
        if self._nest.ints is not None and not is_variable(atom):
            return self._nest.ints.of_literal(atom)
        unknown = python_ints.unknown_ends(atom.aval)
        return self._ends.get(atom, unknown) if is_variable(atom) else unknown

    def _may_be_zero(self, atom: Any) -> bool:
        return lies_within((0, 0), self._of(atom)) and atom not in self._nest.nonzero

    def _fits(self, atom: Any) -> bool:
        """Whether it is known that a number has 32 bits."""
        return lies_within(self._of(atom), NARROW)

    def _long(self, atom: Any) -> Any:
        """A number as one of 64 bits."""
        if self._nest.native:
            return atom
        if not is_variable(atom):
            return long_constant(self._emit, int(atom.val))
        if atom not in self._wide:
            self._wide[atom] = convert_double(self._emit, atom, I64, LONG)
        return self._wide[atom]

    def _long_aval(self) -> Any:
        return core.ShapedArray((), jax.dtypes.canonicalize_dtype(I64)) if self._nest.native else LONG

    def _constant(self, value: int) -> Any:
        if not self._nest.native:
            return long_constant(self._emit, value)
        aval = self._long_aval()
        return core.Literal(aval.dtype.type(value), aval)

    def _told(self, atom: Any) -> Any:
        """The same of a number that is looked at: it does matter whether it has outgrown them."""
        self._looked_at(atom)
        return self._long(atom)

    def _looked_at(self, atom: Any) -> Any:
        if is_variable(atom) and atom in self._untold:
            self.failed.append(self._untold[atom])
        return atom

    def _number(self, test: Any, why: str = LARGE) -> Any:
        """The number of this line, where a test holds."""
        number = int_literal(self._nest.number(self._at, why))
        return self._emit(lax.select_n_p, [test, int_literal(0), number], {}, CODE)

    def _joined(self, numbers: Sequence[Any]) -> Any:
        total = numbers[0] if numbers else int_literal(0)
        for each in numbers[1:]:
            total = self._emit(lax.max_p, [total, each], {}, CODE)
        return total

    def _fitting(self, atom: Any) -> Any:
        """A number that something else than Python's arithmetic is made of: one of 32 bits, which may fail."""
        if not self._is_unfit(atom):
            return atom
        if self._nest.native or atom not in self._wide:
            return self._looked_at(atom)
        again = convert_double(self._emit, atom, I64, LONG)
        differs = self._emit(lax.ne_p, [again, self._told(atom)], {}, BOOL)
        self.failed.append(self._number(differs))
        self.decides = True
        return atom

    def _clamped(self, atom: Any) -> Any:
        """A number of 32 bits that is an index."""
        if self._nest.native or atom not in self._wide:
            return self._looked_at(atom)
        low, high = (long_constant(self._emit, int(end)) for end in NARROW)
        clamped = self._emit(lax.clamp_p, [low, self._told(atom), high], {}, LONG)
        return convert_double(self._emit, clamped, CODE.dtype, CODE)

    def _is_unfit(self, atom: Any) -> bool:
        """Whether an int may have more than 32 bits, or have outgrown 64."""
        if not is_variable(atom) or atom in self._untold:
            return is_variable(atom)
        wide = self._wide.get(atom)
        return wide is not None and wide.aval.dtype == I64 and not self._fits(atom)

    def _renamed(self, equation: Any) -> Any:
        return equation.replace(invars=[*map(self._read, equation.invars)]) if self._names else equation


def _literal(value: np.float32) -> Any:
    return core.Literal(value, core.ShapedArray((), F32))
