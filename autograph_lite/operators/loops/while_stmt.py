"""`while`: Python's while Python knows the condition, then `lax.while_loop`."""

from __future__ import annotations

import contextlib
import dataclasses
import dis
import math
import types
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend.core import jaxpr_as_fun

from autograph_lite.errors import IterationError, MutationError
from autograph_lite.jax_internals import tracing_state
from autograph_lite.jax_internals.dataflow import value_ranges
from autograph_lite.jax_internals.loops import loop_binding
from autograph_lite.operators.branches.branch_paths import enter_generated
from autograph_lite.operators.branches.truth import python_truth, truth
from autograph_lite.operators.effects import journal
from autograph_lite.operators.lane_eval.path_conditions import Parts
from autograph_lite.operators.loops import integer_overflow, rolled_while, rolling, unroll_warning
from autograph_lite.operators.loops.carry import (
    Carry,
    Reordered,
    failed,
    run_body,
    unless_failed,
    widen_start,
)
from autograph_lite.operators.loops.carry_fixpoint import fixpoint_with_init
from autograph_lite.operators.loops.first_iterations import run_first_apart
from autograph_lite.operators.object_graph import reachability
from autograph_lite.operators.trace_context import decision_log, lane_termination, loop_options, path_facts
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values.values import known_value, traced, unfolded
from autograph_lite.syntax.names import is_operators
from autograph_lite.tracing import entered

Fun = Callable[..., Any]


def while_stmt(cond_fun: Fun, body_fun: Fun, init: tuple[Any, ...]) -> tuple[Any, ...]:
    """Repeats `body_fun` while `cond_fun` holds, as Python or as `lax.while_loop`.

    Args:
      cond_fun: variables -> scalar. A traced value stages the loop from there on.
      body_fun: variables -> variables.
      init: the loop's variables, in the order of `body_fun`'s parameters.

    Returns:
      The variables after the loop.

    Raises:
      CarryMismatchError: an iteration changes the structure or shape of a variable.
      ConditionError: the condition is an array with several elements.

    Source: https://docs.jax.dev/en/latest/_autosummary/jax.lax.while_loop.html
    """
    if decision_log.listeners:
        with decision_log.deciding("while"):
            return _while(cond_fun, body_fun, init)
    return _while(cond_fun, body_fun, init)


def _while(cond_fun: Fun, body_fun: Fun, init: tuple[Any, ...]) -> tuple[Any, ...]:
    with entered(loop=loop_options.Loop(body_fun)):
        try:
            return _run(cond_fun, body_fun, init, loop_options.current())
        except BaseException:
            rolling.forget_refusal(body_fun)
            raise


def _run(cond_fun: Fun, body_fun: Fun, values: tuple[Any, ...], loop: loop_options.Loop) -> tuple[Any, ...]:
    staging, tracing = journal.active() is not None, tracing_state.is_tracing()
    test, unsure = _first_test(cond_fun, body_fun, values), 0
    count = refused = None
    parts, tries = Parts(), range(1)
    while True:
        if loop.done in tries and rolling.wanted() and _holds(test):
            done = loop.done
            found = rolled_while.try_rolled_while(cond_fun, body_fun, values, _stage, parts)
            if parts.again is not None:
                tries = range(done + parts.again, done + parts.again + 1)
            if isinstance(found, tuple):
                if parts.again is None or loop.is_left():
                    return found
                values, test = found, True
                continue
            refused = found
            if parts.again is None:
                tries = range(tries.start, tries.start + 1 + (refused.peels if refused else 0))
        if test is not True and test is not False and (type(test) is _Test or traced(test)):
            return _stage(cond_fun, body_fun, values, test)
        if decision_log.listeners and not parts.rolled:
            why = refused.clause if refused else decision_log.python_condition(test)
            decision_log.refine_decision(decision_log.LOOPS, "unrolled", why)
        if not test:
            return values
        if count is None and tracing:
            count = unroll_warning.counter(
                body_fun, refused.prevents if refused else "", unroll_warning.CONDITION
            )
        if staging:
            enter_generated(body_fun, values)
        if decision_log.listeners:
            decision_log.count_python_iteration()
        values = body_fun(*values)
        if loop.is_over():
            return values
        if count is not None:
            count()
        if test is True and traced(failed()) and _endless(cond_fun.__code__):
            return _stage(cond_fun, body_fun, values, test)  # a `raise` leaves it
        test = _test(cond_fun, values)
        if test is True and traced(failed()) and _by_flags(cond_fun.__code__):
            unsure += 1
            if unsure == _PATIENCE:
                with contextlib.suppress(Exception):
                    return _stage(cond_fun, body_fun, values, test)
                decision_log.forget_inside()
            if unsure == _MOST:
                raise _never_ends(body_fun)


def _test(cond_fun: Fun, values: Sequence[Any]) -> Any:
    if journal.active() is not None:
        enter_generated(cond_fun, values)
    with unfolded():  # it differs from iteration to iteration: as a loop it is compiled once
        return python_truth(cond_fun(*values))


def _holds(test: Any) -> bool:
    """Whether it is known that a condition holds."""
    if type(test) is _Test:
        return False
    found = known_value(test) if traced(test) else test
    return found is not None and bool(found)


@reachability.by_code
def _endless(code: types.CodeType) -> bool:
    """Whether a condition is the constant True."""
    names = {instruction.opname for instruction in dis.get_instructions(code)}
    return names <= {"RESUME", "LOAD_CONST", "RETURN_VALUE", "RETURN_CONST"}


# Of a `while True`, Python may know when it is left, or nobody does but a check that fails when the program runs.
_PATIENCE = 64  # iterations after which it is tried as a loop of the program's
_MOST = 1024


@reachability.by_code
def _by_flags(code: types.CodeType) -> bool:
    """Whether a condition tells only if the loop has been left by `break` or `return`."""
    names = {instruction.opname for instruction in dis.get_instructions(code)}
    return (
        set(code.co_names) <= {"not_", "returned", "and_"}
        and all(map(is_operators, code.co_freevars))
        and not names & {"COMPARE_OP", "CONTAINS_OP", "BINARY_OP"}
    )


def _never_ends(body_fun: Fun) -> IterationError:
    return IterationError(
        "A failing check is all that is known to end a `while` loop.",
        where=source_places.line_of_function(body_fun),
        why=f"Python runs it while tracing, before it is known whether the check fails: {_MOST} times, and found no end.",
        fix="count its iterations by an array, jnp.asarray(0), or give the loop a condition that does not hold for ever.",
    )


class _TestWrites(Exception):
    """The condition changes the user's objects, so that it has to be computed once for each iteration."""


@dataclasses.dataclass(frozen=True)
class _Test:
    """The condition of a loop that is to be staged, traced before anything else is known of the loop."""

    carry: Carry  # what it was traced with
    jaxpr: Any  # of the condition


def _first_test(cond_fun: Fun, body_fun: Fun, values: Sequence[Any]) -> Any:
    """The value of the condition before the loop; where it is traced, the condition itself if that will do.

    So the condition is computed once, in the loop, and not once more before it.
    """
    if tracing_state.untraced() or not _plain(cond_fun.__code__):
        return _test(cond_fun, values)
    carry = _carry(cond_fun, body_fun, values)
    if not carry.traced():
        return _test(cond_fun, values)
    try:
        test, jaxpr = _trace_test(carry, cond_fun, carry.start())
    except Exception:  # of the user's, which is to come from the condition before the loop
        decision_log.forget_inside()
        return _test(cond_fun, values)
    return _Test(carry, jaxpr) if traced(test) else test


@reachability.by_code
def _plain(code: types.CodeType) -> bool:
    """Whether a condition is computed from its variables alone, and does not care which objects they are."""
    if any(map(is_operators, code.co_freevars)):
        return False
    names = {instruction.opname for instruction in dis.get_instructions(code)}
    return not names & {"IS_OP", "CONTAINS_OP", "MAKE_FUNCTION"}


def _carry(cond_fun: Fun, body_fun: Fun, values: Sequence[Any]) -> Carry:
    names = body_fun.__code__.co_varnames[: body_fun.__code__.co_argcount]
    return Carry.of(names, values, [cond_fun, body_fun])


def _stage(
    cond_fun: Fun, body_fun: Fun, values: Sequence[Any], test: Any, apart: bool = False
) -> tuple[Any, ...]:
    known = test if type(test) is _Test else None
    decision_log.refine_decision(decision_log.LOOPS, "while_loop", "the condition is traced")
    carry = known.carry if known else _carry(cond_fun, body_fun, values)
    try:
        carry, arrays = fixpoint_with_init(
            carry, body_fun, lambda now: _loop(now, cond_fun, body_fun, known), apart
        )
    except Reordered:

        def goes_on(_: int, *now: Any) -> Any:
            return _test(cond_fun, now)

        def rest(*now: Any) -> tuple[Any, ...]:
            return _stage(cond_fun, body_fun, now, True, apart=True)

        return run_first_apart(goes_on, body_fun, rest, values, carry.names, body_fun)
    except _TestWrites:
        carry, arrays = fixpoint_with_init(
            carry, body_fun, lambda now: _loop_with_test(now, cond_fun, body_fun, test)
        )
    except (
        MutationError
    ) as error:  # a list gets longer, perhaps: for how many iterations is there to be room?
        # One that lacks room in a loop inside has been asked for that one: asking again for each loop around is exponential.
        inside = error.lacks_room not in (None, body_fun.__code__)
        if inside or not _bound(carry, cond_fun, body_fun):
            raise
        carry, arrays = fixpoint_with_init(carry, body_fun, lambda now: _loop(now, cond_fun, body_fun, known))
    return carry.finish(arrays, count=int(test is True))


def _bound(carry: Carry, cond_fun: Fun, body_fun: Fun) -> bool:
    """Whether it is found out how often the loop runs at most, which was not known before."""
    loop = loop_options.current()
    if loop_options.most() is not None:
        return False
    most = math.inf

    def look(now: Carry) -> tuple[Carry, None]:
        nonlocal most
        start = now.start()
        test = _trace_test(now, cond_fun, start)[1]
        after, body = _traced_body(now, body_fun, test, start)
        start = widen_start(now, after, [test, body], start)
        pairs = zip(after.numbers()[0], start, strict=True)
        known = [array if number is None else number for number, array in pairs]
        most, _ = value_ranges.while_ranges(test, body, [], value_ranges.of_values(known))
        return after, None

    loop.most = 1  # there is room for what one iteration adds, which is all that is traced
    with contextlib.suppress(Exception):
        fixpoint_with_init(carry, body_fun, look)
    decision_log.forget_inside()
    loop.most = None if most == math.inf else max(1, int(most))
    return loop.most is not None


def stage_while(cond_fun: Fun, body_fun: Fun, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """The variables after a staged loop whose condition holds at first."""
    with entered(loop=loop_options.Loop(body_fun)):
        return _stage(cond_fun, body_fun, values, True)


def _trace_test(carry: Carry, cond_fun: Fun, start: Sequence[Any]) -> tuple[Any, Any]:
    """The condition's value as it is while it is traced, and its jaxpr."""

    def cond(arrays: list[Any]) -> tuple[Any, list[Any]]:
        values, contents = carry.read(arrays)
        with journal.journal(outer=carry.outer) as written, entered(facts=path_facts.frames()):
            carry.enter(contents)
            enter_generated(cond_fun, values)
            known = set(written.places)
            test = truth(cond_fun(*values))
            if set(written.places) - known or _changed(carry, contents):
                tracing_state.abandon_trace()
                raise _TestWrites
            go_on = unless_failed(test)
            return test, [go_on if isinstance(go_on, jax.Array) else jnp.asarray(go_on)]

    return loop_binding.trace(cond, list(map(jax.typeof, start)), cond_fun)


def _loop(now: Carry, cond_fun: Fun, body_fun: Fun, known: _Test | None) -> tuple[Carry, Sequence[jax.Array]]:
    start = now.start()
    if known and known.carry is now:
        test = known.jaxpr
    else:
        decision_log.forget_inside()
        test = _trace_test(now, cond_fun, start)[1]
    after, body = _traced_body(now, body_fun, test, start)
    return after, loop_options.bounded_while_loop(
        test, body, widen_start(now, after, [test, body], start), integer_overflow.note
    )


def _traced_body(now: Carry, body_fun: Fun, test: Any, start: Sequence[Any]) -> tuple[Carry, Any]:
    def step(arrays: list[Any]) -> tuple[Carry, list[Any]]:
        with entered(
            reached=lane_termination.lanes_reached(lambda: jaxpr_as_fun(test)(*arrays)[0], loop=True)
        ):
            return run_body(now, body_fun, arrays)

    return loop_binding.trace(step, list(map(jax.typeof, start)), body_fun)


def _changed(carry: Carry, contents: dict[Any, Any]) -> bool:
    """Whether a carried place no longer holds what was put there."""
    pairs = [(slot.place.read().get(slot.key), contents[key]) for key, slot in carry.slots.items()]
    return not all(now is before or tracing_state.is_same(now, before) for now, before in pairs)


def _loop_with_test(now: Carry, cond_fun: Fun, body_fun: Fun, test: Any) -> tuple[Carry, Sequence[jax.Array]]:
    """The loop with the condition carried: computed at the end of the body, in the state that the body leaves."""

    def again(values: list[Any]) -> Any:
        enter_generated(cond_fun, values)
        return jnp.asarray(unless_failed(truth(cond_fun(*values))))

    def body(arrays: list[Any]) -> tuple[Carry, list[Any]]:
        with entered(reached=lane_termination.lanes_reached(lambda: arrays[0], loop=True)):
            return run_body(now, body_fun, arrays[1:], after=again)

    start = [jnp.asarray(unless_failed(truth(test))), *now.start()]
    types = list(map(jax.typeof, start))
    _, go_on = loop_binding.trace(lambda arrays: (None, arrays[:1]), types, cond_fun)
    after, step = loop_binding.trace(body, types, body_fun)
    return after, loop_options.bounded_while_loop(
        go_on, step, widen_start(now, after, [go_on, step], start), integer_overflow.note
    )[1:]
