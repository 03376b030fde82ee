"""Precedence: how tightly does an expression bind, and where may it stand without parentheses?

Levels as in the grammar: https://docs.python.org/3/reference/expressions.html#operator-precedence
"""

from __future__ import annotations

import ast
import enum


class Level(enum.IntEnum):
    """From the loosest binding to the tightest."""

    BARE = enum.auto()  # tuples, yield, :=
    TEST = enum.auto()  # conditional expressions, lambda
    OR = enum.auto()
    AND = enum.auto()
    NOT = enum.auto()
    COMPARE = enum.auto()
    BIT_OR = enum.auto()
    BIT_XOR = enum.auto()
    BIT_AND = enum.auto()
    SHIFT = enum.auto()
    SUM = enum.auto()
    TERM = enum.auto()
    SIGN = enum.auto()
    POWER = enum.auto()
    AWAIT = enum.auto()
    ATOM = enum.auto()

    @property
    def tighter(self) -> Level:
        """The next level."""
        return Level(self + 1)


_LEVELS: dict[type[ast.AST], Level] = {
    ast.Yield: Level.BARE,
    ast.YieldFrom: Level.BARE,
    ast.NamedExpr: Level.BARE,
    ast.IfExp: Level.TEST,
    ast.Lambda: Level.TEST,
    ast.Or: Level.OR,
    ast.And: Level.AND,
    ast.Not: Level.NOT,
    ast.Compare: Level.COMPARE,
    ast.BitOr: Level.BIT_OR,
    ast.BitXor: Level.BIT_XOR,
    ast.BitAnd: Level.BIT_AND,
    ast.LShift: Level.SHIFT,
    ast.RShift: Level.SHIFT,
    ast.Add: Level.SUM,
    ast.Sub: Level.SUM,
    ast.Mult: Level.TERM,
    ast.MatMult: Level.TERM,
    ast.Div: Level.TERM,
    ast.Mod: Level.TERM,
    ast.FloorDiv: Level.TERM,
    ast.Invert: Level.SIGN,
    ast.UAdd: Level.SIGN,
    ast.USub: Level.SIGN,
    ast.Pow: Level.POWER,
    ast.Await: Level.AWAIT,
}

_YIELDS = (ast.Tuple, ast.Yield, ast.YieldFrom)
_BARE: dict[type[ast.AST], dict[str, tuple[type[ast.AST], ...]]] = {
    ast.Expr: {"value": _YIELDS},
    ast.Assign: {"targets": (ast.Tuple,), "value": _YIELDS},
    ast.AugAssign: {"value": _YIELDS},
    ast.AnnAssign: {"value": _YIELDS},
    ast.Return: {"value": (ast.Tuple,)},
    ast.Yield: {"value": (ast.Tuple,)},
    ast.For: {"target": (ast.Tuple,), "iter": (ast.Tuple,)},
    ast.AsyncFor: {"target": (ast.Tuple,), "iter": (ast.Tuple,)},
    ast.comprehension: {"target": (ast.Tuple,)},
    ast.Subscript: {"slice": (ast.Tuple,)},
    ast.Match: {"subject": (ast.Tuple,)},
    ast.If: {"test": (ast.NamedExpr,)},
    ast.While: {"test": (ast.NamedExpr,)},
    ast.Call: {"args": (ast.NamedExpr,)},
}


def level_of(node: ast.AST) -> Level:
    """How tightly the outermost operation of `node` binds."""
    match node:
        case ast.BoolOp() | ast.BinOp() | ast.UnaryOp():
            return _LEVELS[type(node.op)]
        case ast.Tuple(elts=[_, *_]):
            return Level.BARE
        case ast.Constant(value=int() | float() as value) if str(value).startswith("-"):
            return Level.SIGN  # no parser makes this, but generated code may hold it
    return _LEVELS.get(type(node), Level.ATOM)


def may_be_bare(parent: ast.AST) -> list[ast.AST]:
    """The children of `parent` that need no parentheses at their place, though they bind loosely."""
    bare = []
    for field, types in _BARE.get(type(parent), {}).items():
        child = getattr(parent, field)
        bare += [c for c in (child if isinstance(child, list) else [child]) if isinstance(c, types)]
    return bare
