"""Translation: how does Python's tree become gast's, and back, with a valid place in the user's file for every node?

gast's own functions give the same trees in two to three times the time, and leave out the places that compiling needs.
The two kinds of tree have the same fields, but for a few that are named here: parameters, and the name of an `except`,
are `Name`s in gast's.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, TypeAlias

import gast

PLACE = ("lineno", "col_offset", "end_lineno", "end_col_offset")
Span: TypeAlias = tuple[int, int, int, int]  # the values of these

_Held: TypeAlias = dict[str, Any]  # the attributes of a node
# Puts the fields of a class that the other kind of tree has otherwise; and which these are.
_Special: TypeAlias = dict[type[ast.AST], tuple[Callable[[_Held, _Held, Span], None], tuple[str, ...]]]

_START: Span = (1, 0, 1, 0)


def to_gast(tree: ast.AST) -> Any:
    """The tree of gast's for one that `ast` has parsed, which is not changed."""
    return _to_gast(tree, _START)


def to_python(tree: ast.AST, around: Span = _START) -> ast.AST:
    """The tree of `ast` for one of gast's, which is not changed.

    Args:
      tree: of gast.
      around: the place of the nodes that have none, where no node around them has one. A place that ends before it begins,
        which `compile` refuses (and `ast.fix_missing_locations` keeps), ends where it begins.
    """
    python: ast.AST = _to_python(tree, around)
    return python


def _translation(module: Any, special: _Special) -> Callable[[ast.AST, Span], Any]:
    """What makes a tree of the classes of `module` from one of the other kind."""
    kinds, operators = _Kinds(module, special), _Operators(module)

    def translated(tree: ast.AST, around: Span) -> Any:
        kind, fields, has_place, rest = kinds[tree.__class__]
        held = tree.__dict__
        new = kind.__new__(kind)
        put = new.__dict__
        if has_place:
            around = _span(held, around)
            put["lineno"], put["col_offset"], put["end_lineno"], put["end_col_offset"] = around
        for name, part in fields:
            value = held.get(name)
            if part is _PLAIN or value is None:
                put[name] = value
            elif part is _OPERATOR:
                put[name] = operators[value.__class__]
            elif value.__class__ is list:
                put[name] = [
                    translated(item, around) if isinstance(item, ast.AST) else item for item in value
                ]
            else:
                put[name] = translated(value, around) if isinstance(value, ast.AST) else value
        if rest is not None:
            rest(held, put, around)
        return new

    return translated


def _span(held: _Held, around: Span) -> Span:
    """The place of a node with these attributes, in a node at `around`."""
    line, column = held.get("lineno"), held.get("col_offset")
    if line is None or column is None:
        return around
    end_line, end_column = held.get("end_lineno"), held.get("end_col_offset")
    if (
        end_line is None
        or end_column is None
        or end_line < line
        or (end_line == line and end_column < column)
    ):
        return line, column, line, column
    return line, column, end_line, end_column


def _parameter_to_gast(held: _Held, put: _Held, _: Span) -> None:
    put["id"], put["ctx"] = held["arg"], gast.Param()


def _handler_to_gast(held: _Held, put: _Held, _: Span) -> None:
    if held["name"]:
        put["name"] = gast.Name(held["name"], gast.Store(), None, None)


def _definition_to_gast(held: _Held, put: _Held, _: Span) -> None:
    if "type_params" not in held:  # which Python has from 3.12 on
        put["type_params"] = []


def _parameters_to_python(held: _Held, put: _Held, around: Span) -> None:
    for name in ("posonlyargs", "args", "kwonlyargs"):
        put[name] = [_parameter_to_python(each, around) for each in held[name]]
    for name in ("vararg", "kwarg"):
        put[name] = held[name] and _parameter_to_python(held[name], around)


def _parameter_to_python(name: gast.Name, around: Span) -> ast.arg:
    around = _span(name.__dict__, around)
    annotation: Any = name.annotation and to_python(name.annotation, around)
    return ast.arg(name.id, annotation, name.type_comment, **dict(zip(PLACE, around, strict=True)))


def _handler_to_python(held: _Held, put: _Held, _: Span) -> None:
    put["name"] = held["name"] and held["name"].id


# What a field holds: never a node, one of those without fields (`Load()`), or anything.
_PLAIN, _OPERATOR, _ANYTHING = range(3)
_HOLDS = {
    **dict.fromkeys(("arg", "attr", "conversion", "id", "is_async", "kind", "level", "module"), _PLAIN),
    **dict.fromkeys(("ctx", "op"), _OPERATOR),
}
_Kind: TypeAlias = tuple[type[ast.AST], tuple[tuple[str, int], ...], bool, Any]


class _Kinds(dict[Any, _Kind]):
    """Of each class of a tree: that of the other tree, its fields, whether it has a place, and what else is to do."""

    def __init__(self, module: Any, special: _Special) -> None:
        self.module, self.special = module, special

    def __missing__(self, kind: type[ast.AST]) -> _Kind:
        other = gast.Name if kind is ast.arg else getattr(self.module, kind.__name__)
        special, apart = self.special.get(kind, (None, ()))
        fields = tuple((name, _HOLDS.get(name, _ANYTHING)) for name in other._fields if name not in apart)
        self[kind] = other, fields, "lineno" in other._attributes, special
        return self[kind]


class _Operators(dict[Any, ast.AST]):
    """`Load()`, `Add()`: Python's parser, too, has one of each."""

    def __init__(self, module: Any) -> None:
        self.module = module

    def __missing__(self, kind: type[ast.AST]) -> ast.AST:
        self[kind] = getattr(self.module, kind.__name__)()
        return self[kind]


_to_gast = _translation(
    gast,
    {
        ast.arg: (_parameter_to_gast, ("id", "ctx")),
        ast.ExceptHandler: (_handler_to_gast, ()),
        **dict.fromkeys((ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef), (_definition_to_gast, ())),
    },
)
_to_python = _translation(
    ast,
    {
        gast.arguments: (_parameters_to_python, ("posonlyargs", "args", "vararg", "kwonlyargs", "kwarg")),
        gast.ExceptHandler: (_handler_to_python, ("name",)),
    },
)
