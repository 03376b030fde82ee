"""Path conditions in a loop that is traced on trial: which of them do its numbers decide, and in which iterations do they change?

    for i in range(1000):
        if i < 0: raise ValueError         False in all iterations: as in Python, the branch is not even traced
        if i == 0: y = slow_start(x)       True in the first alone: the loop is split behind it, into two of its own
        if i % 9 == 0: x = refined(x)      changes too often: the program decides, and derivatives compute `refined` again

Each part is a loop like any other: what a condition is in all of its iterations, Python knows.

What the items are is known before the body is traced; what the loop makes of its own numbers, as of `n` where `n += 1`, after
that alone. Where a condition follows from them, and something depends on whether it is known, the loop is traced once more,
and takes the condition to be what it is in the first iteration. How long that holds is then seen, and there the loop is split.
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
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values import values
from autograph_lite.tracing import entered, thread

CHANGES = 4  # of a condition at most, where a loop is split
PARTS = 8  # that a loop is split into at most
SELDOM = 4  # of as many iterations one at most takes a branch that is recomputed
LANES = 1_000_000  # iterations that are looked at, at most
Place = tuple[Any, int]  # of a condition: code, and an instruction


class Parts:
    """The parts of a loop.

    Attributes:
      left: how many parts more there may be.
      lengths: how many iterations each of them has.
      rolled: whether one of them is.
      refused: why one is not, if it is not for its length.
      guesses: whether conditions are taken to be what they are in the first iteration of a part.
      only: which of them; None for all but those that change `often`.
      again: after how many iterations the rest of a `while` is to be tried; None where it is not.
    """

    def __init__(self) -> None:
        self.left = PARTS - 1
        self.lengths: list[int] = []
        self.rolled, self.refused = False, ""
        self.guesses = False
        self.only: set[Place] | None = None
        self.often: set[Place] = set()
        self.again: int | None = None
        self._tried: Foreseen | None = None

    def told(self) -> tuple[str | None, str | None]:
        """What the loop has become, and why; None where it is one part, and that is known."""
        if not any(self.lengths):
            return None, None  # Python has left it in the iteration that runs apart
        *most, last = map(str, filter(None, self.lengths))
        parts = f"in parts of {', '.join(most)} and {last} iterations"
        parts = (
            f"{parts}: {self.refused}"
            if self.refused and self.rolled
            else f"Python's numbers decide, {parts}"
        )
        if not self.rolled:
            return "unrolled", f"it can't be rolled: {self.refused}" if self.refused else parts
        return ("scan", parts) if most else (None, None)

    def foresee(self, count: int | None) -> Foreseen:
        """What is known of a part of so many iterations, whose body is to be traced."""
        self._tried = Foreseen(count, self)
        return self._tried

    def after_failure(self) -> None:
        """Where a part can't be rolled: raises Split if it may be with more known of its conditions, or without its first."""
        if self._tried is not None:
            self._tried.after_failure()


class Split(BaseException):
    """The loop on trial is to be run in parts; no `except` of the user's takes it for an exception of the program's.

    Attributes:
      parts: of the loop.
      at: those, in order, that begin a part; not the first. None of them where it is only to be traced once more.
    """

    def __init__(self, loop: Foreseen, at: Sequence[int] = ()) -> None:
        self.parts, self.at = loop.parts, at


class Foreseen:
    """A loop, one of its `parts` perhaps, whose body is traced with arrays as numbers; `count` is None while unknown."""

    def __init__(self, count: Any, parts: Parts) -> None:
        self.count, self.parts = count, parts
        self._evaluation: Evaluation | None = None  # in all iterations
        self._first: Evaluation | None = None  # in the first
        self._asked: list[Any] = []  # conditions
        # Conditions, and what they are in the first iteration: those that are taken to be that, and those that branches cost
        # something for that are not.
        self._taken: list[tuple[Any, Place, bool]] = []
        self._costly: list[tuple[Any, Place, bool]] = []

    @contextmanager
    def tracing(
        self, known: Sequence[tuple[Any, Known]], numbers: Sequence[tuple[Any, Known]] = ()
    ) -> Iterator[None]:
        """Around the trace of the body, which gets these arrays.

        Args:
          known: arrays with what they are in the iterations.
          numbers: arrays with what they are in the first, where the count is not known yet, or what they are later.
        """
        before = self._evaluation
        count = LANES + 1 if self.count is None else self.count
        self._evaluation = self._evaluate(known, count, alone=False) if count <= LANES else None
        ones = [(array, Known(k.python[:1], k.program[:1], k.lost[:1])) for array, k in [*known, *numbers]]
        self._first = self._evaluate(ones, 1)
        self._asked, self._taken, self._costly = [], [], []
        try:
            with entered(foreseen=(*thread.now.foreseen, self)):
                yield
        finally:
            self._evaluation = before

    @staticmethod
    def _evaluate(known: Sequence[tuple[Any, Known]], count: int, *, alone: bool = True) -> Evaluation:
        walk = rule_table.lane_run(count, lambda _, why: UnlikePythonError(why), alone=alone)

        def compute(equation: Any, operands: Sequence[Known | None]) -> Sequence[Known | None]:
            nothing = [None] * len(equation.outvars)
            if equation.primitive.name in ("scan", "while"):
                return nothing
            if alone:  # what Python decides no array of the program computes, which might round its floats
                operands = [k and k.as_python() for k in operands]
            try:
                return walk.equation(equation, [*operands])
            except UnlikePythonError:
                return nothing

        return Evaluation(known, compute, known_constant)

    def of(self, value: Any) -> Any:
        """What a number is in all iterations, or in each; None where that is not known."""
        return None if self._evaluation is None else _numbers(self._evaluation, value)

    def take(self, test: Any) -> bool | None:
        """What a condition is in the first iteration, if it is taken to be that in all of them."""
        self._asked.append(test)
        place = _place()
        if (
            not self.parts.guesses
            or place in self.parts.often
            or not (self.parts.only is None or place in self.parts.only)
        ):
            return None
        found = self._at_first(test)
        if found is not None:
            self._taken.append((test, place, found))
        return found

    def _at_first(self, test: Any) -> bool | None:
        found = None if self._first is None else _numbers(self._first, test)
        return None if found is None else bool(found[0])

    def note(self, select: Any, needed: bool) -> None:
        """To be called where what selects a branch is not known, and costs something, or can't be done."""
        found = None if self.parts.guesses else self._at_first(select)
        if found is None:
            return
        if needed:
            raise self._guess()
        self._costly.append((select, _place(), found))

    def _guess(self, only: set[Place] | None = None) -> Split:
        self.parts.guesses, self.parts.only = True, only
        return Split(self)

    def holds(self, numbers: Sequence[tuple[Any, Known]], count: int) -> bool:
        """Whether conditions are what they are taken to be, in so many iterations with these numbers."""
        evaluation = self._evaluate(numbers, count)
        found = [(_numbers(evaluation, test), taken) for test, _, taken in self._taken]
        return all(each is not None and bool((each == taken).all()) for each, taken in found)

    def has_tests(self) -> bool:
        """Whether there is something to check."""
        return bool(self._taken or self._costly)

    def check(self, numbers: Sequence[tuple[Any, Known]]) -> list[int]:
        """The iterations, in order, in which conditions change that are taken not to; beyond the first it is an estimate.

        Args:
          numbers: arrays that the body got, with what they are in the iterations.

        Raises:
          Split: the loop is to be traced once more, or in parts.
        """
        guesses = self.parts.guesses
        tests = self._taken if guesses else self._costly
        if not tests:
            return []
        evaluation = self._evaluate(numbers, self.count) if self.count <= LANES else None
        at, places, often = set[int](), set[Place](), set[Place]()
        for test, place, taken in tests:
            found = None if evaluation is None else _numbers(evaluation, test)
            if found is None or bool(found[0]) != taken or len(turns := _turns(found)) > CHANGES:
                often.add(place)
            else:
                at.update(turns)
                places.add(place)
        if guesses and (often or (at and not self.parts.left)):
            self.parts.often |= often or places
            raise Split(self)
        if guesses:
            return sorted(at)[: self.parts.left]
        if places and (split := self.split(sorted(at), needed=not at)) is not None:
            self._guess(places)
            raise split
        return []

    def after_failure(self) -> None:
        """As `Parts.after_failure`."""
        if self.parts.guesses:
            if self._taken and self.parts.left == PARTS - 1:
                raise Split(self, [1])
        elif any(self._at_first(test) is not None for test in self._asked):
            raise self._guess()

    def split(self, at: Sequence[int], *, needed: bool) -> Split | None:
        """The exception that splits the loop there; None where that makes too many parts, unless it is `needed`."""
        parts = len(at) + 1
        if len(at) > self.parts.left or (not needed and parts * 2 > self.count):
            return None
        return Split(self, at)


def test_in_all_iterations(test: Any) -> bool | None:
    """Whether a condition holds in all iterations, or in none; None where that is not so, or not known."""
    for loop in reversed(thread.now.foreseen):
        found = loop.of(test)
        if found is not None:
            return bool(found[0]) if (found.astype(bool) == bool(found[0])).all() else None
        taken: bool | None = loop.take(test)
        if taken is not None:
            return taken
    return None


values.foreseen.append(test_in_all_iterations)


def split_of(select: Any) -> Callable[[bool], None]:
    """A function that splits the loop where what selects a branch changes, if that is known and seldom.

    Its argument says whether it is needed: `Foreseen.split`.
    """
    unknown = []
    for loop in reversed(thread.now.foreseen):
        found = loop.of(select)
        if found is None:
            unknown.append(loop)
        elif 0 < len(at := _turns(found)) <= CHANGES:
            return lambda needed: _raise(loop.split(at, needed=needed))

    def note(needed: bool) -> None:
        for loop in unknown:
            loop.note(select, needed)

    return note


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


def _turns(found: Any) -> list[int]:
    """The iterations in which a number is another one than in those before."""
    turns: list[int] = (np.flatnonzero(found[1:] != found[:-1]) + 1).tolist()
    return turns


def _numbers(evaluation: Evaluation, value: Any) -> Any:
    found: Known | None = evaluation.of(value)
    if found is None or found.python.ndim != 1 or found.lost.any() or found.python.dtype.kind not in "iub":
        return None
    return found.python


def _place() -> Place:
    """The user's condition that is being asked for."""
    frame = source_places.user_frame()
    return (None, 0) if frame is None else (frame.f_code, frame.f_lasti)


def _raise(error: BaseException | None) -> None:
    if error is not None:
        raise error
