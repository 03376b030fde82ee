"""What does a call of a `Function` cost, next to a call of `jax.jit` with static arguments?"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

import autograph_lite
from benchmarks import table, timing
from benchmarks.timing import Row


def scaled(x: Any, n: int = 1) -> Any:
    return x * n if n > 1 else x + 1


def summed(tree: dict[str, Any]) -> Any:
    result = 0.0
    for value in tree.values():
        result = result + value
    return result


def measure(rounds: int = 15) -> list[Row]:
    """Microseconds of a call whose program exists; recorded, without a target."""
    x = jnp.float32(2)
    tree = {str(i): x for i in range(100)}
    static = jax.jit(scaled, static_argnames="n")
    ours = autograph_lite.convert(scaled)
    cases = {
        "f(x)": (lambda: ours(x), lambda: static(x)),
        "f(x, 3)": (lambda: ours(x, 3), lambda: static(x, 3)),
        "f(x, n=3)": (lambda: ours(x, n=3), lambda: static(x, n=3)),
    }
    big, big_static = autograph_lite.convert(summed), jax.jit(summed)
    cases["f(dict of 100)"] = (lambda: big(tree), lambda: big_static(tree))
    rows = []
    for name, (converted, jitted) in cases.items():
        times = timing.interleaved({"ours": converted, "jit": jitted}, rounds=rounds)
        rows.append({
            "call": name,
            "Function, us": 1000 * timing.milliseconds(times["ours"]),
            "jax.jit, us": 1000 * timing.milliseconds(times["jit"]),
            "ratio": timing.ratio(times, "ours", "jit"),
        })  # fmt: skip
    return rows


def main() -> None:
    """Prints the table."""
    table.show("Calls of a compiled function", measure())


if __name__ == "__main__":
    main()
