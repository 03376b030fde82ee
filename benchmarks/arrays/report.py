"""How are the figures of the array programs shown: in full, in short, and what do they come to?"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable, Sequence

import jax

from benchmarks.arrays.catalogue import ROOT
from benchmarks.arrays.measuring import Comparison, Measured

MARK = "<!-- figures -->"
LIMITS = {"run": 1.1, "compiling": 1.2, "gradient": 1.2}


def summary(rows: Sequence[Measured]) -> list[str]:
    """Geometric means, and what is over a limit."""
    done = _done(rows)
    static = [
        (row.name, row.gradient.run) for row in rows if row.static and isinstance(row.gradient, Comparison)
    ]
    return [
        f"{len(done)} of {len(rows)} programs convert with staged loops and agree with NumPy.",
        mean("Run time over the hand-written version's", [(n, c.run) for n, c in done], LIMITS["run"]),
        mean("Time to trace and compile", [(n, c.compiling) for n, c in done], LIMITS["compiling"]),
        mean("Gradients, trip counts static", static, LIMITS["gradient"]),
    ]


def _done(rows: Sequence[Measured]) -> list[tuple[str, Comparison]]:
    return [(row.name, row.plain) for row in rows if isinstance(row.plain, Comparison)]


def mean(title: str, ratios: Sequence[tuple[str, float]], limit: float) -> str:
    """The geometric mean of some ratios, and which of them are over a limit."""
    if not ratios:
        return f"{title}: none."
    average = statistics.geometric_mean(ratio for _, ratio in ratios)
    over = sorted(((ratio, name) for name, ratio in ratios if ratio > limit), reverse=True)
    misses = ", ".join(f"{name} {ratio:.2f}" for ratio, name in over) or "none"
    return f"{title}: geometric mean {average:.2f} of {len(ratios)}; over {limit}: {misses}."


def full(rows: Sequence[Measured]) -> str:
    """One line for each program, ours / by hand."""
    head = (
        "| program | run, us | ratio | compile, ms | ratio | memory, KiB | instructions | gradient | unrolled: compile, run "
        "| NumPy |\n|" + "---|" * 10
    )
    return "\n".join([head, *map(_full_line, rows)])


def _full_line(row: Measured) -> str:
    if isinstance(row.plain, str):
        return f"| {row.name} | not converted: {row.plain}" + " |" * 9
    plain = row.plain
    cells = [
        row.name,
        _both(plain, lambda f: f.run_us),
        f"{plain.run:.2f}",
        _both(plain, lambda f: f.compile_ms),
        f"{plain.compiling:.2f}",
        _both(plain, lambda f: f.kib),
        f"{plain.ours.instructions} / {plain.by_hand.instructions}",
        _gradient(row.gradient),
        _unrolled(row.unrolled),
        f"{row.numpy_us / plain.ours.run_us:.2g}",
    ]
    return "| " + " | ".join(cells) + " |"


def _both(found: Comparison, figure: Callable[..., float]) -> str:
    return f"{figure(found.ours):,.0f} / {figure(found.by_hand):,.0f}"


def _gradient(found: Comparison | str | None) -> str:
    if isinstance(found, Comparison):
        return f"{found.run:.2f}"
    return found or ""


def _unrolled(found: tuple[float, float] | str) -> str:
    return found if isinstance(found, str) else f"{found[0] / 1000:.1f} s, {found[1]:.2g}"


def short(rows: Sequence[Measured]) -> str:
    """The same as ratios, for the project's README."""
    head = "| program | run | compile | memory, KiB | instructions | gradient | unrolled: compile, run | NumPy: run |"
    return "\n".join([head, "|" + "---|" * 8, *map(_short_line, rows)])


def _short_line(row: Measured) -> str:
    if isinstance(row.plain, str):
        return f"| {row.name} | not converted" + " |" * 7
    plain = row.plain
    cells = [
        row.name,
        f"{plain.run:.2f}",
        f"{plain.compiling:.2f}",
        _both(plain, lambda f: f.kib),
        f"{plain.ours.instructions} / {plain.by_hand.instructions}",
        _gradient(row.gradient),
        _unrolled(row.unrolled),
        f"{row.numpy_us / plain.by_hand.run_us:.2g}",
    ]
    return "| " + " | ".join(cells) + " |"


def write_below(page: str, found: Sequence[str], table: str) -> None:
    """Writes what was found and a table below the mark of this page of the repository."""
    path = ROOT / page
    path.write_text(f"{path.read_text().split(MARK)[0]}{MARK}\n\n{figures_of_run(found, table)}\n")


def figures_of_run(found: Sequence[str], table: str) -> str:
    """What made the figures, what was found, and the table."""
    python = sys.version.split()[0]
    made_with = f"Made with jax {jax.__version__} on Python {python}, {jax.default_backend()}."
    lines = "\n".join(f"- {line}" for line in found)
    return f"{made_with}\n\n{lines}\n\n{table}"
