"""Tail calls: is a call the last thing that its function does? Then a function that calls itself there is a loop.

def gcd(a, b):
    if b == 0:
        return a
    return gcd(b, a % b)              a tail call; in `return 1 + gcd(b, a % b)` it is none
"""

from __future__ import annotations

import ast
import functools
import linecache
from typing import TypeAlias

from autograph_lite.syntax.source_text.compiling import parse

Function: TypeAlias = "ast.FunctionDef | ast.Lambda"
Place: TypeAlias = tuple[int, int]  # line and column


def function_of(path: str, place: Place) -> int | None:
    """The first line, as code objects count, of the function that ends with the call at a place of a file; else None.

    It does where what the call gives is returned as it is, and neither a loop nor `try` or `with` stands around it.
    """
    return _tail_calls("".join(linecache.getlines(path))).get(place)


@functools.lru_cache(maxsize=16)
def _tail_calls(text: str) -> dict[Place, int]:
    try:
        tree = parse(text)
    except SyntaxError:
        return {}
    found: dict[Place, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            _statements(node.body, first, found)
        elif isinstance(node, ast.Lambda):
            _expression(node.body, node.lineno, found)
    return found


def _statements(body: list[ast.stmt], first: int, found: dict[Place, int]) -> None:
    for node in body:
        match node:
            case ast.Return(value=ast.expr() as value):
                _expression(value, first, found)
            case ast.If():
                _statements(node.body, first, found)
                _statements(node.orelse, first, found)
            case ast.Match():
                for case in node.cases:
                    _statements(case.body, first, found)


def _expression(value: ast.expr, first: int, found: dict[Place, int]) -> None:
    match value:
        case ast.IfExp():
            _expression(value.body, first, found)
            _expression(value.orelse, first, found)
        case ast.Call():
            found[value.lineno, value.col_offset] = first
