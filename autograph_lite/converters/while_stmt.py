"""`while` becomes `ag.while_stmt` on a condition and a body, both functions of the loop's variables.

    while i < n:                          def cond_fun(x, i):
        x = x * 2                             return i < n
        i += 1
                                          def body_fun(x, i):
                                              x = x * 2
                                              i += 1
                                              return x, i

                                          x, i = ag.while_stmt(cond_fun, body_fun, (x, i))

What the loop does not assign, both functions take from the scope around them.
"""

from __future__ import annotations

import gast

from autograph_lite.analysis.plans import Plan
from autograph_lite.converters.context import Context
from autograph_lite.converters.if_stmt import written_in_place
from autograph_lite.syntax import quote


def convert_while(node: gast.While, plan: Plan, names: tuple[str, str], context: Context) -> list[gast.stmt]:
    """Rewrites one `while`, free of break, continue, return and `else`; its body is already converted."""
    cond_fun, body_fun = names
    carry = quote.tuple_of(plan.ins)
    test = quote.located(gast.Return(node.test), node.test)
    end = quote.located(gast.Return(quote.tuple_of(plan.ins)), node.body[-1])
    functions = [
        quote.function_def(cond_fun, plan.ins, [test]),
        quote.function_def(body_fun, plan.ins, [*written_in_place(plan, node.body), *node.body, end]),
    ]
    call = quote.expr(
        "ag.while_stmt(cond_fun, body_fun, carry)",
        ag=context.ag,
        cond_fun=cond_fun,
        body_fun=body_fun,
        carry=carry,
    )
    return quote.all_located([*functions, assign_carry(plan, quote.located(call, node.test))], node)


def assign_carry(plan: Plan, call: gast.expr) -> gast.stmt:
    """`x, y = call`; a loop returns a tuple also where it has one variable."""
    if not plan.ins:
        return gast.Expr(call)
    return gast.Assign([quote.tuple_of(plan.ins, gast.Store)], call, None)
