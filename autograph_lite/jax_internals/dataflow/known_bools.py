"""Known bools: which of them are known in a body, and which results equal another value because of it?

False and b is False; True and b is b; not False is True; a choice by a bool that is known is one of its cases.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from jax._src import core

# With this, the other operand is the result.
_NEUTRAL = {"and": True, "or": False}
_UNARY = frozenset({"not", "convert_element_type", "copy"})
# Monotonous in the difference of the two, so that its smallest and its largest value decide.
TESTS: dict[str, Callable[[float, float], bool]] = {
    name: getattr(operator, name) for name in ("lt", "le", "gt", "ge")
}


class Truths:
    """The bools that are known in a body, whose equations are read one after the other."""

    def __init__(self) -> None:
        self._known: dict[Any, bool] = {}
        # variables that equal another variable, or a literal, in all iterations
        self.names: dict[Any, Any] = {}

    def name(self, atom: Any) -> Any:
        """What `atom` equals."""
        return atom if isinstance(atom, core.Literal) else self.names.get(atom, atom)

    def named(self, equation: Any) -> Any:
        """The equation with what its operands equal."""
        invars = list(map(self.name, equation.invars))
        same = all(map(operator.is_, invars, equation.invars))
        return equation if same else equation.replace(invars=invars)

    def of(self, atom: Any) -> bool | None:
        """What `atom` is in all iterations; None where that is not known."""
        if not isinstance(atom, core.Literal):
            return self._known.get(atom)
        return bool(atom.val) if np.ndim(atom.val) == 0 and np.asarray(atom.val).dtype == bool else None

    def compare(self, equation: Any, difference: tuple[float, float]) -> None:
        """Notes what a comparison of numbers is that differ by so much at least and at most."""
        answers = {TESTS[equation.primitive.name](end, 0) for end in difference}
        if len(answers) == 1 and not equation.outvars[0].aval.shape:
            self._known[equation.outvars[0]] = answers.pop()

    def equate(self, result: Any, value: Any) -> None:
        """Notes that a result equals an operand."""
        if value.aval.dtype == result.aval.dtype and value.aval.shape == result.aval.shape:
            self.names[result] = value

    def read(self, equation: Any) -> bool:
        """Notes what the result of an equation is, where that is known; whether it equals an operand."""
        name, operands = equation.primitive.name, equation.invars
        equal = None
        if name == "select_n" and len(operands) == 3:
            truth = self.of(operands[0])
            equal = None if truth is None else operands[1 + truth]
        elif (name in _NEUTRAL or name in _UNARY) and equation.outvars[0].aval.dtype == bool:
            equal = self._combined(name, operands, equation.outvars[0])
        if equal is not None:
            self.equate(equation.outvars[0], equal)
        return equal is not None

    def _combined(self, name: str, operands: list[Any], result: Any) -> Any:
        truths = [self.of(atom) for atom in operands]
        if name in _UNARY:
            if truths[0] is not None:
                self._known[result] = truths[0] is not (name == "not")
            return None
        neutral = _NEUTRAL[name]
        if (not neutral) in truths:
            self._known[result] = not neutral
        elif None not in truths:
            self._known[result] = neutral
        elif neutral in truths:
            return operands[truths.index(None)]
        return None
