"""Does memory stay bounded over very many calls, of very many signatures, with objects that die?

python -m benchmarks.soak [calls] [signatures]      100,000 calls over 1,000 signatures if not said otherwise
"""

from __future__ import annotations

import gc
import os
import random
import resource
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jax.numpy as jnp

import autograph_lite
from benchmarks import table
from benchmarks.timing import Row

PAGE = os.sysconf("SC_PAGE_SIZE")
IN_ROW = 50  # calls of one signature where most of the others make a trace, which takes 20 ms
FIFTHS = 5  # of the calls, after each of which memory is looked at
Run = Callable[[int], object]


def resident() -> float:
    """MiB of memory that the process has."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE / 2**20


def peak() -> float:
    """MiB of memory that the process has had at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10


class Thing:
    """An object that lives for a call."""

    def __init__(self, gain: float) -> None:
        self.gain = gain


class Layer:
    """An object with a compiled method."""

    def __init__(self, gain: float) -> None:
        self.gain = gain

    def step(self, x: Any) -> Any:
        return x * self.gain if x.sum() > 0 else x


def scaled(x: Any, n: int) -> Any:
    """The function of the signatures: n is a literal."""
    if x.sum() > 0:
        x = x * n
    return x


def of_thing(x: Any, thing: Thing) -> Any:
    """The function of the objects."""
    return x * thing.gain


def literals(signatures: int, in_row: int = 1, **options: Any) -> Iterator[Run]:
    """Calls of so many signatures at random, so many of one in a row."""
    f, x = autograph_lite.convert(scaled, **options), jnp.ones(2)
    chosen = random.Random(0)
    now = 0

    def run(number: int) -> None:
        nonlocal now
        if number % in_row == 0:
            now = chosen.randrange(signatures)
        f(x, now)

    yield run


def dying_objects() -> Iterator[Run]:
    """Calls with objects of which each is gone after four calls, and so is its trace."""
    f, x = autograph_lite.convert(of_thing), jnp.ones(2)
    held: list[Thing] = []

    def run(number: int) -> None:
        if number % 4 == 0:
            held[:] = [Thing(float(number % 7))]
        f(x, held[0])

    yield run


def dying_instances() -> Iterator[Run]:
    """Calls of methods of instances of which each is gone after four calls."""
    step: Any = autograph_lite.convert(Layer.step)
    kind, x = type("Layer", (Layer,), {"step": step}), jnp.ones(2)
    held: list[Any] = []

    def run(number: int) -> None:
        if number % 4 == 0:
            held[:] = [kind(float(number % 7))]
        held[0].step(x)

    yield run


def after_fifths(run: Run, calls: int) -> list[float]:
    """MiB that the process has after each fifth of the calls."""
    found: list[float] = []
    for fifth in range(FIFTHS):
        for number in range(calls * fifth // FIFTHS, calls * (fifth + 1) // FIFTHS):
            run(number)
        gc.collect()
        found.append(resident())
    return found


def growth(run: Run, calls: int) -> float:
    """MiB that the calls add after the first fifth of them: the most that any later fifth ends with."""
    first, *later = after_fifths(run, calls)
    return max(later) - first


def cases(calls: int, signatures: int) -> dict[str, tuple[Iterator[Run], int]]:
    """What is run, and how often: what traces at each fourth call runs less."""
    return {
        f"{signatures} literals": (literals(signatures), calls),
        f"{signatures} literals, max_traces=100": (literals(signatures, IN_ROW, max_traces=100), calls),
        "objects that die": (dying_objects(), calls // 20),
        "instances that die": (dying_instances(), calls // 20),
    }


def measure(calls: int = 100_000, signatures: int = 1000) -> list[Row]:
    """MiB of each case, and the most that the process has had until its end."""
    rows: list[Row] = []
    for name, (runs, count) in cases(calls, signatures).items():
        start = time.perf_counter()
        fifths = after_fifths(next(iter(runs)), count)
        row: Row = {"case": name, "calls": count}
        row |= {f"MiB after {n + 1}/{FIFTHS}": found for n, found in enumerate(fifths)}
        rows.append({**row, "peak": peak(), "s": time.perf_counter() - start})
    return rows


def main(arguments: list[str]) -> None:
    """Prints the table."""
    import warnings

    warnings.simplefilter("ignore", autograph_lite.RetraceWarning)
    table.show("Memory over many calls", measure(*map(int, arguments)))


if __name__ == "__main__":
    main(sys.argv[1:])
