"""Loop rows: may an array be what a loop takes its items from, and what does a write to a row write to? The array that has it.

for row in m:                         a row of a scan is a copy, so that the loop is traced once more, with rows that
    row[0] = 1                        each iteration takes of `m` at its place: parts of it
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import jax
import numpy as np

from autograph_lite.jax_internals import tracing_state
from autograph_lite.jax_internals.references import numpys_arrays, storages
from autograph_lite.operators.aliasing import access_paths, callers_arrays, user_frames
from autograph_lite.operators.aliasing.access_paths import is_one
from autograph_lite.operators.effects import births
from autograph_lite.operators.iteration import iterables
from autograph_lite.operators.iteration.item_columns import Columns
from autograph_lite.operators.object_graph import held_items
from autograph_lite.operators.purity.trial import Refused
from autograph_lite.tracing import entered, thread


def walking(items: Any, *, again: bool = False) -> entered:
    """Around a loop over items, which are taken from arrays as they were before it: `Staged`, or an iterator of Python's.

    If `again`, they are those of the loop around which that was said last.
    """
    return entered(walked=(*(thread.now.walked[:-1] if again else thread.now.walked), items))


def each(items: Any) -> Any:
    """What a loop runs over where nothing is traced; of an array of JAX's the rows as they are, which no write changes."""
    return _each_item(items) if isinstance(items, (jax.Array, *held_items.LAZY)) else items


def _each_item(items: Any) -> Iterator[Any]:
    with walking(items):
        for item in items:  # noqa: UP028 (`yield from` would end a generator with the loop)
            yield item


def walks_over(
    items: Any, same: Sequence[Any], whole: Sequence[Any] = (), index: Any = ..., *, parts: bool = True
) -> bool | None:
    """Whether a loop takes its items from an array, from parts of it, or from what it is a part of.

    Args:
      items: those of the loop, of arrays (`iterables.arrays_looped_over`); or an iterator of Python's.
      same: the array, and what it was before the loops around.
      whole: what these are parts of; with `same`, as `access_paths.same_and_whole` says.
      index: which items of the array are meant.
      parts: as for `iterables.arrays_looped_over`.

    Returns:
      True where the program says so: one of `same` and what the loop goes through are views of one array. None where it may be
      so: what paths have met in may be the array, an iteration may leave it, or JAX has computed it at once, or Python goes on
      with the loop. Else False.
    """
    if not isinstance(items, iterables.Staged):
        return None if _leads_to(items, same, whole, index) else False
    return _are_of(iterables.arrays_looped_over(items, parts=parts), same, whole, index)


def _are_of(
    arrays: Iterable[Any], same: Sequence[Any], whole: Sequence[Any], index: Any = ...
) -> bool | None:
    """Whether one of these arrays is one of `same`, or has items with it in common, as `walks_over` says."""
    arrays, known = [*arrays], [*same, *whole]
    wanted = access_paths.array_identities(known)
    roots = [*map(storages.root, arrays)]
    if any(storages.root(each) is root for each in same for root in roots):
        return True
    may_be = any(
        is_one(each, known)
        or access_paths.is_part_of(each, wanted)
        or access_paths.may_be_part_or_whole(each, same, index)
        for each in arrays
    )
    return None if may_be else False


def _leads_to(items: Any, same: Sequence[Any], whole: Sequence[Any], index: Any) -> bool:
    """Whether what Python goes through leads to items of an array, or to what it is a part of."""
    left = {"": items}
    bases = [storages.base_of(each) for each in same if isinstance(each, np.ndarray)]
    found = access_paths.leading_to(left, [*same, *bases], parts=True)
    if any(access_paths.meets(path.value, same[0], index) for path in found):
        return True
    return bool(whole and access_paths.leading_to(left, whole, first=True))


def are_walked(
    same: Sequence[Any], whole: Sequence[Any] = (), index: Any = ..., *, at_places: bool = False
) -> bool:
    """Whether a loop around may be to see what is written to an array, as `walks_over` says.

    Loops that go on `at_places` see what is written to the array itself; these are asked only where it may not be.
    """
    return any(
        walks_over(items, same, whole, index) is not False
        for items in thread.now.walked
        if at_places or not isinstance(items, iterables.AtPlaces) or items.seen
    )


def all_follow(array: Any) -> bool:
    """Whether each staged loop around that may go through an array is known to, and takes each item as it is then."""
    same, whole = access_paths.same_and_whole(array)
    is_carried = getattr(storages.root(array), "parent", None) is None  # then the end of an iteration tells
    for items in thread.now.walked:
        at_places = isinstance(items, iterables.AtPlaces)  # others have items as they were before the loop
        found = isinstance(items, iterables.Staged) and walks_over(items, same, whole, parts=at_places)
        is_told = found is not None or is_carried
        if found is not False and not (is_told and at_places):
            return False
    return True


class RowsWritten(Exception):
    """A body writes to rows that its loop, or one around it, takes: it is traced again, and takes them at places."""

    def __init__(self, rows: Sequence[Any], *, seen: bool) -> None:
        super().__init__()
        self.rows = rows  # the arrays that the loop's body got
        self.seen = seen  # whether by another name than a row, so that the loop is to see it


def taking(rows: Sequence[Any], items: iterables.Staged) -> entered:
    """Around a body that gets these rows of the items that its loop goes through; of `Columns`, it is on trial."""
    return entered(rows=(*thread.now.rows, (rows, items)))


def refuse_copies(array: Any, *, in_place: bool = False) -> None:
    """To be called before an array is written, or changed `in_place` by `row += v` and the like, which makes a new one of JAX's.

    Raises:
      RowsWritten: it is a row that a loop has taken of an array which has a name, or is the caller's; or shares its memory with
        what a loop goes through.
      Refused: it is an item of Python's items that a loop goes through on trial.
    """
    if not thread.now.rows:
        return
    same, whole = access_paths.same_and_whole(array)
    roots = [*map(storages.root, (array, *same))]
    for rows, items in thread.now.rows:
        is_row = any(root is each for root in roots for each in rows)
        if isinstance(items, Columns):
            found = items.arrays()
            is_met = is_row or _are_of(found, same, whole) is not False
            if is_met and _has_shared(found, in_place=in_place):
                raise Refused("an item of what it runs over is written, and the loop goes through copies")
            continue
        if not is_row and (isinstance(items, iterables.AtPlaces) or walks_over(items, same, whole) is False):
            continue
        found = [*iterables.arrays_looped_over(items)]
        for each in found:
            births.want_anew(each)
        if _has_shared(found, in_place=in_place):
            tracing_state.abandon_trace()
            raise RowsWritten(rows, seen=not is_row)


def _has_shared(found: Sequence[Any], *, in_place: bool) -> bool:
    """Whether one of the arrays has a name, or is the caller's, and so shows what is written; `in_place` as above."""
    arrays = [storages.root(each) for each in found if not isinstance(each, np.ndarray)]
    arrays += [whole for each in arrays for whole in access_paths.base_arrays(each)]
    shared = any(map(callers_arrays.is_callers, arrays)) or user_frames.lead_to(arrays)
    return shared and not (in_place and not any(map(numpys_arrays.is_numpys, arrays)))
