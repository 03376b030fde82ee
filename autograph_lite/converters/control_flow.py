"""Turns the `if`, `while` and `for` of a function into calls of operators."""

from __future__ import annotations

from collections.abc import Sequence

import gast

from autograph_lite.analysis.exits import blocks
from autograph_lite.analysis.plans import Plan
from autograph_lite.converters import for_stmt, if_stmt, switches, while_stmt
from autograph_lite.converters.context import Context
from autograph_lite.converters.static import counts_frames, is_static


def run(function: gast.FunctionDef, plans: dict[gast.AST, Plan], context: Context) -> None:
    """Rewrites the body of `function` in place; nested functions keep theirs."""
    function.body = _block(function.body, plans, context)


def _block(body: Sequence[gast.stmt], plans: dict[gast.AST, Plan], context: Context) -> list[gast.stmt]:
    done: list[gast.stmt] = []
    for node in body:
        # Names before insides: the outer functions bear the plain names.
        chain = context.chains.get(node)
        if isinstance(node, gast.If) and chain is not None and node in plans:
            cases = [context.name_function("case") for _ in chain.nodes] + [
                context.name_function("otherwise")
            ]
            for inner in chain.bodies:
                inner[:] = _block(inner, plans, context)
            done += switches.convert_switch(node, chain, plans[node], cases, context)
            continue
        names = _names(node, plans.get(node), context)
        for inner in blocks(node):
            inner[:] = _block(inner, plans, context)
        if not names:
            done.append(node)
            continue
        match node:
            case gast.If():
                done += if_stmt.convert_if(node, plans[node], names, context)
            case gast.While():
                done += while_stmt.convert_while(node, plans[node], names, context)
            case gast.For():
                done += for_stmt.convert_for(node, plans[node], names, context)
    return done


def _names(node: gast.stmt, plan: Plan | None, context: Context) -> tuple[str, str] | None:
    """Names of the two things that a statement's conversion needs; None where it stays Python's."""
    if plan is None:
        return None
    match node:
        case gast.If():
            return (
                None
                if is_static(node.test) or counts_frames(node)
                else (context.name_function("true_fun"), context.name_function("false_fun"))
            )
        case gast.While():
            return context.name_function("cond_fun"), context.name_function("body_fun")
        case gast.For():
            body_fun = context.name_function("body_fun")
            match node.target:
                case gast.Name(id=item) if item not in {*plan.ins, *plan.nonlocals, *plan.globals}:
                    return body_fun, item
            return body_fun, context.fresh("item")
    return None
