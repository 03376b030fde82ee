"""What do None beside an array, texts, members of enums, `try`, generators and recursion cost, over what is kept by hand?"""

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


def generated(xs: Any) -> Any:
    """A loop over a generator function."""
    total, count = 0.0, 0
    for rise in _rises(xs):
        total = total + rise
        count = count + 1
        if total > 1e5:
            break
    return total / (count + 1)


def _rises(xs: Any) -> Any:
    last = 0.0
    for x in xs:
        if x > last:
            yield x - last
        last = x


def generated_by_hand(xs: Any) -> Any:
    """`generated` in one loop."""
    total, count, last = 0.0, 0, 0.0
    for x in xs:
        if x > last:
            total = total + x - last
            count = count + 1
            if total > 1e5:
                break
        last = x
    return total / (count + 1)


def recursive(xs: Any) -> Any:
    """The sum over a tree whose nodes have their children at 2 i + 1 and 2 i + 2."""
    return _below(xs, jnp.where(xs[0] > 1e6, 1, 0))


def _below(xs: Any, i: Any) -> Any:
    if i >= xs.shape[0]:
        return 0.0
    return xs[i] + _below(xs, 2 * i + 1) + _below(xs, 2 * i + 2)


def recursive_by_hand(xs: Any) -> Any:
    """`recursive` with a stack of nodes."""
    nodes, top, total = jnp.zeros(32, int), 1, 0.0
    nodes = nodes.at[0].set(jnp.where(xs[0] > 1e6, 1, 0))
    while top > 0:
        i = nodes[top - 1]
        top = top - 1
        if i < xs.shape[0]:
            total = total + xs[i]
            nodes = nodes.at[top].set(2 * i + 2)
            nodes = nodes.at[top + 1].set(2 * i + 1)
            top = top + 2
    return total


PROGRAMS: dict[str, tuple[Program, Program]] = {
    "None": (smallest, smallest_by_hand),
    "texts": (texts, texts_by_hand),
    "enum": (members, texts_by_hand),
    "None in a while": (previous, previous_by_hand),
    "try": (caught, caught_by_hand),
    "generator": (generated, generated_by_hand),
    "recursion": (recursive, recursive_by_hand),
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
