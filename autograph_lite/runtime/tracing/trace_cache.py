"""Trace cache: is there a trace that serves this call?

First the one that was made for exactly this type, else the most specific one that accepts it. Traces whose objects are
gone are dropped, and of more than `max_traces` the one that was used least recently.
"""

from __future__ import annotations

import collections
from collections.abc import Hashable, Iterator
from typing import Generic, TypeVar

from autograph_lite.runtime.types.function_type import FunctionType

T = TypeVar("T")
Key = tuple[Hashable, FunctionType]

REMEMBERED = 1024  # answers of the search for a general trace


class TraceCache(Generic[T]):
    """The traces of a function, `max_traces` at most unless None; the caller holds a lock."""

    def __init__(self, max_traces: int | None = None) -> None:
        if max_traces is not None and max_traces < 1:
            raise ValueError(f"max_traces is at least 1, or None for any number: found {max_traces!r}.")
        self._max_traces = max_traces
        self._traces: dict[Key, T] = {}  # in the order of their making
        self._used: collections.OrderedDict[Key, None] = collections.OrderedDict()
        self._answers: collections.OrderedDict[Key, Key] = collections.OrderedDict()
        self._dead: collections.deque[Key] = collections.deque()

    def lookup(self, type: FunctionType, context: Hashable = None, *, exact: bool = False) -> T | None:
        """The trace that serves calls of a type; None if there is none.

        Args:
          type: of the call.
          context: what else a trace depends on: JAX's configuration, whether it is tracing.
          exact: take only a trace that was made for this type, and no more general one.
        """
        self.evict()
        key = context, type
        found = key if key in self._traces else None if exact else self._answer(key)
        if found is None:
            return None
        self._used.move_to_end(found)
        return self._traces[found]

    def add(self, type: FunctionType, trace: T, context: Hashable = None) -> None:
        """Keeps a trace that was made for a type."""
        self.evict()
        key = context, type
        self._drop(key)  # an equal type is tied to objects of its own
        self._traces[key] = trace
        self._used[key] = None
        self._answers.clear()  # the new trace may be the more specific one
        # Python may collect an object at any point, in any thread: the callback does no more than take note.
        dead = self._dead
        for part in type.objects():
            part.on_death(lambda: dead.append(key))
        while self._max_traces is not None and len(self._traces) > self._max_traces:
            self._drop(next(iter(self._used)))

    def generalize(self, type: FunctionType, context: Hashable = None) -> FunctionType:
        """The type that serves calls of `type` and as many of those that there are traces for as can be.

        Folded over the traces in the order of their making; what has no type in common with it is passed over.
        """
        self.evict()
        for where, other in self._traces:
            if where == context:
                type = type.generalize([other]) or type
        return type

    def evict(self) -> int:
        """Drops the traces whose objects are gone; how many those were."""
        before = len(self._traces)
        while self._dead:
            self._drop(self._dead.popleft())
        return before - len(self._traces)

    def clear(self) -> None:
        """Drops all traces."""
        for key in list(self._traces):
            self._drop(key)

    def items(self) -> list[tuple[FunctionType, T]]:
        """The traces and what they were made for, in the order of their making."""
        self.evict()
        return [(type, trace) for (_, type), trace in self._traces.items()]

    def __iter__(self) -> Iterator[T]:
        return iter([trace for _, trace in self.items()])

    def __len__(self) -> int:
        self.evict()
        return len(self._traces)

    def _answer(self, key: Key) -> Key | None:
        """The most specific trace that accepts a type; of two that nothing orders, the older one."""
        if key not in self._answers:
            best: Key | None = None
            for known in self._traces:
                accepts = known[0] == key[0] and key[1].is_subtype_of(known[1])
                if accepts and (best is None or known[1].is_subtype_of(best[1])):
                    best = known
            if best is None:
                return None
            self._answers[key] = best
            if len(self._answers) > REMEMBERED:
                self._answers.popitem(last=False)
        self._answers.move_to_end(key)
        return self._answers[key]

    def _drop(self, key: Key) -> None:
        if key in self._traces:
            del self._traces[key], self._used[key]
            self._answers.clear()
