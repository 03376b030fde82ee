"""Which place in the user's file does each node stand for? Compiling needs a valid answer for every node."""

from __future__ import annotations

import ast
from typing import TypeAlias

from autograph_lite.syntax import trees

Span: TypeAlias = tuple[int, int, int, int]  # line, column, end line, end column


def locate(tree: ast.AST) -> None:
    """Gives each node of `tree` a valid location: its own, else that of the node around it.

    `ast.fix_missing_locations` keeps a range that ends before it begins, which `compile` refuses.
    """
    stack: list[tuple[ast.AST, Span]] = [(tree, (1, 0, 1, 0))]
    while stack:
        node, around = stack.pop()
        if "lineno" in node._attributes:
            own = _own(node)
            around = _span(own, around)
            if own != around:
                for attribute, value in zip(_ATTRIBUTES, around, strict=True):
                    setattr(node, attribute, value)
        for child in trees.children(node):
            stack.append((child, around))  # noqa: PERF401 (a comprehension is slower for so few)


_ATTRIBUTES = ("lineno", "col_offset", "end_lineno", "end_col_offset")


def _own(node: ast.AST) -> tuple[int | None, ...]:
    try:
        return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]
    except AttributeError:
        return tuple(getattr(node, attribute, None) for attribute in _ATTRIBUTES)


def _span(own: tuple[int | None, ...], around: Span) -> Span:
    line, column, end_line, end_column = own
    if line is None or column is None:
        return around
    if end_line is None or end_column is None or (end_line, end_column) < (line, column):
        return line, column, line, column
    return line, column, end_line, end_column
