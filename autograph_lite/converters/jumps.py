"""Lowers break, continue and return, so that every statement has one entry and one exit.

    for i in xs:                          stop = False
        if i < 0:                         for i in ag.until(lambda: stop, xs):
            continue                          if i < 0:
        if i > n:                                 pass
            break                             elif i > n:
        total += i                                stop = True
                                              else:
                                                  total += i

A branch that always jumps needs no flag: what follows the `if` moves into the other branch. Only a jump out of a
branch that sometimes falls through, or out of `with` and `try`, costs a flag and a guard. The output is plain Python.
As Erosa and Hendren, "Taming control flow" (1994), take `goto` out; ours need no loops for jumps backwards.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import gast

from autograph_lite.analysis import definedness, scopes
from autograph_lite.analysis.exits import (
    LOOPS,
    always_ends,
    always_jumps,
    always_returns,
    blocks,
    is_endless_loop,
    jumps_out,
)
from autograph_lite.converters import assigned
from autograph_lite.converters.context import Context
from autograph_lite.syntax import quote, trees

# Deeper nesting of `else` is traded for flags: CPython's compiler and parser have a limit of about 90 levels.
MAX_NESTING = 40
Block = list[gast.stmt]


def run(function: gast.FunctionDef, context: Context) -> None:
    """Rewrites the body of `function` in place; nested functions keep theirs."""
    body = function.body
    over = None
    if function is context.outermost and context.gives_back is not None:
        over = context.fresh("over")
    elif "return" in jumps_out(body) and not always_returns(body):
        # Implicit `return None` made explicit, so that joins of return values see every path.
        body = [*body, quote.located(gast.Return(quote.constant(None)), body[-1])]
    bound = scopes.bound(body)
    if over is None:
        function.body = _Jumps(context).block(body, _Frame())
    else:
        function.body = _giving_back(body, over, context)
    lost = set(bound) - set(scopes.bound(function.body)) - set(scopes.parameter_names(function.args))
    if lost:
        lost -= scopes.declared(body)
        _keep(function, [name for name in bound if name in lost], context)


def _giving_back(body: Block, over: str, context: Context) -> Block:
    """A body that gives variables back wherever it ends: the flag `over` says that it does."""
    returns = "return" in jumps_out(body)
    before = quote.all_located(quote.stmts("over = False", over=over), body[0]) if returns else []
    last = quote.located(gast.Return(quote.tuple_of(context.gives_back or ())), body[-1])
    return [*before, *_Jumps(context).block(body, _Frame(ret=over, late=True, in_loop=True)), last]


def _keep(function: gast.FunctionDef, lost: Sequence[str], context: Context) -> None:
    """Keeps names as variables of the function that nothing assigns but statements after a jump, which are gone."""
    body = function.body
    read = {
        n.id for s in body for n in trees.walk(s) if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Load)
    }
    # An inner function that says `nonlocal` needs a variable to mean, even if it only writes to it.
    read |= {name for s in body for n in trees.walk(s) if isinstance(n, gast.Nonlocal) for name in n.names}
    start = scopes.first_statement(body)
    for name in lost:
        if name in read:
            new = quote.stmts("y = ag.Undefined(text)", ag=context.ag, y=name, text=quote.constant(name))
            body[start:start] = quote.all_located(new, body[start])


@dataclasses.dataclass(frozen=True)
class _Frame:
    """The flags that carry a jump to where it lands; None where no jump of that kind needs one."""

    stop: str | None = None  # set by break
    skip: str | None = None  # set by continue
    ret: str | None = None  # holds the value of an early return
    late: bool = False  # `ret` only says that a return was reached, and its value is computed after the loop
    in_loop: bool = False
    depth: int = 0

    @property
    def holder(self) -> str:
        """The variable that takes a return."""
        assert self.ret is not None
        return self.ret

    def deeper(self) -> _Frame:
        return dataclasses.replace(self, depth=self.depth + 1)


class _Jumps:
    def __init__(self, context: Context) -> None:
        self.fresh, self.ag, self.returns = context.fresh, context.ag, context.returns

    def block(self, body: Sequence[gast.stmt], frame: _Frame) -> Block:
        done: Block = []
        for i, node in enumerate(body):
            rest = list(body[i + 1 :])
            match node:
                case gast.Break():
                    assert frame.stop is not None
                    return done + quote.all_located(quote.stmts("flag = True", flag=frame.stop), node)
                case gast.Continue():
                    flag = quote.stmts("flag = True", flag=frame.skip) if frame.skip else []
                    return done + quote.all_located(flag, node)
                case gast.Return() if frame.ret is None:
                    return [*done, node]
                case gast.Return(value=gast.Name(id=passed_on)) if passed_on == frame.ret:
                    return done  # from an inner statement: it is there already
                case gast.Return() if frame.late:
                    return done + quote.all_located(quote.stmts("flag = True", flag=frame.holder), node)
                case gast.Return():
                    return done + self.keep_value(node, frame.holder)
                case gast.While() | gast.For():
                    loop, after = self.loop(node, frame)
                    return done + loop + self.block(after + rest, frame)
                case gast.If() if jumps_out([node]):
                    return done + self.conditional(node, rest, frame)
                case gast.With() | gast.Try() | gast.TryStar() if jumps_out([node]):
                    return done + self.guarded(node, rest, frame)
                case _:
                    for inner in blocks(node):
                        inner[:] = self.block(inner, frame)
            done.append(node)
        return done

    def keep_value(self, node: gast.Return, ret: str) -> Block:
        value = node.value if node.value is not None else quote.constant(None)
        call = quote.expr("ag.Return(value)", ag=self.ag, value=value)
        return quote.all_located([quote.assign([ret], call)], node)

    def conditional(self, node: gast.If, rest: Block, frame: _Frame) -> Block:
        inner = frame.deeper()
        if frame.depth >= MAX_NESTING:
            return self.flagged(node, rest, frame)
        if jumps_out(node.body) and always_jumps(node.body):
            node.body, node.orelse = self.block(node.body, inner), self.block(node.orelse + rest, inner)
        elif jumps_out(node.orelse) and always_jumps(node.orelse):
            node.body, node.orelse = self.block(node.body + rest, inner), self.block(node.orelse, inner)
        elif not rest or (len(rest) == 1 and isinstance(rest[0], (gast.Break, gast.Continue, gast.Return))):
            # Duplicates at most one simple jump.
            node.body = self.block(node.body + rest, inner)
            node.orelse = self.block(node.orelse + trees.copy_tree(rest), inner)
        else:
            return self.flagged(node, rest, frame)
        if not node.body and not node.orelse and self.is_flag(node.test, frame):
            return []
        node.body = node.body or [quote.located(gast.Pass(), node)]
        return [node]

    def is_flag(self, test: gast.expr, frame: _Frame) -> bool:
        """Whether a test is one of our own, so that nothing is lost where it decides nothing."""
        match test:
            case gast.Call(func=gast.Attribute(value=gast.Name(id=root), attr="returned")):
                return bool(root == self.ag)
            case gast.Name(id=name):
                return bool(name == frame.ret)
        return False

    def flagged(self, node: gast.If | gast.With | gast.Try, rest: Block, frame: _Frame) -> Block:
        """`node`, which may jump at some paths, then `rest` where it did not."""
        kinds = jumps_out([node])
        inner = dataclasses.replace(
            frame,
            depth=0,
            skip=frame.skip or (self.fresh("skip") if "continue" in kinds else None),
            ret=frame.ret or (self.new_ret() if "return" in kinds else None),
        )
        before: Block = []
        if inner.skip is not None and inner.skip != frame.skip:
            before += quote.stmts("skip = False", skip=inner.skip)
        if inner.ret != frame.ret:
            before += quote.stmts("ret = ag.NO_RETURN", ret=inner.holder, ag=self.ag)
        tests = self.tests(inner, kinds)
        ended = _is_last(node, rest)
        tried = (
            node
            if isinstance(node, (gast.Try, gast.TryStar)) and node.orelse and jumps_out(node.body)
            else None
        )
        for body in blocks(node):
            body[:] = self.block(body, inner)
        if tried is not None:  # the `else` of a `try` runs where its body came to an end
            tried.orelse = [gast.If(gast.UnaryOp(gast.Not(), _any(tests)), tried.orelse, [])]
        node.body = node.body or [gast.Pass()]
        for handler in getattr(node, "handlers", ()):
            handler.body = handler.body or [gast.Pass()]
        if inner.ret != frame.ret and not frame.in_loop:
            # Function level: test once, then return.
            again = quote.stmts("return ret.value", ret=inner.holder)
            if not ended:
                again = self.return_again(inner.holder, rest, frame)
            return quote.all_located([*before, node, *again], node)
        guard: Block = []
        if rest:
            guard = [
                gast.If(
                    _any(tests),
                    [gast.Pass()],
                    self.block(rest, dataclasses.replace(inner, depth=frame.depth + 1)),
                )
            ]
        return quote.all_located([*before, node, *guard], node)

    def guarded(self, node: gast.With | gast.Try, rest: Block, frame: _Frame) -> Block:
        """A `with` or `try` that control may leave early."""
        inside = [body for body in blocks(node) if jumps_out(body)]
        if frame.ret is None and not frame.in_loop and all(map(always_returns, inside)):
            # At function level a `return` that ends its block may stay: `with` and `try` do not become functions.
            for body in blocks(node):
                body[:] = self.block(body, frame)
            return [node, *self.block(rest, frame)]
        return self.flagged(node, rest, frame)

    def loop(self, node: gast.While | gast.For, frame: _Frame) -> tuple[Block, Block]:
        """The loop, and what follows it: its own `else`, and the passing on of a `return`."""
        kinds = jumps_out(node.body) - {"continue"}
        late = self.late_return(node) if frame.ret is None and "return" in kinds else None
        inner = _Frame(
            stop=self.fresh("stop") if "break" in kinds else None,
            ret=frame.ret
            or (None if "return" not in kinds else self.fresh("done") if late else self.new_ret()),
            late=frame.late or late is not None,
            in_loop=True,
        )
        before: Block = quote.stmts("stop = False", stop=inner.stop) if inner.stop else []
        if late:
            before += quote.stmts("done = False", done=inner.holder)
        elif inner.ret != frame.ret:
            before += quote.stmts("ret = ag.NO_RETURN", ret=inner.holder, ag=self.ag)
        only_by_return = is_endless_loop(node)
        node.body = self.block(node.body, inner) or [gast.Pass()]
        tests = self.tests(inner, kinds)
        if tests and isinstance(node, gast.While):
            leave = gast.UnaryOp(gast.Not(), _any(tests))
            always = isinstance(node.test, gast.Constant) and bool(node.test.value)
            node.test = leave if always else gast.BoolOp(gast.And(), [leave, node.test])
        elif tests and isinstance(node, gast.For):
            stop = quote.lambda_([], _any(tests))
            node.iter = quote.expr("ag.until(stop, iterable)", ag=self.ag, stop=stop, iterable=node.iter)
        after, node.orelse = node.orelse, []
        if after and inner.stop:
            after = [gast.If(gast.UnaryOp(gast.Not(), quote.name(inner.stop)), after, [])]
        after = quote.all_located(after, node)
        if "return" in kinds:
            returned = self.tests(inner, frozenset({"return"}))
            again = gast.If(_any(returned), [gast.Return(quote.name(inner.holder))], [])
            if late:
                again.body = [late]
            elif inner.ret != frame.ret:
                again.body = quote.stmts("return ret.value", ret=inner.holder)
            after = again.body if only_by_return else [again, *after]
            after = quote.all_located(after, node)
        return quote.all_located([*before, node], node), after

    def late_return(self, node: gast.While | gast.For) -> gast.Return | None:
        """The only `return` in a loop's body, to be run after it: the loop carries a flag, and not a second copy of the value.

        Nothing runs between the two, so the variables of the value are what they were. Those that only the loop assigns
        are assigned where the flag is set.
        """
        returns = [n for n in scopes.own_nodes(node.body) if isinstance(n, gast.Return)]
        guarded = any(isinstance(n, (gast.With, gast.Try, gast.TryStar)) for n in scopes.own_nodes(node.body))
        if len(returns) != 1 or guarded:
            return None
        late = trees.copy_tree(returns[0])
        if late.value is None:
            late.value = quote.located(quote.constant(None), late)
        known = _assigned_before([node], returns[0], frozenset())
        assert known is not None
        late.value = assigned.mark_assigned(late.value, known - definedness.maybe_unassigned([node]), self.ag)
        return late

    def new_ret(self) -> str:
        name = self.fresh("ret")
        self.returns.add(name)
        return name

    def return_again(self, ret: str, rest: Block, frame: _Frame) -> Block:
        """`if <returned>: return <value>`, then `rest`: passes on a return that happened in an inner statement."""
        test = quote.expr("ag.returned(ret)", ag=self.ag, ret=ret)
        again = gast.If(test, quote.stmts("return ret.value", ret=ret), [])
        deep = frame.depth >= MAX_NESTING
        return self.block([again, *rest], dataclasses.replace(frame, depth=0 if deep else frame.depth))

    def tests(self, frame: _Frame, kinds: frozenset[str]) -> list[gast.expr]:
        found: list[gast.expr] = []
        if "break" in kinds and frame.stop:
            found.append(quote.name(frame.stop))
        if "continue" in kinds and frame.skip:
            found.append(quote.name(frame.skip))
        if "return" in kinds and frame.ret and frame.late:
            found.append(quote.name(frame.ret))
        elif "return" in kinds and frame.ret:
            found.append(quote.expr("ag.returned(ret)", ag=self.ag, ret=frame.ret))
        return found


def _assigned_before(
    body: Sequence[gast.stmt], last: gast.stmt, known: frozenset[str]
) -> frozenset[str] | None:
    """Names that are surely assigned in `body` before the statement `last` in it; None if it is not in it."""
    for node in body:
        if node is last:
            return known
        items = frozenset(scopes.bound([node.target]) if isinstance(node, gast.For) else ())
        for number, block in enumerate(blocks(node)):
            has_item = number == 0  # the `else` of a loop may run where there was none
            found = _assigned_before(block, last, known | items if has_item else known)
            if found is not None:
                return found
        if isinstance(node, (gast.Assign, gast.AugAssign)):
            known |= frozenset(scopes.bound([node]))
    return None


def _is_last(node: gast.AST, rest: Block) -> bool:
    """Whether past a `with` or a `try` there is nothing but the return of the value that it has.

    The manager of a `with` may stop an exception: then what follows runs, and the function gives None.
    """
    if isinstance(node, gast.With):
        return always_ends(node.body) and not any(map(_gives_something, rest))
    return isinstance(node, (gast.Try, gast.TryStar)) and always_ends([node])


def _gives_something(node: gast.stmt) -> bool:
    """Whether a statement does more than to return None."""
    match node:
        case gast.Return(value=None | gast.Constant(value=None)):
            return False
    return True


def _any(tests: list[gast.expr]) -> gast.expr:
    fresh = [trees.copy_tree(test) for test in tests]
    return fresh[0] if len(fresh) == 1 else gast.BoolOp(gast.Or(), fresh)


def check(function: gast.FunctionDef) -> None:
    """Asserts what this pass promises: no break, no continue, and a return only where a block ends."""
    _check(function.body, last=True)


def _check(body: Sequence[gast.stmt], *, last: bool) -> None:
    for i, node in enumerate(body):
        assert not isinstance(node, (gast.Break, gast.Continue)), f"a {type(node).__name__} is left"
        if isinstance(node, gast.Return):
            assert last and i == len(body) - 1, "an early return is left"
        at_end = last and (i == len(body) - 1 or isinstance(node, (gast.With, gast.Try, gast.TryStar)))
        for inner in blocks(node):
            _check(inner, last=at_end and not isinstance(node, LOOPS))
