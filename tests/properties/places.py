"""Where in a syntax tree could another node stand?"""

from __future__ import annotations

import ast
import dataclasses
from typing import Any


@dataclasses.dataclass(frozen=True)
class Place:
    """A node's field that holds a node, or a list of them and a position in it."""

    node: ast.AST
    field: str
    position: int | None = None

    def get(self) -> Any:
        value = getattr(self.node, self.field)
        return value if self.position is None else value[self.position]

    def put(self, new: Any) -> None:
        if self.position is None:
            setattr(self.node, self.field, new)
        else:
            getattr(self.node, self.field)[self.position] = new


def places(tree: ast.AST) -> list[Place]:
    """Every statement, case and expression of the tree, outer ones first."""
    found = []
    for node in ast.walk(tree):
        for field, value in ast.iter_fields(node):
            if isinstance(value, list):
                kinds = (ast.stmt, ast.expr, ast.match_case)
                found += [Place(node, field, i) for i, item in enumerate(value) if isinstance(item, kinds)]
            elif isinstance(value, ast.expr):
                found.append(Place(node, field))
    return found
