"""Kept arrays: does a loop write to an array that an iteration has left in a list or an object?

    while k < n:
        b[0] += 1
        log(b)                            appends it: NumPy's list has one array many times, and a program has what each was

Who has stored it, a callee or a closure, does not matter: the journal of the body knows what has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from autograph_lite.errors import MutationError
from autograph_lite.jax_internals.dataflow import recorded_views
from autograph_lite.jax_internals.references import numpys_arrays
from autograph_lite.jax_internals.references.storages import Storage
from autograph_lite.operators.aliasing import access_paths
from autograph_lite.operators.effects import journal
from autograph_lite.operators.lists import dynamic_length, growing_lists
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values import pytrees
from autograph_lite.operators.values.values import describe


def refuse_kept_after_write(
    written: Sequence[Any], inside: Mapping[Any, Any], after: Mapping[Any, Any], changes: Iterable[journal.Change],
    kept: Iterable[tuple[str, Any]], hold: Callable[[Any], None],
) -> None:  # fmt: skip
    """To be called where an iteration of a loop ends that has `written` to arrays.

    Args:
      written: the arrays, as they were before each write.
      inside: the variables before the iteration.
      after: the same after it.
      changes: of lists and objects in it.
      kept: what else lists hold, with their names.
      hold: called with a variable's array; it may end the trace, and let the array be the one before the loop from then on.

    Raises:
      MutationError: one is kept that the next iteration will write by another name.
    """
    # The variables and places that hold arrays by then, by what the program knows these.
    homes: dict[int, set[Any]] = {}
    for key, array in written_next(written, inside, after).items():
        for each in (array, *numpys_arrays.may_be(array)) if numpys_arrays.has_memory(array) else ():
            for name in recorded_views.view_key(each):
                homes.setdefault(name, set()).add(key)
    for change in changes if homes else ():
        if isinstance(change.place.owner, Storage):
            continue
        for k, value in change.new.items():
            if (k in change.old and change.old[k] is value) or isinstance(
                value, (growing_lists.Earlier, dynamic_length.Part)
            ):  # they stand for items of other iterations
                continue
            label = change.place.label(0 if change.place.holds_items else k)
            _refuse_kept(
                label, pytrees.leaves(value), homes, (change.place.key, k), lambda key: hold(inside[key])
            )
    for shown, leaf in kept if homes else ():
        _refuse_kept(shown, [leaf], homes, None, lambda key: None)


def _refuse_kept(
    label: Any, leaves: Iterable[Any], homes: Mapping[int, set[Any]], own: Any, hold: Callable[[Any], None]
) -> None:
    """Refuses arrays in `label` that have homes but their `own`."""
    for leaf in filter(numpys_arrays.has_memory, leaves):
        found = {key for name in names_of(leaf) for key in homes.get(name, set()) - {own}}
        if found:
            for key in found:
                hold(key)
            raise MutationError(
                f"A loop writes to an array, and keeps it, or a part of it, {describe(leaf)}, in {label}.",
                where=source_places.here(),
                why="NumPy's is one array in all iterations, which would see each write; an array is a value to a compiled "
                "program.",
                fix="keep a copy, x.copy().",
            )


def written_next(
    written: Sequence[Any], inside: Mapping[Any, Any], after: Mapping[Any, Any]
) -> dict[Any, Any]:
    """What an iteration leaves in the variables that it has written to, and that the next one will write."""
    ids = {id(one) for one in written}
    return {key: after[key] for key in inside if id(inside[key]) in ids and key in after}


def names_of(array: Any) -> set[int]:
    """By what the program knows an array, and those that it is a part of."""
    known = access_paths.base_arrays(array)
    return {name for each in (array, *known) for name in recorded_views.view_key(each)}
