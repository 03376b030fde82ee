"""Which parts of a line of Python are keywords, strings, comments and numbers? As HTML, with everything escaped."""

from __future__ import annotations

import html
import io
import keyword
import tokenize
from collections.abc import Iterator, Sequence

_KINDS = {tokenize.COMMENT: "c", tokenize.STRING: "s", tokenize.NUMBER: "d"}
# Python 3.12 has tokens for the parts of f-strings.
_KINDS |= {
    getattr(tokenize, name): "s"
    for name in ("FSTRING_START", "FSTRING_MIDDLE", "FSTRING_END")
    if hasattr(tokenize, name)
}


def python(lines: Sequence[str]) -> list[str]:
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
