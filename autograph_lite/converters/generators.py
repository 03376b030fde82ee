"""Generators in push form: how does a generator function become one that runs a loop's body where it yields?

    def powers(n):                        def powers(loop, total, /, n):
        x = 1                                 x = 1
        while x < n:                          while x < n:
            yield x                               total, = ag.resume(loop, x, total)
            x = x * 2                             if ag.left_loop(loop, total):
                                                      return
                                                  x = x * 2
                                              return (total,)

`total` stands for the variables of the loop; its body is the function that `loop` holds. A `return` ends the generator, and
the pass *jumps* makes it give the variables back. A `yield` in an expression, or inside of `try` or `with`, stays what it is.
"""

from __future__ import annotations

from collections.abc import Sequence

import gast

from autograph_lite.analysis import scopes
from autograph_lite.converters.context import Context
from autograph_lite.converters.opaque import is_opaque
from autograph_lite.syntax import quote, trees


class NoPushFormError(Exception):
    """A generator has to be Python's."""


def push(names: Sequence[str], leaves: bool, function: gast.AST, context: Context) -> None:
    """Rewrites a generator function in place.

    Args:
      names: of the loop's variables.
      leaves: whether something but the generator may end the loop.
      function: a new tree of it.
      context: gets the variables that the function gives back.

    Raises:
      NoPushFormError: something else than a statement yields, or one that more than the generator sees.
    """
    if not isinstance(function, gast.FunctionDef):
        raise NoPushFormError
    loop, own = context.fresh("loop"), tuple(map(context.fresh, names))
    _Push(context, loop, own, leaves).visit_list(function.body)
    if is_opaque(function):
        raise NoPushFormError
    function.args.posonlyargs[:0] = [quote.located(quote.name(n, gast.Param), function) for n in (loop, *own)]
    context.gives_back = own


class _Push(trees.ScopeTransformer):
    def __init__(self, context: Context, loop: str, names: tuple[str, ...], leaves: bool) -> None:
        self.context, self.loop, self.names, self.leaves = context, loop, names, leaves

    def visit_Try(self, node: gast.AST) -> gast.AST:
        """An exception in the loop's body is none of the generator's, and `finally` runs when that is closed."""
        if any(isinstance(n, (gast.Yield, gast.YieldFrom)) for n in scopes.own_nodes([node])):
            return node
        self.generic_visit(node)
        return node

    visit_TryStar = visit_With = visit_Try

    def visit_Expr(self, node: gast.Expr) -> gast.AST | list[gast.stmt]:
        match node.value:
            case gast.Yield(value=value):
                return self.body(value or quote.constant(None), node)
            case gast.YieldFrom(value=items):
                item = self.context.fresh("item")
                body = self.body(quote.name(item), node)
                return quote.located(gast.For(quote.name(item, gast.Store), items, body, [], None), node)
        return node

    def visit_Assign(self, node: gast.Assign) -> gast.AST | list[gast.stmt]:
        if not isinstance(node.value, gast.Yield):
            return node
        body = self.body(node.value.value or quote.constant(None), node)
        node.value = quote.located(quote.constant(None), node.value)  # nobody sends a value
        return [*body, node]

    def visit_Return(self, node: gast.Return) -> gast.AST | list[gast.stmt]:
        value, node.value = node.value, None
        if value is None or isinstance(value, gast.Constant):
            return node
        return [quote.located(gast.Expr(value), node), node]

    def body(self, value: gast.expr, node: gast.stmt) -> list[gast.stmt]:
        """What runs the loop's body for one item."""
        known: dict[str, gast.AST | str] = {"ag": self.context.ag, "loop": self.loop}
        run = quote.expr("ag.resume(loop, value)", value=value, **known)
        left = quote.expr("ag.left_loop(loop)", **known)
        assert isinstance(run, gast.Call)
        assert isinstance(left, gast.Call)
        run.args += map(quote.name, self.names)
        left.args += map(quote.name, self.names)
        ran = (
            gast.Assign([quote.tuple_of(self.names, gast.Store)], run, None) if self.names else gast.Expr(run)
        )
        leave = [gast.If(left, [gast.Return(None)], [])] if self.leaves else []
        return quote.all_located([ran, *leave], node)
