"""Who runs the programs? Some processes, each a share of the numbers. One that dies is what a program did, and is replaced.

for result in results(work, range(1000), 2): ...     # in the order in which the processes end with them
"""

from __future__ import annotations

import dataclasses
import itertools
import multiprocessing
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeVar

T = TypeVar("T")
SHARE = 500  # programs of one process: what JAX has compiled stays in its memory


@dataclasses.dataclass(frozen=True)
class Died:
    """What stands for the result of a program that ended the process.

    Attributes:
      number: of the program.
      code: what the process has exited with; a negative one is a signal.
    """

    number: int
    code: int | None


@dataclasses.dataclass
class _Worker(Generic[T]):
    process: Any
    left: range  # the numbers whose results have not come


def results(work: Callable[[int], T], numbers: range, processes: int) -> Iterator[T | Died]:
    """The results of `work` for the numbers; closing the iterator ends the processes.

    Args:
      work: a function that can be pickled.
      numbers: its arguments.
      processes: how many run at a time.
    """
    context = multiprocessing.get_context("spawn")
    share = max(1, min(SHARE, len(numbers) // processes))
    shares = (numbers[i : i + share] for i in itertools.count(0, share))
    running: dict[Connection, _Worker[T]] = {}

    def start(left: range) -> None:
        if left:
            ours, theirs = context.Pipe(duplex=False)
            process = context.Process(target=_run, args=(work, left, theirs), daemon=True)
            process.start()
            theirs.close()  # so that the end of the process is the end of the pipe
            running[ours] = _Worker(process, left)

    try:
        for _ in range(processes):
            start(next(shares))
        while running:
            for ours in wait(list(running)):
                assert isinstance(ours, Connection)
                worker = running[ours]
                try:
                    result = ours.recv()
                except EOFError:
                    worker.process.join()
                    del running[ours]
                    if worker.left:
                        yield Died(worker.left[0], worker.process.exitcode)
                    start(worker.left[1:] or next(shares))
                else:
                    worker.left = worker.left[1:]
                    yield result
    finally:
        for worker in running.values():
            worker.process.terminate()


def _run(work: Callable[[int], T], numbers: range, answers: Any) -> None:
    """What a process does."""
    for number in numbers:
        answers.send(work(number))
