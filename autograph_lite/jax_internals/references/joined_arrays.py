"""Joined arrays: may two arrays be one, on one of the paths that have met? What a loop may leave is not followed.

if cost < self.lowest: self.best = self.x             `best` may be `x`, which a later call may change in place
if accepted: self.x, self.y = self.y, self.x          these two are never one
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
        others = _ways(old) if _statement_of(new) == _statement_of(old) else ()
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
    return numpys_arrays.ways(array) if _statement_of(array) is not None else ()


def _statement_of(array: Any) -> Any:
    """What tells in which statement paths have met in an array; None where none have, or those of a loop."""
    equation = getattr(storages.root(array), "parent", None) if isinstance(array, core.Tracer) else None
    if equation is None or equation.primitive.name not in ("cond", "select_n"):
        return None
    return id(equation if equation.primitive.name == "cond" else equation.in_tracers[0].val)
