"""How is the control flow of a program drawn? As a tree in SVG, a row for each loop, branch and body."""

from __future__ import annotations

import html
import linecache
import pathlib
from collections.abc import Callable, Mapping
from typing import NamedTuple

from autograph_lite.runtime.explaining.line_links import Place
from autograph_lite.runtime.explaining.program_graph import Node, Part

ROW, STEP, CHARACTER, MARGIN = 30, 28, 7.3, 8  # pixels
_WIDEST = 56  # characters of a line of source


class _Row(NamedTuple):
    """A row of the drawing: what it shows, its depth, and the row that it hangs from; -1 for the first."""

    label: str
    text: str
    kind: str
    place: Place | None
    depth: int
    above: int


def drawing(
    name: str,
    nodes: tuple[Node, ...],
    index: Callable[[Place], int | None],
    headers: Mapping[Place, tuple[Place, str]],
) -> str:
    """The drawing as an SVG element.

    Args:
      name: of the function, at the root.
      nodes: its control flow.
      index: gives the number of a place in the page; None where the page does not show it.
      headers: the line, and its text, of the statement that a place belongs to, for the places that the page shows.
    """
    rows = [_Row(name, "" if nodes else "no staged control flow", "root", None, 0, -1)]
    _add(rows, nodes, 0, headers)
    width = max(_width(row) + row.depth * STEP for row in rows) + 2 * MARGIN
    height = len(rows) * ROW + MARGIN
    lines = [_line(row, at) for at, row in enumerate(rows) if row.above >= 0]
    boxes = [_box(row, at, index) for at, row in enumerate(rows)]
    return (
        f'<svg class="flow" width="{width:.0f}" height="{height}" viewBox="0 0 {width:.0f} {height}" role="group"'
        f' aria-label="Control flow of {html.escape(name)}">{"".join(lines)}{"".join(boxes)}</svg>'
    )


def _add(
    rows: list[_Row], nodes: tuple[Node, ...], above: int, headers: Mapping[Place, tuple[Place, str]]
) -> None:
    for node in nodes:
        own = len(rows)
        rows.append(
            _Row(node.label, _text(node.place, headers), node.kind, node.place, rows[above].depth + 1, above)
        )
        for part in node.parts:
            inner = len(rows)
            rows.append(_Row(part.name, _counted(part), "part", node.place, rows[own].depth + 1, own))
            _add(rows, part.nodes, inner, headers)


def _counted(part: Part) -> str:
    if not part.equations:
        return "no equations"
    return "1 equation" if part.equations == 1 else f"{part.equations} equations"


def _text(place: Place | None, headers: Mapping[Place, tuple[Place, str]]) -> str:
    if place is None:
        return ""
    (path, line), text = headers.get(place) or (place, linecache.getline(*place))
    text = text.strip()
    text = text if len(text) <= _WIDEST else f"{text[: _WIDEST - 2]} …"
    return f"{pathlib.PurePath(path).name}:{line} {text}".strip()


def _width(row: _Row) -> float:
    return (len(row.label) + (len(row.text) + 2 if row.text else 0)) * CHARACTER + 20


def _line(row: _Row, at: int) -> str:
    """The edge to a row: down from the one above, then to the right."""
    x, top, y = MARGIN + (row.depth - 1) * STEP + 12, (row.above + 1) * ROW, at * ROW + ROW / 2
    return f'<path class="edge" d="M{x} {top}V{y:.0f}H{x + STEP - 12}"/>'


def _box(row: _Row, at: int, index: Callable[[Place], int | None]) -> str:
    x, y = MARGIN + row.depth * STEP, at * ROW + 3
    number = None if row.place is None else index(row.place)
    label, text = html.escape(row.label), html.escape(row.text)
    linked = f' tabindex="-1" data-l="{number}"' if number is not None else ""
    role = "button" if linked else "img"
    start = x + 10 + (len(row.label) + 2) * CHARACTER
    return (
        f'<g class="box {row.kind}" role="{role}" aria-label="{label} {text}"{linked}>'
        f'<rect x="{x}" y="{y}" width="{_width(row):.0f}" height="{ROW - 6}" rx="5"/>'
        f'<text x="{x + 10}" y="{y + 16}"><tspan class="label">{label}</tspan>'
        f'<tspan x="{start:.0f}" class="text">{text}</tspan></text></g>'
    )
