"""Variables that a statement takes but that may be unassigned start as `ag.Undefined`; later reads of them are checked.

    def f(x):                             def f(x):
        if x > 0:                             y = ag.Undefined('y')
            y = x                             if x > 0:
        return y                                  y = x
                                              return ag.defined(y)

A read of a variable without a value raises what Python raises.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import gast

from autograph_lite.analysis import definedness, scopes
from autograph_lite.analysis.plans import FunctionPlan
from autograph_lite.converters.context import Context
from autograph_lite.syntax import quote, trees


def run(function: gast.FunctionDef, plan: FunctionPlan, context: Context) -> None:
    """Rewrites the body of `function` in place; nested functions keep theirs."""
    params = scopes.parameter_names(function.args)
    unsure = [n for n in definedness.unsure(function.body, params, plan) if n not in plan.outer]
    deleted = {
        name for n in scopes.own_nodes(function.body) if (name := _deletion(n, context.ag)) is not None
    }
    tracked = frozenset(unsure) - context.returns | deleted
    reads: list[gast.Name] = []
    free: list[gast.Name] = []
    if tracked:
        free = _reads_inside(function.body, tracked)
        reads = [*definedness.unsure_reads(function.body, params, plan, tracked), *free]
    _Check(reads, free, context).generic_visit(function)
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


def _reads_inside(body: Sequence[gast.AST], tracked: frozenset[str]) -> list[gast.Name]:
    """Reads of tracked names in the scopes nested in a function's: of its functions, which may be called at any time."""
    found: list[gast.Name] = []
    ours: set[int] = set()
    for node in scopes.own_nodes(body):
        if isinstance(node, gast.Call) and scopes.is_generated_call(node):  # whose lambdas run at once
            lambdas = [part for part in node.args if isinstance(part, gast.Lambda)]
            ours.update(map(id, lambdas))
            found += _reads_inside([each.body for each in lambdas], tracked)
        elif isinstance(node, _SCOPES) and id(node) not in ours:
            wanted = scopes.free(node) & tracked
            if wanted:
                found += [name for part in _inside(node) for name in _needed(part) if name.id in wanted]
    return found


# From Python 3.12 on the other comprehensions are parts of the function.
_LAZY = (gast.GeneratorExp,) if sys.version_info >= (3, 12) else scopes.COMPREHENSIONS
_SCOPES = (*scopes.FUNCTIONS, gast.ClassDef, *_LAZY)


def _inside(scope: gast.AST) -> list[gast.AST]:
    """What is evaluated in a scope of its own."""
    match scope:
        case gast.FunctionDef() | gast.AsyncFunctionDef() | gast.ClassDef():
            return [*scope.body]
        case gast.Lambda():
            return [scope.body]
    outside = next(part.iter for part in trees.children(scope) if isinstance(part, gast.comprehension))
    parts = [
        p
        for part in trees.children(scope)
        for p in ([part] if isinstance(part, gast.expr) else trees.children(part))
    ]
    return [part for part in parts if part is not outside]


def _needed(node: gast.AST) -> Iterator[gast.Name]:
    """Names in `node` that have to have a value there: to be read, updated in place or deleted."""
    for part in trees.walk(node):
        if isinstance(part, gast.Name) and isinstance(part.ctx, (gast.Load, gast.Del)):
            yield part
        elif isinstance(part, gast.AugAssign) and isinstance(part.target, gast.Name):
            yield part.target


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
    def __init__(self, reads: list[gast.Name], free: list[gast.Name], context: Context) -> None:
        self.reads, self.ag = {id(r): r for r in reads}, context.ag
        self.free = frozenset(map(id, free))
        self.inner = 0  # how many nested functions are around the node: what they assign is theirs to tell

    def visit_FunctionDef(self, node: gast.AST) -> gast.AST:
        self.inner += 1
        self.generic_visit(node)
        self.inner -= 1
        return node

    visit_AsyncFunctionDef = visit_Lambda = visit_FunctionDef

    def visit_Delete(self, node: gast.Delete) -> gast.AST | list[gast.stmt]:
        if not any(id(target) in self.reads for target in node.targets):
            self.generic_visit(node)
            return node
        new: list[gast.stmt] = []
        for target in node.targets:
            if isinstance(target, gast.Name) and id(target) in self.reads:
                new.append(gast.Expr(self.defined(target)))
            else:
                self.generic_visit(target)
            new.append(gast.Delete([target]))
        return quote.all_located(new, node)

    def defined(self, node: gast.Name) -> gast.expr:
        text = "ag.defined(y, free=True)" if id(node) in self.free else "ag.defined(y)"
        return quote.expr(text, ag=self.ag, y=node.id)

    def visit_Name(self, node: gast.Name) -> gast.AST:
        if id(node) not in self.reads or not isinstance(node.ctx, gast.Load):
            return node
        return quote.located(self.defined(node), node)

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
            value = self.defined(node.target)
            check = quote.stmts("y = value", y=node.target.id, value=value)
            return [*quote.all_located(check, node), node]
        return node
