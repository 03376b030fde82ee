"""How are rows of text shown as a table? In columns that are as wide as their widest cell, two spaces apart."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def table(rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> list[str]:
    """The lines of a table of cells, heads first; the columns in `right` end at one place, as numbers do."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [f"  {_line(row, widths, right)}".rstrip() for row in rows]


def _line(row: Sequence[str], widths: Sequence[int], right: Collection[int]) -> str:
    cells = zip(row, widths, strict=True)
    return "  ".join(
        cell.rjust(width) if column in right else cell.ljust(width)
        for column, (cell, width) in enumerate(cells)
    )
