"""How is a branch traced exactly once? Into a path: the values of its variables, what it wrote to, and its equations.

Tracing once to look and once for real doubles the work at every level of nesting, so it is exponential in the nesting
depth. A path's values are the tracers of its own trace, which is over; `Path.emit` gives what stands for them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import jax
import numpy as np

from autograph_lite import _jax
from autograph_lite.operators import checks, journal
from autograph_lite.operators.places import Contents, Place
from autograph_lite.operators.templates import leaves_of
from autograph_lite.operators.values import Tracer

MUTABLE = (list, dict, set, bytearray)


class Path:
    """A branch that was traced.

    Attributes:
      values: the values of its variables, in the order of their names; meaningless where `raised`.
      changes: places written to, each with its contents before and after.
      raised: the exception that the user's `raise` ended the branch with, if any.
    """

    def __init__(self, fun: Callable[..., Any], operands: Sequence[Any], count: int) -> None:
        self.values: list[Any] = []
        self.changes: dict[Hashable, tuple[Place, Contents, Contents]] = {}
        self.raised: BaseException | None = None
        self._index: dict[int, int] = {}
        self._kept: list[Any] = []
        outer = _jax.trace_state()

        def run() -> list[Any]:
            with journal.journal(outer=outer) as written:
                return self._run(fun, operands, count, written)

        self.traced = _jax.Traced(run)

    def _run(self, fun: Callable[..., Any], operands: Sequence[Any], count: int, written: journal.Journal) -> list[Any]:
        enter(fun, operands)
        try:
            result = fun(*operands)
            self.values = [result] if count <= 1 else list(result)
        except BaseException as error:
            if not checks.is_explicit(error):
                raise
            self.raised = error
            checks.fail_if(True, error)
        self.changes = written.changes([fun, *operands, checks.frame()])
        outputs: list[Any] = []
        contents = [list(new.values()) for _, _, new in self.changes.values()]
        for value in [*self.values, *(v for values in contents for v in values)]:
            for leaf in leaves_of(value):
                if isinstance(leaf, Tracer) and id(leaf) not in self._index:
                    self._index[id(leaf)] = len(outputs)
                    outputs.append(leaf)
        self._kept = outputs
        return outputs

    def emit(self) -> Callable[[Any], Any]:
        """Emits the branch's equations; gives what stands for a leaf of its values."""
        outputs = self.traced.emit()

        def lookup(leaf: Any) -> Any:
            index = self._index.get(id(leaf)) if isinstance(leaf, Tracer) else None
            return leaf if index is None else outputs[index]

        return lookup


def enter(fun: Any, operands: Sequence[Any]) -> None:
    """To be called before a generated function runs: notes what it may write without going through an operator."""
    if journal.active() is None:
        return
    journal.record_variables(fun)
    for operand in operands:
        if isinstance(operand, MUTABLE):
            journal.record(operand)  # `xs += [x]` changes a list in place


def is_concrete(value: Any) -> bool:
    """Whether `value` is a number that is known while tracing."""
    return isinstance(value, (np.ndarray, np.generic)) or (isinstance(value, jax.Array) and not isinstance(value, Tracer))
