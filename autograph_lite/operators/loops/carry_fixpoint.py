"""Fixpoint of the carry: a loop is traced until its types hold. How is that kept from multiplying where loops are nested?

The second pass over an outer loop's body meets the same inner loops again, with types that are the same or wider. Each of
them starts from the types at which it came to rest in the pass before: promotion only ever widens, so these are no wider
than what it will need. So a nest of loops costs a pass or two for each loop, and not for each combination.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable
from typing import Any

from autograph_lite.jax_internals import tracing_state
from autograph_lite.operators.checks import carried_checks
from autograph_lite.operators.joins import join_errors
from autograph_lite.operators.joins.join_types import Mismatch, Template, join_templates, structural
from autograph_lite.operators.lists import growing_lists
from autograph_lite.operators.loops.carry import Carry, Grow, Reordered, Unjoinable
from autograph_lite.operators.trace_context import decision_log
from autograph_lite.tracing import entered, thread

ATTEMPTS = 24
_GROWTH = 8  # times as many values, and as many more
Rested = tuple[types.CodeType, tuple[Template, ...]]


@dataclasses.dataclass
class _Pass:
    """One pass over a loop's body: the types at which the loops in it came to rest, in this pass and in the one before."""

    before: list[Rested]
    now: list[Rested]


@tracing_state.without_leak_check
def fixpoint(
    carry: Carry, body_fun: Callable[..., Any], stage: Callable[[Carry], tuple[Carry, Any]]
) -> tuple[Carry, Any]:
    """The results of `stage`, the carry and another one; it is called with growing types until they hold.

    Raises:
      Unjoinable: a variable has no type that holds it before and after an iteration.
    """
    carry = _from_last_pass(carry, body_fun.__code__)
    renumber = carried_checks.renumbering()
    inside: list[Rested] = []
    least = _leaves(carry)
    for attempt in range(ATTEMPTS):
        if attempt > 2 and _leaves(carry) > _GROWTH * (least + _GROWTH):
            raise _deeper(carry)
        renumber()
        if attempt:
            decision_log.forget_inside()
        this = _Pass(inside, [])
        try:
            with entered(inner=this):
                carry, result = stage(carry)
        except Grow as grow:
            if grow.carry.start_values is not carry.start_values:
                raise  # of a loop around, to whose array this one writes
            carry = grow.carry
        except growing_lists.Wanted as wanted:
            carry = carry.wants(wanted)
        else:
            if thread.now.inner is not None:
                thread.now.inner.now.append((body_fun.__code__, carry.templates))
            return carry, result
        inside = this.now
    if _leaves(carry) >= least + ATTEMPTS // 2:
        raise _deeper(carry)
    shown = "', '".join(carry.names) or "the state of the loop"
    raise Unjoinable(shown, Mismatch("of one type", "of another, again and again,"))


def _deeper(carry: Carry) -> Unjoinable:
    name, *_ = [slot.place.label(slot.key) for slot in carry.slots.values()] or carry.names
    return Unjoinable(str(name), Mismatch(join_errors.SHALLOW, join_errors.DEEPER))


def _leaves(carry: Carry) -> int:
    """How many values a loop carries."""
    templates = [*carry.templates, *(slot.template for slot in carry.slots.values())]
    return sum(len(template.leaves) for template in templates)


def _from_last_pass(carry: Carry, code: types.CodeType) -> Carry:
    around: _Pass | None = thread.now.inner
    if around is None:
        return carry
    number = len(around.now)
    if number >= len(around.before) or around.before[number][0] is not code:
        return carry
    known = around.before[number][1]
    return dataclasses.replace(carry, templates=tuple(map(_widened, carry.templates, known)))


def _widened(own: Template, earlier: Template) -> Template:
    """The type of a variable, from those that it has now and had in the last pass; what a pass has made is another object now."""
    both_held = structural(own) is not own and structural(earlier) is not earlier
    try:
        return own if both_held else join_templates(own, earlier, lambda _: False)
    except Mismatch:
        return own


def fixpoint_with_init(
    carry: Carry,
    body_fun: Callable[..., Any],
    stage: Callable[[Carry], tuple[Carry, Any]],
    apart: bool = True,
) -> tuple[Carry, Any]:
    """`fixpoint`, for a loop whose first iteration may not run.

    Raises:
      CarryMismatchError: in place of Unjoinable.
      Reordered: where a first iteration that is run before the loop, `apart`, may mend that, and was not yet.
    """
    try:
        return fixpoint(carry, body_fun, stage)
    except Reordered as error:
        if not apart:
            decision_log.forget_inside()
            raise
        raise join_errors.carry(error.name, error.found, body_fun) from None
    except Unjoinable as error:
        raise join_errors.carry(error.name, error.found, body_fun) from None
