"""How are figures shown? As a table with one row for each measurement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.timing import Row


def show(title: str, rows: Sequence[Row]) -> None:
    """Prints `rows`; the first one's keys are the columns."""
    table = Table(title=title, title_justify="left")
    columns = list(rows[0]) if rows else []
    for number, column in enumerate(columns):
        table.add_column(column, justify="right" if number else "left")
    for row in rows:
        table.add_row(*(_text(row[column]) for column in columns))
    Console().print(table)


def _text(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
