"""Lane walks: which values of a body depend on the number of the iteration alone, and does the program agree with Python?

    for i in range(1000):
        x = x * (i ** 4)            i ** 4 is an int of Python's that int32 can't hold from i = 216 on

The body's program is gone through once, with all iterations side by side. What depends on traced data is not computed; it
is what it would have been in a loop that Python runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from autograph_lite.operators.lane_eval import lane_branches, lane_loops
from autograph_lite.operators.lane_eval.interpreter import Report, Rule, Run

Steps: TypeAlias = Callable[[int], list[int]]
RULES: dict[str, Rule] = {
    "cond": lane_branches.cond,
    "scan": lane_loops.walk_scan,
    "while": lane_loops.while_,
}


def lane_run(count: int, report: Report, steps: Steps | None = None, *, alone: bool = False) -> Run:
    """A walk through a program, in so many lanes; `steps` gives, for so many, the steps that loops in it may take."""
    return Run(count, report, RULES, steps and steps(count), alone=alone)
