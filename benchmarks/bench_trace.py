"""What does tracing a converted function cost, next to hand-written `lax` code of the same program?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax

import autograph_lite
from benchmarks import table, timing
from benchmarks.programs import BRANCHES_BY_COND, PROGRAMS
from benchmarks.timing import Row


def tracing(fn: Callable[..., Any], arguments: tuple[Any, ...]) -> Callable[[], object]:
    """Traces `fn` anew at each call, as `jax.jit` does before it compiles."""

    def trace() -> object:
        # A function object of its own: JAX remembers the traces of those that it has seen.
        return jax.make_jaxpr(lambda *args: fn(*args))(*arguments)

    return trace


def measure(rounds: int = 15) -> list[Row]:
    """Milliseconds to trace each program in both forms.

    Targets of the ratio: 1.2, 1.1 for plain JAX, and none where an expert's `jnp.where` saves the trace of branches.
    """
    rows = []
    programs = {**PROGRAMS, "branches in a for, by hand with cond": BRANCHES_BY_COND}
    for name, program in programs.items():
        converted = autograph_lite.to_graph(program.python)
        tasks = {
            "ours": tracing(converted, program.arguments),
            "by hand": tracing(program.by_hand, program.arguments),
        }
        times = timing.interleaved(tasks, rounds=rounds)
        rows.append({
            "program": name,
            "converted, ms": timing.milliseconds(times["ours"]),
            "by hand, ms": timing.milliseconds(times["by hand"]),
            "ratio": timing.ratio(times, "ours", "by hand"),
            "target": None if program.selects else 1.1 if program.plain else 1.2,
        })  # fmt: skip
    return rows


def main() -> None:
    """Prints the table."""
    table.show("Tracing", measure())


if __name__ == "__main__":
    main()
