"""Given back: does a `finally`, or what runs where a `with` is left, write to an array that a `return` before has evaluated?

try:
    return x                          NumPy's caller gets the array with what is written to it afterwards
finally:
    x[0] = 0
"""

from __future__ import annotations

from typing import Any

from autograph_lite.analysis import read_after
from autograph_lite.converters.python_ops import Returned
from autograph_lite.errors import MutationError
from autograph_lite.jax_internals.references import numpys_arrays
from autograph_lite.operators.aliasing import access_paths, callers_parts, overlapping_views, user_frames
from autograph_lite.operators.values.values import describe
from autograph_lite.tracing import thread


def is_given_back(array: Any) -> bool:
    """To be called before an item of `array` is written; whether a `return` has evaluated it for sure.

    Raises:
      MutationError: it has on some path, whose value is another one by now.
    """
    if not (thread.now.replaced or thread.now.leaving):
        return False
    same = numpys_arrays.same_in_loops(array)
    whole = [each for one in same for each in access_paths.base_arrays(one)]
    found = False
    for run in user_frames.runs():
        place = user_frames.place_of_run(run)
        views = () if place is None else read_after.given_back(place, leaves=thread.now.leaving)
        variables = user_frames.run_variables(run) if views else {}
        if next(callers_parts.evaluated_before(views, variables, same, whole, frozenset()), None) is None:
            continue
        found = True
        if any(isinstance(value, Returned) for value in variables.values()):
            raise refusal(array)
    return found


def refusal(array: Any) -> MutationError:
    """What says that the write would not be seen by whoever gets the array."""
    return MutationError(
        f"An item of an array, {describe(array)}, is written by a `finally`, or where a `with` is left, and a `return` before "
        "that has evaluated the array.",
        why=overlapping_views.WHY,
        fix="write to it before the `return`; or return a copy, x.copy(), if the change is not to be seen.",
    )
