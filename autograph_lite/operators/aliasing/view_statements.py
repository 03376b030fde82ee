"""View statements: what does generated code ask before an item is written, where the text shows two names of one array?"""

from __future__ import annotations

from typing import Any

import jax

from autograph_lite.errors import MutationError
from autograph_lite.jax_internals.references import numpys_arrays
from autograph_lite.operators.aliasing import (
    callers_names,
    loop_carried_aliases,
    loop_rows,
    overlapping_views,
    shared_memory,
    user_frames,
)
from autograph_lite.operators.effects import births


def view(
    value: Any, source: Any, name: str, path: str, made: str, drops: int | None, *, read: bool = True
) -> None:
    """As `overlapping_views.check_view`; where nobody but a caller can see the change of what `path` names, it is asked, too."""
    grows = loop_carried_aliases.are_traced() and made.startswith(f"{path}.append(")
    try:
        overlapping_views.check_view(value, source, name, path, made, drops, read=read, grows=grows)
    except MutationError as error:
        _share(value, error)
        return
    if read or not isinstance(source, jax.Array) or not overlapping_views.is_view(value, source, path, drops):
        return
    same, runs = numpys_arrays.same_in_loops(source), user_frames.runs()
    place = (
        user_frames.place_of_run(runs[0]) if len(runs) > 1 and user_frames.was_handed(runs[0], same) else None
    )
    if place is not None:
        try:
            callers_names.check_callers_names(runs, place, frozenset({path}), same, set())
        except MutationError as error:
            _share(value, error)


def viewed(
    value: Any, source: Any, name: str, path: str, made: str, drops: int | None, *, deep: bool = False,
    told: bool = False,
) -> None:  # fmt: skip
    """Before an item of what `path` names is written: a MutationError if `value` may be a view of it that is read later.

    Where `told`, the text knows nothing of the value, and the program has to tell.
    """
    if told and not overlapping_views.is_told(value, source, path):
        return
    try:
        overlapping_views.check_viewed(value, source, name, path, made, drops, deep=deep)
    except MutationError as error:
        _share(value, error)


def _share(array: Any, error: MutationError) -> None:
    """Lets others see what is written to an array, or raises the error."""
    loop_rows.refuse_copies(array)
    births.refuse_shown(array)
    if shared_memory.can_follow(array):
        shared_memory.share(array)
    elif not shared_memory.claim_captured(array, error):
        # NumPy's before the loop, and a part of one that is made here.
        for each in numpys_arrays.same_in_loops(array):
            births.want_anew(each, error)
        raise error
