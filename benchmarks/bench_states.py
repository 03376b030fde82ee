"""What do None beside an array, texts and members of enums cost in loops, over a flag or an int that is kept by hand?"""

from __future__ import annotations

import enum
import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import autograph_lite
from benchmarks import structure, table, timing
from benchmarks.timing import Row

N = 10_000
XS = np.sin(np.arange(N, dtype=np.float32)) * 10
Program = Callable[[Any], Any]


class State(enum.Enum):
    IDLE = 0
    BUSY = 1
    DONE = 2


def smallest(xs: Any) -> Any:
    """None until the first of them is found."""
    best = None
    for x in xs:
        if x > 2 and (best is None or x < best):
            best = x
    return -1.0 if best is None else best


def smallest_by_hand(xs: Any) -> Any:
    """`smallest` with a flag."""
    found, best = False, 0.0
    for x in xs:
        if x > 2 and (not found or x < best):
            found, best = True, x
    return best if found else -1.0


def texts(xs: Any) -> Any:
    """A machine whose state is a text."""
    state, total = "idle", 0.0
    for x in xs:
        if state == "idle":
            if x > 5:
                state = "busy"
        elif state == "busy":
            total = total + x
            if x < -5:
                state = "done"
        elif x > 9:
            state = "idle"
    return total if state != "done" else -total


def texts_by_hand(xs: Any) -> Any:
    """`texts` with an int."""
    state, total = 0, 0.0
    for x in xs:
        if state == 0:
            if x > 5:
                state = 1
        elif state == 1:
            total = total + x
            if x < -5:
                state = 2
        elif x > 9:
            state = 0
    return total if state != 2 else -total


def members(xs: Any) -> Any:
    """`texts`, whose state is a member of an enum."""
    state, total = State.IDLE, 0.0
    for x in xs:
        if state is State.IDLE:
            if x > 5:
                state = State.BUSY
        elif state is State.BUSY:
            total = total + x
            if x < -5:
                state = State.DONE
        elif x > 9:
            state = State.IDLE
    return total if state is not State.DONE else -total


def previous(xs: Any) -> Any:
    """The item before, which the first one has not."""
    last, total, i = None, 0.0, 0
    while i < xs.shape[0]:
        if last is not None:
            total = total + abs(xs[i] - last)
        if xs[i] > -9:
            last = xs[i]
        i = i + 1
    return total


def previous_by_hand(xs: Any) -> Any:
    """`previous` with a flag."""
    known, last, total, i = False, 0.0, 0.0, 0
    while i < xs.shape[0]:
        if known:
            total = total + abs(xs[i] - last)
        if xs[i] > -9:
            known, last = True, xs[i]
        i = i + 1
    return total


def caught(xs: Any) -> Any:
    """What a function raises, and the loop catches."""
    total, failed = 0.0, 0
    for x in xs:
        try:
            total = total + _root(x)
        except ValueError:
            failed = failed + 1
    return total - failed


def _root(x: Any) -> Any:
    if x < 0:
        raise ValueError("negative")
    return jnp.sqrt(x)


def caught_by_hand(xs: Any) -> Any:
    """`caught` with a condition."""
    total, failed = 0.0, 0
    for x in xs:
        if x < 0:
            failed = failed + 1
        else:
            total = total + jnp.sqrt(x)
    return total - failed


PROGRAMS: dict[str, tuple[Program, Program]] = {
    "None": (smallest, smallest_by_hand),
    "texts": (texts, texts_by_hand),
    "enum": (members, texts_by_hand),
    "None in a while": (previous, previous_by_hand),
    "try": (caught, caught_by_hand),
}


def measure(rounds: int = 15) -> list[Row]:
    """Equations and microseconds of a call; target of the ratio of the times: 1.05, of the equations: 1.1."""
    rows = []
    xs = jnp.asarray(XS)
    for name, programs in PROGRAMS.items():
        ours, by_hand = map(autograph_lite.to_graph, programs)
        equations = [structure.primitives(each, xs).total() for each in (ours, by_hand)]
        compiled = {"ours": jax.jit(ours), "by hand": jax.jit(by_hand)}
        tasks = {key: lambda fn=fn: jax.block_until_ready(fn(xs)) for key, fn in compiled.items()}
        times = timing.interleaved(tasks, rounds=rounds, clock=time.perf_counter)
        rows.append({
            "program": name,
            "equations": f"{equations[0]} / {equations[1]}",
            "converted, us": 1000 * timing.milliseconds(times["ours"]),
            "by hand, us": 1000 * timing.milliseconds(times["by hand"]),
            "ratio": timing.ratio(times, "ours", "by hand"),
        })  # fmt: skip
    return rows


def main() -> None:
    """Prints the table."""
    table.show("values that are one of several: converted / by hand", measure())


if __name__ == "__main__":
    main()
