"""When was a function traced, what for, what did it cost, and why again? As a table with a bar for each trace."""

from __future__ import annotations

import html
import pathlib

from autograph_lite.runtime.explaining.explanation import Explanation, Retrace, duration

_HEADS = ("trace", "cost", "signature", "called from", "why")


def section(retraces: Explanation) -> str:
    """The traces, the first one first; bars follow each other as the traces did."""
    total = sum(map(_cost, retraces)) or 1.0
    rows, before = [], 0.0
    for each in retraces:
        rows.append(_row(each, before / total, total))
        before += _cost(each)
    heads = "".join(f'<th scope="col">{head}</th>' for head in _HEADS)
    return (
        '<section aria-labelledby="h-traces"><h2 id="h-traces">Traces</h2>'
        f'<p>{html.escape(retraces.summary())}. <span class="key trace"></span> tracing '
        f'<span class="key compile"></span> compiling</p><div class="scroll" tabindex="0">'
        f'<table role="table"><thead><tr>{heads}</tr></thead><tbody>{"".join(rows)}</tbody></table></div></section>'
    )


def _cost(each: Retrace) -> float:
    return each.trace_seconds + (each.compile_seconds or 0.0)


def _row(each: Retrace, start: float, total: float) -> str:
    compiling = each.compile_seconds
    told = f"{duration(each.trace_seconds)} tracing"
    told += ", not compiled" if compiling is None else f", {duration(compiling)} compiling"
    place = each.called_from
    called = f"{pathlib.PurePath(place.path).name}:{place.line} {place.function}" if place else ""
    widths = (100 * start, 100 * each.trace_seconds / total, 100 * (compiling or 0.0) / total)
    bar = "".join(
        f'<span class="{name}" style="width:{width:.2f}%"></span>'
        for name, width in zip(("gap", "trace", "compile"), widths, strict=True)
    )
    cells = (
        f'class="cost"><span class="bar" aria-hidden="true">{bar}</span>{told}',
        f'data-head="signature"><code>{html.escape(each.signature)}</code>',
        f'data-head="called from">{html.escape(called)}',
        f'data-head="why">{_why(each)}',
    )
    # A narrow page shows a row as a block, which is no row to screen readers unless it says so.
    rest = "".join(f'<td role="cell" {cell}</td>' for cell in cells)
    return f'<tr role="row"><th scope="row" role="rowheader" data-head="trace">{each.index}</th>{rest}</tr>'


def _why(each: Retrace) -> str:
    if each.nearest is None:
        lines = ["the first trace"]
    else:
        found = ", ".join(each.differences) or "nothing in the arguments differs"
        lines = [f"{found} (from trace {each.nearest})"]
    lines += [f"'{name}' was bound to another object since" for name in each.rebound]
    lines += [f"Avoid it: {sentence}" for sentence in each.advice.splitlines()]
    return "<br>".join(map(html.escape, lines))
