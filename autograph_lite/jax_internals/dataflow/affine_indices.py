"""Affine indices: which numbers of a body are `slope * p + offset` in iteration `p`, and what follows from their range?

JAX makes `where(i < 0, i + n, i)` of each index. Where `i` is a position, `i < 0` is known for all iterations at once.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from jax._src import core

from autograph_lite.jax_internals.dataflow.intervals import holds
from autograph_lite.jax_internals.dataflow.known_bools import TESTS, Truths
from autograph_lite.jax_internals.dataflow.primitive_traits import PARTS, SHAPES, is_barrier_of_update


@dataclasses.dataclass(frozen=True)
class Position:
    """The integer `slope * p + offset` in iteration `p`."""

    slope: int
    offset: int

    def range(self, length: int) -> tuple[int, int]:
        """The smallest and the largest in `length` iterations."""
        last = self.slope * (length - 1) + self.offset
        return min(self.offset, last), max(self.offset, last)

    def from_the_end(self, length: int) -> Position:
        """The same integers, where iterations are counted from the last one."""
        return Position(-self.slope, self.slope * (length - 1) + self.offset)


class Positions:
    """The positions in a body, whose equations are read one after the other.

    Args:
      known: positions that the body is given.
      length: the number of iterations.
      barriers: whether what has passed a barrier goes by another name; else by its own; an attribute, too.
    """

    def __init__(self, known: Mapping[Any, Position], length: int, *, barriers: bool = True) -> None:
        self.barriers = barriers
        self._known = dict(known)
        self._length = length
        self._truths = Truths()

    def inside(self, known: Mapping[Any, Position | None]) -> Positions:
        """The positions in the body of a loop inside, which is given these."""
        given = {variable: position for variable, position in known.items() if position is not None}
        return Positions(given, self._length)

    def of(self, atom: Any) -> Position | None:
        """What `atom` is in each iteration; None where that is not known."""
        atom = self._truths.name(atom)
        if isinstance(atom, core.Literal):
            whole = np.ndim(atom.val) == 0 and np.issubdtype(np.asarray(atom.val).dtype, np.integer)
            return Position(0, int(atom.val)) if whole else None
        return self._known.get(atom)

    def within(self, position: Position, size: Any) -> bool:
        """Whether an axis of that size, which may be symbolic, has this position in all iterations."""
        low, high = position.range(self._length)
        return isinstance(size, int) and low >= 0 and high < size

    def read(self, equation: Any) -> Any:
        """The equation with the names of what its operands equal; notes what its result is."""
        equation = self._truths.named(equation)
        if not self.barriers and is_barrier_of_update(equation):
            self._truths.names.update(zip(equation.outvars, equation.invars, strict=True))
        self._truths.read(equation)
        note = _NOTES.get(equation.primitive.name)
        if note is not None and len(equation.outvars) == 1:
            note(self, equation, equation.outvars[0])
        return equation

    def name(self, atoms: Sequence[Any]) -> list[Any]:
        """The names of what `atoms` equal."""
        return list(map(self._truths.name, atoms))

    def _same(self, equation: Any, result: Any) -> None:
        """A conversion, or another shape; all items of an array that is a position are."""
        position = self.of(equation.invars[0])
        if position is not None and holds(result.aval.dtype, position.range(self._length)):
            self._known[result] = position

    def _combine(self, equation: Any, result: Any) -> None:
        left, right = map(self.of, equation.invars)
        if left is None or right is None:
            return
        made = _ARITHMETIC[equation.primitive.name](left, right)
        if made is not None and holds(result.aval.dtype, made.range(self._length)):
            self._known[result] = made

    def _negate(self, equation: Any, result: Any) -> None:
        position = self.of(equation.invars[0])
        if position is not None:
            made = Position(-position.slope, -position.offset)
            if holds(result.aval.dtype, made.range(self._length)):
                self._known[result] = made

    def _bound(self, equation: Any, result: Any) -> None:
        """`min` and `max`: one of the two, where it is the smaller in all iterations or in none."""
        left, right = map(self.of, equation.invars)
        if left is None or right is None or result.aval.shape:
            return
        low, high = _difference(left, right).range(self._length)
        if high <= 0 or low >= 0:
            smaller = equation.invars[high > 0]
            larger = equation.invars[high <= 0]
            self._truths.equate(result, smaller if equation.primitive.name == "min" else larger)

    def _compare(self, equation: Any, _result: Any) -> None:
        left, right = map(self.of, equation.invars)
        if left is not None and right is not None:
            self._truths.compare(equation, _difference(left, right).range(self._length))


def _difference(left: Position, right: Position) -> Position:
    return Position(left.slope - right.slope, left.offset - right.offset)


def _product(left: Position, right: Position) -> Position | None:
    if left.slope and right.slope:
        return None
    factor, other = (left.offset, right) if not left.slope else (right.offset, left)
    return Position(factor * other.slope, factor * other.offset)


_ARITHMETIC: dict[str, Callable[[Position, Position], Position | None]] = {
    "add": lambda left, right: Position(left.slope + right.slope, left.offset + right.offset),
    "sub": _difference,
    "mul": _product,
}
_NOTES: dict[str, Callable[[Positions, Any, Any], None]] = {
    **dict.fromkeys((*SHAPES, *PARTS, "convert_element_type", "copy"), Positions._same),
    **dict.fromkeys(_ARITHMETIC, Positions._combine),
    "neg": Positions._negate,
    **dict.fromkeys(TESTS, Positions._compare),
    **dict.fromkeys(("min", "max"), Positions._bound),
}
