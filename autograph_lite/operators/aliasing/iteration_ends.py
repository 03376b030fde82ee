"""Ends of iterations: who else knows the arrays that a loop writes to? In NumPy, an iteration to come changes these, too.

for k in range(n):
    edge(u)                           in place
    u = u * 0.5                       another array: each iteration has one of its own
    kept = u                          which the next one writes, and `kept` is to see that: refused
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from autograph_lite.errors import MutationError
from autograph_lite.jax_internals.references import forwarding, numpys_arrays, storages
from autograph_lite.jax_internals.references.storages import Storage
from autograph_lite.operators.aliasing import (
    access_paths,
    callers_arrays,
    loop_rows,
    shared_memory,
    user_frames,
)
from autograph_lite.operators.effects import journal
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values import pytrees
from autograph_lite.operators.values.values import Tracer, describe
from autograph_lite.tracing import thread


def refuse_apart(
    apart: Sequence[Hashable], labels: Mapping[Hashable, str], starts: Mapping[Hashable, Any], after: Mapping[Hashable, Any],
    names: Collection[str], slots: Collection[access_paths.Slot],
) -> None:  # fmt: skip
    """To be called where an iteration ends that has written to variables, and made them other arrays.

    Args:
      apart: their keys; those of the others likewise.
      labels: what the user calls variables and places, by their keys.
      starts: what they were before the loop.
      after: and after the iteration.
      names: as those of `refuse_seen_next`.
      slots: likewise.

    Raises:
      MutationError: somebody else knows such an array, and is to see what an iteration has written.
    """
    known = [*starts.items()]
    inside = {
        id(new): key for new, old in thread.now.aliases[-1].same for key, start in known if start is old
    }
    left = {key: _left_by_iteration(now) for key, now in after.items()}
    todo = [*apart]
    for key in todo:  # also what these are in later iterations, as by `u, v = v, u`
        others = [start for other, start in known if other != key]
        _refuse_known(labels[key], starts[key], others, names, slots)
        taken = {id(root) for other, roots in left.items() if other != key for root in roots}
        for root in left.get(key, [None]):
            there = inside.get(id(root))
            if id(root) in taken or (there is None and not _is_made_within(root)):
                raise _parted_error(labels[key])
            if there is not None and there not in todo:
                todo.append(there)


def _refuse_known(
    name: str, start: Any, others: Iterable[Any], names: Collection[str], slots: Collection[access_paths.Slot]
) -> None:
    """Refuses to write to what was in a variable before the loop, if somebody else knows it: by name, or in `others`."""
    roots = [*map(storages.root, numpys_arrays.same_in_loops(start))]
    known = {id(each) for each in roots}
    held = (leaf for each in others for leaf in pytrees.leaves(each) if isinstance(leaf, Tracer))
    if any(id(storages.root(leaf)) in known for leaf in held) or _is_seen(roots, names, slots):
        error = _parted_error(name)
        error.stood_in = True  # after a first iteration the variable is an array that nobody else knows
        raise error


def _is_seen(arrays: Sequence[Any], names: Collection[str], slots: Collection[access_paths.Slot]) -> bool:
    """Whether the caller, a loop around or what is read later is to see what is written to one of the arrays."""
    return (
        any(callers_arrays.is_callers(each) or numpys_arrays.is_handle(each) for each in arrays)
        or user_frames.read_later(arrays, None, names, slots)
        or loop_rows.are_walked(arrays)
    )


def _left_by_iteration(now: Any) -> list[Any]:
    """The arrays that a variable may be after an iteration, or a part of them."""
    return [storages.root(each) for each in (now, *numpys_arrays.may_be(now))]


def _is_made_within(root: Any) -> bool:
    """Whether the body that is traced has made an array, and so nobody outside knows it."""
    return isinstance(root, Tracer) and root.parent is not None and not forwarding.traces_up_to(root)


def _parted_error(name: str) -> MutationError:
    """An iteration writes to a variable's array, which others see, and then makes the variable another array."""
    return MutationError(
        f"An item of the array '{name}' is written in a loop, other names see that, and the loop makes '{name}' another array.",
        where=source_places.here(),
        why="An array is a value to a compiled program: which of the arrays an iteration writes would not be known.",
        fix=f"let one name be the array that is written, and another one that which changes; or write to a copy: {name}.copy().",
    )


def refuse_seen_next(
    variables: Sequence[tuple[str, Any, Any]], names: Collection[str], slots: Collection[access_paths.Slot]
) -> None:
    """To be called where an iteration ends.

    Args:
      variables: with what they were before the loop, and are now.
      names: of those of them that are variables.
      slots: of those that objects hold.

    Raises:
      MutationError: one that the loop writes to is an array in an iteration to come whose writes others are to see.
    """
    for name, start, now in variables:
        if not (isinstance(now, (Tracer, np.ndarray)) and numpys_arrays.is_stored(start)):
            continue
        to_come = _in_iterations_to_come(now, variables)
        shared_memory.refuse_chosen(now, to_come, names, slots)
        own = [start, *(new for new, old in thread.now.aliases[-1].same if old is start)]
        for each in to_come:
            if isinstance(each, np.ndarray) or any(storages.root(each) is storages.root(one) for one in own):
                continue  # as in the first iteration
            before = [
                root
                for one in numpys_arrays.same_in_loops(each)
                if one is not each and one is not start
                for root in (one, storages.root(one))
                if root is not storages.root(start)
            ]
            if (
                callers_arrays.is_callers(each)
                or (before and user_frames.read_later(before, each, names, slots))
                or loop_rows.are_walked(before)
                or (
                    forwarding.traces_up_to(each)
                    and (numpys_arrays.is_handle(each) or user_frames.read_later([each], None, names, slots))
                )
            ):
                raise _seen_next_error(name)


def refuse_items_seen_next(
    name: str, leaves: Iterable[Any], names: Collection[str], slots: Collection[access_paths.Slot]
) -> None:
    """The same of a list whose length only the data knows, `leaves` what an iteration leaves in it: it has copies of them."""
    if not any(map(numpys_arrays.buffers_of, thread.now.aliases[-1].written)):
        return  # no item of such a list is written
    roots = [root for each in leaves if isinstance(each, Tracer) for root in _left_by_iteration(each)]
    known = [each for one in roots for each in numpys_arrays.same_in_loops(one)]
    if _is_seen(known, names, slots):
        raise _seen_next_error(name)


def _seen_next_error(name: str) -> MutationError:
    return MutationError(
        f"An item of the array '{name}' is written in a loop, and the loop makes '{name}' an array for its next "
        "iteration that the caller holds as NumPy's, or that has other names.",
        where=source_places.here(),
        why="An array is a value to a compiled program: which of the arrays an iteration writes would not be known.",
        fix="work on a copy, and store it in the end: v = u.copy() before the loop, and u[:] = v after it.",
    )


def _in_iterations_to_come(now: Any, variables: Sequence[tuple[str, Any, Any]]) -> list[Any]:
    """What a variable is after each of the iterations to come, where it is what another one was, `a, b, c = b, c, a`."""
    found = [now]
    for each in found:
        olds = [each, *(old for new, old in thread.now.aliases[-1].same if new is each)]
        afters = [after for _, start, after in variables if any(start is old for old in olds)]
        for one in (*_left_by_iteration(each), *afters):
            if isinstance(one, (Tracer, np.ndarray)) and all(one is not other for other in found):
                found.append(one)
    return found


def refuse_carried(values: Iterable[Any], changes: Iterable[journal.Change]) -> None:
    """To be called where an iteration ends, with what it has bound variables to and the places that it has changed.

    Raises:
      MutationError: that is an array which the loop writes, or a part of it: later iterations would not see that.
    """
    written, kept = [], [*values]
    for change in changes:
        if isinstance(change.place.owner, Storage):
            written.append(change.place.owner)
        else:
            kept += [each.value for each in change.captured.values()]
    if not written:
        return
    kept += [leaf for _, leaf in thread.now.aliases[-1].kept]
    for array in (leaf for each in kept for leaf in pytrees.leaves(each) if isinstance(leaf, Tracer)):
        origins = [
            one for each in (array, *numpys_arrays.may_be(array)) for one in numpys_arrays.origins(each)
        ]
        storage = next((each for each in written if any(each.handle is one for one in origins)), None)
        if storage is not None:
            error = MutationError(
                f"A loop writes to an array, `{storage.shown}`, and keeps it, or a part of it, {describe(array)}, under another "
                "name for its next iteration.",
                where=source_places.here(),
                why="An array is a value to a compiled program: the change would be seen under one of the names only.",
                fix="keep a copy, x.copy(); or take it again where it is read.",
            )
            # After a first iteration the name is that array in all the others.
            error.stood_in = any(storage.handle is one for one in numpys_arrays.origins(array))
            raise error
