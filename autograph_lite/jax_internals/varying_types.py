"""Varying types: how do equations that we have made fit into a `jax.shard_map`, whose types say what differs between devices?

    h = h * 31 + 7            an int that differs, and 0, the number of the line that has failed, which does not

JAX's functions bring the operands of an operation together, and the types of a loop's variables are what its iterations leave.
A program that was rewritten is gone through once more, with equations that do so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax._src import core, source_info_util
from jax.extend.core import jaxpr_as_fun

from autograph_lite.jax_internals import avals
from autograph_lite.jax_internals.dataflow.induction_variables import open_jaxpr
from autograph_lite.jax_internals.dataflow.scan_ir import groups, is_variable


def typed(closed: Any) -> Callable[..., Sequence[Any]]:
    """A closed jaxpr as a function of arrays that may vary otherwise than its types say."""
    if not jax.sharding.get_abstract_mesh().manual_axes:
        same: Callable[..., Sequence[Any]] = jaxpr_as_fun(closed)
        return same

    def run(*arrays: Any) -> list[Any]:
        jaxpr = open_jaxpr(closed)
        known = dict(zip(jaxpr.constvars, getattr(closed, "consts", ()), strict=True))
        known.update(zip(jaxpr.invars, arrays, strict=True))

        def read(atom: Any) -> Any:
            return known[atom] if is_variable(atom) else atom.val

        for equation in jaxpr.eqns:
            with source_info_util.user_context(equation.source_info.traceback), equation.ctx.manager:
                found = _bound(equation, [*map(read, equation.invars)])
            known.update(zip(equation.outvars, found, strict=True))
        return [*map(read, jaxpr.outvars)]

    return run


def with_varying_carry(
    closed: Any, consts: Sequence[Any], carry: Sequence[Any], rows: Sequence[Any] = ()
) -> tuple[Any, list[Any]]:
    """The body of a loop, and what it starts with, which vary as what an iteration leaves."""
    first, carry = len(consts), list(carry)
    taken = [core.mapped_leading_aval(row.shape[0], jax.typeof(row)) for row in rows]

    def run(*now: Any) -> list[Any]:
        results = typed(closed)(*now)
        before = now[first : first + len(carry)]
        kept = [
            avals.as_varying(new, avals.varying_axes(old)) for new, old in zip(results, before, strict=False)
        ]
        return [*kept, *results[len(carry) :]]

    while True:
        body = jax.make_jaxpr(run)(*map(jax.typeof, [*consts, *carry]), *taken)
        wider = [
            avals.as_varying(each, avals.varying_of(aval))
            for each, aval in zip(map(jax.numpy.asarray, carry), body.out_avals, strict=False)
        ]
        if [*map(avals.varying_axes, wider)] == [*map(avals.varying_axes, carry)]:
            return body, carry
        carry = wider


def _axes(values: Sequence[Any]) -> frozenset[str]:
    return frozenset[str]().union(*map(avals.varying_axes, values))


def _bound(equation: Any, operands: list[Any]) -> Sequence[Any]:
    primitive, params = equation.primitive, dict(equation.params)
    if primitive.name in ("jit", "pjit"):
        return typed(params["jaxpr"])(*operands)
    if primitive.name == "scan":
        consts, carry, rows = groups(equation, operands)
        params["jaxpr"], carry = with_varying_carry(params["jaxpr"], consts, carry, rows)
        operands = [*consts, *carry, *rows]
    elif primitive.name == "while":
        first, last = params["cond_nconsts"], params["cond_nconsts"] + params["body_nconsts"]
        params["body_jaxpr"], carry = with_varying_carry(
            params["body_jaxpr"], operands[first:last], operands[last:]
        )
        test = typed(params["cond_jaxpr"])
        params["cond_jaxpr"] = jax.make_jaxpr(test)(*map(jax.typeof, [*operands[:first], *carry]))
        operands = [*operands[:last], *carry]
    elif primitive.name == "cond":
        types = [*map(jax.typeof, operands[1:])]
        found = [jax.make_jaxpr(typed(each))(*types) for each in params["branches"]]
        axes = [
            frozenset[str]().union(*map(avals.varying_of, each))
            for each in zip(*(b.out_avals for b in found), strict=True)
        ]

        def widened(branch: Any) -> Callable[..., Any]:
            return lambda *now: [*map(avals.as_varying, map(jax.numpy.asarray, typed(branch)(*now)), axes)]

        params["branches"] = tuple(jax.make_jaxpr(widened(each))(*types) for each in params["branches"])
    else:
        operands = [avals.as_varying(each, _axes(operands)) for each in operands]
    results = primitive.bind(*operands, **primitive.get_bind_params(params))
    return results if primitive.multiple_results else [results]
