"""Makes the generated code read as a person would write it.

    y = x + 1                             return x + 1
    return y

Only inside functions that the passes have made, and only for what is returned at once; for several names, only where they
come from a statement of ours, which gives a tuple.
"""

from __future__ import annotations

import gast

from autograph_lite.converters.context import Context
from autograph_lite.syntax import trees

STATEMENTS = frozenset({"if_stmt", "switch_stmt", "while_stmt", "for_stmt"})


def run(function: gast.AST, context: Context) -> None:
    """Shortens the generated functions in `function`."""
    for node in trees.statements([function]):
        if isinstance(node, gast.FunctionDef) and node.name in context.generated:
            _shorten(node, context.ag)


def _shorten(node: gast.FunctionDef, ag: str) -> None:
    match node.body[-2:]:
        case [
            gast.Assign(targets=[gast.Name(id=name)], value=value),
            gast.Return(value=gast.Name(id=returned)),
        ]:
            if name == returned and not _held(node, {name}):
                node.body[-2:] = [gast.copy_location(gast.Return(value), node.body[-2])]
        case [
            gast.Assign(targets=[gast.Tuple() as target], value=value),
            gast.Return(value=gast.Tuple() as returned),
        ]:
            if (
                _names(target) == _names(returned)
                and _is_ours(value, ag)
                and not _held(node, set(_names(target)))
            ):
                node.body[-2:] = [gast.copy_location(gast.Return(value), node.body[-2])]
    if len(node.body) > 1:
        node.body = [s for s in node.body if not isinstance(s, gast.Pass)] or node.body[:1]


def _names(node: gast.Tuple) -> list[str]:
    return [e.id if isinstance(e, gast.Name) else "" for e in node.elts]


def _held(node: gast.FunctionDef, names: set[str]) -> bool:
    """Whether somebody else may look at one of the variables."""
    return any(isinstance(s, (gast.Nonlocal, gast.Global)) and names & set(s.names) for s in node.body)


def _is_ours(value: gast.expr, ag: str) -> bool:
    match value:
        case gast.Call(func=gast.Attribute(value=gast.Name(id=root), attr=attr)):
            return root == ag and attr in STATEMENTS
    return False
