"""Makes the generated code read as a person would write it.

    y = x + 1                             return x + 1
    return y

Only inside functions that the passes have made, and only for a name that is returned at once.
"""

from __future__ import annotations

import gast

from autograph_lite.converters.context import Context
from autograph_lite.syntax import trees


def run(function: gast.AST, context: Context) -> None:
    """Shortens the generated functions in `function`."""
    for node in trees.walk(function):
        if isinstance(node, gast.FunctionDef) and node.name in context.generated:
            _shorten(node)


def _shorten(node: gast.FunctionDef) -> None:
    match node.body[-2:]:
        case [gast.Assign(targets=[gast.Name(id=name)], value=value), gast.Return(value=gast.Name(id=returned))]:
            held = any(isinstance(s, (gast.Nonlocal, gast.Global)) and name in s.names for s in node.body)
            if name == returned and not held:
                last = node.body[-2]
                node.body[-2:] = [gast.copy_location(gast.Return(value), last)]
    if len(node.body) > 1:
        node.body = [s for s in node.body if not isinstance(s, gast.Pass)] or node.body[:1]
