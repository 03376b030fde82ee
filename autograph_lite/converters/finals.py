"""Where a check has failed, a `finally` finds unassigned what its `try` has not come to assign.

    def f(x):                             def f(x):
        try:                                  y_reached = False
            assert x > 0                      try:
            y = x                                 assert x > 0
        finally:                                  y = x
            note(y)                               y_reached = ag.reached(y_reached)
                                              finally:
                                                  note(ag.found(y, y_reached, 'y'))

A compiled program goes on after a check that has failed, so that the variable has a value there all the same.
"""

from __future__ import annotations

import gast

from autograph_lite.analysis import scopes
from autograph_lite.converters.context import Context
from autograph_lite.syntax import quote, trees

TRIES = (gast.Try, gast.TryStar)


def run(function: gast.FunctionDef, context: Context) -> None:
    """Rewrites the body of `function` in place; nested functions keep theirs."""
    tries = [node for node in scopes.own_nodes(function.body) if isinstance(node, TRIES) and node.finalbody]
    start = scopes.first_statement(function.body)
    for node in tries:
        for name in _assigned_by(node, function):
            reached = context.fresh(f"{name}_reached")
            noted = _Noted(name, reached, context.ag)
            noted.visit_list(node.body)
            noted.visit_list(node.orelse)
            _Read(name, reached, context.ag).visit_list(node.finalbody)
            first = quote.stmts("reached = False", reached=reached)
            function.body[start:start] = quote.all_located(first, function.body[start])


def _assigned_by(node: gast.Try, function: gast.FunctionDef) -> list[str]:
    """Variables that `node.finalbody` reads and that nothing but assignments and loops in its `try` binds."""
    read = frozenset().union(*map(scopes.names_read, node.finalbody))
    wanted = [name for name in scopes.bound([*node.body, *node.orelse]) if name in read]
    if not wanted:
        return []
    targets = {id(n) for s in (*node.body, *node.orelse) for n in _targets(s)}
    others = {*scopes.parameter_names(function.args), *_bound_otherwise(function, targets)}
    return [name for name in wanted if name not in others]


def _targets(body: gast.stmt) -> list[gast.Name]:
    """The names that assignments and `for` in `body` bind."""
    found: list[gast.AST] = []
    for node in scopes.own_nodes([body]):
        if isinstance(node, gast.Assign):
            found += node.targets
        elif isinstance(node, (gast.AnnAssign, gast.AugAssign, gast.For)):
            found.append(node.target)
    return [n for n in scopes.own_nodes(found) if isinstance(n, gast.Name)]


def _bound_otherwise(function: gast.FunctionDef, targets: set[int]) -> set[str]:
    """Names that `function`, or a function in it, binds in another way than by the names in `targets`."""
    nodes = list(scopes.own_nodes(function.body))
    names = {
        node.id
        for node in nodes
        if isinstance(node, gast.Name) and not isinstance(node.ctx, gast.Load) and id(node) not in targets
    }
    return names | scopes.bound_by_others(nodes)


class _Noted(trees.ScopeTransformer):
    """Notes, after each assignment of a variable, whether a check has failed before it."""

    def __init__(self, name: str, reached: str, ag: str) -> None:
        self.name, self.reached, self.ag = name, reached, ag

    def visit_Assign(self, node: gast.Assign) -> gast.AST | list[gast.AST]:
        return [node, *self.note(node)] if self.name in scopes.bound([node]) else node

    visit_AnnAssign = visit_AugAssign = visit_Assign

    def visit_For(self, node: gast.For) -> gast.AST:
        self.generic_visit(node)
        if self.name in scopes.bound([node.target]):
            node.body = [*self.note(node), *node.body]
        return node

    def note(self, node: gast.AST) -> list[gast.stmt]:
        return quote.all_located(quote.stmts("y = ag.reached(y)", ag=self.ag, y=self.reached), node)


class _Read(trees.Transformer):
    """Reads a variable where it counts whether a check has failed before its assignment."""

    def __init__(self, name: str, reached: str, ag: str) -> None:
        self.name, self.reached, self.ag = name, reached, ag

    def visit_Name(self, node: gast.Name) -> gast.AST:
        if node.id != self.name or not isinstance(node.ctx, gast.Load):
            return node
        text = quote.constant(self.name)
        found = quote.expr("ag.found(y, reached, text)", ag=self.ag, y=node, reached=self.reached, text=text)
        return quote.located(found, node)
