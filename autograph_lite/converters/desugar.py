"""Rewrites what has a simpler form, so that later passes see fewer kinds of statement.

    y: float = x                          y = x
    del y                                 y = ag.deleted(y, 'y')
    if a and (b := f(a)):                 test = ag.truth(a)
        use(b)                            if test:
                                              test = ag.truth(b := f(a))
                                          if test:
                                              use(ag.assigned(b))
    r = (y := a) if c else b              if c:
                                              value = (y := a)
                                          else:
                                              value = b
                                          r = value
    c and f()                             if c:
                                              f()
    assert c, said(x)                     if not c:
                                              raise AssertionError(said(x))
    while (k := step(k)) > 0:             while True:
        use(k)                                if not (k := step(k)) > 0:
                                                  break
                                              use(k)

Annotations of local names are never evaluated by Python, and a name that was deleted may be handed to a branch like any
other. A condition that binds a name moves into statements, where its binding is an ordinary one. A message that runs code
belongs to the path on which the assertion fails. A `nonlocal` or `global` inside of a statement moves to
the head of the function, and counts for all of it.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet

import gast

from autograph_lite.analysis import scopes
from autograph_lite.converters import assigned
from autograph_lite.converters.context import Context
from autograph_lite.syntax import quote, trees

FAILURE = AssertionError.__name__
TEXT = frozenset({"ascii", "format", "len", "repr", "str", "type"})


def run(function: gast.FunctionDef, context: Context) -> None:
    """Rewrites the body of `function` in place; nested functions keep theirs."""
    body, declared = function.body, scopes.declared(function.body)
    if declared:
        body = _declared_first(body)
    fixed = scopes.captured(body) | declared
    nodes = [*scopes.own_nodes(body)]
    only_said = {id(n.target) for n in nodes if isinstance(n, gast.AnnAssign) and n.value is None}
    own = {*scopes.parameter_names(function.args)}
    own |= {n.id for n in nodes if isinstance(n, gast.Name) and _is_stored(n) and id(n) not in only_said}
    visitor = _Desugar(context, fixed, own)
    function.body = visitor.block(body) or [quote.located(gast.Pass(), function)]


def _declared_first(body: list[gast.stmt]) -> list[gast.stmt]:
    """`body` with the declarations inside of its statements moved to its head."""
    moved = _Moved()
    body = [node if isinstance(node, (gast.Global, gast.Nonlocal)) else moved.visit(node) for node in body]
    at = scopes.first_statement(body)
    return [*body[:at], *moved.declarations, *body[at:]]


class _Moved(trees.ScopeTransformer):
    """Takes declarations out of statements."""

    def __init__(self) -> None:
        self.declarations: list[gast.stmt] = []

    def visit_Global(self, node: gast.Global | gast.Nonlocal) -> gast.AST:
        self.declarations.append(node)
        return gast.copy_location(gast.Pass(), node)

    visit_Nonlocal = visit_Global


class _Desugar(trees.ScopeTransformer):
    def __init__(self, context: Context, fixed: frozenset[str], own: set[str]) -> None:
        self.context, self.fixed, self.own = context, fixed, own

    def visit_AnnAssign(self, node: gast.AnnAssign) -> gast.AST:
        if node.value is None:
            # Only says that the name is local, which another binding says too.
            keep = isinstance(node.target, gast.Name) and node.target.id not in self.own
            return node if keep else gast.copy_location(gast.Pass(), node)
        return gast.copy_location(gast.Assign([node.target], node.value, None), node)

    def visit_Delete(self, node: gast.Delete) -> list[gast.stmt]:
        new: list[gast.stmt] = []
        for target in node.targets:
            if isinstance(target, gast.Name) and target.id not in self.fixed:
                text = "y = ag.deleted(y, text)"
                new += quote.stmts(text, y=target.id, ag=self.context.ag, text=quote.constant(target.id))
            elif isinstance(target, (gast.Tuple, gast.List)):
                new += self.visit_Delete(gast.copy_location(gast.Delete(target.elts), node))
            else:
                new.append(gast.Delete([target]))
        return quote.all_located(new, node)

    def visit_Expr(self, node: gast.Expr) -> gast.AST | list[gast.stmt]:
        if not isinstance(node.value, gast.BoolOp):
            return node
        *first, last = node.value.values
        test: gast.expr = first[0] if len(first) == 1 else gast.BoolOp(node.value.op, first)
        if isinstance(node.value.op, gast.Or):
            test = gast.UnaryOp(gast.Not(), test)
        branch = gast.If(test, [quote.located(gast.Expr(last), last)], [])
        return self.visit_If(quote.located(branch, node))

    def visit_Assert(self, node: gast.Assert) -> gast.AST | list[gast.stmt]:
        if node.msg is None or not __debug__ or FAILURE in self.own or not self._runs_code(node.msg):
            return node
        failure = gast.Call(quote.name(FAILURE), [node.msg], [])
        failed = gast.If(gast.UnaryOp(gast.Not(), node.test), [gast.Raise(failure, None)], [])
        return self.visit_If(quote.located(quote.located(failed, node.test), node))

    def _runs_code(self, message: gast.expr) -> bool:
        """Whether a message does more than to put values into text."""
        own = self.own | self.fixed
        return any(
            isinstance(n, (gast.NamedExpr, gast.Await, gast.Yield, gast.YieldFrom))
            or (isinstance(n, gast.Call) and not _makes_text(n, own))
            for n in gast.walk(message)
        )

    def visit_Assign(self, node: gast.Assign | gast.Return) -> gast.AST | list[gast.stmt]:
        if node.value is None or not _binds_late(node.value):
            return node
        value = self.context.fresh("value")
        statements = self.steps(value, node.value)
        node.value = quote.located(quote.name(value), node.value)
        return [*quote.all_located(statements, node), node]

    visit_Return = visit_Assign

    def visit_If(self, node: gast.If) -> gast.AST | list[gast.stmt]:
        self.generic_visit(node)
        test, negated = node.test, False
        while isinstance(test, gast.UnaryOp) and isinstance(test.op, gast.Not):
            test, negated = test.operand, not negated
        if not _binds_late(test):
            return node
        holds = self.context.fresh("test")
        statements = self.steps(holds, self.asked(test))
        node.test = quote.located(quote.name(holds), node.test)
        if not negated:
            node.body = self.after_test(test, node.body)
        if negated:
            node.test = quote.located(gast.UnaryOp(gast.Not(), node.test), node.test)
        return [*quote.all_located(statements, node), node]

    def asked(self, test: gast.expr) -> gast.expr:
        """`test` with its operands asked for their truth, once each as by Python: a list and a number have no type in common."""
        match test:
            case gast.Compare() | gast.Constant():
                return test
            case gast.BoolOp():
                test.values = [*map(self.asked, test.values)]
            case gast.IfExp():
                test.body, test.orelse = self.asked(test.body), self.asked(test.orelse)
            case gast.UnaryOp(op=gast.Not()):
                test.operand = self.asked(test.operand)
            case _:
                return quote.expr_at(test, "ag.truth(test)", ag=self.context.ag, test=test)
        return test

    def steps(self, target: str, value: gast.expr) -> list[gast.stmt]:
        """Assigns `value` to the name `target`; operands that may not be evaluated become statements, where they bind names."""
        match value:
            case gast.BoolOp(op=operator, values=[first, *rest]) if _binds_late(value):
                statements = inner = self.steps(target, first)
                for operand in rest:
                    decides: gast.expr = quote.name(target)
                    if isinstance(operator, gast.Or):
                        decides = gast.UnaryOp(gast.Not(), decides)
                    after = self.steps(target, operand)
                    inner.append(quote.located(gast.If(decides, after, []), operand))
                    inner = after
                return statements
            case gast.IfExp(test=test, body=body, orelse=orelse) if _binds_late(value):
                before = self.steps(target, self.asked(test)) if _binds_late(test) else []
                chosen = gast.If(
                    quote.name(target) if before else test,
                    self.steps(target, body),
                    self.steps(target, orelse),
                )
                return [*before, quote.located(chosen, value)]
            case gast.UnaryOp(op=gast.Not(), operand=operand) if _binds_late(operand):
                opposite = quote.assign([target], gast.UnaryOp(gast.Not(), quote.name(target)))
                return [*self.steps(target, operand), quote.located(opposite, value)]
        return [quote.located(quote.assign([target], value), value)]

    def after_test(self, test: gast.expr, body: list[gast.stmt]) -> list[gast.stmt]:
        """`body`, which runs where `test` holds: each operand of an `and` has bound its names there."""
        if not isinstance(test, gast.BoolOp) or not isinstance(test.op, gast.And):
            return body
        known = frozenset(scopes.bound(test.values[1:]))
        return assigned.marked_body(body, known, self.context.ag)

    def visit_While(self, node: gast.While) -> gast.AST | list[gast.stmt]:
        self.generic_visit(node)
        if not any(isinstance(n, gast.NamedExpr) for n in scopes.own_nodes([node.test])):
            return node
        leave: list[gast.stmt] = [gast.Break()]
        before: list[gast.stmt] = []
        after: list[gast.stmt] = []
        if node.orelse:
            finished = self.context.fresh("finished")
            before = quote.stmts("finished = False", finished=finished)
            leave = [*quote.stmts("finished = True", finished=finished), gast.Break()]
            after = [gast.If(quote.name(finished), node.orelse, [])]
        test = self.visit(quote.located(gast.If(gast.UnaryOp(gast.Not(), node.test), leave, []), node.test))
        tests = test if isinstance(test, list) else [test]
        loop = gast.While(quote.constant(True), [*tests, *self.after_test(node.test, node.body)], [])
        return quote.all_located([*before, loop, *after], node)


def _makes_text(call: gast.Call, own: AbstractSet[str]) -> bool:
    match call.func:
        case gast.Name(id=name):
            return name in TEXT and name not in own
        case gast.Attribute(value=gast.Constant(value=str())):  # '{}'.format(x)
            return True
    return False


def _is_stored(node: gast.Name) -> bool:
    return isinstance(node.ctx, gast.Store)


def _binds_late(node: gast.AST) -> bool:
    """Whether an operand of a condition that may not be evaluated binds a name."""
    match node:
        case gast.BoolOp(values=[first, *rest]):
            return any(map(_binds, rest)) or _binds_late(first)
        case gast.IfExp():
            return _binds(node.body) or _binds(node.orelse) or _binds_late(node.test)
        case gast.UnaryOp(op=gast.Not()):
            return _binds_late(node.operand)
    return False


def _binds(node: gast.AST) -> bool:
    return any(isinstance(n, gast.NamedExpr) for n in gast.walk(node))
