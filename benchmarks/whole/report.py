"""How are the figures of the whole programs shown, and where is the default slower than it could be?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.arrays.measuring import Figures
from benchmarks.arrays.report import mean
from benchmarks.whole.measuring import BY_HAND, DEFAULT, NUMBA, PYTHON, STAGE, Found, Row

# The other forms, and how much slower the default may be.
OTHERS = (
    ("the better of both settings", (STAGE, PYTHON), 1.2),
    ("by hand", (BY_HAND,), 1.2),
    ("Numba", (NUMBA,), 2.0),
)
COSTS = ("compile_ms", "run_us")


def summary(rows: Sequence[Row]) -> list[str]:
    """Geometric means of the default's ratios, and what is over the limits."""
    done = [row for row in rows if _figures(row.beside, DEFAULT)]
    lines = [f"{len(done)} of {len(rows)} programs convert, and agree with NumPy."]
    for title, what in zip(("Time to trace and compile", "Run time"), COSTS, strict=True):
        for other, names, limit in OTHERS:
            ratios = [(row.name, _worst(row, names, what)) for row in done]
            known = [(name, ratio) for name, ratio in ratios if ratio is not None]
            lines.append(mean(f"{title}, default over {other}", known, limit))
    return lines


def full(rows: Sequence[Row]) -> str:
    """One line for each program."""
    head = (
        "| program | lines | compile, s | run, ms | over `stage`: compile, run | over `python` | over by hand | over Numba "
        "| NumPy |\n|" + "---|" * 9
    )
    return "\n".join([head, *map(_line, rows)])


def _line(row: Row) -> str:
    found = _figures(row.beside, DEFAULT)
    if found is None:
        why = row.beside if isinstance(row.beside, str) else row.beside[DEFAULT]
        here = f"{Path(__file__).parents[2]}/"  # a table tells no path of the machine that it was made on
        return f"| {row.name} | {row.lines} | not converted: {str(why).replace(here, '')}" + " |" * 7
    cells = [
        row.name,
        str(row.lines),
        f"{found.compile_ms / 1000:.1f}",
        f"{found.run_us / 1000:.3g}",
        _ratios(row.beside, STAGE),
        _ratios(row.unrolled, PYTHON),
        _ratios(row.beside, BY_HAND),
        _ratios(row.beside, NUMBA),
        f"{row.numpy_us / found.run_us:.2g}",
    ]
    return "| " + " | ".join(cells) + " |"


def _figures(found: Found | str, name: str) -> Figures | None:
    got = found if isinstance(found, str) else found.get(name)
    return got if isinstance(got, Figures) else None


def _ratio(found: Found | str, name: str, what: str) -> float | None:
    """The default's over that of another form, both measured in one process."""
    ours, other = _figures(found, DEFAULT), _figures(found, name)
    return getattr(ours, what) / getattr(other, what) if ours and other else None


def _ratios(found: Found | str, name: str) -> str:
    pair = [_ratio(found, name, what) for what in COSTS]
    if pair[0] is not None:
        return ", ".join(f"{ratio:.2f}" for ratio in pair)
    return found if isinstance(found, str) else str(found.get(name, "")).partition(":")[0]


def _worst(row: Row, names: Sequence[str], what: str) -> float | None:
    """The default's figure over the best of the others'."""
    ratios = [_ratio(row.unrolled if name == PYTHON else row.beside, name, what) for name in names]
    return max((ratio for ratio in ratios if ratio is not None), default=None)
