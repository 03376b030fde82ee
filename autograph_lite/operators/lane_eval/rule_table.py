"""Lane walks: which values of a body depend on the number of the iteration alone, and does the program agree with Python?

    for i in range(1000):
        x = x * (i ** 4)            i ** 4 is an int of Python's that int32 can't hold from i = 216 on

The body's program is gone through once, with all iterations side by side. What depends on traced data is not computed; it
is what it would have been in a loop that Python runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from autograph_lite.operators.lane_eval import lane_loops
from autograph_lite.operators.lane_eval.exact_rows import ExactRows
from autograph_lite.operators.lane_eval.interpreter import Report, Rule, Run, Values
from autograph_lite.operators.lane_eval.primitive_rules import Known

Steps: TypeAlias = Callable[[int], list[int]]
RULES: dict[str, Rule] = {"cond": lane_loops.cond, "scan": lane_loops.walk_scan, "while": lane_loops.while_}


def lane_run(count: int, report: Report, steps: Steps | None = None, **options: bool) -> Run:
    """A walk through a program, in so many lanes; `steps` gives, for so many, the steps that loops in it may take.

    The options are those of `Run`.
    """
    return Run(count, report, RULES, steps and steps(count), **options)


def exact_run(
    body: Any, count: int, report: Report, args: Sequence[Known | None]
) -> tuple[Values, ExactRows]:
    """The outputs of the closed jaxpr of an iteration, in so many lanes, and the numbers that iterations are to be given."""
    wanted = set[Any]()
    while True:
        known, exact = len(wanted), ExactRows(wanted)
        results = lane_run(count, report).closed(body, args, exact)
        if len(wanted) == known:
            return results, exact
