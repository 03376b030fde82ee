"""Is what stands on a line of a user's file the first statement of a branch?

    if x > 0:
        here()                      it is
        not_here()
    elif x < -1:
        here()                      and here: of the `elif`, which is an `if` of its own

Likewise in an `else` and in a `case`.
"""

from __future__ import annotations

import ast
import functools
import linecache
from collections.abc import Iterator, Sequence

from autograph_lite.syntax.compiling import parse


def begins_branch(path: str, line: int) -> bool | None:
    """Whether the statement on that line begins a branch; None where there is no source.

    Args:
      path: the file, as Python names it in tracebacks.
      line: of any part of the statement.
    """
    lines = linecache.getlines(path)
    if not lines:
        return None
    spans = _spans("".join(lines))
    return None if spans is None else any(first <= line <= last for first, last in spans)


@functools.lru_cache(maxsize=16)
def _spans(text: str) -> tuple[tuple[int, int], ...] | None:
    """First and last lines of the statements that begin branches; None where the text is not Python."""
    try:
        tree = parse(text)
    except SyntaxError:
        return None
    firsts = [body[0] for node in ast.walk(tree) for body in _branches(node) if body]
    return tuple((first.lineno, first.end_lineno or first.lineno) for first in firsts)


def _branches(node: ast.AST) -> Iterator[Sequence[ast.stmt]]:
    if isinstance(node, ast.If):
        yield node.body
        yield node.orelse
    elif isinstance(node, ast.match_case):
        yield node.body
