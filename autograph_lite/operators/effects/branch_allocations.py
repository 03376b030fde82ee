"""Escape analysis of objects that a branch makes: which outlive it? What they hold leaves the branch as its variables do.

if n > 0:
    box = Box(n * 2)          box is the same object after the statement; box.value is a result of the branch
else:
    raise ValueError("n")
"""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import jax

from autograph_lite.jax_internals import tracing_state
from autograph_lite.operators.effects.journal import Journal
from autograph_lite.operators.joins.join_types import Captured, capture
from autograph_lite.operators.object_graph import places, reachability
from autograph_lite.operators.values.place import Contents, Place

K = TypeVar("K")


@dataclasses.dataclass(frozen=True)
class Born:
    """An object's attributes, where a branch has made the object and one of its results leads to it."""

    place: Place  # the attributes
    contents: Contents  # what they are at the end of the branch
    # those among them that the branch has computed, with their types and leaves
    captured: dict[Hashable, Captured]


def is_any_opaque(values: Sequence[Captured]) -> bool:
    """Whether something in the values may hold arrays that are none of its leaves."""
    return any(not isinstance(leaf, _ARRAYS) for value in values for leaf in value.leaves)


_ARRAYS = (jax.Array, bool, int, float, str)


def objects(values: Sequence[Captured], written: Journal) -> list[Born]:
    """The objects made by the body of `written` that some of its values are or hold.

    To be called while the body is traced.
    """
    opaque = _opaque(values)
    if not opaque or not written.born:
        return []
    known = reachability.leading(opaque, set(written.born))
    return [
        Born(place, contents, captured)
        for ident in known
        for place in places.object_places(written.born[ident])
        if not place.holds_items
        for contents in [place.read()]
        if (captured := {key: found for key, value in contents.items() if _computed(found := capture(value))})
    ]


def stray_arrays(values: Mapping[K, Captured], known: Sequence[Born]) -> dict[K, Any]:
    """Of each value something in it that holds arrays of the current trace and can't be told to hold others."""
    carried = {id(value) for born in known for value in _leaves(born.captured.values())}
    found = ((key, leaf) for key, value in values.items() for leaf in reversed(_opaque([value])))
    return {key: leaf for key, leaf in found if not carried.issuperset(map(id, _arrays(leaf)))}


def _opaque(values: Sequence[Captured]) -> list[Any]:
    return [leaf for leaf in _leaves(values) if reachability.is_open(leaf)]


def _leaves(values: Any) -> Iterator[Any]:
    return (leaf for value in values for leaf in value.leaves)


def _computed(value: Captured) -> bool:
    return any(map(tracing_state.is_of_this_trace, value.leaves))


def _arrays(leaf: Any) -> Iterator[Any]:
    return filter(tracing_state.is_of_this_trace, reachability.reachable_arrays([leaf]))
