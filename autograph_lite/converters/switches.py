"""A chain of `if` and `elif` that compares one variable with constants becomes one `ag.switch_stmt`.

    if k == 0:                            def case():
        y = a                                 return a
    elif k == 1 or k == 2:
        y = b                             def case_2():
    else:                                     return b
        y = c
                                          def otherwise():
                                              return c

                                          y = ag.switch_stmt(k, ((0,), (1, 2)), (case, case_2, otherwise), names=('y',))

On a traced integer that is one `lax.switch`, where the nested form would be a conditional inside a conditional. Of texts,
None and names, `state == "idle"` and `state is State.IDLE`, each case has its test, `lambda state: state == "idle"`, which
Python asks in their order, and a program of each variant that `state` may be.
"""

from __future__ import annotations

import dataclasses
from typing import TypeVar

import gast

from autograph_lite.analysis.plans import Plan
from autograph_lite.converters.context import Context
from autograph_lite.converters.if_stmt import call_branches
from autograph_lite.syntax import quote, trees

T = TypeVar("T")
LEAST_CASES = 2  # besides the last `else`


@dataclasses.dataclass(frozen=True)
class Chain:
    """A chain that compares one variable."""

    subject: str  # the variable
    values: list[list[int]] | None  # the integers of each case; None where some case has something else
    nodes: list[gast.If]  # of the cases

    @property
    def bodies(self) -> list[list[gast.stmt]]:
        """The statements of each case, and after them those of the last `else`."""
        return [*(node.body for node in self.nodes), self.nodes[-1].orelse]


def run(function: gast.AST, context: Context) -> None:
    """Notes the chains in `function`, nested functions included; *control_flow* rewrites them."""
    inside: set[int] = set()
    for node in trees.statements([function]):
        if isinstance(node, gast.If) and id(node) not in inside:
            chain = _chain(node)
            if chain is not None:
                context.chains[node] = chain
                inside |= {id(part) for part in chain.nodes}


def _chain(head: gast.If) -> Chain | None:
    subject: str | None = None
    values: list[list[int] | None] = []
    nodes: list[gast.If] = []
    node: gast.If | None = head
    while node is not None:
        found = _compared(node.test)
        if found is None or (subject is not None and found[0] != subject):
            break
        subject = found[0]
        values.append(found[1])
        nodes.append(node)
        node = node.orelse[0] if len(node.orelse) == 1 and isinstance(node.orelse[0], gast.If) else None
    if subject is None or len(nodes) < LEAST_CASES:
        return None
    return Chain(subject, _all_known(values), nodes)


def _compared(test: gast.expr) -> tuple[str, list[int] | None] | None:
    """The variable and the integers of `k == 1`, `k == 1 or k == 2`, `k in (1, 2)`; None in place of others."""
    match test:
        case gast.Compare(left=gast.Name(id=name), ops=[gast.Eq()], comparators=[constant]):
            number = _integer(constant)
            return (name, None if number is None else [number]) if _is_case(constant, name) else None
        case gast.Compare(left=gast.Name(id=name), ops=[gast.Is()], comparators=[constant]):
            return (name, None) if _is_case(constant, name) or isinstance(constant, gast.Name) else None
        case gast.Compare(left=gast.Name(id=name), ops=[gast.In()], comparators=[gast.Tuple(elts=elts)]) if (
            elts and all(_is_case(each, name) for each in elts)
        ):
            return name, _all_known([_integer(each) for each in elts])
        case gast.BoolOp(op=gast.Or(), values=parts):
            found = [_compared(part) for part in parts]
            known = [f for f in found if f is not None]
            if len(known) == len(found) and len({name for name, _ in known}) == 1:
                numbers = _all_known([numbers for _, numbers in known])
                return known[0][0], None if numbers is None else [n for each in numbers for n in each]
    return None


def _all_known(values: list[T | None]) -> list[T] | None:
    known = [value for value in values if value is not None]
    return known if len(known) == len(values) else None


def _is_case(node: gast.expr, subject: str) -> bool:
    """Whether it is an integer, a text, None, or an attribute of something else, `State.IDLE`."""
    match node:
        case gast.Constant(value=str() | bytes() | None):
            return True
    first, dot, _ = trees.dotted(node).partition(".")
    return bool(dot and first != subject) or _integer(node) is not None


def _integer(node: gast.expr) -> int | None:
    match node:
        case gast.Constant(value=int() as number) if not isinstance(number, bool):
            return number
        case gast.UnaryOp(op=gast.USub(), operand=gast.Constant(value=int() as number)) if not isinstance(
            number, bool
        ):
            return -number
    return None


def convert_switch(
    node: gast.If, chain: Chain, plan: Plan, names: list[str], context: Context
) -> list[gast.stmt]:
    """Rewrites one chain, its bodies already converted."""
    cases: list[gast.expr] = (
        [quote.lambda_([chain.subject], each.test) for each in chain.nodes]
        if chain.values is None
        else [gast.Tuple([quote.constant(n) for n in each], gast.Load()) for each in chain.values]
    )
    values = gast.Tuple(cases, gast.Load())
    call = quote.expr(
        "ag.switch_stmt(subject, values, functions)",
        ag=context.ag, subject=chain.subject, values=values, functions=quote.tuple_of(names),
    )  # fmt: skip
    nodes = [*chain.nodes, chain.nodes[-1]]
    return call_branches(
        call, dict(zip(names, zip(chain.bodies, nodes, strict=True), strict=True)), plan, node
    )
