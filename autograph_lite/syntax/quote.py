"""Quoting: how is new code written? As Python text with holes, parsed once and filled with gast nodes.

    stmts("x = f(value)", x="y", value=node)   # y = f(<node>)

A hole is a name in the text. It is replaced by another name (a string), by an expression, or, where the name stands
alone as a statement, by a list of statements. New nodes have no location until `located` gives them one.
"""

from __future__ import annotations

import functools
import textwrap
from collections.abc import Iterable, Sequence
from typing import TypeAlias, TypeVar

import gast

from autograph_lite.syntax import trees
from autograph_lite.syntax.source_text.compiling import parse
from autograph_lite.syntax.translation import PLACE, to_gast

Hole: TypeAlias = "str | gast.AST | Sequence[gast.AST]"
Node = TypeVar("Node", bound=gast.AST)


def name(id_: str, ctx: type[gast.expr_context] = gast.Load) -> gast.Name:
    """A reference to a variable."""
    return gast.Name(id_, ctx(), None, None)


def constant(value: object) -> gast.Constant:
    """A literal."""
    return gast.Constant(value, None)


def tuple_of(ids: Sequence[str], ctx: type[gast.expr_context] = gast.Load) -> gast.Tuple:
    """`x, y` for the names x and y."""
    return gast.Tuple([name(i, ctx) for i in ids], ctx())


def stmts(text: str, /, **holes: Hole) -> list[gast.stmt]:
    """The statements of `text`, each hole filled."""
    filled: list[gast.stmt] = []
    for statement in _parsed(text):
        new = _Fill(holes).visit(trees.copy_tree(statement))
        filled += new if isinstance(new, list) else [new]
    return filled


def expr(text: str, /, **holes: Hole) -> gast.expr:
    """The expression `text`, each hole filled."""
    (statement,) = stmts(text, **holes)
    assert isinstance(statement, gast.Expr)
    return statement.value


def expr_at(origin: gast.AST, text: str, /, **holes: Hole) -> gast.expr:
    """The expression `text`, `located` at `origin`."""
    return located(expr(text, **holes), origin)


def function_def(name_: str, params: Sequence[str], body: Sequence[gast.stmt]) -> gast.FunctionDef:
    """`def name_(params): body`."""
    return gast.FunctionDef(name_, arguments(params), list(body) or [gast.Pass()], [], None, None, [])


def lambda_(params: Sequence[str], body: gast.expr) -> gast.Lambda:
    """`lambda params: body`."""
    return gast.Lambda(arguments(params), body)


def arguments(params: Sequence[str]) -> gast.arguments:
    """Positional parameters without defaults."""
    return gast.arguments([name(p, gast.Param) for p in params], [], None, [], [], None, [])


def assign(ids: Sequence[str], value: gast.expr) -> gast.stmt:
    """`x, y = value`; `value` alone where nothing is assigned."""
    if not ids:
        return gast.Expr(value)
    target = name(ids[0], gast.Store) if len(ids) == 1 else tuple_of(ids, gast.Store)
    return gast.Assign([target], value, None)


def located(new: Node, origin: gast.AST) -> Node:
    """`new`, where every node that has no location yet takes that of `origin`.

    Statements and expressions in it that have one are complete: whoever made them has located what is in them.
    """
    place = {name: value for name, value in origin.__dict__.items() if name in PLACE}
    # Python says of `ag.f(...)` that it runs on the line on which `ag.f` ends.
    start = {**place, "end_lineno": place.get("lineno"), "end_col_offset": place.get("col_offset")}
    stack: list[gast.AST] = [new]
    while stack:
        node = stack.pop()
        held = node.__dict__
        if held.get("lineno") is None and "lineno" in node._attributes:
            held.update(start if node.__class__ is gast.Attribute else place)
        stack += [
            child
            for child in trees.children(node)
            if child.__dict__.get("lineno") is None or not isinstance(child, (gast.stmt, gast.expr))
        ]
    return new


def all_located(new: Iterable[Node], origin: gast.AST) -> list[Node]:
    """`located` for a list of statements."""
    return [located(node, origin) for node in new]


@functools.cache
def _parsed(text: str) -> list[gast.stmt]:
    body = to_gast(parse(textwrap.dedent(text))).body
    for node in gast.walk(gast.Module(body, [])):
        for attribute in PLACE:
            node.__dict__.pop(attribute, None)
    return list(body)


class _Fill(trees.Transformer):
    def __init__(self, holes: dict[str, Hole]) -> None:
        self.holes = holes

    def visit_Expr(self, node: gast.Expr) -> gast.AST | list[gast.AST]:
        if isinstance(node.value, gast.Name):
            hole = self.holes.get(node.value.id)
            if hole is not None and not isinstance(hole, (str, gast.AST)):
                return list(hole)
        self.generic_visit(node)
        return node

    def visit_Name(self, node: gast.Name) -> gast.AST:
        hole = self.holes.get(node.id, node)
        if isinstance(hole, str):
            return name(hole, type(node.ctx))
        assert isinstance(hole, gast.AST)
        return hole

    def visit_FunctionDef(self, node: gast.FunctionDef) -> gast.AST:
        self.generic_visit(node)
        hole = self.holes.get(node.name, node.name)
        assert isinstance(hole, str)
        node.name = hole
        return node
