"""What did the ratios of earlier runs come to? `benchmarks/history/` keeps a line for each run and row, as data.

    {"date": "2026-11-22", "commit": "650ef2b", "python": "3.13.0", "jax": "0.12.0.1", "processors": 2,
     "benchmark": "python", "row": "sorting", "ratio": 2.45}

Ratios are kept, and no times: those of another machine, or of a busy one, would say nothing. The kind of machine is its
number of processors. `+` after the commit says that the working tree had changes.
"""

from __future__ import annotations

import datetime
import importlib.metadata
import json
import os
import platform
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from benchmarks.timing import Row

Entry: TypeAlias = dict[str, Any]

ROOT = Path(__file__).parents[1]
HISTORY = Path(__file__).with_name("history")
SHOWN = 6  # runs that a table has room for
# Of each benchmark the columns that say which row it is, and those that are ratios.
COLUMNS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "convert": (("function", "size"), ("ratio",)),
    "trace": (("program",), ("ratio",)),
    "python": (("function",), ("ratio",)),
    "rolled": (("program", "iterations"), ("ratio",)),
    "staged": (("program",), ("ratio",)),
    "states": (("program",), ("ratio",)),
    "grad": (("what", "size, length"), ("while", "for", "while, bounded")),
    "leaving": (("what",), ("run", "ratio")),
    "call": (("call",), ("ratio",)),
    "memory": (("program",), ("ratio to jax.jit",)),
    "warm": (("start",), ("ratio, real", "ratio, process")),
}


def now() -> Entry:
    """What a run says of itself."""
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "commit": _commit(),
        "python": platform.python_version(),
        "jax": importlib.metadata.version("jax"),
        "processors": os.cpu_count(),
    }


def _commit() -> str:
    """The commit of the working tree; empty where there is no repository."""
    found = _git("rev-parse", "--short=10", "HEAD")
    # Runs that are kept change the history itself, which says nothing about what was measured.
    changes = _git("status", "--porcelain", "--", ".", f":!{HISTORY.relative_to(ROOT)}") if found else ""
    return found + ("+" if changes else "")


def _git(*arguments: str) -> str:
    try:
        done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def entries(benchmark: str, rows: Iterable[Row], run: Entry) -> Iterator[Entry]:
    """What is kept of a benchmark's rows."""
    labels, ratios = COLUMNS[benchmark]
    for row in rows:
        for column in ratios:
            if column in row:
                named = [str(row[label]) for label in labels] + ([column] if len(ratios) > 1 else [])
                name = ", ".join(named)
                yield {**run, "benchmark": benchmark, "row": name, "ratio": round(float(row[column]), 3)}


def save(found: Iterable[Entry], folder: Path = HISTORY) -> None:
    """Appends to the file of each benchmark, and changes nothing that is there."""
    folder.mkdir(exist_ok=True)
    for each in found:
        with (folder / f"{each['benchmark']}.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(each) + "\n")


def read(benchmark: str, folder: Path = HISTORY) -> list[Entry]:
    """The entries of a benchmark, the oldest first."""
    path = folder / f"{benchmark}.jsonl"
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def tables(found: Sequence[Entry]) -> Iterator[tuple[str, list[Row]]]:
    """A title and the rows, with a column for each of the newest runs, for each Python and number of processors.

    Versions of JAX stand side by side, since what a new one changes is what one wants to see.
    """
    kinds = dict.fromkeys(map(_kind, found))
    for python, processors in kinds:
        own = [each for each in found if _kind(each) == (python, processors)]
        yield f"Python {python}, {processors} processors", list(_changes(own))


def _kind(entry: Entry) -> tuple[str, int]:
    return ".".join(entry["python"].split(".")[:2]), entry["processors"]


def _changes(found: Sequence[Entry]) -> Iterator[Row]:
    runs = list(dict.fromkeys(map(_run, found)))[-SHOWN:]
    for name in dict.fromkeys(each["row"] for each in found):
        # A run that was repeated for one commit and day shows its last figures.
        ratios = {_run(each): each["ratio"] for each in found if each["row"] == name}
        known = [ratios[run] for run in runs if run in ratios]
        if known:
            change = f"{100 * (known[-1] / known[0] - 1):+.0f} %" if len(known) > 1 else ""
            yield {"row": name, **{run: ratios.get(run, "") for run in runs}, "change": change}


def _run(entry: Entry) -> str:
    return f"{entry['date']} {entry['commit']} jax {entry['jax']}"
