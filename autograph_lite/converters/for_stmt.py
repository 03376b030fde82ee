"""`for` becomes `ag.for_stmt` on a body, a function of the item and the loop's variables.

    for x in xs:                          def body_fun(x, total):
        total += x                            total += x
                                              return (total,)

                                          (total,) = ag.for_stmt(xs, body_fun, (total,))

The test of `ag.until`, left by the pass *jumps* where a `break` or `return` was, becomes the argument `until`.
"""

from __future__ import annotations

import gast

from autograph_lite.analysis.exits import until_of
from autograph_lite.analysis.plans import Plan
from autograph_lite.converters.context import Context
from autograph_lite.converters.if_stmt import written_in_place
from autograph_lite.converters.while_stmt import assign_carry
from autograph_lite.syntax import quote


def convert_for(node: gast.For, plan: Plan, names: tuple[str, str], context: Context) -> list[gast.stmt]:
    """Rewrites one `for`, free of break, continue, return and `else`; its body is already converted."""
    body_fun, item = names
    until, iterable = until_of(node)
    body = list(node.body)
    target = node.target
    in_place = {*plan.ins, *plan.nonlocals, *plan.globals}
    if isinstance(target, gast.Name) and target.id not in in_place:
        item = target.id
    else:
        body.insert(0, quote.located(gast.Assign([target], quote.name(item), None), target))
    end = quote.located(gast.Return(quote.tuple_of(plan.ins)), body[-1])
    function = quote.function_def(body_fun, [item, *plan.ins], [*written_in_place(plan, body), *body, end])
    call = quote.expr(
        "ag.for_stmt(iterable, body_fun, carry)",
        ag=context.ag, iterable=iterable, body_fun=body_fun, carry=quote.tuple_of(plan.ins),
    )  # fmt: skip
    assert isinstance(call, gast.Call)
    if until is not None:
        call.keywords.append(gast.keyword("until", quote.lambda_(plan.ins, until)))
    return quote.all_located([function, assign_carry(plan, quote.located(call, node.iter))], node)
