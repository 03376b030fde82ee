"""`with contextlib.suppress(E)` gets a `try` inside, which catches what a traced condition raises.

    with suppress(KeyError):              with ag.suppressing(suppress(KeyError)):
        y = find(x)                           try:
                                                  y = find(x)
                                              except ag.suppressed(suppress, (KeyError,)):
                                                  pass

The manager stays for what it does besides, with groups of exceptions. Whether it is `contextlib.suppress` is asked when an
exception is there: another function of that name catches nothing here.
"""

from __future__ import annotations

import gast

from autograph_lite.converters.context import Context
from autograph_lite.syntax import quote, trees


def run(function: gast.FunctionDef, context: Context) -> None:
    """Rewrites the body of `function` in place; nested functions keep theirs."""
    function.body = _Suppressing(context).block(function.body)


def suppresses(node: gast.AST) -> bool:
    """Whether a statement is a `with` that gets a `try`."""
    return isinstance(node, gast.With) and any(_called(item) is not None for item in node.items)


def _called(item: gast.withitem) -> gast.Call | None:
    """The call of `suppress`, with the names of exceptions, that a `with` enters."""
    call = item.context_expr
    if not isinstance(call, gast.Call) or call.keywords or item.optional_vars is not None:
        return None
    is_one = trees.dotted(call.func).rpartition(".")[2] == "suppress"
    return call if is_one and all(map(trees.dotted, call.args)) else None


class _Suppressing(trees.ScopeTransformer):
    def __init__(self, context: Context) -> None:
        self.context = context

    def visit_With(self, node: gast.With) -> gast.With:
        place = next((n for n, item in enumerate(node.items) if _called(item) is not None), None)
        if place is None:
            return self.generic_visit(node)  # type: ignore[no-any-return]
        call, rest = _called(node.items[place]), node.items[place + 1 :]
        assert call is not None
        body = [quote.located(gast.With(rest, node.body, None), node)] if rest else node.body
        kinds = gast.Tuple([trees.copy_tree(kind) for kind in call.args], gast.Load())
        callee = trees.copy_tree(call.func)
        caught = quote.expr("ag.suppressed(callee, kinds)", ag=self.context.ag, callee=callee, kinds=kinds)
        handler = gast.ExceptHandler(caught, None, [gast.Pass()])
        tried = gast.Try(self.block(body), [handler], [], [])
        known = quote.expr_at(call, "ag.suppressing(manager)", ag=self.context.ag, manager=call)
        node.items = [*node.items[:place], gast.withitem(known, None)]
        node.body = [quote.located(tried, node.body[0])]
        return node
