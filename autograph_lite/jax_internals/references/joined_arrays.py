"""Joined arrays: may two arrays be one, on one of the paths that have met? That a loop may run never is left out.

if cost < self.lowest: self.best = self.x             `best` may be `x`, which a later call may change in place
if accepted: self.x, self.y = self.y, self.x          these two are never one
self.now = self.levels[k]                             `now` may be any of them
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from jax._src import core

from autograph_lite.jax_internals.references import numpys_arrays, storages


def are_one_on_a_path(array: Any, other: Any) -> bool:
    """Whether two arrays of the program are one on some path, or parts of one, and are not both what they are on all."""
    for new, old in ((array, other), (other, array)):
        ways = _ways(new)
        if not ways:
            continue
        statement = _statement_of(new)
        others = _ways(old) if statement == _statement_of(old) else ()
        if others and statement is _CHOICE:  # of lists, as those that are sorted: another one each
            return False
        if len(others) == len(ways):
            return any(_are_one(*pair) for pair in zip(ways, others, strict=True))
        return any(_are_one(way, old) for way in ways)
    return False


def numpys_on_paths(array: Any) -> Iterator[np.ndarray[Any, Any]]:
    """The arrays of NumPy's, none of the program, that an array is on some path."""
    for way in _ways(array):
        if isinstance(way, np.ndarray):
            yield way
        else:
            yield from numpys_on_paths(way)


def _are_one(array: Any, other: Any) -> bool:
    both = [isinstance(each, (core.Tracer, np.ndarray)) for each in (array, other)]
    return all(both) and (storages.are_in_one_memory(array, other) or are_one_on_a_path(array, other))


def _ways(array: Any) -> tuple[Any, ...]:
    """What an array is on each path; of a loop, what an iteration leaves."""
    equation = getattr(storages.root(array), "parent", None) if isinstance(array, core.Tracer) else None
    if equation is None:
        return ()
    options = numpys_arrays.ways(array)
    return options[1:] if equation.primitive.name in ("while", "scan") else options


_CHOICE = "an index"


def _statement_of(array: Any) -> Any:
    """What tells in which statement paths have met in an array; None where none have."""
    if not _ways(array):
        return None
    equation = storages.root(array).parent
    if equation.primitive.name == "select_n":
        return id(equation.in_tracers[0].val)
    return id(equation) if equation.primitive.name in ("cond", "while", "scan") else _CHOICE
