"""Rolled `while`: which loop is made of one that Python's numbers end? A scan of as many iterations as Python makes.

The body is traced once, on trial, with arrays in place of the numbers, and the condition in the state that it leaves. From
then on it is a loop over a known number of items, as a `for` is. Where conditions in it hold for some iterations only, those
are one loop, and the rest is a `while` that is tried again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from autograph_lite.jax_internals import avals
from autograph_lite.jax_internals.dataflow.scan_ir import live
from autograph_lite.jax_internals.loops import loop_binding
from autograph_lite.operators.branches.branch_paths import enter_generated
from autograph_lite.operators.branches.truth import truth
from autograph_lite.operators.effects import journal
from autograph_lite.operators.iteration import item_columns, while_trip_count
from autograph_lite.operators.lane_eval import primitive_rules, rule_table
from autograph_lite.operators.lane_eval.path_conditions import Parts, Split
from autograph_lite.operators.loops import carry as carries, rolling
from autograph_lite.operators.loops.carry import Carry, run_body
from autograph_lite.operators.loops.carry_fixpoint import fixpoint
from autograph_lite.operators.loops.rolled_scan import Trial, refused_equation
from autograph_lite.operators.purity import trial
from autograph_lite.operators.purity.trial import Refused
from autograph_lite.operators.trace_context import decision_log, loop_options
from autograph_lite.tracing import entered, thread

Fun = Callable[..., Any]


class _Again(Exception):
    """The body has to be traced for a loop of so many iterations."""

    def __init__(self, count: int) -> None:
        self.count = count


Stage = Callable[..., tuple[Any, ...]]


class _Staged(Exception):
    """Traced values end the loop: it may be staged, its first iteration with it."""


def try_rolled_while(
    cond_fun: Fun, body_fun: Fun, values: tuple[Any, ...], stage: Stage, parts: Parts
) -> Any:
    """The variables after the loop, rolled; a `rolling.Refusal` where Python is to run it, or None where it is too short.

    Of some of its iterations only, where `parts` says that the rest is to be tried.

    Args:
      cond_fun: variables -> whether there is another iteration; it is a value of Python's, and true, before the loop.
      body_fun: variables -> variables.
      values: the variables before the loop.
      stage: these, and what the condition is before the loop -> the variables after a loop that traced values end.
      parts: of the loop.
    """
    told, parts.again, guessed = decision_log.decision_count(), None, parts.guesses
    try:
        roll = lambda: _rolled(cond_fun, body_fun, values, stage, parts)  # noqa: E731
        result = rolling.roll_or_refuse(body_fun, values, roll, parts)
    except Split as split:
        if split.parts is not parts:
            raise
        decision_log.forget_since(told)
        if not (guessed and split.at):
            return try_rolled_while(cond_fun, body_fun, values, stage, parts)
        parts.again, result = split.at[0], None
    parts.left -= parts.again is not None
    if not isinstance(result, tuple):
        decision_log.forget_since(told)
    return result


def _rolled(cond_fun: Fun, body_fun: Fun, values: tuple[Any, ...], stage: Stage, parts: Parts) -> Any:
    try:
        with trial.trial():
            trial.enter_on_trial(cond_fun)
            trial.enter_on_trial(body_fun)
            try:
                return _traced(cond_fun, body_fun, values, None, parts)
            except _Again as again:
                decision_log.forget_inside()
                return _traced(cond_fun, body_fun, values, again.count, parts)
    except _Staged:
        decision_log.forget_inside()
        return stage(cond_fun, body_fun, values, True)


def _traced(
    cond_fun: Fun, body_fun: Fun, values: tuple[Any, ...], known: int | None,
    parts: Parts,
) -> tuple[Any, ...] | None:  # fmt: skip
    """The loop of `try_rolled_while`. Raises _Again: the number of iterations has to be `known`."""
    trial, loop = Trial(item_columns.Columns(()), (), body_fun, rolling.few()), parts.foresee(known)
    names = body_fun.__code__.co_varnames[: body_fun.__code__.co_argcount]

    def goes_on(new: list[Any]) -> Any:
        enter_generated(cond_fun, new)
        with entered(foreseen=tuple(each for each in thread.now.foreseen if each is not loop)):
            test = truth(cond_fun(*new))
            # What a `try` catches leaves the loop, and the program goes on.
            return jnp.asarray(carries.unless_failed(test) if thread.now.catching else test)

    def stage(now: Carry) -> tuple[Carry, Any]:
        start = now.start()
        rows = [avals.as_type(jnp.arange(known or 1), jnp.result_type(int), True)] if now.indexed else []

        def step(arrays: list[Any]) -> tuple[Carry, list[Any]]:
            index = arrays[-1] if now.indexed else None
            with trial.tracing(now, None, arrays):
                return run_body(now, body_fun, arrays[: len(start)], after=goes_on, index=index)

        types = [*map(jax.typeof, start), *map(loop_binding.row_type, rows)]
        after, whole = loop_binding.trace(step, types, body_fun)
        test, body = _giving(whole, slice(1)), _giving(whole, slice(1, None))
        start = carries.widen_start(now, after, [test, body], start)
        count = known
        if count is None:
            numbers = after.numbers()[0]
            try:
                count = while_trip_count.trip_count(
                    body, test, start, numbers, now.indexed, refused_equation,
                    lambda stay, rows, number: loop.holds(trial.numbers(stay, rows), number),
                )  # fmt: skip
            except while_trip_count.TracedError:
                _refuse_unlike(after, cond_fun, body_fun, body, numbers)
                raise _Staged from None
        count = min(count, count if (left := loop_options.current().left()) is None else left)
        if known is None:
            ends = [*trial.turns(now, body, rows, count), count]
            # What is one iteration alone is Python's.
            parts.again = ends[0] + (ends[1] == ends[0] + 1) if len(ends) > 1 else None
            count = ends[0]
        if known is None and not rolling.rolling_pays(count):
            return after, None
        if known is None and (after.growths or after.bounds) and count != 1:
            raise _Again(count)
        how = loop_binding.How(unroll=loop_options.current().unroll, told=decision_log.at_once(count))
        decision_log.refine_decision(decision_log.LOOPS, "scan", "Python's numbers end it", count)
        arrays, outputs = trial.scan(after, body, start, rows, count, how)
        if trial.figures and not decision_log.is_decided("vmap"):
            decision_log.refine_decision(decision_log.LOOPS, why=f"Python's numbers end it: {trial.figures}")
        return after, (count, arrays, outputs)

    carry, found = trial.run(
        loop, lambda: fixpoint(Carry.of(names, trial.start(values), count=known or 1), body_fun, stage)
    )
    if found is None:
        return None
    count, arrays, outputs = found
    _told(parts, count)
    after: tuple[Any, ...] = carry.finish(arrays, outputs, count)
    return after


def _told(parts: Parts, count: int) -> None:
    """Tells that so many iterations have been rolled."""
    done = loop_options.current().done
    parts.lengths += [done - sum(parts.lengths), count]
    parts.rolled = True
    if done and not decision_log.is_decided("vmap"):
        decision_log.refine_decision(decision_log.LOOPS, *parts.told(), sum(parts.lengths))
    if parts.again is not None:
        loop_options.current().done += count


def _refuse_unlike(after: Carry, cond_fun: Fun, body_fun: Fun, body: Any, numbers: Sequence[Any]) -> None:
    """Ends the trial where the first test, or the first iteration, is another one with numbers than with arrays."""
    if after.changing() or trial.has_changed(body_fun):
        raise Refused("a variable is of another type after an iteration than before the loop")
    first = [None if number is None else primitive_rules.same_in_all_lanes(number) for number in numbers]
    run = rule_table.lane_run(1, refused_equation)
    run.closed(body, [*first, *[None] * (len(body.in_avals) - len(first))])
    _, test = loop_binding.trace(
        lambda arrays: (None, [_holds(after, cond_fun, arrays)]), body.in_avals[: len(first)], cond_fun
    )
    (holds,) = run.closed(test, first)
    if holds is None or not holds.python.all() or not holds.program.all():
        raise Refused("its condition is not known to hold at first")


def _holds(carry: Carry, cond_fun: Fun, arrays: list[Any]) -> Any:
    """The condition, of a loop's variables as they are before an iteration."""
    values, contents = carry.read(arrays)
    with journal.journal(outer=carry.outer):
        carry.enter(contents)
        enter_generated(cond_fun, values)
        return jnp.asarray(truth(cond_fun(*values)))


def _giving(closed: Any, which: slice) -> Any:
    """The closed jaxpr that gives some of the outputs of another one, with all its effects."""
    jaxpr, outputs = closed.jaxpr, closed.jaxpr.outvars[which]
    eqns, _ = live(jaxpr.eqns, outputs)
    return closed.replace(jaxpr=jaxpr.replace(eqns=eqns, outvars=outputs))
