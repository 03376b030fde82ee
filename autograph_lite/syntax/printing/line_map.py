r"""Which lines of the user's file does each line of printed generated code stand for?

    line_map("def step(x):\n    return ag.if_stmt(x > 0, ...)\n", tree)  ->  [{14}, {15, 16}]

The text parses to the tree that it was printed from, so that the two are walked side by side.
"""

from __future__ import annotations

import ast

import gast

from autograph_lite.syntax import translation, trees
from autograph_lite.syntax.depth import deep_recursion
from autograph_lite.syntax.source_text import compiling


def line_map(text: str, tree: gast.AST) -> list[frozenset[int]]:
    """The lines of the file, from 1, that each line of `text` stands for, printed of `tree`; none where nothing begins."""
    found: list[set[int]] = [set() for _ in text.splitlines()]
    with deep_recursion():
        located = translation.to_python(tree)
        printed = _parsed(text, located)
        todo: list[tuple[ast.AST, ast.AST]] = [(printed, located)]
        while todo:
            shown, own = todo.pop()
            if isinstance(shown, (ast.stmt, ast.expr)) and isinstance(own, (ast.stmt, ast.expr)):
                found[shown.lineno - 1].add(own.lineno)
            todo += zip(trees.children(shown), trees.children(own), strict=False)
    return [frozenset(lines) for lines in found]


def _parsed(text: str, like: ast.AST) -> ast.AST:
    return compiling.parse_expression(text) if isinstance(like, ast.expr) else compiling.parse(text).body[0]
