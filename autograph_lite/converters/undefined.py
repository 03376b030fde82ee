"""Variables that a statement takes but that may be unassigned start as `ag.Undefined`; later reads of them are checked.

    def f(x):                             def f(x):
        if x > 0:                             y = ag.Undefined('y')
            y = x                             if x > 0:
        return y                                  y = x
                                              return ag.defined(y)

A read of a variable without a value raises what Python raises.
"""

from __future__ import annotations

import gast

from autograph_lite.analysis import definedness, scopes
from autograph_lite.analysis.plans import FunctionPlan
from autograph_lite.converters.context import Context
from autograph_lite.syntax import quote, trees


def run(function: gast.FunctionDef, plan: FunctionPlan, context: Context) -> None:
    """Rewrites the body of `function` in place; nested functions keep theirs."""
    params = scopes.parameters(function.args)
    unsure = [n for n in definedness.unsure(function.body, params, plan.plans) if n not in plan.outer]
    deleted = {
        name for n in scopes.own_nodes(function.body) if (name := _deletion(n, context.ag)) is not None
    }
    tracked = frozenset(unsure) - context.returns | deleted
    reads: list[gast.Name] = []
    if tracked:
        reads = definedness.unsure_reads(function.body, params, plan.plans, tracked)
        reads += _reads_inside(function.body, tracked)
    _Check(reads, context).generic_visit(function)
    start = scopes.first_statement(function.body)
    first: list[gast.stmt] = []
    for name in unsure:
        if name in params:  # only a `del` takes its value
            continue
        text = "y = ag.NO_RETURN" if name in context.returns else "y = ag.Undefined(text)"
        first += quote.stmts(text, ag=context.ag, y=name, text=quote.constant(name))
    # `if False: y = None` never runs; it makes `y` a variable of this function where only branches assign it.
    for name in plan.anchors:
        if name not in unsure:
            first += quote.stmts("if False:\n    y = None", y=name)
    new = quote.all_located(first, function.body[start] if start < len(function.body) else function)
    function.body[start:start] = new


def _reads_inside(body: list[gast.stmt], tracked: frozenset[str]) -> list[gast.Name]:
    """Reads of tracked names in nested functions, which may be called at any time."""
    found: list[gast.Name] = []
    for node in scopes.own_nodes(body):
        if isinstance(node, (*scopes.FUNCTIONS, gast.GeneratorExp)):
            wanted = scopes.free(node) & tracked
            if wanted:
                inside = node.body if isinstance(node, (gast.FunctionDef, gast.AsyncFunctionDef)) else [node]
                found += [
                    n
                    for part in inside
                    for n in trees.walk(part)
                    if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Load) and n.id in wanted
                ]
    return found


def _deletion(node: gast.AST, ag: str) -> str | None:
    """The name in `name = ag.deleted(name, ...)` and in `name = ag.Undefined(...)`."""
    match node:
        case gast.Assign(
            targets=[gast.Name(id=name)],
            value=gast.Call(func=gast.Attribute(value=gast.Name(id=root), attr="deleted" | "Undefined")),
        ) if root == ag:
            return str(name)
    return None


class _Check(trees.Transformer):
    def __init__(self, reads: list[gast.Name], context: Context) -> None:
        self.reads, self.ag = {id(r): r for r in reads}, context.ag
        self.inner = 0  # how many nested functions are around the node: what they assign is theirs to tell

    def visit_FunctionDef(self, node: gast.AST) -> gast.AST:
        self.inner += 1
        self.generic_visit(node)
        self.inner -= 1
        return node

    visit_AsyncFunctionDef = visit_Lambda = visit_FunctionDef

    def visit_Name(self, node: gast.Name) -> gast.AST:
        if id(node) not in self.reads:
            return node
        return quote.located(quote.expr("ag.defined(y)", ag=self.ag, y=node), node)

    def visit_Call(self, node: gast.Call) -> gast.AST:
        match node.func:
            case gast.Attribute(value=gast.Name(id=root), attr="deleted" | "Return") if root == self.ag:
                if node.func.attr == "deleted":
                    return node  # checks by itself
            case gast.Attribute(value=gast.Name(id=root), attr="assigned") if root == self.ag:
                # Its argument is known to be assigned: only taken out of its wrapper, where it may be in one.
                return node if self.inner or id(node.args[0]) in self.reads else node.args[0]
        self.generic_visit(node)
        return node

    def visit_AugAssign(self, node: gast.AugAssign) -> gast.AST | list[gast.stmt]:
        node.value = self.visit(node.value)
        if not isinstance(node.target, gast.Name):
            node.target = self.visit(node.target)
        elif id(node.target) in self.reads:
            check = quote.stmts("y = ag.defined(y)", ag=self.ag, y=node.target.id)
            return [*quote.all_located(check, node), node]
        return node
