"""`if` becomes `ag.if_stmt` on two functions, from the variables read to the variables written.

    if x > 0:                             def true_fun(y):
        y = y + 1                             return y + 1

                                          def false_fun(y):
                                              return y

                                          y = ag.if_stmt(x > 0, true_fun, false_fun, (y,), names=('y',))

Variables that are only read need no plumbing: the branches see them as enclosing variables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import gast

from autograph_lite.analysis import scopes
from autograph_lite.analysis.exits import always_returns
from autograph_lite.analysis.plans import Plan
from autograph_lite.converters.context import Context
from autograph_lite.syntax import quote


def convert_if(node: gast.If, plan: Plan, names: Sequence[str], context: Context) -> list[gast.stmt]:
    """Rewrites one `if`, free of break, continue and early return; its branches are already converted."""
    true_fun, false_fun = names
    text = "ag.if_stmt(test, true_fun, false_fun)"
    call = quote.expr(text, ag=context.ag, test=node.test, true_fun=true_fun, false_fun=false_fun)
    match node.test:
        case gast.Call(
            func=gast.Attribute(
                value=gast.Name(id=root),
                attr="unraised" | "catches" | "passed" | "left_loop" | "each_variant",
            )
        ) if root == context.ag:
            assert isinstance(call, gast.Call)
            call.keywords.append(gast.keyword("statement", quote.constant("")))  # it is none of the user's
    branches = {true_fun: (node.body, node), false_fun: (node.orelse, node)}
    return call_branches(call, branches, plan, node)


def call_branches(
    call: gast.expr, branches: Mapping[str, tuple[list[gast.stmt], gast.stmt]], plan: Plan, node: gast.If
) -> list[gast.stmt]:
    """What takes the place of an `if`: the functions of its branches, and `call`, which gets the operands, too.

    Args:
      call: `ag.if_stmt(...)`, or another operator.
      branches: by the name of its function, the body of each, and the statement where it stands.
      plan: of the names that are read and written.
      node: the `if`.
    """
    returns = always_returns([node])
    outs = () if returns else plan.outs
    functions = [_branch_def(name, body, plan, outs, returns, at) for name, (body, at) in branches.items()]
    assert isinstance(call, gast.Call)
    if plan.ins:
        call.args.append(quote.tuple_of(plan.ins))
    if outs:
        names = gast.Tuple([quote.constant(n) for n in outs], gast.Load())
        call.keywords.append(gast.keyword("names", names))
    call = quote.located(call, node.test)
    last: gast.stmt = gast.Return(call) if returns else quote.assign(outs, call)
    return quote.all_located([*functions, last], node)


def _branch_def(
    name: str, body: list[gast.stmt], plan: Plan, outs: tuple[str, ...], returns: bool, node: gast.stmt
) -> gast.FunctionDef:
    """`def name(ins): body; return outs`."""
    end: list[gast.stmt] = []
    if outs and not returns:
        value = quote.name(outs[0]) if len(outs) == 1 else quote.tuple_of(outs)
        end = [quote.located(gast.Return(value), body[-1] if body else node)]
    return quote.function_def(name, plan.ins, [*written_in_place(plan, body), *body, *end])


def written_in_place(plan: Plan, body: list[gast.stmt]) -> list[gast.stmt]:
    """`nonlocal` and `global` statements for the names that live outside."""
    if not plan.nonlocals and not plan.globals:
        return []
    here = {*scopes.bound(body), *scopes.names_deleted(body)}
    kept: list[gast.stmt] = []
    if nonlocals := [n for n in plan.nonlocals if n in here]:
        kept.append(gast.Nonlocal(nonlocals))
    if globals_ := [n for n in plan.globals if n in here]:
        kept.append(gast.Global(globals_))
    return kept
