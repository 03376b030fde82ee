"""Store check: by which other ways do the functions that run know an array whose item is written? They'd miss the change.

    h = Holder(x)
    x[0] = 1            in NumPy, `h.x` is changed, too

What one function alone shows is found before it runs (see `analysis.item_stores`). Here an array is written that is a value
already, so that whoever has the same one can be told: other variables, attributes and items of objects, and functions that wait
for this one (see `callers`). Whether these are read later, the text of the function says.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph_lite.analysis import read_after
from autograph_lite.analysis.views import overlap
from autograph_lite.errors import MutationError
from autograph_lite.jax_internals.references import numpys_arrays, storages
from autograph_lite.operators.aliasing import (
    access_paths,
    callers_names,
    callers_parts,
    loop_carried_aliases,
    overlapping_views,
    user_frames,
    ways_out,
    yielded_arrays,
)
from autograph_lite.operators.aliasing.access_paths import Path, is_one
from autograph_lite.operators.iteration import iterables
from autograph_lite.operators.lists.dynamic_length import Stretch
from autograph_lite.operators.values.values import describe
from autograph_lite.tracing import entered, thread


def walking(items: Any, *, again: bool = False) -> entered:
    """Around a loop over items, which are taken from arrays as they were before it: `Staged`, or an iterator of Python's.

    If `again`, they are those of the loop around which that was said last.
    """
    return entered(walked=(*(thread.now.walked[:-1] if again else thread.now.walked), items))


def check_store(array: Any) -> bool:
    """To be called before an item of `array` is written, which becomes a new one: JAX's, or NumPy's that is to become JAX's.

    Returns:
      Whether others know it, outside of loops, who may write to it later.

    Raises:
      MutationError: another variable, an attribute or an item of an object is this array, or a part of it, and is read later.
    """
    runs = user_frames.runs()
    if not runs:
        return False
    same = numpys_arrays.same_in_loops(array)
    runs = user_frames.without_generators(runs, same)
    loop_carried_aliases.note_write(same)
    yielded_arrays.refuse_write_after_yield(same)
    callers_parts.check_callers_parts(runs, same)
    whole = [each for one in same for each in access_paths.base_arrays(one)]
    variables = user_frames.run_variables(runs[0])
    found = access_paths.leading_to(
        variables, [*same, *whole] if isinstance(array, np.ndarray) else same, parts=True
    )
    if whole and not isinstance(array, np.ndarray):
        # In a lane a number has an axis in the program: no array is a part of it.
        found += [
            path for path in access_paths.leading_to(variables, whole) if getattr(path.value, "ndim", 1)
        ]
    if memories := [memory for each in whole for memory in storages.memories_of(each)]:
        # Of a part of an array, `x[mask]`, whose rows a list has got.
        found += access_paths.leading_to(variables, memories, parts=True)
    handed = len(runs) > 1 and user_frames.was_handed(runs[0], same)
    looped = are_walked(same, whole)
    held = ways_out.held_by_managers([*same, *whole])
    looked_at = handed or len(found) > 1 or looped or bool(held)
    place = user_frames.place_of_run(runs[0]) if looked_at else None  # which takes its time
    if place is None:
        ways_out.refuse_held(held, None, array)
        return False
    written = frozenset(path.partition(".")[0] for path in place.stores)
    owners = {name: variables[name] for name in written & variables.keys()}
    here = next(iter(access_paths.leading_to(owners, same, first=True)), None)
    if here is None and whole:  # an item that a list has in a buffer, `ys[0][1] = v`
        buffers = access_paths.leading_to(owners, whole)
        here = next((path for path in buffers if isinstance(path.owner, Stretch)), None)
    ways_out.refuse_held(held, here, array)
    if here is not None:
        _check_own(variables, here, found, place, same)
    own = here.name if here is not None and here.is_variable else ""
    if here is not None and looped:
        raise _is_looped_over(here, same)
    is_shared = own in runs[0][-1].f_code.co_freevars  # the functions around have it, too
    if handed and not is_shared:
        callers_names.check_callers_names(runs, place, place.stores, same, {path.slot for path in found})
    return not loop_carried_aliases.are_traced()


def _check_own(
    variables: user_frames.Variables,
    here: Path,
    found: Sequence[Path],
    place: read_after.Place,
    same: Sequence[Any],
) -> None:
    """Refuses a write at `place`, to the array `here`, if another of the paths that were `found` is read later."""
    stores = place.stores
    names = frozenset(path.partition(".")[0] for path in stores)
    linked = [
        each
        for each in read_after.asked(place, stores)
        if overlapping_views.is_held(variables.get(each.root), each.path)
    ]
    decided = {path for view in linked for path in (view.name, view.path)}

    def is_decided(path: Path) -> bool:
        """Whether the text has been looked at."""
        if isinstance(here.owner, Stretch):
            return False  # the text takes what a list holds for the array itself
        is_looked_at = (path.is_variable or here.is_variable) and not isinstance(path.value, np.ndarray)
        of_text = path.name not in names and any(overlap(path.attributes, each) for each in decided)
        return is_looked_at and of_text and not path.is_lazy

    def may_be_stale(path: Path) -> bool:
        is_here = path.shown == here.shown or (path.slot is not None and path.slot == here.slot)
        return not is_here and path.name in place.names

    others = [path for path in found if may_be_stale(path)]
    # The text does not show what a property reads.
    readers = [
        access_paths.readers(path, variables) - ({path.attributes} if is_decided(path) else set())
        for path in others
    ]
    written = access_paths.items_on_paths(others, variables) | read_after.items_meant(place, (), names)
    read, kept = read_after.read_after(place, frozenset().union(*readers), written)
    for path, by in zip(others, readers, strict=True):
        if by.isdisjoint(read | kept):
            continue
        later, shown = overlapping_views.LATER[not by.isdisjoint(read)], path.shown
        is_same = is_one(path.value, same)
        raise MutationError(
            f"An item of '{here.shown}', {describe(same[0])}, is written, which in NumPy "
            f"{'is the array of' if is_same else 'shares its memory with'} '{shown}', too, and '{shown}' {later}.",
            why=overlapping_views.WHY,
            fix=f"write the item of '{shown}', or store '{here.shown}' there afterwards; where '{shown}' is to stay as it is, "
            f"let it have a copy: {here.shown}.copy().",
        )


def are_walked(same: Sequence[Any], whole: Sequence[Any] = ()) -> bool:
    """Whether one of the loops around is to see what is written to arrays, or to what they are parts of: the `whole`."""
    return any(is_walked(items, same, whole) for items in thread.now.walked)


def is_walked(items: Any, same: Sequence[Any], whole: Sequence[Any]) -> bool:
    """Whether a loop takes the items of arrays, parts of these, or of what they are parts of."""
    if isinstance(items, iterables.Staged):
        known = [*same, *whole]
        wanted = access_paths.array_identities(known)
        arrays = iterables.arrays_looped_over(items)
        return any(is_one(each, known) or access_paths.is_part_of(each, wanted) for each in arrays)
    left = {"": items}
    found = access_paths.leading_to(left, same, parts=True, first=True)
    return bool(found or (whole and access_paths.leading_to(left, whole, first=True)))


def _is_looped_over(here: Path, same: Sequence[Any]) -> MutationError:
    return MutationError(
        f"An item of '{here.shown}', {describe(same[0])}, is written in a loop over the same array, or over parts of it, which "
        "in NumPy gives the items as they are by then.",
        why=overlapping_views.WHY,
        fix="loop over the places, `for i in range(len(x))`, and read `x[i]`; or loop over a copy, x.copy().",
    )
