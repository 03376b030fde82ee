"""Store check: by which other ways do the functions that run know an array whose item is written? They'd miss the change.

    h = Holder(x)
    x[0] = 1            in NumPy, `h.x` is changed, too

An array is written that is a value already, so that whoever has the same one can be told: other variables, attributes and
items of objects, and functions that wait for this one (see `callers_names`). Whether these are read later, the text of the
function says.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gast
import numpy as np

from autograph_lite.analysis import read_after
from autograph_lite.errors import MutationError
from autograph_lite.jax_internals.references import numpys_arrays, storages
from autograph_lite.operators.aliasing import (
    access_paths,
    callers_names,
    callers_parts,
    loop_carried_aliases,
    loop_rows,
    user_frames,
    ways_out,
    yielded_arrays,
)
from autograph_lite.operators.aliasing.access_paths import Path, is_one
from autograph_lite.operators.lists.dynamic_length import Stretch
from autograph_lite.operators.ragged.selection import Selection
from autograph_lite.operators.values.values import describe


def check_store(array: Any, index: Any = ..., value: Any = None) -> bool:
    """To be called before `array` gets a value at an index, which becomes a new one: JAX's, or NumPy's that is to become JAX's.

    Returns:
      Whether others know it, outside of loops, who may write to it later.

    Raises:
      MutationError: another variable, an attribute or an item of an object is this array, or a part of it, and is read later.
    """
    runs = user_frames.runs()
    if not runs:
        return False
    same, whole = access_paths.same_and_whole(array)
    runs = user_frames.without_generators(runs, same)
    loop_carried_aliases.note_write(same)
    yielded_arrays.refuse_write_after_yield(same)
    callers_parts.check_callers_parts(runs, same, whole, index)
    variables = user_frames.run_variables(runs[0])
    found = access_paths.leading_to(
        variables, [*same, *whole] if isinstance(array, np.ndarray) else same, parts=True
    )
    if whole and not isinstance(array, np.ndarray):
        # In a lane a number has an axis in the program: no array is a part of it.
        found += [
            path
            for path in access_paths.leading_to(variables, whole, parts=isinstance(array, Selection))
            if getattr(path.value, "ndim", 1) or numpys_arrays.has_memory(path.value)
        ]
        if not access_paths.is_concrete(array):  # of a derivative around the program, which records nothing
            around = [each for each in whole if access_paths.is_concrete(each)]
            found += access_paths.leading_to(variables, around, parts=True) if around else []
    if memories := [memory for each in whole for memory in storages.memories_of(each)]:
        # Of a part of an array, `x[mask]`, whose rows a list has got.
        found += access_paths.leading_to(variables, memories, parts=True)
    found = [path for path in found if access_paths.meets(path.value, array, index, value)]
    handed = len(runs) > 1 and user_frames.was_handed(runs[0], same)
    looped = loop_rows.are_walked(same, whole, index)
    held = ways_out.held_by_managers([*same, *whole])
    looked_at = handed or len(found) > 1 or looped or bool(held)
    place = user_frames.place_of_run(runs[0]) if looked_at else None  # which takes its time
    if place is None:
        ways_out.refuse_held(held, None, array)
        return False
    owners = {name: variables[name] for name in place.stored_through & variables.keys()}
    here = next(iter(access_paths.leading_to(owners, same, first=True)), None)
    if here is None and whole:  # an item that a list has in a buffer, `ys[0][1] = v`
        buffers = access_paths.leading_to(owners, whole)
        here = next((path for path in buffers if isinstance(path.owner, Stretch)), None)
    ways_out.refuse_held(held, here, array)
    # `f().x[0] = v` does not tell: it is one of those that were found
    for each in found[:2] if here is None else [here]:
        _check_own(runs[0], variables, each, found, place, same)
    own = here.name if here is not None and here.is_variable else ""
    if here is not None and looped:
        raise _is_looped_over(here, same)
    is_shared = own in runs[0][-1].f_code.co_freevars  # the functions around have it, too
    if handed:
        callers_names.check_callers_names(runs, same, {path.slot for path in found}, own if is_shared else "")
    return not loop_carried_aliases.are_traced()


def _check_own(
    run: user_frames.Run,
    variables: user_frames.Variables,
    here: Path,
    found: Sequence[Path],
    place: read_after.Place,
    same: Sequence[Any],
) -> None:
    """Refuses a write at `place`, to the array `here`, if another of the paths that were `found` is read later."""

    def may_be_stale(path: Path) -> bool:
        is_here = path.shown == here.shown or (path.slot is not None and path.slot == here.slot)
        return not is_here and not user_frames.is_done(path, run)

    others = [path for path in found if may_be_stale(path)]
    readers = [access_paths.readers(path, variables) for path in others]
    held = frozenset(path.attributes for path in others if path.slot is not None and path.has_items)
    read, kept = read_after.read_after(place, frozenset().union(*readers), held=held)
    for path, by in zip(others, readers, strict=True):
        is_ours = path.name not in place.names
        if by.isdisjoint(read | kept) and not is_ours:
            continue
        later, shown = access_paths.LATER[is_ours or not by.isdisjoint(read)], path.shown
        if is_ours and isinstance(place.statement, gast.Assign):
            shown = gast.unparse(place.statement.value).strip()
        is_same = is_one(path.value, same)
        raise MutationError(
            f"An item of '{here.shown}', {describe(same[0])}, is written, which in NumPy "
            f"{'is the array of' if is_same else 'shares its memory with'} '{shown}', too, and '{shown}' {later}.",
            why=access_paths.WHY,
            fix=_fix(here.shown, shown, is_bound=is_same and not path.has_items),
        )


def _fix(here: str, shown: str, *, is_bound: bool) -> str:
    if is_bound:
        return (
            f"write the item of '{shown}', or store '{here}' there afterwards; where '{shown}' is to stay as it is, "
            f"let it have a copy: {here}.copy()."
        )
    return (
        f"write the item of '{shown}'; or let one of the two be a copy, `.copy()`, and store that afterwards where the other one "
        "is to have it."
    )


def _is_looped_over(here: Path, same: Sequence[Any]) -> MutationError:
    return MutationError(
        f"An item of '{here.shown}', {describe(same[0])}, is written in a loop over the same array, or over parts of it, which "
        "in NumPy gives the items as they are by then.",
        why=access_paths.WHY,
        fix="loop over the places, `for i in range(len(x))`, and read `x[i]`; or loop over a copy, x.copy().",
    )
