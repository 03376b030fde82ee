"""Plans: which variables go into and come out of each compound statement, and which stay in their cells?

The variables that a statement writes are passed in and returned, as operands and results of `lax` are. Three kinds
stay in closure cells or globals instead, and are written in place, because somebody else may look at them while the
statement runs: names that a nested function captures, `nonlocal` and `global` names, and names that an exception
handler reads after the statement was left half-way.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import gast

from autograph_lite.analysis import scopes
from autograph_lite.analysis.exits import until_of
from autograph_lite.analysis.liveness import COMPOUND, Facts, liveness
from autograph_lite.syntax import trees

# Context managers of these modules let exceptions pass, so that names assigned under them need no cell.
TRANSPARENT = ("jax.", "open", "np.errstate", "numpy.errstate", "contextlib.nullcontext", "nullcontext")


@dataclasses.dataclass(frozen=True)
class Plan:
    """How one `if`, `while` or `for` hands its variables on."""

    # names passed to the branches; for a loop, its carry. In the order in which they are first written.
    ins: tuple[str, ...]
    outs: tuple[str, ...]  # names that get a new value from the statement; for a loop, its carry again
    nonlocals: tuple[str, ...]  # `nonlocals`, `globals`: names written in place
    globals: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class FunctionPlan:
    """Plans of all statements of one function, and what they need of it."""

    plans: dict[gast.AST, Plan]  # by statement
    # names that are written in place only, so that the function has to be made to own them
    anchors: tuple[str, ...]
    outer: frozenset[str]  # `nonlocal` names, which an enclosing function owns
    known: scopes.Known  # what the function's statements bind; for as long as it does not change


def plan(body: Sequence[gast.stmt], params: Sequence[str]) -> FunctionPlan:
    """Plans of the compound statements of a function body, which is free of break, continue and early return."""
    outer = scopes.declared(body, gast.Nonlocal)
    globals_ = scopes.declared(body, gast.Global)
    known: scopes.Known = {}
    written = scopes.bound(body, known)
    local = {*params, *written, *scopes.names_deleted(body)} - outer - globals_
    captured = scopes.captured(body) & local
    facts, rescued = liveness(body, captured | outer | globals_)
    cells = (captured | outer | _rescued(rescued)) - globals_
    deletes = bool(scopes.names_deleted(body))
    plans = {node: _plan(node, facts[node], cells, globals_, known, deletes) for node in facts}
    inside = {name for p in plans.values() for name in p.nonlocals} - outer
    direct = {*params, *_bound_outside(body)}
    anchors = tuple(n for n in written if n in inside and n not in direct)
    return FunctionPlan(plans, anchors, outer, known)


def _plan(
    node: gast.AST,
    facts: Facts,
    cells: frozenset[str],
    globals_: frozenset[str],
    known: scopes.Known,
    deletes: bool,
) -> Plan:
    match node:
        case gast.If():
            parts = [*node.body, *node.orelse]
            entry, live_out = facts.live_body, facts.live_out
        case gast.While():
            parts = [gast.Expr(node.test), *node.body]
            entry = live_out = facts.live_in
        case gast.For():
            parts = [gast.Expr(node.target), *node.body]
            entry = live_out = facts.live_body | facts.live_out
        case _:
            raise AssertionError(f"a {type(node).__name__} has no plan")
    written = scopes.bound(parts, known)
    unbound = scopes.names_deleted(parts) if deletes else set()
    own = [n for n in written if n not in cells and n not in globals_]
    in_place = [*written, *sorted(unbound - set(written))]
    return Plan(
        ins=tuple(n for n in own if n in entry),
        outs=tuple(n for n in own if n in live_out),
        nonlocals=tuple(n for n in in_place if n in cells),
        globals=tuple(n for n in in_place if n in globals_),
    )


def _rescued(rescued: dict[gast.AST, frozenset[str]]) -> frozenset[str]:
    """Names written inside a compound statement that an exception may leave for code that reads them."""
    found: set[str] = set()
    for node, live in rescued.items():
        guarded: list[gast.stmt] = []
        match node:
            case gast.With() | gast.AsyncWith():
                if all(_transparent(item.context_expr) for item in node.items):
                    continue
                guarded = node.body
            case gast.Try() | gast.TryStar():
                guarded = [*node.body, *node.orelse]
                guarded += [s for h in node.handlers for s in h.body] if node.finalbody else []
        for inner in scopes.own_nodes(guarded):
            if isinstance(inner, COMPOUND):
                found |= set(scopes.bound([inner])) & live
    return frozenset(found)


def _transparent(manager: gast.expr) -> bool:
    call = manager.func if isinstance(manager, gast.Call) else manager
    return trees.dotted(call).startswith(TRANSPARENT)


def _bound_outside(body: Sequence[gast.stmt]) -> set[str]:
    """Names bound by the function's own code once the bodies of compound statements have become functions."""
    found: set[str] = set()
    for node in body:
        match node:
            case gast.If():
                found |= set(scopes.bound([gast.Expr(node.test)]))
            case gast.While():
                pass
            case gast.For():
                found |= set(scopes.bound([gast.Expr(until_of(node)[1])]))
            case gast.With() | gast.AsyncWith():
                found |= set(scopes.bound(node.items)) | _bound_outside(node.body)
            case gast.Try() | gast.TryStar():
                for block in (node.body, node.orelse, node.finalbody, *(h.body for h in node.handlers)):
                    found |= _bound_outside(block)
                found |= {h.name.id for h in node.handlers if h.name is not None}
            case _:
                found |= set(scopes.bound([node]))
    return found
