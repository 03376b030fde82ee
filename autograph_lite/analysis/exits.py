"""Control flow: where does control leave a block of statements?

jumps_out([...])        kinds of jump ('break', 'continue', 'return') that leave the block
always_jumps([...])   no path falls off its end
"""

from __future__ import annotations

from collections.abc import Sequence

import gast

from autograph_lite.syntax.names import is_operators

LOOPS = (gast.While, gast.For, gast.AsyncFor)


def jumps_out(body: Sequence[gast.AST]) -> frozenset[str]:
    """Kinds of jump that leave this block."""
    found: set[str] = set()
    for statement in body:
        match statement:
            case gast.Break():
                found.add("break")
            case gast.Continue():
                found.add("continue")
            case gast.Return():
                found.add("return")
            case gast.While() | gast.For() | gast.AsyncFor():
                found |= (jumps_out(statement.body) - {"break", "continue"}) | jumps_out(statement.orelse)
            case _:
                for block in blocks(statement):
                    found |= jumps_out(block)
    return frozenset(found)


def blocks(statement: gast.AST) -> list[list[gast.stmt]]:
    """The statement lists directly inside a compound statement, in the order in which they are written."""
    match statement:
        case gast.If() | gast.While() | gast.For() | gast.AsyncFor():
            return [statement.body, statement.orelse]
        case gast.With() | gast.AsyncWith():
            return [statement.body]
        case gast.Try() | gast.TryStar():
            handlers = [h.body for h in statement.handlers]
            return [statement.body, *handlers, statement.orelse, statement.finalbody]
        case gast.Match():
            return [case.body for case in statement.cases]
    return []


def always_jumps(body: Sequence[gast.AST]) -> bool:
    """Whether no path falls off the end of the block. A `raise` is no jump: guards that raise stay flat."""
    match body[-1:]:
        case [gast.Break() | gast.Continue() | gast.Return()]:
            return True
        case [gast.If(body=true, orelse=false)]:
            return always_jumps(true) and always_jumps(false)
        case [gast.While() as loop]:
            return is_endless_loop(loop)
    return False


def always_returns(body: Sequence[gast.AST]) -> bool:
    """Whether every path ends in `return`."""
    return _ends(body, (gast.Return,))


def always_ends(body: Sequence[gast.AST]) -> bool:
    """Whether every path ends in `return` or `raise`."""
    return _ends(body, (gast.Return, gast.Raise))


def _ends(body: Sequence[gast.AST], kinds: tuple[type[gast.stmt], ...]) -> bool:
    """Whether every path ends in a statement of these `kinds`."""
    match body[-1:]:
        case [last] if isinstance(last, kinds):
            return True
        case [gast.If(body=true, orelse=false)]:
            return _ends(true, kinds) and _ends(false, kinds)
        case [gast.Try(body=tried, handlers=handlers, orelse=other, finalbody=final)]:
            done = _ends(tried, kinds) or _ends(other, kinds)
            return (done and all(_ends(h.body, kinds) for h in handlers)) or _ends(final, kinds)
        case [gast.While() as loop]:
            return is_endless_loop(loop)
        case [
            gast.With(
                items=[
                    gast.withitem(
                        context_expr=gast.Call(
                            func=gast.Attribute(
                                value=gast.Name(id=root), attr="handling" | "finishing" | "settling"
                            )
                        )
                    )
                ],
                body=inner,
            )
        ] if is_operators(root):
            # Put around the blocks of a `try` by passes; it swallows nothing, as a manager of the user's might.
            return _ends(inner, kinds)
    return False


def is_endless_loop(loop: gast.AST) -> bool:
    """Whether nothing but a `return` or an exception leaves `loop`: `while True` without `break`."""
    return (
        isinstance(loop, gast.While)
        and isinstance(loop.test, gast.Constant)
        and bool(loop.test.value)
        and "break" not in jumps_out(loop.body)
    )


def until_of(node: gast.For) -> tuple[gast.expr | None, gast.expr]:
    """The early-exit test and the iterable of `for x in ag.until(lambda: test, iterable)`; no test elsewhere."""
    match node.iter:
        case gast.Call(
            func=gast.Attribute(value=gast.Name(), attr="until"), args=[gast.Lambda(body=test), iterable]
        ):
            return test, iterable
    return None, node.iter
