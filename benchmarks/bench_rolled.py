"""What do tracing and compiling a loop over Python values cost: rolled, run by Python, and written by hand with `lax`?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import autograph_lite
from benchmarks import table, timing
from benchmarks.timing import Row

SIZES = (20, 100, 1000)
UNROLLED = 100  # iterations; more take minutes
Program = Callable[[Any, int], Any]


def waves(x: Any, n: int) -> Any:
    """Elementwise, with the index in the arithmetic."""
    for i in range(n):
        x = jnp.sin(x) * 0.9 + i / n
    return x


def waves_by_hand(x: Any, n: int) -> Any:
    """`waves` with `lax.fori_loop`."""
    return lax.fori_loop(0, n, lambda i, x: jnp.sin(x) * 0.9 + i / n, x)


def stencil(x: Any, n: int) -> Any:
    """Writes to an array, under a condition on the index."""
    for i in range(1, n):
        if i % 2:
            x[i % 64] = 0.5 * x[(i - 1) % 64] + i
    return x


def stencil_by_hand(x: Any, n: int) -> Any:
    """`stencil` with `lax.fori_loop`."""

    def write(i: Any, x: Any) -> Any:
        return x.at[i % 64].set(0.5 * x[(i - 1) % 64] + i)

    return lax.fori_loop(1, n, lambda i, x: lax.cond(i % 2 == 1, write, lambda i, x: x, i, x), x)


def counted(x: Any, n: int) -> Any:
    """With numbers that stay Python's."""
    k, t = 0, 0.0
    for i in range(n):
        x = x + jnp.cos(t) * k
        k += i
        t += 0.01
    return x


def counted_by_hand(x: Any, n: int) -> Any:
    """`counted` with `lax.fori_loop`."""

    def step(i: Any, now: Any) -> Any:
        x, k, t = now
        return x + jnp.cos(t) * k, k + i, t + 0.01

    return lax.fori_loop(0, n, step, (x, 0, 0.0))[0]


def leaves(x: Any, n: int) -> Any:
    """Left early by what Python knows, with a first iteration of its own."""
    for i in range(n):
        if i == 0:
            x = jnp.tanh(jnp.exp(x) * jnp.cos(x)) * jnp.exp(-x) * 3
        if i == n // 2:
            break
        x = jnp.sin(x) * 0.9
    return x


def leaves_by_hand(x: Any, n: int) -> Any:
    """`leaves` with `lax.fori_loop`."""
    x = jnp.tanh(jnp.exp(x) * jnp.cos(x)) * jnp.exp(-x) * 3
    return lax.fori_loop(0, n // 2, lambda i, x: jnp.sin(x) * 0.9, x)


PROGRAMS: dict[str, tuple[Program, Program]] = {
    "waves": (waves, waves_by_hand),
    "stencil": (stencil, stencil_by_hand),
    "counted": (counted, counted_by_hand),
    "leaves": (leaves, leaves_by_hand),
}


def compiling(function: Program, n: int) -> Callable[[], object]:
    """Traces and compiles `function` anew at each call."""
    x = np.ones(64, np.float32)

    def compile_() -> object:
        return jax.jit(lambda x: function(x, n)).lower(x).compile()

    return compile_


def measure(rounds: int = 5) -> list[Row]:
    """Milliseconds to trace and compile; target of the ratio of rolled to by hand: 1.2."""
    rows = []
    for name, (python, by_hand) in PROGRAMS.items():
        for n in SIZES:
            tasks = {
                "rolled": compiling(autograph_lite.to_graph(python, static_loops="stage"), n),
                "by hand": compiling(by_hand, n),
            }
            if n <= UNROLLED:
                tasks["unrolled"] = compiling(autograph_lite.to_graph(python), n)
            times = timing.interleaved(tasks, rounds=rounds)
            rows.append({
                "program": name,
                "iterations": n,
                "rolled, ms": timing.milliseconds(times["rolled"]),
                "by hand, ms": timing.milliseconds(times["by hand"]),
                "unrolled, ms": timing.milliseconds(times["unrolled"]) if n <= UNROLLED else "",
                "ratio": timing.ratio(times, "rolled", "by hand"),
                "target": 1.2,
            })  # fmt: skip
    return rows


def main() -> None:
    """Prints the table."""
    table.show("Rolled loops", measure())


if __name__ == "__main__":
    main()
