"""How is a slice written outside of brackets? With an operator that can tell by how much its bounds differ.

    x[a:b:c]                              ag.slice(a, b, c)
    x[i - 1 : i + 2]                      ag.bounds(lambda i: (i - 1, i + 2), i)
    A[k + 1 :, j : j + b]                 (ag.bounds(lambda k: (k + 1, None), k), ag.bounds(lambda j, b: (j, j + b), j, b))

The second form is for sums, differences and products of variables: their bounds are compared as such (see
`operators.affine`), so that a part of known length has a known length, and one bound that is computed twice is one bound.
"""

from __future__ import annotations

import re
from typing import Any

import gast

from autograph_lite.syntax import quote, trees


def index_expr(node: gast.expr, ag: str) -> gast.expr:
    """What stands in brackets as an expression."""
    match node:
        case gast.Slice():
            return _slice(node, ag)
        case gast.Tuple() if any(isinstance(e, gast.Slice) for e in node.elts):
            return gast.copy_location(gast.Tuple([index_expr(e, ag) for e in node.elts], gast.Load()), node)
    return node


def _slice(node: gast.Slice, ag: str) -> gast.expr:
    parts = [quote.constant(None) if p is None else p for p in (node.lower, node.upper, node.step)]
    if node.step is None:
        parts.pop()
    bounds = [p for p in (node.lower, node.upper) if p is not None]
    if not (all(map(_is_sum, bounds)) and any(isinstance(b, gast.BinOp) for b in bounds)):
        return quote.located(gast.Call(quote.expr("ag.slice", ag=ag), parts, []), node)
    given = _Values()
    computed = gast.Tuple([given.visit(trees.copy_tree(part)) for part in parts], gast.Load())
    compute = quote.lambda_(list(given.found.values()), computed)
    return quote.located(gast.Call(quote.expr("ag.bounds", ag=ag), [compute, *given.nodes], []), node)


class _Values(trees.Transformer):
    """Puts the name of a parameter in the place of each variable, `self.size` or `len(x)`."""

    def __init__(self) -> None:
        self.found: dict[str, str] = {}  # the parameters, by what they stand for
        self.nodes: list[gast.expr] = []  # what they stand for

    def visit(self, node: gast.AST) -> Any:
        if not isinstance(node, gast.expr) or not _is_value(node):
            return super().visit(node)
        text = gast.unparse(node)
        if text not in self.found:
            name = re.sub(r"\W+", "_", text).strip("_")
            self.found[text] = name if name not in self.found.values() else f"{name}_{len(self.found)}"
            self.nodes.append(node)
        return gast.copy_location(quote.name(self.found[text]), node)


def _is_value(node: gast.expr) -> bool:
    """Whether an expression is a variable, an attribute of one, a number in its shape, or its length."""
    match node:
        case gast.Name():
            return True
        case gast.Attribute(value=value):
            return _is_value(value)
        case gast.Subscript(value=gast.Attribute(value=value, attr="shape"), slice=gast.Constant()):
            return _is_value(value)
        case gast.Call(func=gast.Name(id="len"), args=[value], keywords=[]):
            return _is_value(value)
    return False


def _is_sum(bound: gast.expr) -> bool:
    """Whether a bound is a sum, difference or product of variables and numbers, one variable among them."""
    match bound:
        case gast.Constant(value=int()):
            return True
        case gast.BinOp(left=left, op=gast.Add() | gast.Sub() | gast.Mult(), right=right):
            return _is_sum(left) and _is_sum(right)
        case gast.UnaryOp(op=gast.USub(), operand=operand):
            return _is_sum(operand)
    return _is_value(bound)
