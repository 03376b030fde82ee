"""Which loop is made of a `while` that Python's numbers end? A scan of as many iterations as Python makes.

The body is traced once, on trial, with arrays in place of the numbers, and the condition in the state that it leaves. From
then on it is a loop over a known number of items, as a `for` is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from autograph_lite import _jax, _jax_loops
from autograph_lite.operators import (
    carry as carries,
    columns,
    decisions,
    foretold,
    iterations,
    loop_options,
    rolling,
    trials,
)
from autograph_lite.operators.carry import Carry, run_body
from autograph_lite.operators.conditions import truth
from autograph_lite.operators.rolled_body import Trial, report
from autograph_lite.operators.settling import settled
from autograph_lite.operators.staging import enter


class _Again(Exception):
    """The body has to be traced for a loop of so many iterations."""

    def __init__(self, count: int) -> None:
        self.count = count


def attempt(cond_fun: Callable[..., Any], body_fun: Callable[..., Any], values: tuple[Any, ...]) -> Any:
    """The variables after the loop, rolled; a `rolling.Refusal` where Python is to run it, or None where it is too short.

    Args:
      cond_fun: variables -> whether there is another iteration; it is a value of Python's, and true, before the loop.
      body_fun: variables -> variables.
      values: the variables before the loop.
    """
    told = decisions.told()
    result = rolling.tried(body_fun, values, lambda: _rolled(cond_fun, body_fun, values))
    if not isinstance(result, tuple):
        decisions.forget_since(told)
    return result


def _rolled(cond_fun: Callable[..., Any], body_fun: Callable[..., Any], values: tuple[Any, ...]) -> Any:
    with trials.trial():
        trials.enter(cond_fun)
        trials.enter(body_fun)
        try:
            return _traced(cond_fun, body_fun, values, None)
        except _Again as again:
            decisions.forget_inside()
            return _traced(cond_fun, body_fun, values, again.count)


def _traced(
    cond_fun: Callable[..., Any], body_fun: Callable[..., Any], values: tuple[Any, ...], known: int | None
) -> tuple[Any, ...] | None:
    """The loop.

    Args:
      cond_fun: as for `attempt`.
      body_fun: likewise.
      values: likewise.
      known: the number of iterations, if it is known.

    Raises:
      _Again: it has to be.
    """
    trial = Trial(columns.Columns(()), (), body_fun)
    carry = Carry.of(body_fun.__code__.co_varnames[: body_fun.__code__.co_argcount], values, count=known or 1)

    def goes_on(new: list[Any]) -> Any:
        enter(cond_fun, new)
        return jnp.asarray(truth(cond_fun(*new)))

    def stage(now: Carry) -> tuple[Carry, Any]:
        start = now.start()
        rows = [_jax.as_type(jnp.arange(known or 1), jnp.result_type(int), True)] if now.indexed else []

        def step(arrays: list[Any]) -> tuple[Carry, list[Any]]:
            index = arrays[-1] if now.indexed else None
            return run_body(now, body_fun, arrays[: len(start)], after=goes_on, index=index)

        types = [*map(jax.typeof, start), *map(_jax_loops.row_type, rows)]
        after, whole = _jax_loops.trace(step, types, body_fun)
        test, body = _giving(whole, slice(1)), _giving(whole, slice(1, None))
        start = carries.held(now, after, [test, body], start)
        count = known or iterations.count(body, test, start, after.numbers()[0], now.indexed, report)
        count = min(count, count if (left := loop_options.current().left()) is None else left)
        if known is None and not rolling.pays(count):
            return after, None
        if known is None and (after.growths or after.bounds) and count != 1:
            raise _Again(count)
        how = _jax_loops.How(unroll=loop_options.current().unroll, told=decisions.at_once(count))
        decisions.decided(decisions.LOOPS, "scan", "Python's numbers end it", count)
        return after, (count, *trial.scan(after, body, start, rows, count, how))

    carry, found = settled(carry, body_fun, stage)
    if found is None:
        return None
    count, arrays, outputs = found
    return carry.finish(arrays, outputs, count)


def _giving(closed: Any, which: slice) -> Any:
    """The closed jaxpr that gives some of the outputs of another one, with all its effects."""
    jaxpr = closed.jaxpr
    outputs = jaxpr.outvars[which]
    needed = {id(eqn) for eqn in foretold.leading_to(jaxpr, outputs)[0]}
    eqns = [eqn for eqn in jaxpr.eqns if eqn.effects or id(eqn) in needed]
    return closed.replace(jaxpr=jaxpr.replace(eqns=eqns, outvars=outputs))
