"""What keeps Python's control flow: generators, coroutines, functions that jump out of `finally`, bodies of classes.

    if x > 0:                             if ag.python_test(x > 0):
        yield x                               yield x

A generator suspends in the middle of its statements, so no statement of it can become a function. Its tests refuse a
traced value with an error that says so; everything else works as in Python.
"""

from __future__ import annotations

import gast

from autograph_lite.analysis import scopes
from autograph_lite.analysis.exits import jumps_out
from autograph_lite.converters.context import Context
from autograph_lite.syntax import quote, trees

SUSPENDING = (gast.Yield, gast.YieldFrom, gast.Await, gast.AsyncFor, gast.AsyncWith)

NAMES = frozenset({"locals", "vars", "dir"})  # called without arguments, they give the local names


def is_opaque(function: gast.FunctionDef | gast.AsyncFunctionDef) -> bool:
    """Whether the control flow of `function` can't be converted."""
    if isinstance(function, gast.AsyncFunctionDef):
        return True
    for node in scopes.own_nodes(function.body):
        if isinstance(node, SUSPENDING) or (isinstance(node, gast.comprehension) and node.is_async):
            return True
        if isinstance(node, (gast.Try, gast.TryStar)) and jumps_out(node.finalbody):
            return True
        if isinstance(node, gast.Name) and node.id in ("locals", "eval", "exec"):
            return True
        if (
            isinstance(node, gast.Call)
            and isinstance(node.func, gast.Name)
            and node.func.id in NAMES
            and not node.args
        ):
            return True
    return False


def run(scope: gast.FunctionDef | gast.ClassDef, context: Context) -> None:
    """Rewrites the tests in the body of `scope` in place; functions and classes in it keep theirs."""
    _Tests(context).visit_list(scope.body)


class _Tests(trees.ScopeTransformer):
    def __init__(self, context: Context) -> None:
        self.ag = context.ag

    def visit_If(self, node: gast.If | gast.While) -> gast.AST:
        self.generic_visit(node)
        node.test = self.test(node.test)
        return node

    visit_While = visit_If

    def test(self, node: gast.expr) -> gast.expr:
        if isinstance(node, gast.Constant):
            return node
        return quote.expr_at(node, "ag.python_test(test)", ag=self.ag, test=node)
