"""How is what was gathered shown? As one page without network: style and script are in it, and everything else is escaped.

The script takes what it needs from `data-l`, the numbers of the places that a line stands for: lines that share one are
counterparts. No text of the user's is ever part of a script or style.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import html
import importlib.resources
import io
import keyword
import pathlib
import tokenize
from collections.abc import Callable, Iterable, Iterator, Sequence

from autograph_lite.runtime.explaining.explanation import Explanation, Retrace, duration
from autograph_lite.runtime.explaining.line_links import Line, Place
from autograph_lite.runtime.reporting.decisions_table import Decision
from autograph_lite.runtime.reporting.drawing import drawing
from autograph_lite.runtime.reporting.sections import Section
from autograph_lite.runtime.reporting.trace_facts import Gathered

_PANES = (("source", "Source"), ("code", "Generated code"), ("jaxpr", "Jaxpr"), ("hlo", "Optimised HLO"))
_HELP = (
    "Point at a line to light up its counterparts; click or press Enter to keep them, Esc to let them go. "
    "Tab goes from text to text, ↑ and ↓ from line to line, ← and → to the counterpart in the next text."
)
Index = Callable[[Place], int | None]


def page(shown: Gathered) -> str:
    """The page as HTML."""
    numbers: dict[Place, int] = {}
    for section in shown.sections:
        for line in (*section.source, *section.generated):
            for place in sorted(line.places):
                numbers.setdefault(place, len(numbers))
    style, script = asset("page.css"), asset("page.js")
    title = html.escape(shown.name)
    body = "\n".join([
        f"<header><h1>{title}</h1><p class='signature'><code>{title}{html.escape(shown.signature)}</code></p></header>",
        _toolbar(),
        f'<main id="texts">{"".join(_panes(shown, numbers.get))}</main>',
        f'<section aria-labelledby="h-flow"><h2 id="h-flow">Staged control flow</h2><div class="scroll" tabindex="0">'
        f"{drawing(shown.name, shown.nodes, numbers.get, _headers(shown.sections))}</div></section>",
        _timeline(shown.retraces),
    ])  # fmt: skip
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(script)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{title}: what became of it</title>\n<style>{style}</style>\n</head>\n"
        f"<body>\n{body}\n<script>{script}</script>\n</body>\n</html>\n"
    )


def _headers(sections: Iterable[Section]) -> dict[Place, tuple[Place, str]]:
    """The first line that stands for each place, and its text."""
    found: dict[Place, tuple[Place, str]] = {}
    for section in sections:
        for number, line in enumerate(section.source, section.first_line):
            for place in line.places:
                found.setdefault(place, ((section.path, number), line.text))
    return found


@functools.cache
def asset(name: str) -> str:
    """A file of this package, as text."""
    return (importlib.resources.files(__package__ or "") / name).read_text(encoding="utf-8")


def _policy(script: str) -> str:
    """What the page may do: run its own script, and nothing else; load nothing."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"


def _toolbar() -> str:
    boxes = "".join(
        f'<label><input type="checkbox" checked data-pane="{key}"> {title}</label>' for key, title in _PANES
    )
    return (
        f'<div class="toolbar"><fieldset><legend>Show</legend>{boxes}</fieldset>'
        '<label><input type="checkbox" id="wrap"> Wrap long lines</label>'
        f'<p id="help">{_HELP}</p><p id="status" role="status" aria-live="polite"></p></div>'
    )


def _panes(shown: Gathered, index: Index) -> Iterator[str]:
    decided: dict[Place, list[Decision]] = {}
    for each in shown.decisions:
        decided.setdefault((each.path, each.line), []).append(each)
    source = [part for section in shown.sections for part in _source(section, decided, index)]
    code = [part for section in shown.sections for part in _generated(section, index)]
    jaxpr = _plain(shown.jaxpr, index)
    hlo = _plain(shown.hlo, index) if shown.hlo else [_empty(f"not compiled: {shown.hlo_note}")]
    for (key, title), lines in zip(_PANES, (source, code, jaxpr, hlo), strict=True):
        yield (
            f'<section class="pane" id="{key}" aria-labelledby="h-{key}"><h2 id="h-{key}">{title}</h2>'
            f'<div class="lines" role="listbox" aria-multiselectable="true" aria-labelledby="h-{key}"'
            f' aria-describedby="help">{"".join(lines)}</div></section>'
        )


def _source(section: Section, decided: dict[Place, list[Decision]], index: Index) -> Iterator[str]:
    yield _heading(f"{section.name}, {pathlib.PurePath(section.path).name}:{section.first_line}")
    texts = python_as_html([line.text for line in section.source])
    for number, (line, text) in enumerate(zip(section.source, texts, strict=True), section.first_line):
        notes = "".join(
            _note(each, line.text) for each in decided.get((section.path, number), []) if line.places
        )
        yield _line(number, text, line.places, index, notes)


def _generated(section: Section, index: Index) -> Iterator[str]:
    yield _heading(section.name)
    if section.note:
        yield _empty(section.note)
    texts = python_as_html([line.text for line in section.generated])
    for number, (line, text) in enumerate(zip(section.generated, texts, strict=True), 1):
        yield _line(number, text, line.places, index)


def _plain(lines: Iterable[Line], index: Index) -> list[str]:
    return [_line(n, html.escape(line.text), line.places, index) for n, line in enumerate(lines, 1)]


def _line(number: int, text: str, places: Iterable[Place], index: Index, notes: str = "") -> str:
    known = sorted(found for place in places if (found := index(place)) is not None)
    linked = f' data-l="{" ".join(map(str, known))}"' if known else ""
    return (
        f'<div class="line" role="option" aria-selected="false" tabindex="-1"{linked}>'
        f'<span class="n">{number}</span><code>{text}</code>{notes}</div>'
    )


def _note(each: Decision, text: str) -> str:
    """What a statement became and why, below its line and as far to the right."""
    indent = len(text) - len(text.lstrip())
    counted = (
        ""
        if each.equations is None
        else f", {each.equations} {'equation' if each.equations == 1 else 'equations'}"
    )
    times = f", {each.count} times" if each.count > 1 else ""
    told = f'<span class="sr">{html.escape(each.statement)} became</span>'
    return (
        f'<span class="note {_kind(each)}" style="--indent:{indent}ch">{told}'
        f" <b>{html.escape(each.became)}</b>{times}{counted}<br>{html.escape(each.why)}</span>"
    )


def _kind(each: Decision) -> str:
    return (
        "python"
        if each.became == "Python"
        else "unrolled"
        if each.became.startswith("unrolled")
        else "staged"
    )


def _heading(text: str) -> str:
    return f'<div class="heading" role="presentation">{html.escape(text)}</div>'


def _empty(text: str) -> str:
    return (
        '<div class="line" role="option" aria-selected="false" tabindex="-1"><span class="n"></span>'
        f"<code>{html.escape(text)}</code></div>"
    )


_HEADS = ("trace", "cost", "signature", "called from", "why")


def _timeline(retraces: Explanation) -> str:
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
    lines += [f"'{name}' had changed" for name in each.changed]
    lines += [f"Avoid it: {sentence}" for sentence in each.advice.splitlines()]
    return "<br>".join(map(html.escape, lines))


_KINDS = {tokenize.COMMENT: "c", tokenize.STRING: "s", tokenize.NUMBER: "d"}
# Python 3.12 has tokens for the parts of f-strings.
_KINDS |= {
    getattr(tokenize, name): "s"
    for name in ("FSTRING_START", "FSTRING_MIDDLE", "FSTRING_END")
    if hasattr(tokenize, name)
}


def python_as_html(lines: Sequence[str]) -> list[str]:
    """The lines as HTML; without colours from where they can't be read as Python on."""
    spans: dict[int, list[tuple[int, int, str]]] = {}
    for row, start, end, kind in _spans(lines):
        spans.setdefault(row, []).append((start, end, kind))
    return [_marked(line, spans.get(row, [])) for row, line in enumerate(lines)]


def _spans(lines: Sequence[str]) -> Iterator[tuple[int, int, int, str]]:
    """Row from 0, start, end and kind of what has a colour."""
    reader = io.StringIO("".join(f"{line}\n" for line in lines)).readline
    try:
        for token in tokenize.generate_tokens(reader):
            named = token.type == tokenize.NAME and _is_keyword(token)
            kind = "k" if named else _KINDS.get(token.type)
            if kind is None:
                continue
            (first, start), (last, end) = token.start, token.end
            for row in range(first, last + 1):
                from_, to = start if row == first else 0, end if row == last else len(lines[row - 1])
                yield row - 1, from_, to, kind
    except (tokenize.TokenError, SyntaxError, IndexError):
        return


def _is_keyword(token: tokenize.TokenInfo) -> bool:
    """Whether a name is a keyword; `match` and `case` are where a line begins with one and ends in a colon."""
    if token.string in {"match", "case"}:
        return not token.line[: token.start[1]].strip() and token.line.rstrip().endswith(":")
    return keyword.iskeyword(token.string)


def _marked(line: str, spans: Sequence[tuple[int, int, str]]) -> str:
    parts, at = [], 0
    for start, end, kind in spans:
        if start < at or end <= start:
            continue
        parts += [html.escape(line[at:start]), f'<i class="{kind}">{html.escape(line[start:end])}</i>']
        at = end
    return "".join([*parts, html.escape(line[at:])])
