"""Reads of names that are known to be assigned, wherever the analysis may see a path that skips the assignment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import gast

from autograph_lite.analysis import definedness
from autograph_lite.syntax import quote, trees

Node = TypeVar("Node", bound=gast.AST)


def mark_assigned(node: Node, names: frozenset[str], ag: str) -> Node:
    """`node` with reads of `names` as `ag.assigned(name)`; the pass *undefined* takes the marks away that do nothing."""
    result: Node = _Assigned(ag, names).visit(node)
    return result


def marked_body(body: Sequence[gast.stmt], names: frozenset[str], ag: str) -> list[gast.stmt]:
    """`body`, where all of `names` are assigned when it begins; those that it deletes are left as they are."""
    known = names - definedness.maybe_unassigned(body)
    return [mark_assigned(statement, known, ag) for statement in body]


class _Assigned(trees.ScopeTransformer):
    """Leaves functions as they are, which are called later, when the name may have been deleted."""

    def __init__(self, ag: str, names: frozenset[str]) -> None:
        self.ag, self.names = ag, names

    def visit_Name(self, node: gast.Name) -> gast.AST:
        if node.id not in self.names or not isinstance(node.ctx, gast.Load):
            return node
        return quote.expr_at(node, "ag.assigned(y)", ag=self.ag, y=node)
