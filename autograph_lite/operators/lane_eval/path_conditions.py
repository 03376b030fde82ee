"""Path conditions in a loop that is traced on trial: which of them do its numbers decide, and in which iterations do they change?

    for i in range(1000):
        if i < 0: raise ValueError         False in all iterations: as in Python, the branch is not even traced
        if i == 0: y = slow_start(x)       True in the first alone: the loop is split behind it, into two of its own
        if i % 9 == 0: x = refined(x)      changes too often: the program decides, and derivatives compute `refined` again

Each part is a loop like any other: what a condition is in all of its iterations, Python knows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from autograph_lite.jax_internals.values_in_lanes import Evaluation
from autograph_lite.operators.lane_eval import rule_table
from autograph_lite.operators.lane_eval.interpreter import known_constant
from autograph_lite.operators.lane_eval.primitive_rules import Known, UnlikePythonError
from autograph_lite.operators.values import values
from autograph_lite.tracing import entered, thread

CHANGES = 4  # of a condition at most, where a loop is split
PARTS = 8  # that a loop is split into at most
SELDOM = 4  # of as many iterations one at most takes a branch that is recomputed
LANES = 1_000_000  # iterations that are looked at, at most


class Parts:
    """The parts of a loop.

    Attributes:
      left: how many parts more there may be.
      lengths: how many iterations each of them has.
      rolled: whether one of them is.
      refused: why one is not, if it is not for its length.
    """

    def __init__(self) -> None:
        self.left = PARTS - 1
        self.lengths: list[int] = []
        self.rolled, self.refused = False, ""

    def told(self) -> tuple[str | None, str | None]:
        """What the loop has become, and why; None where it is one part, and that is known."""
        *most, last = map(str, filter(None, self.lengths))
        parts = f"Python's numbers decide, in parts of {', '.join(most)} and {last} iterations"
        if not self.rolled:
            return "unrolled", f"it can't be rolled: {self.refused}" if self.refused else parts
        return ("scan", parts) if most else (None, None)


class Split(BaseException):
    """The loop on trial is to be run in parts; no `except` of the user's takes it for an exception of the program's.

    Attributes:
      loop: whose parts these are.
      at: the iterations, in order, that begin a part; not the first.
    """

    def __init__(self, loop: Foreseen, at: Sequence[int]) -> None:
        self.loop, self.at = loop, at


class Foreseen:
    """A loop whose body is being traced, with arrays in place of its numbers."""

    def __init__(self, count: int, parts: Parts) -> None:
        self.count, self._parts = count, parts
        self._evaluation: Evaluation | None = None

    @contextmanager
    def tracing(self, known: Sequence[tuple[Any, Known]]) -> Iterator[None]:
        """Around the trace of the body, which gets these arrays."""
        walk = rule_table.lane_run(self.count, lambda _, why: UnlikePythonError(why))

        def compute(equation: Any, operands: Sequence[Known | None]) -> Sequence[Known | None]:
            nothing = [None] * len(equation.outvars)
            if equation.primitive.name in ("scan", "while"):
                return nothing
            try:
                return walk.equation(equation, [*operands])
            except UnlikePythonError:
                return nothing

        before = self._evaluation
        self._evaluation = Evaluation(known, compute, known_constant) if self.count <= LANES else None
        try:
            with entered(foreseen=(*thread.now.foreseen, self)):
                yield
        finally:
            self._evaluation = before

    def of(self, value: Any) -> Any:
        """What a number is in all iterations, or in each; None where that is not known."""
        found: Known | None = None if self._evaluation is None else self._evaluation.of(value)
        if (
            found is None
            or found.python.ndim != 1
            or found.lost.any()
            or found.python.dtype.kind not in "iub"
        ):
            return None
        return found.python

    def split(self, at: Sequence[int], *, needed: bool) -> Split | None:
        """The exception that splits the loop there; None where that would make too many parts.

        Args:
          at: as for `Split`.
          needed: whether it is not only for the time that the iterations take.
        """
        parts = len(at) + 1
        if len(at) > self._parts.left or (not needed and parts * 2 > self.count):
            return None
        self._parts.left -= len(at)
        return Split(self, at)


def test_in_all_iterations(test: Any) -> bool | None:
    """Whether a condition holds in all iterations, or in none; None where that is not so, or not known."""
    for loop in reversed(thread.now.foreseen):
        found = loop.of(test)
        if found is not None:
            return bool(found[0]) if (found.astype(bool) == bool(found[0])).all() else None
    return None


values.foreseen.append(test_in_all_iterations)


def split_of(select: Any) -> Callable[[bool], None]:
    """A function that splits the loop where what selects a branch changes, if that is known and seldom.

    Its argument says whether it is needed: `Foreseen.split`.
    """
    for loop in reversed(thread.now.foreseen):
        found = loop.of(select)
        if found is not None and len(found) > 1:
            at = np.flatnonzero(found[1:] != found[:-1]) + 1
            if 0 < len(at) <= CHANGES:
                return lambda needed: _raise(loop.split(at.tolist(), needed=needed))
    return lambda needed: None


def seldom(select: Any, count: int) -> list[int]:
    """Which of `count` branches that a loop's numbers select are taken in few of its iterations.

    Each iteration keeps room for what the derivative of each branch needs: where `i % 10 == 0`, up to five times the memory
    and four times the time. To compute it again in a tenth of the iterations costs less.
    """
    for loop in reversed(thread.now.foreseen):
        found = loop.of(select)
        if found is not None and len(found) > 1:
            numbers = np.logical_not(found) if found.dtype == bool else np.clip(found, 0, count - 1)
            return [n for n in range(count) if (numbers == n).sum() * SELDOM <= len(numbers)]
    return []


def _raise(error: BaseException | None) -> None:
    if error is not None:
        raise error
