"""A `try` catches what a traced condition raises in it, and what it has not come to is not done.

    try:                                  tried = ag.catching(lambda: (ValueError,))
        y = check(x)                      with ag.settling(tried):
    except ValueError as e:                   try:
        y = e.args[0]                             with tried:
                                                      value = check(x)
                                                      if ag.unraised():
                                                          ag.proceed()
                                                          y = value
                                              except ValueError as e:
                                                  y = e.args[0]
                                              if ag.catches(tried, 0, lambda: ValueError):
                                                  e = ag.exception(tried, 0)
                                                  y = e.args[0]
                                                  del e
                                              elif ag.passed(tried):
                                                  pass
                                              else:
                                                  ag.leave(tried)

A statement is split where it may raise before it changes something, and what follows runs where nothing has failed. The
`except` stays for what Python raises while tracing. A function that is called inside of a `try` has a form (`guarded`)
whose statements are split like that from its first to its last. Where nothing traced is raised `ag.unraised()` is True.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import gast

from autograph_lite.analysis import scopes
from autograph_lite.analysis.exits import blocks, jumps_out
from autograph_lite.converters import held_places, suppressing
from autograph_lite.converters.context import Context
from autograph_lite.syntax import quote, trees

Block = list[gast.stmt]
_DECLARED = (gast.Global, gast.Nonlocal)
_OF_OBJECTS = (gast.Attribute, gast.Subscript)
_DIVISIONS = {
    gast.Div: ("/", "quotient"), gast.FloorDiv: ("//", "floor_quotient"), gast.Mod: ("%", "remainder"),
    gast.Pow: ("**", "guarded_power"),
}  # fmt: skip
MAX_NESTING = 12  # of guards: each takes two frames of Python's stack


class _Part(NamedTuple):
    """A statement, or a part of one, and whether it may raise."""

    node: gast.stmt
    raises: bool


def needs(tree: gast.AST) -> bool:
    """Whether a function has a `try` that may catch what a traced condition raises, or gets one."""
    return any(
        _catches(node) if isinstance(node, gast.Try) else suppressing.suppresses(node)
        for node in trees.walk(tree)
    )


def run(function: gast.FunctionDef, context: Context) -> None:
    """Rewrites the body of `function` in place; functions in it are rewritten by themselves."""
    if context.guarded or context.catches:
        function.body = _Divisions(context.ag).block(function.body)
    unsure = {*scopes.bound(function.body)} - {*scopes.parameter_names(function.args)}
    guards = _Guards(context, unsure, function.body)
    if context.guarded or (context.catches and function is not context.outermost):
        guards.guarding = True
        start = scopes.first_statement(function.body)
        function.body[start:] = guards.joined(guards.parts(function.body[start:]), pending=True)
    elif context.catches:
        function.body = guards.plain(function.body)


def _catches(node: gast.Try) -> bool:
    return bool(node.handlers)


class _Guards:
    """Splits the statements of one function.

    Attributes:
      unsure: its variables that have not been assigned for sure.
      loads: how often each name is read in it.
      elsewhere: its variables that are those of another function, or global.
      rebound: those that other functions may bind, too.
      tried, guarding: whether a `try` of its own, or any, is around.
    """

    def __init__(self, context: Context, unsure: set[str], body: Sequence[gast.stmt]) -> None:
        self.ag, self.fresh, self.tries, self.headers = (
            context.ag,
            context.fresh,
            context.tries,
            context.headers,
        )
        self.unsure, self.loads = unsure, _loads(body)
        declared = [node for node in scopes.own_nodes(body) if isinstance(node, _DECLARED)]
        self.elsewhere = {name for node in declared for name in node.names}
        self.rebound = scopes.bound_by_others([*scopes.own_nodes(body)])
        self.tried = self.guarding = False

    def plain(self, body: Sequence[gast.stmt]) -> Block:
        """Statements outside of any `try`."""
        done: Block = []
        for node in body:
            if isinstance(node, gast.Try) and _catches(node):
                done += self.caught(node)
                continue
            for inner in blocks(node):
                before = {*self.unsure}
                inner[:] = self.plain(inner)
                self.unsure = before
            self.assigned(node)
            done.append(node)
        return done

    def assigned(self, node: gast.stmt) -> None:
        """Notes what is assigned after a statement."""
        if isinstance(node, (gast.Assign, gast.AnnAssign, gast.FunctionDef, gast.Import, gast.ImportFrom)):
            self.unsure -= {*scopes.bound([node])}

    def joined(self, parts: Sequence[_Part], *, pending: bool, depth: int = 0) -> Block:
        """Parts under their guards; `pending` says whether something may have failed before the first.

        What follows a part that may raise stands in its guard, so that the values that it computes need not leave that.
        """
        done: Block = []
        for number, part in enumerate(parts):
            if pending and depth < MAX_NESTING:
                rest = self.joined(parts[number:], pending=False, depth=depth + 1)
                return [*done, self.guard(rest)]
            done.append(self.guard([part.node]) if pending else part.node)
            pending = pending or part.raises
        return done

    def guard(self, body: Block) -> gast.stmt:
        """Statements that run where nothing was raised."""
        go = quote.all_located(quote.stmts("ag.proceed()", ag=self.ag), body[0])
        leave = [] if self.tried else quote.stmts("ag.unwind()", ag=self.ag)
        return quote.located(gast.If(quote.expr("ag.unraised()", ag=self.ag), [*go, *body], leave), body[0])

    def block(self, body: Sequence[gast.stmt], *, again: bool = False) -> Block:
        """A block inside of a statement; `again` says that it may run after it has raised."""
        before = {*self.unsure}
        done = self.joined(self.parts(body), pending=again)
        self.unsure = before
        return done or [gast.Pass()] if body else []

    def parts(self, body: Sequence[gast.stmt]) -> list[_Part]:
        declared = [node for node in body if isinstance(node, _DECLARED)]
        found = [_Part(node, False) for node in declared]
        for node in body:
            if not isinstance(node, _DECLARED):
                found += self.split(node)
                self.assigned(node)
        return found

    def is_simple(self, value: gast.expr) -> bool:
        """Whether an expression can't raise, nor give one of several for which it would."""
        match value:
            case gast.Name(id=name):
                return name not in self.unsure
            case gast.Constant() | gast.Lambda():
                return True
            case gast.Tuple(elts=items) | gast.List(elts=items):
                return all(map(self.is_simple, items))
            case gast.UnaryOp(op=gast.Not(), operand=operand):
                return self.is_simple(operand)
            case gast.Compare(left=left, ops=ops, comparators=right):
                return all(isinstance(op, (gast.Is, gast.IsNot)) for op in ops) and all(
                    map(self.is_simple, [left, *right])
                )
        return False

    def hold(self, value: gast.expr) -> tuple[list[_Part], gast.expr]:
        """What computes a value first, where that may raise, and the value."""
        if self.is_simple(value):
            return [], value
        name = self.fresh("value")
        assign = quote.located(quote.assign([name], value), value)
        parts = self.whole(assign) if _binds(value) else [_Part(assign, True)]
        return parts, quote.located(quote.name(name), value)

    def hold_arguments(self, call: gast.Call) -> list[_Part]:
        """What computes the arguments of a call first, where that may raise."""
        first: list[_Part] = []
        for number, argument in enumerate(call.args):
            if len(call.args) == 1 and isinstance(argument, gast.Call) and _is_builtins(argument):
                first += self.hold_arguments(argument)  # the loop sees what it goes through
            elif not isinstance(argument, gast.Starred):
                held, call.args[number] = self.hold(argument)
                first += held
        for keyword in call.keywords:
            held, keyword.value = self.hold(keyword.value)
            first += held
        return first

    def whole(self, node: gast.stmt) -> list[_Part]:
        """A statement that can't be divided where it raises: it is refused that a traced condition raises something in it."""
        name = self.fresh("known")
        before = quote.all_located(quote.stmts("known = ag.failure()", known=name, ag=self.ag), node)
        after = quote.all_located(quote.stmts("ag.unraised_since(known)", known=name, ag=self.ag), node)
        return [_Part(each, False) for each in (*before, node, *after)]

    def split(self, node: gast.stmt) -> list[_Part]:
        """The parts of a statement, in the order in which they run."""
        first: list[_Part] = []
        match node:
            case gast.Pass() | gast.Break() | gast.Continue() | gast.FunctionDef() | gast.AsyncFunctionDef():
                return [_Part(node, False)]
            case gast.Assign(
                value=gast.Call(func=gast.Attribute(value=gast.Name(id=root), attr="deleted"))
            ) if root == self.ag:
                return [_Part(node, True)]  # `del`
            case gast.Assign() | gast.AnnAssign() if node.value is not None:
                first, node.value = self.hold(node.value)
                return [*first, *self.stored(node)]
            case gast.AugAssign():
                return self.augmented(node)
            case gast.Delete(targets=[target]):
                held = held_places.hold_place(target, self.hold)
                return self.whole(node) if held is None else [*held, _Part(node, True)]
            case gast.Return(value=gast.expr() as value) if self.tried:
                first, node.value = self.hold(value)
                return [*first, _Part(node, False)]
            case gast.Expr() if _binds(node):
                return self.whole(node)
            case gast.Expr(value=gast.Call() as call) if any(
                map(held_places.may_raise, [*call.args, *call.keywords])
            ):
                return [*self.hold_arguments(call), _Part(node, True)]
            case gast.If():
                first, node.test = self.hold(node.test)
                node.body, node.orelse = self.block(node.body), self.block(node.orelse)
            case gast.While():
                node.body, node.orelse = (
                    self.block(node.body, again=True),
                    self.block(node.orelse, again=True),
                )
            case gast.For():
                # An iterator belongs to the loop, and is no variable.
                if isinstance(node.iter, gast.Call) and _is_builtins(node.iter):
                    first = self.hold_arguments(node.iter)
                elif held_places.may_raise(node.iter):
                    self.headers.add(node.iter)
                    first, node.iter = self.hold(node.iter)
                leave: Block = []
                if self.is_seen(node.target, node.body):
                    # Its variable keeps its value.
                    leave = quote.stmts("if not ag.unraised(): break", ag=self.ag)
                node.body = [*self.block(node.body, again=True), *quote.all_located(leave, node.body[-1])]
                node.orelse = self.block(node.orelse, again=True)
            case gast.With():
                node.body = self.block(node.body, again=True)
            case gast.Try() if _catches(node):
                *rest, last = self.caught(node)
                return [*(_Part(each, False) for each in rest), _Part(last, True)]
            case gast.Try():
                node.body = self.block(node.body, again=True)
                return [_Part(node, True)]
        return [*first, _Part(node, True)]

    def is_seen(self, target: gast.expr, body: Sequence[gast.stmt]) -> bool:
        """Whether what a loop binds may be read outside of its body."""
        names = {*scopes.bound([target])}
        if self.elsewhere & names or any(isinstance(n, _OF_OBJECTS) for n in trees.walk(target)):
            return True
        return any(self.loads[name] > _loads(body)[name] for name in names)

    def stored(self, node: gast.Assign | gast.AnnAssign) -> list[_Part]:
        """The parts of an assignment whose value is there: where a target raises, no other is stored to after it."""
        targets = node.targets if isinstance(node, gast.Assign) else [node.target]
        *before, last = [leaf for target in targets for leaf in held_places.stored_to(target)]
        if any(map(_binds, targets)):
            return self.whole(node)
        if all(isinstance(leaf, gast.Name) for leaf in before) and not (
            before and held_places.may_raise(last)
        ):
            first = held_places.hold_place(last, self.hold)
            whole = [_Part(node, not isinstance(last, gast.Name))]
            return self.whole(node) if first is None else [*first, *whole]
        assert node.value is not None
        name = self.fresh("value")
        parts = [_Part(quote.located(quote.assign([name], node.value), node), False)]
        for target in targets:
            part, pairs = held_places.with_items(target, self.fresh)
            parts.append(_Part(quote.located(gast.Assign([part], quote.name(name), None), node), True))
            for leaf, item in pairs:
                parts += self.stored(quote.located(gast.Assign([leaf], quote.name(item), None), node))
        return parts

    def augmented(self, node: gast.AugAssign) -> list[_Part]:
        """`x += f()`: the value of `x` that is added to is the one before the call, and it is kept where that raises."""
        if _binds(node):
            return self.whole(node)
        first = held_places.hold_place(node.target, self.hold)
        if first is None:
            return self.whole(node)
        if self.is_simple(node.value) and not isinstance(node.target, gast.Name):
            return [*first, _Part(node, True)]
        called = held_places.has_call(node.value)
        if called and not isinstance(node.target, gast.Name) and _root(node.target) in self.rebound:
            return self.whole(node)
        if isinstance(node.target, gast.Subscript):
            if not called:  # else the item is read before the call, and stored where that has not raised
                held, node.value = self.hold(node.value)
                first += held
            return [*first, _Part(node, True)]
        if held_places.may_raise(node.target):
            return [*first, *self.whole(node)]
        before = self.fresh("before")
        target = trees.copy_tree(node.target)
        target.ctx = gast.Load()
        kept = quote.located(quote.assign([before], target), node)
        held, value = self.hold(node.value)
        add = quote.located(gast.AugAssign(quote.name(before, gast.Store), node.op, value), node)
        store = quote.located(gast.Assign([node.target], quote.name(before), None), node)
        last = _Part(store, not isinstance(target, gast.Name))
        return [*first, _Part(kept, True), *held, _Part(add, True), last]

    def caught(self, node: gast.Try) -> Block:
        """A `try` with handlers."""
        final, name = node.finalbody, self.fresh("tried")
        self.tries.add(name)
        kinds = [handler.type or quote.name("BaseException") for handler in node.handlers]
        every = gast.Tuple(trees.copy_tree(kinds), gast.Load())
        make = quote.stmts("t = ag.catching(lambda: kinds)", t=name, ag=self.ag, kinds=every)
        copies = trees.copy_tree(node.handlers)
        before = self.tried, self.guarding
        self.tried = self.guarding = True
        body = gast.With([gast.withitem(quote.name(name), None)], self.block(node.body), None)
        self.tried, self.guarding = before
        go = quote.stmts("ag.proceed()", ag=self.ag) if node.orelse else [gast.Pass()]
        otherwise = [*go, *self.inside(node.orelse)]
        for handler in node.handlers:
            handler.body = self.inside(handler.body)
        leave = quote.stmts("ag.leave(t)", t=name, ag=self.ag)
        chain: Block = [gast.If(quote.expr("ag.passed(t)", t=name, ag=self.ag), otherwise, leave)]
        for number, handler in reversed([*enumerate(copies)]):
            chain = [self.handled(name, number, handler, chain)]
        attempt = gast.Try([body], node.handlers, [], []) if node.handlers else body
        held = gast.withitem(quote.expr("ag.settling(t)", t=name, ag=self.ag), None)
        whole: Block = [*make, gast.With([held], [attempt, *chain], None)]
        return quote.all_located([gast.Try(whole, [], [], final)] if final else whole, node)

    def inside(self, body: Block) -> Block:
        """The body of a handler, or an `else`."""
        return self.block(body) if self.guarding else self.plain(body)

    def handled(self, name: str, number: int, handler: gast.ExceptHandler, rest: Block) -> gast.If:
        """`if ag.catches(t, 0, lambda: ValueError): ...`, where it was raised under a traced condition."""
        kind = handler.type or quote.name("BaseException")
        place = quote.constant(number)
        test = quote.expr("ag.catches(t, n, lambda: kind)", t=name, ag=self.ag, n=place, kind=kind)
        begin = quote.stmts("ag.exception(t, n)", t=name, ag=self.ag, n=place)
        body = _Again(name, number, self.ag).block(self.inside(handler.body))
        end: Block = []
        if handler.name is not None:
            bound = handler.name.id
            begin = quote.stmts("e = ag.exception(t, n)", e=bound, t=name, ag=self.ag, n=place)
            end = quote.stmts("del e", e=bound) if not jumps_out(body) else []
        return gast.If(test, [*begin, *body, *end], rest)


def _is_text(node: gast.expr) -> bool:
    """Whether an expression is a text, which `%` formats."""
    return isinstance(node, gast.JoinedStr) or (
        isinstance(node, gast.Constant) and isinstance(node.value, str)
    )


class _Divisions(trees.ScopeTransformer):
    """`a / b` and the like, which raise where `b` is 0; in lambdas, too, which have no form of their own."""

    def __init__(self, ag: str) -> None:
        self.ag = ag

    def visit_Lambda(self, node: gast.AST) -> gast.AST:
        self.generic_visit(node)
        return node

    def visit_BinOp(self, node: gast.BinOp) -> gast.AST:
        self.generic_visit(node)
        found = _DIVISIONS.get(type(node.op))
        if found is None or _is_text(node.left):
            return node
        return quote.expr_at(node, f"ag.{found[1]}(a, b)", ag=self.ag, a=node.left, b=node.right)

    def visit_AugAssign(self, node: gast.AugAssign) -> gast.AST:
        self.generic_visit(node)
        if (found := _DIVISIONS.get(type(node.op))) is None or not isinstance(node.target, gast.Name):
            return node
        sign, target = quote.constant(found[0]), node.target.id
        text = "ag.divisor(a, b, sign)"
        node.value = quote.expr_at(node.value, text, ag=self.ag, a=target, b=node.value, sign=sign)
        return node


class _Again(trees.ScopeTransformer):
    """`raise` and `raise new from e` in a handler, where `e` was raised under a traced condition."""

    def __init__(self, name: str, number: int, ag: str) -> None:
        self.name, self.number, self.ag = name, number, ag

    def visit_Raise(self, node: gast.Raise) -> gast.AST | list[gast.AST]:
        if node.cause is not None and not isinstance(node.cause, gast.Constant):
            node.cause = quote.expr_at(node.cause, "ag.cause(e)", ag=self.ag, e=node.cause)
        if node.exc is not None:
            return node
        again = quote.stmts("ag.again(t, n)", t=self.name, ag=self.ag, n=quote.constant(self.number))
        return [*quote.all_located(again, node), node]

    def visit_ExceptHandler(self, node: gast.ExceptHandler) -> gast.AST:
        return node  # it raises what it has caught itself


def _root(target: gast.expr) -> str:
    """The variable by which a place is reached."""
    while isinstance(target, (gast.Attribute, gast.Subscript)):
        target = target.value
    return target.id if isinstance(target, gast.Name) else ""


def _loads(body: Sequence[gast.AST]) -> Counter[str]:
    nodes = (node for statement in body for node in trees.walk(statement))
    return Counter(
        node.id for node in nodes if isinstance(node, gast.Name) and isinstance(node.ctx, gast.Load)
    )


def _binds(node: gast.AST) -> bool:
    return any(isinstance(inner, gast.NamedExpr) for inner in trees.walk(node))


def _is_builtins(value: gast.expr) -> bool:
    """Whether a value is what a loop counts by: `range(n)`, `enumerate(xs)`."""
    match value:
        case gast.Call(func=gast.Name(id="range" | "enumerate" | "zip" | "reversed"), args=args):
            return not any(isinstance(each, gast.Starred) and held_places.may_raise(each) for each in args)
    return False
