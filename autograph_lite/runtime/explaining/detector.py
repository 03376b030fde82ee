"""Retrace detection: does a function retrace so often that the user should know? TensorFlow's rule, call for call.

T T T T T                 5 traces in a row: warned at the fifth
T n n n T n n n T ...     three calls out of four find their trace: never
"""

from __future__ import annotations

import dataclasses
import threading
import types
import weakref
from collections.abc import Callable
from typing import Any, Protocol

from autograph_lite.runtime.explaining.trace_differences import TraceRecord

TRACES = 5  # within the window; the oldest was no retrace
WINDOW = 10  # calls that count beside those that belong to the oldest trace
WARNINGS = 2  # of one detector


class Caller(Protocol):
    """What shows a detector its calls: a `Function`. Its hits are dispatched by C++ unless it is told to count them."""

    def count_calls(self, wanted: bool) -> None:
        """Lets Python see the next calls that find their trace, or no longer.

        Sets a flag or swaps what is called, and waits for nothing: the detector's lock is held.
        """


@dataclasses.dataclass(frozen=True)
class Frequent:
    """A function has retraced too often."""

    retraces: int  # how many of the last `calls` calls made a new trace
    calls: int  # the calls that followed those of the oldest trace
    records: tuple[TraceRecord, ...]  # the traces, the oldest first
    functions: int  # how many functions, made from one `def`, have made them


@dataclasses.dataclass
class _Segment:
    """A call that traced, and those after it that found their trace."""

    record: TraceRecord
    caller: weakref.ref[Caller]
    calls: int = 1


class RetraceDetector:
    """Counts traces and hits of all functions made from one `def` or `lambda`.

    Calls form segments: one that traces, and the hits that follow. When a call traces, the oldest segments are dropped
    while more than `WINDOW` calls lie outside of the oldest; `TRACES` segments that remain are too many.

    Hits decide nothing most of the time, and so need not be seen:

    - The oldest segment's length is in no sum. While there is one segment, no hit counts: a function with one signature
      is never slowed down.
    - Once a segment has `WINDOW` calls, the next trace drops all before it; it is then the oldest, and its length is in
      no sum. After nine hits in a row, no hit counts until the next trace.
    - After the last warning nothing counts.

    `wants_hits` says when they do count. Between, `called` may be called or not: the warnings are the same. A message
    says what is known in both cases: how many of the calls after the oldest segment retraced.

    Only calls from outside of any trace are reported here, and not `get_concrete_function`.
    """

    def __init__(self) -> None:
        self._segments: list[_Segment] = []
        self._warnings = 0
        self._callers: weakref.WeakSet[Caller] = weakref.WeakSet()
        self._lock = threading.Lock()

    def wants_hits(self) -> bool:
        """Whether the next hit may decide about a warning."""
        return self._warnings < WARNINGS and len(self._segments) > 1 and self._segments[-1].calls < WINDOW

    def traced(self, caller: Caller, record: TraceRecord) -> Frequent | None:
        """Counts a call that made a trace.

        Args:
          caller: the function that was called. It is told from now on when its hits count, as are the others that were
            made from the same `def`: their hits are between this function's traces. It is held weakly.
          record: the trace.

        Returns:
          What the user is to be warned of, if anything.
        """
        with self._lock:
            self._callers.add(caller)
            self._segments.append(_Segment(record, weakref.ref(caller)))
            while self._calls_outside_oldest() > WINDOW:
                del self._segments[0]
            found = self._found()
            self._tell()
        return found

    def called(self) -> None:
        """Counts a call that found its trace."""
        with self._lock:
            wanted = self.wants_hits()
            if self._segments:  # else its trace was made by get_concrete_function
                self._segments[-1].calls += 1
            if wanted and not self.wants_hits():
                self._tell()

    def _calls_outside_oldest(self) -> int:
        return sum(segment.calls for segment in self._segments[1:])

    def _found(self) -> Frequent | None:
        if len(self._segments) < TRACES or self._warnings == WARNINGS:
            return None
        self._warnings += 1
        # Of kept references, so that none is used again.
        callers = {id(segment.caller) for segment in self._segments}
        return Frequent(
            len(self._segments) - 1,
            self._calls_outside_oldest(),
            tuple(segment.record for segment in self._segments),
            len(callers),
        )

    def _tell(self) -> None:
        wanted = self.wants_hits()
        for caller in list(self._callers):
            caller.count_calls(wanted)


_detectors: dict[int, tuple[weakref.ref[types.CodeType], RetraceDetector]] = {}
_lock = threading.RLock()  # a code object may die, and its entry go, while the lock is held


def detector_of(fn: Callable[..., Any]) -> RetraceDetector:
    """The detector of all functions that were made from the code of `fn`; one of its own where it has none.

    A `lambda` in a loop is another function each time, and the same code. Equal code elsewhere is other code.
    """
    code = getattr(fn, "__code__", None)
    if not isinstance(code, types.CodeType):
        return RetraceDetector()
    place = id(code)
    with _lock:
        known = _detectors.get(place)
        if known is None or known[0]() is not code:
            known = _detectors[place] = (
                weakref.ref(code, lambda dead: _forget(place, dead)),
                RetraceDetector(),
            )
        return known[1]


def _forget(place: int, dead: weakref.ref[types.CodeType]) -> None:
    with _lock:
        known = _detectors.get(place)
        if known is not None and known[0] is dead:
            del _detectors[place]
