"""Which loops walk over an array that their body writes to? Python gives them the items as they are by then.

    for i, v in enumerate(x):             walked = ag.walked(x, enumerate)
        x[-1] += v                        for i, place in enumerate(ag.places_of(x, walked)):
                                              v = ag.at_place(x, place, walked)
                                              x[-1] += v

`ag.walked` gives an array, and None for anything else, whose items the loop takes as they come. The builtins may be hidden
by other functions, so what their names mean is handed on.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import gast

from autograph_lite.analysis import scopes
from autograph_lite.converters.context import Context
from autograph_lite.syntax import quote, trees


def run(function: gast.FunctionDef, context: Context) -> None:
    """Rewrites loops of `function` in place; nested functions keep theirs."""
    _Walked(context).generic_visit(function)


class _Walked(trees.ScopeTransformer):
    def __init__(self, context: Context) -> None:
        self.context = context

    def visit_For(self, node: gast.For) -> gast.AST | list[gast.stmt]:
        before: list[gast.stmt] = []
        for walk in _walks(node.iter, node.target):
            if _writes(node, walk.name.id):
                before += _rewrite(node, walk, self.context)
        self.generic_visit(node)
        return [*before, node]


@dataclasses.dataclass(frozen=True)
class _Walk:
    """A name that a loop walks over, the target of its items, and the builtins that are around it."""

    name: gast.Name
    target: gast.expr
    builtins: tuple[str, ...]


def _walks(iterable: gast.expr, target: gast.expr, *around: str) -> list[_Walk]:
    match iterable, target:
        case gast.Name(), _:
            return [_Walk(iterable, target, around)]
        case gast.Call(func=gast.Name(id="reversed" as name), args=[walked]), _:
            return _walks(walked, target, *around, name)
        case gast.Call(func=gast.Name(id="enumerate" as name), args=[walked, *_]), gast.Tuple(elts=[_, item]):
            return _walks(walked, item, *around, name)
        case gast.Call(func=gast.Name(id="zip" as name), args=args), gast.Tuple(elts=items):
            if len(args) == len(items):
                pairs = zip(args, items, strict=True)
                return [walk for each, item in pairs for walk in _walks(each, item, *around, name)]
    return []


def _writes(loop: gast.For, name: str) -> bool:
    """Whether the loop writes to items of what the name means, and never binds it again."""
    nodes = list(scopes.own_nodes([loop.target, *loop.body]))
    added = [n.target for n in nodes if isinstance(n, gast.AugAssign)]
    stored = [n for n in nodes if isinstance(n, gast.Subscript) and isinstance(n.ctx, gast.Store)]
    if not any(isinstance(n := trees.owner(each), gast.Name) and n.id == name for each in [*added, *stored]):
        return False
    bound = [n for n in nodes if isinstance(n, gast.Name) and not isinstance(n.ctx, gast.Load)]
    return all(n.id != name or any(n is target for target in added) for n in bound)


def _rewrite(node: gast.For, walk: _Walk, context: Context) -> list[gast.stmt]:
    ag, x, target = context.ag, walk.name.id, walk.target
    walked, place = context.fresh("walked"), context.fresh("place")
    places = quote.expr_at(walk.name, "ag.places_of(x, walked)", ag=ag, x=x, walked=walked)
    node.iter = _Replaced(walk.name, places).visit(node.iter)
    node.target = _Replaced(target, quote.located(quote.name(place, gast.Store), target)).visit(node.target)
    item = quote.expr("ag.at_place(x, place, walked)", ag=ag, x=x, place=place, walked=walked)
    node.body.insert(0, quote.located(gast.Assign([target], item, None), target))
    names: list[gast.expr] = [quote.name(name) for name in (x, *walk.builtins)]
    array = gast.Call(quote.expr("ag.walked", ag=ag), names, [])
    return quote.all_located([quote.assign([walked], array)], node)


class _Replaced(trees.Transformer):
    """One node of a tree, replaced."""

    def __init__(self, old: gast.expr, new: gast.expr) -> None:
        self.old, self.new = old, new

    def visit(self, node: gast.AST) -> Any:
        return self.new if node is self.old else super().visit(node)
