"""Raised arrays: does an exception that a `try` may catch hold an array that is written before its handler is over?

try:
    raise Diverged(x)                 in NumPy, `e.x` is `x`: who writes to one of them writes to both
except Diverged as e:
    x[0] = 0                          the program hands `e.x` over as a value
"""

from __future__ import annotations

from typing import Any

from autograph_lite.errors import MutationError
from autograph_lite.jax_internals.references import numpys_arrays
from autograph_lite.operators.aliasing import access_paths, overlapping_views
from autograph_lite.operators.checks import carried_checks, catching
from autograph_lite.operators.values.values import describe
from autograph_lite.tracing import thread


def refuse_raised(array: Any) -> None:
    """To be called before an item of `array` is written.

    Raises:
      MutationError: an exception that was raised, or is handled, holds it, a part of it, or what it is a part of.
    """
    here = carried_checks.frame()
    if not here.raised and not here.handled:
        return
    may_be = thread.now.replaced or catching.unraised() is not True  # a `finally` runs whatever was raised
    raised = here.raised if may_be else {}
    same = numpys_arrays.same_in_loops(array)
    whole = [each for one in same for each in access_paths.base_arrays(one)]
    variables = {"raised": [*raised.values()], "handled": [*here.handled.values()]}
    if access_paths.leading_to(variables, [*same, *whole], parts=True, first=True):
        raise MutationError(
            f"An item of an array, {describe(array)}, is written, which an exception holds that a `try` may catch.",
            why=overlapping_views.WHY,
            fix="let the exception have a copy, x.copy(); or write to the array before the `raise`, or after the `try`.",
        )
