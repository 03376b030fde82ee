"""How is a ratio of two run times measured so that a busy machine does not change it?

All candidates run in one process, one after the other in each round, and a ratio is taken inside a round; the
median over the rounds is what counts. A load that comes and goes hits both sides of a ratio.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

Row: TypeAlias = dict[str, Any]  # One line of a table: column -> value.
Task: TypeAlias = Callable[[], object]
Clock: TypeAlias = Callable[[], float]

_LONG = 0.05  # seconds, next to which a cold cache is nothing


def interleaved(
    tasks: Mapping[str, Task], *, rounds: int = 15, budget: float = 0.004, clock: Clock = time.process_time
) -> dict[str, list[float]]:
    """Seconds per call of each task, one figure for each round.

    Args:
      tasks: what to time, by name.
      rounds: how often each is measured.
      budget: seconds that one measurement lasts at least, by calling the task several times.
      clock: that of this process, which does not count what others do; real time where threads work for us.
    """
    counts = {name: _repeats(task, budget, clock) for name, task in tasks.items()}
    times: dict[str, list[float]] = {name: [] for name in tasks}
    was_enabled = gc.isenabled()
    try:
        for _ in range(rounds):
            for name, task in tasks.items():
                gc.collect()
                gc.disable()
                if not times[name] or times[name][-1] < _LONG:
                    task()  # the collection has emptied the processor's caches, which the next call pays for
                times[name].append(_timed(task, counts[name], clock))
                if was_enabled:
                    gc.enable()
    finally:
        if was_enabled:
            gc.enable()
    return times


def _repeats(task: Task, budget: float, clock: Clock) -> int:
    task()
    count, taken = 1, _timed(task, 1, clock)
    while taken * count < budget:
        count *= 2
        taken = _timed(task, count, clock)
    return count


def _timed(task: Task, count: int, clock: Clock) -> float:
    start = clock()
    for _ in range(count):
        task()
    return (clock() - start) / count


def ratio(times: Mapping[str, Sequence[float]], of: str, to: str) -> float:
    """The median, over the rounds, of one task's time over another's."""
    return statistics.median(a / b for a, b in zip(times[of], times[to], strict=True))


def best(task: Task, rounds: int = 3) -> float:
    """Seconds of the fastest of a few calls, each on its own."""
    return min(_timed(task, 1, time.process_time) for _ in range(rounds))


def milliseconds(times: Sequence[float]) -> float:
    """The median in ms."""
    return 1000 * statistics.median(times)
