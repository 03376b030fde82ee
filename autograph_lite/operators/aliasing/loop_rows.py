"""Loop rows: what does a loop's body write to that writes to a row which the loop has taken? The array that has the rows.

for row in m:                         a row of a scan is a copy, so that the loop is traced once more, with rows that
    row[0] = 1                        each iteration takes of `m` at its place: parts of it
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph_lite.jax_internals import tracing_state
from autograph_lite.jax_internals.references import numpys_arrays, storages
from autograph_lite.operators.aliasing import access_paths, callers_arrays, store_check, user_frames
from autograph_lite.operators.effects import births
from autograph_lite.operators.iteration import iterables
from autograph_lite.tracing import entered, thread


class RowsWritten(Exception):
    """A body writes to rows that its loop, or one around it, takes: it is traced again, and takes them at places."""

    def __init__(self, rows: Sequence[Any], *, seen: bool) -> None:
        super().__init__()
        self.rows = rows  # the arrays that the loop's body got
        self.seen = seen  # whether by another name than a row, so that the loop is to see it


def taking(rows: Sequence[Any], items: iterables.Staged) -> entered:
    """Around a body that gets these rows of the items that its loop goes through."""
    return entered(rows=(*thread.now.rows, (rows, items)))


def refuse_copies(array: Any, *, in_place: bool = False) -> None:
    """To be called before an array is written, or changed `in_place` by `row += v` and the like, which makes a new one of JAX's.

    Raises:
      RowsWritten: it is a row that a loop has taken of an array which has a name, or is the caller's; or shares its memory with
        what a loop goes through.
    """
    if not thread.now.rows:
        return
    root = storages.root(array)
    same = numpys_arrays.same_in_loops(array)
    whole = [each for one in same for each in access_paths.base_arrays(one)]
    for rows, items in thread.now.rows:
        is_row = any(root is each for each in rows)
        if not is_row and (
            isinstance(items, iterables.AtPlaces) or not store_check.is_walked(items, same, whole)
        ):
            continue
        found = [*iterables.arrays_looped_over(items)]
        for each in found:
            births.want_anew(each)
        arrays = [storages.root(each) for each in found if not isinstance(each, np.ndarray)]
        arrays += [whole for each in arrays for whole in access_paths.base_arrays(each)]
        shared = any(map(callers_arrays.is_callers, arrays)) or user_frames.lead_to(arrays)
        if shared and not (in_place and not any(map(numpys_arrays.is_numpys, arrays))):
            tracing_state.abandon_trace()
            raise RowsWritten(rows, seen=not is_row)
