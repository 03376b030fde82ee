"""Unique values: what do `np.unique` and the functions of sets give of traced arrays, where only the data knows how many differ?

np.unique(y)                          the part of the sorted array that a mask chooses: each item that differs from the one before
np.unique(y, return_counts=True)      that, and the same part of how often each occurs
np.union1d(x, y), np.setdiff1d(x, y)  what is in `x` or in `y`; what is in `x`, and not in `y`
np.trim_zeros(x)                      the part between the zeros at the ends
"""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp

from autograph_lite.operators.ragged.extents import Chosen, Span
from autograph_lite.operators.ragged.selection import Origin, Selection, unsized
from autograph_lite.operators.ragged.slice_spelling import Spelled, sized
from autograph_lite.operators.user_code import source_places


def unique(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Any = None,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Any:
    """`np.unique`, with NumPy's arguments."""
    if axis is not None:
        if isinstance(ar, Selection):
            raise unsized(ar, "is handed to 'unique'")
        return jnp.unique(ar, return_index, return_inverse, return_counts, axis)
    items, is_there = _flat(ar)
    partial = isinstance(ar, Selection)  # what isn't there is to be last
    order = jnp.lexsort((items, ~is_there)) if partial else jnp.argsort(items, stable=True)
    items, is_there = items[order], is_there[order]
    same = items[1:] == items[:-1]
    if equal_nan and jnp.issubdtype(items.dtype, jnp.inexact):
        same = same | (jnp.isnan(items[1:]) & jnp.isnan(items[:-1]))
    first = jnp.concatenate([jnp.ones(min(items.size, 1), bool), ~same]) & is_there
    part = _part_of(sized("unique", "x", items.size), Chosen(first))
    found: list[Any] = [part(items)]
    rank = jnp.cumsum(first) - 1
    if return_index:
        found.append(part(_places(ar)[order]))
    if return_inverse:
        if partial:
            raise unsized(ar, "is handed to 'unique' with 'return_inverse'")
        found.append(jnp.zeros_like(order).at[order].set(rank).reshape(jnp.shape(ar)))
    if return_counts:
        found.append(part(jnp.zeros_like(order).at[rank].add(is_there)[rank]))
    return tuple(found) if len(found) > 1 else found[0]


def _named(name: str, fields: str, **asked: bool) -> Callable[[Any], Any]:
    """A variant of `np.unique` whose name says what it gives."""
    named: Any = collections.namedtuple
    kind = named(name, fields)
    return lambda x: kind(*unique(x, equal_nan=False, **asked))


def union1d(ar1: Any, ar2: Any) -> Any:
    """`np.union1d`."""
    (one, is_in_one), (other, is_in_other) = _flat(ar1), _flat(ar2)
    items, is_there = jnp.concatenate([one, other]), jnp.concatenate([is_in_one, is_in_other])
    return unique(_part_of(sized("union1d", "x, y", items.size), Chosen(is_there))(items))


def setdiff1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    """`np.setdiff1d`."""
    items, is_there, _ = _set(ar1, assume_unique)
    others, are_there = _flat(ar2)
    is_other = jnp.any((items[:, None] == others) & are_there, 1)
    return _part_of(sized("setdiff1d", "x, y", items.size), Chosen(is_there & ~is_other))(items)


def intersect1d(ar1: Any, ar2: Any, assume_unique: bool = False, return_indices: bool = False) -> Any:
    """`np.intersect1d`."""
    items, is_there, places = _of_both(ar1, ar2, assume_unique)
    is_twice = (items[1:] == items[:-1]) & is_there[1:]
    part = _part_of(sized("intersect1d", "x, y", items.size - 1), Chosen(is_twice))
    found = part(items[:-1])
    return (found, part(places[:-1]), part(places[1:])) if return_indices else found


def setxor1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    """`np.setxor1d`."""
    items, is_there, _ = _of_both(ar1, ar2, assume_unique)
    end = jnp.ones(min(items.size, 1), bool)
    differs = items[1:] != items[:-1]
    alone = jnp.concatenate([end, differs]) & jnp.concatenate([differs | ~is_there[1:], end])
    return _part_of(sized("setxor1d", "x, y", items.size), Chosen(alone & is_there))(items)


def trim_zeros(filt: Any, trim: str = "fb", axis: Any = None) -> Any:
    """`np.trim_zeros`, of one axis."""
    if isinstance(filt, Selection):
        raise unsized(filt, "is handed to 'trim_zeros'")
    items = jnp.asarray(filt)
    if items.ndim != 1 or axis not in (None, 0, -1):
        return jnp.trim_zeros(items, trim)
    size, others = items.size, jnp.flatnonzero(items, size=items.size, fill_value=items.size)
    some = jnp.any(items != 0)
    last = jnp.max(jnp.where(items != 0, jnp.arange(size), -1), initial=-1) + 1
    start = jnp.where(some, others[0], size) if size and "f" in trim.lower() else 0
    stop = last if "b" in trim.lower() else size
    fix = "keep the zeros, and ask where the others are, jnp.flatnonzero(x, size=n)."
    is_list = isinstance(filt, (list, tuple))
    return _part_of(fix, Span(size, start, jnp.maximum(start, stop)), copies=is_list)(items)


def _flat(ar: Any) -> tuple[Any, Any]:
    """All items in a row, and which of them are there: of a part, those that are chosen."""
    if not isinstance(ar, Selection):
        items = jnp.asarray(ar).reshape(-1)
        return items, jnp.ones(items.shape, bool)
    if ar.ndim != 1:
        raise unsized(ar, "is taken for a set")
    assert ar.extents[0] is not None
    return ar.array, ar.extents[0].lanes()


def _places(ar: Any) -> Any:
    """The number of each item in the row."""
    _, is_there = _flat(ar)
    return jnp.cumsum(is_there) - 1


def _set(ar: Any, assume_unique: bool) -> tuple[Any, Any, Any]:
    """The different items in order, which of them are there, and their places; as they come, where the caller says so."""
    if assume_unique:
        return *_flat(ar), _places(ar)
    items, places = unique(ar, return_index=True)
    return *_flat(items), places.array


def _of_both(ar1: Any, ar2: Any, assume_unique: bool) -> tuple[Any, Any, Any]:
    """The items of two sets in order, which of them are there, and their places; what isn't there is last."""
    sets = zip(_set(ar1, assume_unique), _set(ar2, assume_unique), strict=True)
    items, is_there, places = map(jnp.concatenate, sets)
    order = jnp.lexsort((items, ~is_there))
    return items[order], is_there[order], places[order]


def _part_of(fix: str, extent: Chosen | Span, *, copies: bool = True) -> Callable[[Any], Selection]:
    """Makes parts of arrays, or copies of them, that have as many items as the data says."""
    spelled = Spelled(source_places.expression(), "Its items are traced.", fix)
    origin = Origin(source_places.here(), spelled)
    return lambda array: Selection(array, (extent,), origin, memory=... if copies else None)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "unique": unique, "union1d": union1d, "setdiff1d": setdiff1d, "intersect1d": intersect1d, "setxor1d": setxor1d,
    "unique_values": lambda x: unique(x, equal_nan=False),
    "unique_counts": _named("UniqueCountsResult", "values counts", return_counts=True),
    "unique_inverse": _named("UniqueInverseResult", "values inverse_indices", return_inverse=True),
    "unique_all": _named(
        "UniqueAllResult", "values indices inverse_indices counts",
        return_index=True, return_inverse=True, return_counts=True,
    ),
    "trim_zeros": trim_zeros,
}  # fmt: skip
