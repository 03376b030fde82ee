"""Statements: which one of control flow stands at a place of a user's file? Its kind, its own place and its first line.

    find_statement("model.py", "if", 14, 7)  ->  Statement(kind="if", line=14, column=4, text="if x > 0:")

Operators know where the part is that was running: the condition of an `if`, or the whole of a loop.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import linecache
from collections.abc import Collection, Iterator

from autograph_lite.syntax.source_text.compiling import parse

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_NODES: dict[str, tuple[type[ast.AST], ...]] = {
    "if": (ast.If, ast.Match),
    "ternary": (ast.IfExp,),
    "and": (ast.BoolOp,),
    "or": (ast.BoolOp,),
    "match": (ast.Match, ast.If),
    "while": (ast.While,),
    "for": (ast.For, *_COMPREHENSIONS),
    "recursion": (ast.Call,),
    "append": (ast.Call, ast.AugAssign),
}
_PLACED = (ast.stmt, ast.expr, ast.pattern)


@dataclasses.dataclass(frozen=True)
class Statement:
    """A statement of control flow."""

    kind: str  # "if", "ternary", "and", "or", "match", "for", "while" or "comprehension"
    line: int  # `line`, `column`: where it begins; lines count from 1, columns from 0
    column: int
    text: str  # its first line, from there on


def find_statement(path: str, kind: str, line: int, column: int | None) -> Statement | None:
    """The statement that begins at a place, or has its condition there; None where there is none of that kind.

    Args:
      path: the file, as Python names it in tracebacks.
      kind: see `Statement`; "for" finds comprehensions, too, and "match" chains of `elif`.
      line: of the place.
      column: likewise; comprehensions are found without it, and where it is None, so is the first statement of the line.
    """
    nodes = [node for node in _on_line(path, line) if isinstance(node, _NODES[kind]) and _is(node, kind)]
    exact = [node for node in nodes if column is not None and (line, column) in _starts(node)]
    near = [node for node in nodes if isinstance(node, _COMPREHENSIONS) or column is None]
    node = next(iter(exact or near), None)
    if node is None:
        return None
    return Statement(_name(node, kind), node.lineno, node.col_offset, _text(path, node))


def statements_on_lines(path: str, lines: Collection[int]) -> list[tuple[str, Statement]]:
    """The statements that have run a line, each with the name of the function that it stands in, in their order."""
    try:
        tree = parse("".join(linecache.getlines(path)))
    except SyntaxError:
        return []
    found: list[tuple[str, Statement]] = []
    for name, body in _functions(tree):
        own = {line for part in body for line in _lines(part)}
        for node in (node for part in body for node in _inside(part)):
            kind = next((kind for kind in _KINDS if isinstance(node, _NODES[kind]) and _is(node, kind)), None)
            if kind and isinstance(node, (ast.stmt, ast.expr)) and own & _span(node) & {*lines}:
                place = Statement(_name(node, kind), node.lineno, node.col_offset, _text(path, node))
                found.append((name, place))
    return sorted(found, key=lambda each: (each[1].line, each[1].column))


_KINDS = ("if", "ternary", "and", "or", "while", "for")
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _functions(tree: ast.AST) -> Iterator[tuple[str, list[ast.stmt]]]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node.body


def _inside(node: ast.AST) -> Iterator[ast.AST]:
    """A node and what is in it, but for functions, which are their own."""
    if not isinstance(node, _SCOPES):
        yield node
        for child in ast.iter_child_nodes(node):
            yield from _inside(child)


def _lines(node: ast.AST) -> set[int]:
    """The lines of a node, but for those of functions in it."""
    return {line for each in _inside(node) if isinstance(each, _PLACED) for line in _ends(each)}


def _ends(node: ast.stmt | ast.expr | ast.pattern) -> tuple[int, int]:
    return node.lineno, node.end_lineno or node.lineno


def _span(node: ast.stmt | ast.expr) -> set[int]:
    first, last = _ends(node)
    return {*range(first, last + 1)}


def _is(node: ast.AST, kind: str) -> bool:
    if isinstance(node, ast.BoolOp):
        return isinstance(node.op, ast.And) == (kind == "and")
    if isinstance(node, ast.Call) and kind == "append":
        return isinstance(node.func, ast.Attribute) and node.func.attr in ("append", "extend", "insert")
    return True


def _name(node: ast.AST, kind: str) -> str:
    if isinstance(node, _COMPREHENSIONS):
        return "comprehension"
    if isinstance(node, ast.Match):
        return "match"
    return "if" if isinstance(node, ast.If) else kind


def _starts(node: ast.AST) -> list[tuple[int, int]]:
    parts = [node, *(getattr(node, name, node) for name in ("test", "subject", "iter"))]
    if isinstance(node, ast.Match):
        parts += [part for case in node.cases for part in (case.pattern, case.guard)]
    return [(part.lineno, part.col_offset) for part in parts if isinstance(part, _PLACED)]


def _text(path: str, node: ast.stmt | ast.expr) -> str:
    lines = linecache.getlines(path)
    whole = isinstance(node, ast.expr) and node.end_lineno == node.lineno
    text = lines[node.lineno - 1].encode()[node.col_offset : node.end_col_offset if whole else None]
    return text.decode(errors="replace").strip()


def _on_line(path: str, line: int) -> list[ast.stmt | ast.expr]:
    """The nodes that are control flow and begin on a line, or whose condition does, in the order of the file."""
    return _by_line("".join(linecache.getlines(path))).get(line, [])


@functools.lru_cache(maxsize=16)
def _by_line(text: str) -> dict[int, list[ast.stmt | ast.expr]]:
    kinds = tuple({kind for kinds in _NODES.values() for kind in kinds})
    found: dict[int, list[ast.stmt | ast.expr]] = {}
    try:
        tree = parse(text)
    except SyntaxError:
        return found
    for node in ast.walk(tree):
        if isinstance(node, kinds) and isinstance(node, (ast.stmt, ast.expr)):
            for line in {line for line, _ in _starts(node)}:
                found.setdefault(line, []).append(node)
    for nodes in found.values():
        nodes.sort(key=lambda node: (node.lineno, node.col_offset))
    return found
