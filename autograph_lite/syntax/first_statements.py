"""First statements: is what stands on a line of a user's file the first of a branch, or of a loop's body?

    if x > 0:
        here()                      it is
        not_here()
    elif x < -1:
        here()                      and here: of the `elif`, which is an `if` of its own

Likewise in an `else` and in a `case`, and in the body of a `for` or a `while`.
"""

from __future__ import annotations

import ast
import functools
import types
from collections.abc import Iterator, Sequence

from autograph_lite.syntax.source_text import texts
from autograph_lite.syntax.source_text.compiling import parse


def begins_branch(code: types.CodeType, line: int) -> bool | None:
    """Whether a call on that line is the first statement of a branch; None where there is no source."""
    begun = _begun(code, line)
    return None if begun is None else any(isinstance(node, (ast.If, ast.match_case)) for node in begun)


def loop_begun(code: types.CodeType, line: int) -> int | None:
    """The line of the loop whose body a call on that line begins: 0 where it begins none, None where there is no source."""
    begun = _begun(code, line)
    if begun is None:
        return None
    return next((node.lineno for node in begun if isinstance(node, (ast.For, ast.AsyncFor, ast.While))), 0)


def _begun(code: types.CodeType, line: int) -> list[ast.AST] | None:
    """What a call on that line begins a part of."""
    lines = texts.text_of_code(code)
    spans = _spans("".join(lines)) if lines else None
    return None if spans is None else [node for first, last, node in spans if first <= line <= last]


@functools.lru_cache(maxsize=16)
def _spans(text: str) -> tuple[tuple[int, int, ast.AST], ...] | None:
    """First and last lines of the calls that begin a part of a statement, with it; None where the text is not Python."""
    try:
        tree = parse(text)
    except SyntaxError:
        return None
    firsts = [(body[0], node) for node in ast.walk(tree) for body in _parts(node) if body]
    return tuple(
        (first.lineno, first.end_lineno or first.lineno, node)
        for first, node in firsts
        if isinstance(first, ast.Expr)
    )


def _parts(node: ast.AST) -> Iterator[Sequence[ast.stmt]]:
    if isinstance(node, (ast.If, ast.For, ast.AsyncFor, ast.While, ast.match_case)):
        yield node.body
    if isinstance(node, ast.If):
        yield node.orelse
