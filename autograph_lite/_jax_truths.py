"""Which bools in a body are known, and which results equal an operand because of it?

False and b is False; True and b is b; not False is True; a choice by a bool that is known is one of its cases.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from jax._src import core

# With this, the other operand is the result.
_NEUTRAL = {"and": True, "or": False}
_UNARY = frozenset({"not", "convert_element_type", "copy"})


class Truths:
    """The bools that are known in a body, whose equations are read one after the other."""

    def __init__(self) -> None:
        self._known: dict[Any, bool] = {}

    def of(self, atom: Any) -> bool | None:
        """What `atom` is in all iterations; None where that is not known."""
        if not isinstance(atom, core.Literal):
            return self._known.get(atom)
        return bool(atom.val) if np.ndim(atom.val) == 0 and np.asarray(atom.val).dtype == bool else None

    def hold(self, variable: Any, truth: bool) -> None:
        """Notes what a variable is."""
        self._known[variable] = truth

    def read(self, equation: Any) -> Any:
        """The operand that the result of an equation equals, or None; notes what the result is, where that is known."""
        name, operands = equation.primitive.name, equation.invars
        if name == "select_n" and len(operands) == 3:
            truth = self.of(operands[0])
            return None if truth is None else operands[1 + truth]
        if (name in _NEUTRAL or name in _UNARY) and equation.outvars[0].aval.dtype == bool:
            return self._combined(name, operands, equation.outvars[0])
        return None

    def _combined(self, name: str, operands: list[Any], result: Any) -> Any:
        truths = [self.of(atom) for atom in operands]
        if name in _UNARY:
            if truths[0] is not None:
                self.hold(result, truths[0] is not (name == "not"))
            return None
        neutral = _NEUTRAL[name]
        if (not neutral) in truths:
            self.hold(result, not neutral)
        elif None not in truths:
            self.hold(result, neutral)
        elif neutral in truths:
            return operands[truths.index(None)]
        return None
