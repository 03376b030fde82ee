"""Arrays that calls have left twice: which arrays may be one in Python, or lie in one memory, where calls have left two?

if cost < s.lowest: s.best = s.x      the program leaves another array in `s.best`, whether or not it is the one of `s.x`
s.x[0] = 1                            in a later call: refused as long as somebody has the other one
"""

from __future__ import annotations

import gc
import weakref
from functools import partial
from typing import Any

import jax

from autograph_lite.errors import MutationError
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values.values import describe

# by their ids, and the others
_twice: dict[int, tuple[weakref.ref[Any], list[weakref.ref[Any]]]] = {}


def others_of(array: Any) -> list[Any]:
    """The arrays that may be one with this one in Python, or have a part of it, as long as somebody has them."""
    found = _twice.get(id(array)) if _twice else None
    if found is None or found[0]() is not array:
        return []
    if not any(ref() is not None for ref in found[1]):
        return []
    # A program that still runs has what it was handed, and XLA lets go of it where Python collects.
    jax.block_until_ready(
        [each for each in (array, *(ref() for ref in found[1])) if isinstance(each, jax.Array)]
    )
    gc.collect(0)
    return [other for other in (ref() for ref in found[1]) if other is not None]


def note_left_twice(array: Any, other: Any) -> None:
    """Notes that two arrays may be one in Python."""
    for one, of in ((array, other), (other, array)) if array is not other else ():
        _, others = _twice.setdefault(id(one), (weakref.ref(one, partial(_forget, id(one))), []))
        others[:] = [each for each in others if each() is not None and each() is not of]
        others.append(weakref.ref(of))


def _forget(number: int, _: Any) -> None:
    _twice.pop(number, None)


def refused(array: Any, where: Any = ()) -> MutationError:
    """The error for a write to an array that calls have left twice."""
    return MutationError(
        f"An array, {describe(array)}, is changed in place, and it is what a call before has put, or may have put, "
        "into an object, or a part of that.",
        where=where or source_places.here(),
        why="The two were left apart: who has the other one would not see the change.",
        fix="put a copy there, o.best = o.x.copy(), o.row = o.rows[0].copy(); or take the part in each call.",
    )
