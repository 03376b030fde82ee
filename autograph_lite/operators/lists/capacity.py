"""Capacity: how many items has a list room for, in a loop that may run any number of times? As many as the program has.

    while n != 1:                         a buffer for 64 items and a length, carried; the program says whether it was enough,
        ys.append(n)                      and if not, the call makes one with four times the room, and starts again

Only who calls the program can do that: inside of somebody else's trace, and of a `jax.vmap`, there is no such room.
"""

from __future__ import annotations

import dataclasses

from autograph_lite.errors import MutationError
from autograph_lite.operators.checks import carried_checks
from autograph_lite.operators.purity import trial
from autograph_lite.tracing import thread

FIRST, FACTOR, LAST = 64, 4, 1 << 24  # items


class OutgrownError(MutationError):
    """A list has got more items than the program has room for."""


@dataclasses.dataclass
class Capacity:
    """The room of a program."""

    items: int  # for how many items, in each loop whose bound is not known
    used: bool = False  # whether there is such a loop


def room() -> int:
    """For how many items there is room; 0 where a loop has to have a bound.

    It has to where a loop around it is traced on trial: run as Python, that loop may know the bound.
    """
    now: Capacity | None = thread.now.capacity
    if now is None or trial.is_on_trial() or carried_checks.frame().mode != "outputs":
        return 0
    now.used = True
    return now.items
