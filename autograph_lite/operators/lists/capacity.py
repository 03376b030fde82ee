"""Capacity: how many items has a list room for, in a loop that may run any number of times? As many as the program has.

    while n != 1:                         a buffer for 64 items and a length, carried; the program says whether it was enough,
        ys.append(n)                      and if not, the call makes one with four times the room, and starts again

Only who calls the program can do that: inside of somebody else's trace, and of a `jax.vmap`, there is no such room.

    for r in range(20):               is traced once, on trial, with an array for `r`: might Python know how often that loop runs,
        stack = [(r, 0)]              if it ran this one? It runs an iteration, where the loop needs room as well. So the other
        while stack: ...              iterations are tried again, and that loop has room on trial
"""

from __future__ import annotations

import dataclasses
import types

from autograph_lite.errors import MutationError
from autograph_lite.operators.checks import carried_checks
from autograph_lite.operators.purity import trial
from autograph_lite.operators.trace_context import loop_options
from autograph_lite.tracing import thread

FIRST, FACTOR, LAST = 64, 4, 1 << 24  # items


class OutgrownError(MutationError):
    """A list has got more items than the program has room for."""


@dataclasses.dataclass
class Capacity:
    """The room of a program."""

    items: int  # for how many items, in each loop whose bound is not known
    # the bodies of those that make lists longer, where Python has run all loops around: in this trace, or in one before that
    # was given up
    loops: set[types.CodeType]
    used: bool = False  # whether there is such a loop


def room(*, of_list: bool = False) -> int:
    """For how many items there is room; 0 where a loop has to have a bound.

    It has to where a loop around it is traced on trial: run as Python, that loop may know the bound. `of_list` says that the
    innermost loop makes a list longer; where that was run as Python, and has room, it has it on trial, too.
    """
    now: Capacity | None = thread.now.capacity
    if now is None or carried_checks.frame().mode != "outputs":
        return 0
    body = loop_options.current().code if of_list else None
    if trial.is_on_trial() and (body is None or body not in now.loops):
        return 0
    now.used = True
    if body is not None:
        now.loops.add(body)
    return now.items


def is_used() -> bool:
    """Whether a loop that makes lists longer has such a room."""
    now: Capacity | None = thread.now.capacity
    return now is not None and bool(now.loops)
