"""By which other ways do the functions that run know an array whose item is written? They would not see the change.

    h = Holder(x)
    x[0] = 1            in NumPy, `h.x` is changed, too

What one function alone shows is found before it runs (see `analysis.item_stores`). Here an array is written that is a value
already, so that whoever has the same one can be told: other variables, attributes and items of objects, and functions that wait
for this one (see `callers`). Whether these are read later, the text of the function says.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import jax
import numpy as np

from autograph_lite.analysis import copies, read_after
from autograph_lite.errors import MutationError
from autograph_lite.operators import (
    array_paths,
    callers,
    held_parts,
    iterables,
    looped_arrays,
    running,
    views,
    where,
)
from autograph_lite.operators.array_paths import Path, is_one
from autograph_lite.operators.values import describe


class _Local(threading.local):
    def __init__(self) -> None:
        # What the staged loops whose bodies are traced run over.
        self.walked: list[Any] = []


_local = _Local()


@contextlib.contextmanager
def walked(items: Any) -> Iterator[None]:
    """Around a staged loop over `items`, which are taken from arrays as they were before it."""
    _local.walked.append(items)
    try:
        yield
    finally:
        _local.walked.pop()


def check(array: Any) -> None:
    """To be called before an item of `array` is written, which becomes a new one: JAX's, or NumPy's that is to become JAX's.

    Raises:
      MutationError: another variable, an attribute or an item of an object is this array, or a part of it, and is read later.
    """
    runs = running.runs()
    if not runs:
        return
    same = looped_arrays.same(array)
    looped_arrays.note_write()
    held_parts.check(runs, same)
    whole = [each for one in same for each in array_paths.whole_of(one)]
    variables = running.variables(runs[0])
    found = array_paths.leading_to(
        variables, [*same, *whole] if isinstance(array, np.ndarray) else same, parts=True
    )
    found += array_paths.leading_to(variables, whole) if whole and isinstance(array, jax.Array) else []
    handed = len(runs) > 1 and running.was_handed(runs[0], same)
    looked_at = handed or len(found) > 1 or _local.walked
    place = running.place(runs[0]) if looked_at else None  # which takes its time
    if place is None:
        return
    written = frozenset(path.partition(".")[0] for path in place.stores)
    owners = {name: variables[name] for name in written & variables.keys()}
    here = next(iter(array_paths.leading_to(owners, same)), None)
    if here is not None:
        _check_own(here, found, place, same)
        _check_walked(here, same)
    own = here.name if here is not None and here.is_variable else ""
    is_new = own in copies.fresh(place.function)
    is_shared = own in runs[0][-1].f_code.co_freevars  # the functions around have it, too
    if handed and not is_new and not is_shared:
        callers.check(runs, place, place.stores, same, {path.slot for path in found})


def _check_own(here: Path, found: Sequence[Path], place: read_after.Place, same: Sequence[Any]) -> None:
    """Refuses a write at `place`, to the array `here`, if another of the paths that were `found` is read later."""
    stores = place.stores
    names = frozenset(path.partition(".")[0] for path in stores)
    decided = read_after.linked(place, stores) - names
    fresh, put_back = copies.fresh(place.function), read_after.put_back(place, names)
    of_here = fresh.get(here.name, frozenset()) if here.is_variable else frozenset()

    def may_be_stale(path: Path) -> bool:
        is_here = path.shown == here.shown or (path.slot is not None and path.slot == here.slot)
        if is_here or path.name not in place.names:
            return False
        is_numpys = isinstance(path.value, np.ndarray)
        is_looked_at = path.is_variable or here.is_variable
        if path.name in decided and is_looked_at and not is_numpys and not path.is_lazy:
            return False  # the text has been looked at
        if path.name in of_here or (path.is_variable and here.name in fresh.get(path.name, ())):
            return False  # one is a copy of the other
        return not ((path.has_items or is_numpys) and path.attributes in put_back)

    others = [path for path in found if may_be_stale(path)]
    read, kept = read_after.read_after(place, frozenset(path.attributes for path in others))
    for path in others:
        if path.attributes not in read | kept:
            continue
        later, shown = views.LATER[path.attributes in read], path.shown
        is_same = is_one(path.value, same)
        raise MutationError(
            f"An item of '{here.shown}', {describe(same[0])}, is written, which in NumPy "
            f"{'is the array of' if is_same else 'shares its memory with'} '{shown}', too, and '{shown}' {later}.",
            where=where.here(),
            why=views.WHY,
            fix=f"write the item of '{shown}', or store '{here.shown}' there afterwards; where '{shown}' is to stay as it is, "
            f"let it have a copy: {here.shown}.copy().",
        )


def _check_walked(here: Path, same: Sequence[Any]) -> None:
    """Refuses a write to the array `here` if a loop takes its items."""
    if any(is_one(each, same) for items in _local.walked for each in _arrays_of(items)):
        raise MutationError(
            f"An item of '{here.shown}', {describe(same[0])}, is written in a loop over the same array, which in NumPy gives the "
            "items as they are by then.",
            where=where.here(),
            why=views.WHY,
            fix="loop over the places, `for i in range(len(x))`, and read `x[i]`; or loop over a copy, x.copy().",
        )


def _arrays_of(items: Any) -> Iterator[jax.Array]:
    """The arrays that a loop runs over."""
    for value in vars(items).values():
        for each in value if isinstance(value, tuple) else (value,):
            if isinstance(each, jax.Array):
                yield each
            elif isinstance(each, iterables.Staged):
                yield from _arrays_of(each)


def view(
    value: Any, source: Any, name: str, path: str, made: str, drops: int | None, *, read: bool = True
) -> None:
    """As `views.view`; where nobody but a caller can see the change of what `path` names, it is asked, too."""
    grows = looped_arrays.are_traced() and made.startswith(f"{path}.append(")
    views.view(value, source, name, path, made, drops, read=read, grows=grows)
    if read or not isinstance(source, jax.Array) or not views.is_view(value, source, path, drops):
        return
    same, runs = looped_arrays.same(source), running.runs()
    place = running.place(runs[0]) if len(runs) > 1 and running.was_handed(runs[0], same) else None
    if place is not None:
        callers.check(runs, place, frozenset({path}), same, set())
