"""Definite assignment: which variables may be unassigned where they are read, or where a statement takes them?

One forward walk over structured code. A name counts as assigned only where every path before has assigned it; so a
name that a loop's body assigns is unsure after the loop. Source: The Java Language Specification, chapter 16.
"""

from __future__ import annotations

from collections.abc import Sequence

import gast

from autograph_lite.analysis import scopes
from autograph_lite.analysis.exits import always_returns, until_of
from autograph_lite.analysis.plans import FunctionPlan
from autograph_lite.syntax import trees

Names = frozenset[str]


def unsure(body: Sequence[gast.stmt], params: Sequence[str], plan: FunctionPlan) -> list[str]:
    """Names that some compound statement takes although they may be unassigned there, in the order of first need.

    And those that are read before anything assigns them: the read may become one of a nested function, for which Python
    has another error.
    """
    walk = _Walk(plan, frozenset())
    walk.block(body, frozenset(params))
    own = {*scopes.bound(body, plan.known)} - scopes.declared(body)
    early = [name for name in walk.early if name in own and name not in params]
    return list(dict.fromkeys([*walk.needed, *early]))


def unsure_reads(
    body: Sequence[gast.stmt], params: Sequence[str], plan: FunctionPlan, tracked: Names
) -> list[gast.Name]:
    """Reads of a `tracked` name where it may be unassigned."""
    walk = _Walk(plan, tracked)
    walk.block(body, frozenset(params))
    return walk.reads


class _Walk:
    def __init__(self, plan: FunctionPlan, tracked: Names) -> None:
        self.plan, self.tracked = plan, tracked
        self.needed: dict[str, None] = {}
        self.reads: list[gast.Name] = []
        self.early: dict[str, None] = {}
        # Names that a statement before, or one of an iteration before, may have assigned.
        self.seen: set[str] = set()

    def block(self, body: Sequence[gast.stmt], have: Names) -> Names:
        for node in body:
            have = self.statement(node, have)
        return have

    def statement(self, node: gast.stmt, have: Names) -> Names:
        if isinstance(node, gast.If):  # its test is evaluated before it takes anything
            have = self.expression(node.test, have)
        plan = self.plan.plans.get(node)
        if plan is not None:
            self.needed.update(dict.fromkeys(n for n in (*plan.ins, *plan.nonlocals) if n not in have))
        have = self.inside(node, have)
        self.seen.update(scopes.bound([node], self.plan.known))
        return have

    def inside(self, node: gast.stmt, have: Names) -> Names:
        match node:
            case gast.If():
                true, false = self.block(node.body, have), self.block(node.orelse, have)
                if always_returns(node.body):
                    return false
                return true if always_returns(node.orelse) else true & false
            case gast.While():
                self.seen.update(scopes.bound([node], self.plan.known))
                have = self.expression(node.test, self.at_each_start(node.body, have))
                self.block(node.body, have)
                return have
            case gast.For():
                test, iterable = until_of(node)
                have = self.expression(iterable, have)
                self.seen.update(scopes.bound([node], self.plan.known))
                have = self.at_each_start(node.body, have)
                if test is not None:
                    self.expression(test, have)
                self.block(node.body, have | frozenset(scopes.bound([node.target])))
                return have
            case gast.With() | gast.AsyncWith():
                for item in node.items:
                    have = self.expression(item.context_expr, have)
                    have |= frozenset(scopes.bound([item.optional_vars] if item.optional_vars else []))
                return self.block(node.body, have)
            case gast.Try() | gast.TryStar():
                return self.try_statement(node, have)
            case gast.Match():
                have = self.expression(node.subject, have)
                ends = [self.block(c.body, have | frozenset(scopes.bound([c.pattern]))) for c in node.cases]
                return frozenset.intersection(have, *ends)
            case gast.Assign() | gast.AnnAssign():
                if node.value is not None:
                    have = self.expression(node.value, have)
                targets = node.targets if isinstance(node, gast.Assign) else [node.target]
                for target in targets:
                    self.expression(target, have)
                bound = scopes.bound(targets) if node.value is not None else []
                if isinstance(node.value, gast.Call) and _leaves_undefined(node.value):
                    return have - frozenset(bound)
                return have | frozenset(bound)
            case gast.AugAssign():
                if isinstance(node.target, gast.Name) and node.target.id in self.tracked - have:
                    self.reads.append(node.target)
                have = self.expression(node.target, have)
                return self.expression(node.value, have) | frozenset(scopes.bound([node.target]))
            case gast.Expr() | gast.Return() | gast.Raise() | gast.Assert():
                return self.expression(node, have)  # a walrus in it may be skipped
        have = self.expression(node, have)
        return have | frozenset(scopes.bound([node]))

    def at_each_start(self, body: Sequence[gast.stmt], have: Names) -> Names:
        """What is assigned whenever an iteration begins, and after the last."""
        if not have & maybe_unassigned(body):
            return have
        return have & _Walk(self.plan, frozenset()).block(body, have)

    def try_statement(self, node: gast.Try, have: Names) -> Names:
        done = self.block(node.orelse, self.block(node.body, have))
        have -= maybe_unassigned(node.body)  # it may be left anywhere
        for handler in node.handlers:
            name = frozenset({handler.name.id}) if handler.name is not None else frozenset()
            if handler.type is not None:
                self.expression(handler.type, have)
            done &= self.block(handler.body, have | name) - name
        have -= maybe_unassigned([*node.orelse, *node.handlers])
        return (done | (self.block(node.finalbody, have) - have)) - maybe_unassigned(node.finalbody)

    def expression(self, node: gast.AST, have: Names) -> Names:
        """Notes the reads in `node`; bindings by a walrus that is always evaluated count from then on."""
        for part in scopes.own_nodes([node]):
            if isinstance(part, gast.Name):
                self.read(part, have)
            elif isinstance(part, gast.Call) and scopes.is_generated_call(part):
                for operand in part.args:
                    if isinstance(operand, gast.Lambda):
                        self.expression(operand.body, have)
        walrus = [n for n in _certain(node) if isinstance(n, gast.NamedExpr)]
        return have | frozenset(scopes.bound([n.target for n in walrus]))

    def read(self, node: gast.Name, have: Names) -> None:
        if not isinstance(node.ctx, gast.Load) or node.id in have:
            return
        if node.id in self.tracked:
            self.reads.append(node)
        if node.id not in self.seen:
            self.early[node.id] = None


def _certain(node: gast.AST) -> list[gast.AST]:
    """Parts of an expression that are evaluated whenever it is."""
    match node:
        case gast.BoolOp():
            return _certain(node.values[0])
        case gast.IfExp():
            return _certain(node.test)
        case gast.Lambda() | gast.GeneratorExp() | gast.ListComp() | gast.SetComp() | gast.DictComp():
            return []
        case gast.FunctionDef() | gast.AsyncFunctionDef() | gast.ClassDef():
            return []
    found = [node]
    for child in trees.children(node):
        found += _certain(child)
    return found


def maybe_unassigned(body: Sequence[gast.AST]) -> Names:
    """Names that some statement in `body` leaves unassigned, whatever comes after it."""
    assigned = [node for node in scopes.own_nodes(body) if isinstance(node, gast.Assign)]
    dropped = [
        node for node in assigned if isinstance(node.value, gast.Call) and _leaves_undefined(node.value)
    ]
    return frozenset(scopes.bound([target for node in dropped for target in node.targets]))


def _leaves_undefined(call: gast.Call) -> bool:
    return isinstance(call.func, gast.Attribute) and call.func.attr in ("Undefined", "deleted", "NO_RETURN")
