"""Outside arrays: which arrays of NumPy's that were there before a call does Python write to while the function is traced?

W = np.zeros(3)

@convert
def f(x):
    W[0] += 1                             Python's numbers alone: no program could do it, so each call is to trace `f` again
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from autograph_lite.errors import Location
from autograph_lite.jax_internals.references import storages
from autograph_lite.operators.effects import journal
from autograph_lite.operators.purity import known_calls
from autograph_lite.operators.user_code import place_names

# Methods that write, whether or not the items are others afterwards.
_METHODS = frozenset({
    "fill", "sort", "partition", "put", "itemset", "setfield", "resize", "byteswap",
    "__setitem__", *known_calls.IN_PLACE,
})  # fmt: skip


def note_write_by_python(owner: Any, method: str = "") -> bool:
    """Notes that Python writes to `owner`, by a method of it if one is named; whether that is an array of NumPy's."""
    if not isinstance(owner, np.ndarray) or (method and method not in _METHODS):
        return False
    whole = journal.outermost()
    if whole is not None:
        array = storages.base_of(owner)
        whole.stored[id(array)] = array
    return True


def written_from_outside(
    written: journal.Journal, changes: Iterable[journal.Change], roots: Iterable[Any]
) -> list[np.ndarray[Any, Any]]:
    """The arrays that a function has written to, and that were there before, among what it could see from `roots`."""
    arrays = [change.place.owner for change in changes if isinstance(change.place.owner, np.ndarray)]
    if not arrays and written.stored:
        found = written.reachable(roots, set(written.stored))
        arrays = [array for number, array in written.stored.items() if number in found]
    return arrays


class Once(NamedTuple):
    """What Python does at each call, and no program can."""

    name: str  # what the user calls the array that is written with values that Python knows
    line: Location | None  # that writes it
    puts: bool = False  # whether the name is that of a place, which gets a list or dict that was there before

    def said(self) -> str:
        """The end of a sentence about the function: it ..."""
        if self.puts:
            return f"puts a list or dict that was there before, or its arrays, in '{self.name}'."
        return (
            f"writes to '{self.name}', an array of NumPy's from outside of it, with values that Python knows."
        )

    def fix(self) -> str:
        """What to do."""
        if self.puts:
            return (
                "exchange the items, and not the lists or dicts; or pass them as arguments, and return them."
            )
        return "pass the array as an argument: what is written to it is in it after the call."


def named(array: np.ndarray[Any, Any]) -> Once:
    """How the user calls an array that is written, and the line."""
    return Once(place_names.owner_spelling(array) or "an array", place_names.written_at(array))
