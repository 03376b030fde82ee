"""What does a program compute where writing into an array makes a new one, which only the name that is written gets?

    x[i] = v         # becomes `x = fresh(x)`, `x[i] = v`

JAX's arrays do not change: after `y = x`, a converted program that writes to `x` leaves `y` as it was, as is documented.
Where plain Python gives something else because of that, its result is nothing to compare with.
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np


def functional(source: str) -> str:
    """The program, with an array of its own at each write."""
    tree = _Fresh().visit(ast.parse(source))
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def fresh(value: Any) -> Any:
    """A copy of an array; any other value as it is."""
    return value.copy() if isinstance(value, np.ndarray) else value


class _Fresh(ast.NodeTransformer):
    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        return self._after_copies(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        return self._after_copies(node)

    def _after_copies(self, node: ast.Assign | ast.AugAssign) -> list[ast.stmt]:
        bases: set[str] = set()
        if isinstance(node, ast.AugAssign):  # also `x += v` changes an array itself
            written = [node.target]
        else:
            parts = [part for target in node.targets for part in ast.walk(target)]
            written = [p for p in parts if isinstance(p, ast.Subscript) and isinstance(p.ctx, ast.Store)]
        for target in written:
            base: ast.expr = target
            while isinstance(base, ast.Subscript | ast.Attribute):
                base = base.value
            bases |= {base.id} if isinstance(base, ast.Name) else set()
        return [*(ast.parse(f"{name} = fresh({name})").body[0] for name in sorted(bases)), node]
