"""Abstract interpretation: what is a value of the recorded program, as far as it follows from some that are known?

i % 10 == 0        all that is known is what `i` is: the equations between the two are gone through
x + i > 3          not known, as `x` isn't

Each equation is gone through once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from jax._src import core

from autograph_lite.jax_internals import constant_folding
from autograph_lite.jax_internals.references import storages


class Evaluation:
    """Equations of a program that is being recorded, gone through from values that are known.

    Args:
      given: what is known of values that are traced.
      compute: an equation, what is known of its operands -> what is known of its results; None where nothing is.
      constant: what is known of a value that is not traced.
    """

    def __init__(
        self,
        given: Sequence[tuple[Any, Any]],
        compute: Callable[[Any, Sequence[Any]], Sequence[Any]],
        constant: Callable[[Any], Any],
    ) -> None:
        self._values: dict[int, Any] = {id(_variable(value)): known for value, known in given}
        self._compute, self._constant = compute, constant
        self._results: dict[int, Sequence[Any]] = {}
        self._kept: list[Any] = [given]  # what ids are known of

    def of(self, value: Any) -> Any:
        """What is known of a value; None where nothing is."""
        value = storages.latest_version(value)
        for equation, operands in constant_folding.unknown_equations(value, self._is_known):
            known = list(map(self._known, operands))
            found: Sequence[Any] = [None] * len(equation.outvars)
            if not equation.effects and any(each is not None for each in known):
                found = self._compute(equation, known)
            self._results[id(equation)] = found
            self._kept.append(equation)
        return self._known(constant_folding.underlying_value(value))

    def _is_known(self, value: Any) -> bool:
        """Whether it is known what is known of it."""
        if not isinstance(value, core.Tracer) or id(_variable(value)) in self._values:
            return True
        equation = getattr(value, "parent", None)
        return equation is None or id(equation) in self._results

    def _known(self, value: Any) -> Any:
        if not isinstance(value, core.Tracer):
            return self._constant(value)
        if id(_variable(value)) in self._values:
            return self._values[id(_variable(value))]
        equation: Any = getattr(value, "parent", None)
        if equation is None:
            return None
        return self._results[id(equation)][constant_folding.result_number(value)]


def _variable(value: Any) -> Any:
    """What stands for a traced value in the program."""
    return getattr(value, "val", value)
