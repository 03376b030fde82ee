"""`assert` and `raise` become checks that a compiled program can carry.

    assert x > 0, f'{x} is negative'      ag.assert_(x > 0, lambda: ag.format('{} is negative', x))
    raise Heavy(f'mass {m}')              raise ag.error(Heavy)(ag.format('mass {}', m))
    raise error                           raise ag.raised(error)
    try:                                  try:
        step()                                with ag.handling(lambda: (ValueError,)):
    except* ValueError:                           step()
        ...                               except* ValueError:
                                              ag.caught()
                                              ...
    try:                                  try:
        step()                                ag.trying()
    finally:                                  step()
        close()                           finally:
                                              with ag.finishing():
                                                  close()
    try:                                  try:
        step()                                with ag.handling(lambda: BaseException):
    finally:                                      step()
        return x                          finally:
                                              ag.caught()
                                              return x
    with manager():                       with ag.managed(manager()):
        step()                                step()

`ag.handling` says what an `except*` would catch, so that a check which it can't catch is refused (`raises` has the other
handlers). `ag.caught` and `ag.managed` refuse an exception that only a path of a staged statement has raised, and one that
says that a value is traced. What fails under `ag.finishing` takes the place of what failed since `ag.trying`. `ag.format`
is `str.format` that remembers traced values, so that a message can be made when they are known, and no other text is made
of them. In Python `ag.error(E)(...)` is `E(...)`.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator

import gast

from autograph_lite.analysis.exits import jumps_out
from autograph_lite.converters.context import Context
from autograph_lite.converters.static import binds_or_suspends
from autograph_lite.syntax import quote, trees


def run(function: gast.AST, context: Context) -> None:
    """Rewrites the statements everywhere in `function`, nested functions included."""
    _Failures(context).generic_visit(function)


class _Failures(trees.Transformer):
    def __init__(self, context: Context) -> None:
        self.ag, self.tries = context.ag, context.tries

    def visit_JoinedStr(self, node: gast.JoinedStr) -> gast.AST:
        formatted: gast.AST = _Format(self.ag).visit(node)  # a format's own fields are no text by themselves
        return formatted

    def visit_BinOp(self, node: gast.BinOp) -> gast.AST:
        self.generic_visit(node)
        return _percent(node, self.ag)

    def visit_Assert(self, node: gast.Assert) -> gast.AST | list[gast.stmt]:
        message = None if node.msg is None else _Format(self.ag).visit(node.msg)
        # In a generator, whose statements stay Python's.
        if message is not None and binds_or_suspends(message):
            text = "if __debug__ and not test: raise ag.error(AssertionError)(message)"
            return quote.all_located(quote.stmts(text, ag=self.ag, test=node.test, message=message), node)
        call = quote.expr("ag.assert_(test)", ag=self.ag, test=node.test)
        assert isinstance(call, gast.Call)
        if node.msg is not None and message is not None:
            call.args.append(quote.located(quote.lambda_([], message), node.msg))
        return quote.located(gast.Expr(quote.located(call, node.test)), node)

    def visit_Raise(self, node: gast.Raise) -> gast.AST:
        if node.exc is None:
            return node
        node.exc = _Format(self.ag).visit(node.exc)
        if node.cause is not None:
            node.cause = _Format(self.ag).visit(node.cause)
        match node.exc:
            case gast.Call():
                node.exc.func = quote.expr_at(node.exc.func, "ag.error(kind)", ag=self.ag, kind=node.exc.func)
            case gast.expr() as error:
                node.exc = quote.expr_at(error, "ag.raised(error)", ag=self.ag, error=error)
        return node

    def visit_Try(self, node: gast.Try) -> gast.AST:
        self.generic_visit(node)
        begin = self.mark_finally(node)
        self.guard(node)
        node.body = [*begin, *node.body]
        return node

    visit_TryStar = visit_Try

    def guard(self, node: gast.Try) -> None:
        """Says what the handlers would catch."""
        if jumps_out(node.finalbody):  # a jump drops the exception that is on its way, as an `except` does
            check = quote.located(gast.Expr(quote.expr("ag.caught()", ag=self.ag)), node.finalbody[0])
            node.finalbody = [check, *node.finalbody]
        kinds = [handler.type for handler in node.handlers]
        if jumps_out(node.finalbody):
            kinds.append(None)
        if not kinds:
            return
        for handler in node.handlers:
            caught = gast.Call(quote.expr("ag.caught", ag=self.ag), _foreign(handler.type), [])
            check = quote.located(gast.Expr(caught), handler)
            handler.body = [check, *handler.body]
        named = [kind for kind in kinds if kind is not None]
        every = (
            quote.expr("BaseException") if None in kinds else gast.Tuple(trees.copy_tree(named), gast.Load())
        )
        match node.body:
            case [*_, gast.With(items=[gast.withitem(context_expr=gast.Name(id=name))])] if (
                name in self.tries
            ):
                return  # it knows what it catches
        manager = quote.expr("ag.handling(lambda: kinds)", ag=self.ag, kinds=every)
        guarded = gast.With([gast.withitem(manager, None)], node.body, None)
        node.body = [quote.located(guarded, node)]

    def mark_finally(self, node: gast.Try) -> list[gast.stmt]:
        """Says where `finally` begins, whose errors take the place of what was raised before; gives what `try` begins with."""
        if not any(
            isinstance(n, (gast.Call, gast.Assert, gast.Raise, gast.AugAssign))
            for n in _inside(node.finalbody)
        ):
            return []
        manager = gast.withitem(quote.expr("ag.finishing()", ag=self.ag), None)
        node.finalbody = [quote.located(gast.With([manager], node.finalbody, None), node.finalbody[0])]
        return [quote.located(gast.Expr(quote.expr("ag.trying()", ag=self.ag)), node.body[0])]

    def visit_With(self, node: gast.With) -> gast.AST:
        self.generic_visit(node)
        for item in node.items:
            expression = item.context_expr
            match expression:
                case gast.Name(id=name) if name in self.tries:
                    continue
                case gast.Call(func=gast.Attribute(value=gast.Name(id=root))) if root == self.ag:
                    continue
            item.context_expr = quote.expr_at(
                expression, "ag.managed(manager)", ag=self.ag, manager=expression
            )
        return node


def _foreign(kinds: gast.expr | None) -> list[gast.expr]:
    """What a clause catches, if that is named and no exception of Python's own."""
    named = [n for n in trees.walk(kinds) if isinstance(n, gast.Name)] if kinds else []
    return [] if kinds is None or all(hasattr(builtins, n.id) for n in named) else [trees.copy_tree(kinds)]


def _inside(body: list[gast.stmt]) -> Iterator[gast.AST]:
    for statement in body:
        yield from trees.walk(statement)


def _percent(node: gast.BinOp, ag: str) -> gast.AST:
    """`'mass %s' % m` as an operator's call."""
    match node:
        case gast.BinOp(left=gast.Constant(value=str()), op=gast.Mod()):
            return quote.expr_at(node, "ag.percent(a, b)", ag=ag, a=node.left, b=node.right)
    return node


class _Format(trees.Transformer):
    """f-strings become `ag.format(template, *values)`: the same text, by the same protocol."""

    def __init__(self, ag: str) -> None:
        self.ag = ag

    def visit_Lambda(self, node: gast.Lambda) -> gast.AST:
        return node

    def visit_BinOp(self, node: gast.BinOp) -> gast.AST:
        self.generic_visit(node)
        return _percent(node, self.ag)

    def visit_JoinedStr(self, node: gast.JoinedStr) -> gast.AST:
        values: list[gast.expr] = []
        template = self.template(node, values)
        if not values:
            return node
        arguments = [quote.constant(template), *values]
        return quote.located(gast.Call(quote.expr("ag.format", ag=self.ag), arguments, []), node)

    def template(self, node: gast.JoinedStr, values: list[gast.expr]) -> str:
        text = ""
        for part in node.values:
            if isinstance(part, gast.Constant):
                text += str(part.value).replace("{", "{{").replace("}", "}}")
                continue
            assert isinstance(part, gast.FormattedValue)
            values.append(self.visit(part.value))
            conversion = "!" + chr(part.conversion) if part.conversion and part.conversion > 0 else ""
            spec = (
                ":" + self.template(part.format_spec, values)
                if isinstance(part.format_spec, gast.JoinedStr)
                else ""
            )
            text += "{" + conversion + spec + "}"
        return text
