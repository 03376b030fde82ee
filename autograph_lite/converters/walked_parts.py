"""Which loops walk over a part of an array that their body writes to? The part gets a name, so that the analysis sees it.

    for v in x[1:]:                       part = x[1:]
        x[-1] += v                        for v in part:
                                              ag.viewed(part, x, 'x[1:]', 'x', 'x[1:]', 0)
                                              x[-1] += v

A part of NumPy's gives the items as they are by then, and one of JAX's as they were: `ag.viewed` refuses the difference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import gast

from autograph_lite.analysis import item_stores, scopes, views
from autograph_lite.converters.context import Context
from autograph_lite.syntax import quote, trees

Calls = Mapping[gast.AST, Sequence[item_stores.Stored]]


def run(function: gast.FunctionDef, context: Context, calls: Calls) -> dict[str, str]:
    """Rewrites loops of `function` in place, nested functions excluded; the names that it has made, with the parts as text."""
    assigned = [n for n in scopes.own_nodes(function.body) if isinstance(n, gast.Assign)]
    other = {view.name for n in assigned for target in n.targets for view in views.made_by(target, n.value)}
    visitor = _Parts(context, frozenset(other), calls)
    visitor.generic_visit(function)
    return visitor.made


class _Parts(trees.ScopeTransformer):
    def __init__(self, context: Context, other: frozenset[str], calls: Calls) -> None:
        self.context, self.calls = context, calls
        self.other = other  # names of what has, or may have, another name
        self.made: dict[str, str] = {}

    def visit_For(self, node: gast.For) -> gast.AST | list[gast.stmt]:
        self.generic_visit(node)
        nodes = list(scopes.own_nodes([node.target, *node.body]))
        written = {path for inner in nodes for path, _ in item_stores.stored_in(inner)}
        written |= {path for inner in nodes for path, _ in self.calls.get(inner, ())}
        written |= {path for path, _ in item_stores.stored(node.target)}
        before: list[gast.stmt] = []
        if written:
            node.iter = self.named(node.iter, written, before)
        return [*before, node] if before else node

    def named(self, iterable: gast.expr, written: set[str], before: list[gast.stmt]) -> gast.expr:
        """`iterable` with a name in place of each part of what is `written`, or may be."""
        match iterable:
            case gast.Call(func=gast.Name(id=name), args=args) if name in views.AROUND:
                parts = [
                    self.part(each, before) if name == "iter" and trees.dotted(each) in written else each
                    for each in args
                ]
                iterable.args = [self.named(each, written, before) for each in parts]
            case gast.Subscript() | gast.Call():
                made = views.made_by(quote.name("part", gast.Store), iterable)
                if any(view.path in written or view.root in self.other for view in made):
                    return self.part(iterable, before)
        return iterable

    def part(self, iterable: gast.expr, before: list[gast.stmt]) -> gast.expr:
        name = self.context.fresh("part")
        self.made[name] = gast.unparse(iterable)
        before.append(quote.located(quote.assign([name], iterable), iterable))
        return quote.located(quote.name(name), iterable)
