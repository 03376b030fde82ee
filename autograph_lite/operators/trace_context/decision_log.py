"""Decision log: what became of each statement of control flow, and why? Told to whoever listens; else nobody pays.

The operators ask `decisions.listeners` first, an int of this module, so that a statement costs one look at an attribute.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import threading
from collections.abc import Callable, Iterator
from typing import Any

from autograph_lite.errors import Location
from autograph_lite.jax_internals import recorded_equations
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values.values import article, describe, traced
from autograph_lite.tracing import entered, thread

listeners = 0  # on all threads
BRANCHES = frozenset({"if", "ternary", "and", "or", "match"})
LOOPS = frozenset({"for", "while"})
OTHERS = frozenset({"recursion"})
_lock = threading.Lock()


@dataclasses.dataclass
class Decision:
    """One execution of a statement, while it is traced.

    Attributes:
      statement: "if", "ternary", "and", "or", "match", "for", "while", or what an operator calls it.
      path, line, column, function: where it stands; the column is None where Python does not tell.
      became: "Python", "unrolled", or the name of what was emitted.
      why: the reason, as a clause.
      trips: how often the body of a loop runs, where that is known.
      equations: how many were emitted, those in branches and bodies included; None where nobody knows.
    """

    statement: str
    path: str
    line: int
    column: int | None
    function: str
    became: str
    why: str
    trips: int | None = None
    equations: int | None = None


@dataclasses.dataclass
class _Log:
    """What is told to a listener."""

    told: list[Decision] = dataclasses.field(default_factory=list)  # all decisions
    # those on statements that are being traced, with how many there were before what is inside
    open: list[tuple[int, Decision]] = dataclasses.field(default_factory=list)


def _log() -> _Log | None:
    """That of this thread, where somebody listens."""
    return thread.now.decisions if listeners else None


def _deciding(kinds: frozenset[str] | None = None) -> Decision | None:
    """The innermost statement that is being decided on, if it is one of `kinds`."""
    log = _log()
    made = log.open[-1][1] if log is not None and log.open else None
    return made if made is not None and (kinds is None or made.statement in kinds) else None


@contextlib.contextmanager
def collecting_decisions() -> Iterator[list[Decision]]:
    """Gives a list that all decisions are appended to, which are made on this thread inside."""
    global listeners
    log = _Log()
    with _lock:
        listeners += 1
    try:
        with entered(decisions=log):
            yield log.told
    finally:
        with _lock:
            listeners -= 1


def note_decision(statement: str, became: str, why: str, trips: int | None = None) -> None:
    """Tells of a statement in the user's line that is running."""
    if (log := _log()) is not None and (made := _decision(statement, became, why, trips)) is not None:
        log.told.append(made)


def note_list(place: Location | tuple[()] | None, became: str, why: str) -> None:
    """Tells of the line that appends to a list in a loop."""
    if (log := _log()) is not None and place:
        log.told.append(Decision("append", place.path, place.line, None, place.function, became, why))


class deciding:  # noqa: N801 (used as a function)
    """A context for a statement; what is decided inside, with `refine_decision`, is decided about it.

    Args:
      statement: see `Decision`; nothing is told where it is empty.
      became, why: what is known of it from the start.
    """

    __slots__ = ("_given", "_log", "_made", "_start")

    def __init__(self, statement: str, became: str = "Python", why: str = "") -> None:
        self._given = statement, became, why
        self._made: Decision | None = None

    def __enter__(self) -> None:
        log = _log()
        made = _decision(*self._given) if log is not None and self._given[0] else None
        if log is not None and made is not None:
            log.told.append(made)
            log.open.append((len(log.told), made))
            self._log, self._made, self._start = log, made, recorded_equations.equation_mark()

    def __exit__(self, *_: object) -> None:
        if self._made is not None:
            self._made.equations = recorded_equations.equations_since(self._start)
            self._log.open.pop()


def refine_decision(
    kinds: frozenset[str], became: str | None = None, why: str | None = None, trips: int | None = None
) -> None:
    """Says more of the innermost statement that is being decided on, if it is one of `kinds`."""
    made = _deciding(kinds)
    if made is None:
        return
    made.became, made.why = became or made.became, why or made.why
    made.trips = made.trips if trips is None else trips


def add_reasons(kinds: frozenset[str], clauses: list[str]) -> None:
    """Adds to the reason of the innermost statement that is being decided on, if it is one of `kinds`."""
    if (made := _deciding(kinds)) is not None:
        made.why = "; ".join([made.why, *clauses])


def at_once(trips: int) -> Callable[[], None] | None:
    """What tells, now or later, that the innermost statement, a loop, becomes operations on the arrays of its iterations."""
    made = _deciding(LOOPS)
    if made is None:
        return None

    def tell() -> None:
        made.became, made.why, made.trips = "vmap", "its iterations need nothing of each other", trips

    return tell


def is_decided(became: str) -> bool:
    """Whether it is known that this is what the innermost statement has become."""
    made = _deciding()
    return made is not None and made.became == became


def count_python_iteration() -> None:
    """Counts an iteration of the innermost statement, a loop that Python runs."""
    if (made := _deciding(LOOPS)) is not None:
        made.trips = (made.trips or 0) + 1


def uncounted() -> None:
    """Nobody knows how often the body of the innermost statement, a loop, is going to run."""
    if (made := _deciding(LOOPS)) is not None:
        made.trips = None


def keep_inside() -> None:
    """What was told inside of the innermost statement holds, and `forget_inside` leaves it."""
    if (log := _log()) is not None and log.open:
        log.open[-1] = len(log.told), log.open[-1][1]


def forget_inside() -> None:
    """Forgets what was told inside of the innermost statement: its body is traced again."""
    if (log := _log()) is not None and log.open:
        del log.told[log.open[-1][0] :]


def decision_count() -> int:
    """How much has been told, for `forget_since`."""
    return len(log.told) if (log := _log()) is not None else 0


def forget_since(told: int) -> None:
    """Forgets what was told since then: it was tried, and undone."""
    if (log := _log()) is not None:
        del log.told[told:]


def restart() -> None:
    """Forgets all: the whole function is traced again."""
    if (log := _log()) is not None and not log.open:
        log.told.clear()


def _decision(statement: str, became: str, why: str, trips: int | None = None) -> Decision | None:
    frame = source_places.user_frame()
    if frame is None:
        return None
    code = frame.f_code
    spans = itertools.islice(code.co_positions(), frame.f_lasti // 2, None)
    _, _, column, _ = next(spans, (None,) * 4)
    name = source_places.function_name(code)
    return Decision(statement, code.co_filename, frame.f_lineno, column, name, became, why, trips)


def python_condition(value: Any) -> str:
    """Why Python decides on a condition."""
    if value is None:
        return "the condition is None"
    name = type(value).__name__
    return f"the condition is {article(name)} {name}"


def python_iterable(value: Any) -> str:
    """Why Python runs a loop over `value`."""
    if isinstance(value, range):
        return "the bounds of the range are ints"
    name = type(value).__name__
    return f"it runs over {article(name)} {name}"


def staged_iterable(items: Any, length: Any) -> str:
    """Why a loop over `items` is staged."""
    array = getattr(items, "array", None)
    if array is not None:
        return f"it runs over an array: {describe(array)}"
    if traced(length):
        return f"the number of iterations is traced: {describe(length)}"
    kind = type(items).__name__
    if kind == "range":
        return "it runs over a range that is to be staged"
    built = {"Enumerated": "enumerate", "Zipped": "zip", "Reversed": "reversed", "Mapped": "map"}.get(kind)
    over = f"{article(built)} {built} of traced values" if built else "traced values"
    return f"it runs over {over}, and their number is known"
