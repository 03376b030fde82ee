"""Does the compiled program of a converted function differ from that of hand-written `lax` code?"""

from __future__ import annotations

import functools
import importlib
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp

import autograph_lite
from benchmarks import lax_versions, structure, table, timing
from benchmarks.programs import PROGRAMS
from benchmarks.timing import Row

EXAMPLES = Path(__file__).parent.parent / "examples"
Pair = tuple[str, Callable[..., Any], Callable[..., Any], tuple[Any, ...]]


def pairs(*, examples: bool = True) -> Iterator[Pair]:
    """Name, converted form, hand-written form and arguments of each program."""
    for name, program in PROGRAMS.items():
        if not program.plain:
            yield name, autograph_lite.to_graph(program.python), program.by_hand, program.arguments
    if examples:
        yield from _examples()


def _examples() -> Iterator[Pair]:
    sys.path.insert(
        0, str(EXAMPLES)
    )  # as Python does for a script: the examples import their neighbour `show`
    seen = set()
    for path in sorted(EXAMPLES.glob("*.py")):
        if path.stem == "show":
            continue
        for case in importlib.import_module(path.stem).cases():
            name = case.function.__name__
            if name in seen or not hasattr(lax_versions, name):
                continue
            seen.add(name)
            ours = functools.partial(autograph_lite.to_graph(case.function), **case.static, np=jnp)
            yield (
                f"{path.stem}.{name}",
                ours,
                functools.partial(getattr(lax_versions, name), **case.static),
                case.arrays,
            )


def running(fn: Callable[..., Any], arrays: tuple[Any, ...]) -> Callable[[], object]:
    """Runs the compiled program of `fn`, and waits for its results."""
    compiled = jax.jit(lambda *args: fn(*args))
    return lambda: jax.block_until_ready(compiled(*arrays))


def measure(rounds: int = 15, *, examples: bool = True) -> list[Row]:
    """Instructions of the optimised HLO and run time in both forms; what only one form has."""
    rows = []
    for name, ours, by_hand, arguments in pairs(examples=examples):
        counts = [structure.instructions(f, *arguments) for f in (ours, by_hand)]
        arrays = jax.tree.map(jnp.asarray, arguments)
        tasks = {"ours": running(ours, arrays), "by hand": running(by_hand, arrays)}
        times = timing.interleaved(tasks, rounds=rounds, clock=time.perf_counter)
        rows.append({
            "program": name,
            "instructions": f"{counts[0].total()} / {counts[1].total()}",
            "converted, us": 1000 * timing.milliseconds(times["ours"]),
            "by hand, us": 1000 * timing.milliseconds(times["by hand"]),
            "ratio": timing.ratio(times, "ours", "by hand"),
            "only ours": _listed(counts[0] - counts[1]),
            "only by hand": _listed(counts[1] - counts[0]),
        })  # fmt: skip
    return rows


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{n} {name}" for name, n in counts.most_common(4)) + (
        ", ..." if len(counts) > 4 else ""
    )


def main() -> None:
    """Prints the table."""
    table.show("Compiled programs, converted / by hand", measure())


if __name__ == "__main__":
    main()
