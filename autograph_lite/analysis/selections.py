"""Selections in text: which expressions may be a part of an array whose length only the program knows? Slices and masks.

    row = A[i, :j]                        'row' may be one, and jnp.sum(row) has to know
    jnp.mean(x[x > 0]), x[mask]           so may these
    jnp.sin(x[1:, 0])                     never

Said too often, it costs a call an operator; what is not said ends in an error.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence

import gast

from autograph_lite.analysis import scopes
from autograph_lite.syntax import trees

_READS = frozenset({"item", "and_", "or_", "if_expr", "if_stmt", "call"})


_found = False


def any_selection_converted() -> bool:
    """Whether the text of a function that this process has converted has such an expression in it."""
    return _found


@dataclasses.dataclass(frozen=True)
class Selected:
    """What the text of a function tells of selections."""

    names: frozenset[str] = frozenset()  # those, of nested functions too, that may hold one
    masks: frozenset[str] = frozenset()  # those that may hold a mask


def selected(function: gast.AST, ag: str) -> Selected:
    """What the text of `function` tells of selections."""
    global _found
    _found = _found or may_select(function, frozenset(), frozenset(), ag)
    nodes = [*trees.walk(function)]
    pairs = [pair for node in nodes for pair in _assignments(node)]
    masks = _masks(nodes, pairs)
    names: frozenset[str] = frozenset()
    if may_select(function, names, masks, ag):  # what is handed to a function in it may be one
        names = _parameters(each for each in nodes if each is not function)
    return Selected(_assigned(names, pairs, lambda value, names: may_select(value, names, masks, ag)), masks)


def _assigned(
    names: frozenset[str],
    pairs: Sequence[tuple[str, gast.expr]],
    may_be: Callable[[gast.expr, frozenset[str]], bool],
) -> frozenset[str]:
    """Names, and those to which a value is assigned that may be one, given these."""
    while True:
        more = names | {name for name, value in pairs if may_be(value, names)}
        if more == names:
            return names
        names = more


def may_select(value: gast.AST, names: frozenset[str], masks: frozenset[str], ag: str) -> bool:
    """Whether an expression may be a selection, or may be made of one."""
    match value:
        case gast.Name(id=name):
            return name in names
        case gast.Subscript(slice=index) if _is_source(index, masks, ag):
            return True
        case gast.Call() if finds_positions(value, ag):
            return True
        case gast.Call(func=gast.Attribute(value=gast.Name(id=owner), attr=operator), args=args) if (
            owner == ag
        ):
            if operator == "item" and _is_source(args[1], masks, ag):
                return True
            if operator not in _READS:
                return False
    return any(may_select(child, names, masks, ag) for child in trees.children(value))


_POSITIONS = frozenset({"nonzero", "argwhere", "flatnonzero"})


def finds_positions(call: gast.Call, ag: str) -> bool:
    """Whether a call may be one of `nonzero(mask)`, `where(mask)` and their like."""
    func = call.func
    match func:
        case gast.Call(func=gast.Attribute(value=gast.Name(id=owner), attr="call"), args=[callee]) if (
            owner == ag
        ):
            func = callee
    match func:
        case gast.Attribute(attr=name) | gast.Name(id=name):
            return name in _POSITIONS or (name == "where" and len(call.args) + len(call.keywords) == 1)
    return False


def _is_source(index: gast.expr, masks: frozenset[str], ag: str) -> bool:
    """Whether an index has a slice of variables in it, or may be a mask."""
    parts = index.elts if isinstance(index, gast.Tuple) else [index]
    return any(_is_slice(part, ag) or may_be_mask(part, masks) for part in parts)


def _is_slice(part: gast.expr, ag: str) -> bool:
    match part:
        case gast.Slice():
            return any(isinstance(n, gast.Name) for n in trees.walk(part))
        case gast.Call(func=gast.Attribute(value=gast.Name(id=owner), attr="slice" | "bounds"), args=args):
            return owner == ag and any(isinstance(n, gast.Name) for arg in args for n in trees.walk(arg))
    return False


_LOGICAL = (gast.BitAnd, gast.BitOr, gast.BitXor)


def may_be_mask(value: gast.expr, masks: frozenset[str]) -> bool:
    """Whether an index may be a mask, as far as its text tells."""
    match value:
        case gast.Compare() | gast.UnaryOp(op=gast.Invert()):
            return True
        case gast.BinOp(op=op) if isinstance(op, _LOGICAL):
            return True
        case gast.Name(id=name):
            return name in masks
        case gast.Call(func=gast.Attribute(attr=attr), args=args):
            if attr in ("compare", "equal", "not_equal"):
                return True
            return attr.startswith(("is", "logical")) or any(may_be_mask(arg, masks) for arg in args)
    return False


def _masks(nodes: Sequence[gast.AST], pairs: Sequence[tuple[str, gast.expr]]) -> frozenset[str]:
    """Names that may hold a mask: those of comparisons, and parameters that are compared with nothing."""
    return _assigned(_no_numbers(nodes), pairs, may_be_mask)


def _parameters(nodes: Iterable[gast.AST]) -> frozenset[str]:
    functions = [node for node in nodes if isinstance(node, gast.FunctionDef | gast.Lambda)]
    return frozenset(name for each in functions for name in scopes.parameter_names(each.args))


def _no_numbers(nodes: Sequence[gast.AST]) -> frozenset[str]:
    """Parameters that nothing shows to be numbers."""
    names = _parameters(nodes)
    for node in nodes:
        match node:
            case gast.BinOp(op=gast.Add() | gast.Sub() | gast.Mult(), left=left, right=right):
                names -= {side.id for side in (left, right) if isinstance(side, gast.Name)}
            case gast.Compare(left=left, comparators=others):
                names -= {side.id for side in (left, *others) if isinstance(side, gast.Name)}
            case gast.Slice():
                names -= {n.id for n in trees.walk(node) if isinstance(n, gast.Name)}
    return names


def _assignments(node: gast.AST) -> Iterator[tuple[str, gast.expr]]:
    """Each name that a statement or a walrus assigns, with what it assigns."""
    match node:
        case gast.Assign(targets=targets, value=value):
            for target in targets:
                yield from ((n.id, value) for n in trees.walk(target) if isinstance(n, gast.Name))
        case (
            gast.AugAssign(target=gast.Name(id=name), value=value)
            | gast.AnnAssign(target=gast.Name(id=name), value=gast.expr() as value)
            | gast.NamedExpr(target=gast.Name(id=name), value=value)
        ):
            yield name, value
