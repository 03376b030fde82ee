"""What does a trace take of memory, beside the same program under `jax.jit`, `equinox.filter_jit` and `tf.function`?

Each candidate makes the same programs, in a process of its own: what one has left behind is not there for another to use.
"""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp

import autograph_lite
from benchmarks import soak, table, tensorflow
from benchmarks.timing import Row

TRACES = 200
Call = Callable[[Any, int], Any]


def small(x: Any, n: int) -> Any:
    """A branch."""
    if x.sum() > 0:
        x = x * n
    return x


def small_by_hand(x: Any, n: int) -> Any:
    return jax.lax.cond(x.sum() > 0, lambda x: x * n, lambda x: x, x)


def large(x: Any, n: int) -> Any:
    """Thirty operations and a loop."""
    for _ in autograph_lite.range(4):
        for i in range(10):
            x = jnp.sin(x * n) + i
    return x


def large_by_hand(x: Any, n: int) -> Any:
    def body(_: Any, x: Any) -> Any:
        for i in range(10):
            x = jnp.sin(x * n) + i
        return x

    return jax.lax.fori_loop(0, 4, body, x)


PROGRAMS = {
    "branch": (small, small_by_hand, tensorflow.small),
    "loop of 30 operations": (large, large_by_hand, tensorflow.large),
}


def candidates(ours: Call, by_hand: Call, autographed: Call) -> dict[str, Callable[[], Call]]:
    """What makes each, by name."""
    found: dict[str, Callable[[], Call]] = {
        "Function": lambda: autograph_lite.convert(ours),
        "jax.jit": lambda: jax.jit(by_hand, static_argnums=1),
        "filter_jit": lambda: _filter_jit(by_hand),
    }
    if tensorflow.INSTALLED:
        found["tf.function"] = lambda: tensorflow.function(autographed)
    return found


def _filter_jit(fn: Call) -> Call:
    import equinox

    made: Call = equinox.filter_jit(fn)
    return made


def per_trace(name: str, program: str) -> float:
    """KiB of resident memory that a trace takes, program and all, in this process."""
    call = candidates(*PROGRAMS[program])[name]()
    x = jnp.ones(2) if name != "tf.function" else tensorflow.tensor(jnp.ones(2))
    for n in range(20):  # what the first traces take once
        call(x, -n - 1)
    gc.collect()
    before = soak.resident()
    for n in range(TRACES):
        call(x, n)
    gc.collect()
    return (soak.resident() - before) * 1024 / TRACES


def measured(name: str, program: str) -> float:
    """The same, in a process of its own."""
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.bench_memory", name, program]
    text = subprocess.run(command, check=True, capture_output=True, text=True, cwd=Path(__file__).parents[1])
    return float(text.stdout)


def measure() -> list[Row]:
    """KiB of a trace, for each program and candidate."""
    rows: list[Row] = []
    for program, functions in PROGRAMS.items():
        kib = {name: measured(name, program) for name in candidates(*functions)}
        row: Row = {"program": program} | {f"{name}, KiB": value for name, value in kib.items()}
        rows.append(row | {"ratio to jax.jit": kib["Function"] / kib["jax.jit"]})
    return rows


def main() -> None:
    """Prints the table."""
    table.show(f"Memory of a trace, {TRACES} of them", measure())


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(per_trace(*sys.argv[1:]))
    else:
        main()
