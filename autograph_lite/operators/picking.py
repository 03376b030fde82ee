"""What is an item, or a part, of a selection? Indices count the chosen items.

x[i:j][k]                             x[i + k], where k is less than j - i
x[:j][::-1], x[:j][1:], x[:j][x[:j] > 0]
"""

from __future__ import annotations

import builtins
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from autograph_lite.operators import affine, checks
from autograph_lite.operators.affine import Bounds
from autograph_lite.operators.aligning import onto
from autograph_lite.operators.extents import Chosen, Extent, Span
from autograph_lite.operators.selections import METHODS, Selection, chosen, having, refused
from autograph_lite.operators.values import as_index, traced

_WHOLE = builtins.slice(None)


def picked(selection: Selection, index: Any) -> Any:
    """`selection[index]`."""
    parts = list(index) if isinstance(index, tuple) else [index]
    missing = selection.ndim - sum(part is not None and part is not ... for part in parts)
    if missing < 0:
        raise IndexError(f"too many indices: the array has {selection.ndim} axes.")
    dots = next((number for number, part in enumerate(parts) if part is ...), len(parts))
    parts = [*parts[:dots], *[_WHOLE] * missing, *parts[dots + 1 :]]
    result: Any = selection
    axis = 0
    for part in parts:
        if part is None:
            extents = _extents(result)
            extents.insert(axis, None)
            result = having(selection, jnp.expand_dims(_array(result), axis), extents)
            axis += 1
            continue
        result, kept = _along(selection, result, axis, affine.known(part))
        axis += kept
    return result


def _array(value: Any) -> Any:
    return value.array if isinstance(value, Selection) else value


def _extents(value: Any) -> list[Extent | None]:
    return list(value.extents) if isinstance(value, Selection) else [None] * value.ndim


def _along(selection: Selection, value: Any, axis: int, part: Any) -> tuple[Any, bool]:
    """A part of an index applied to an axis; whether the axis is kept."""
    extents = _extents(value)
    extent = extents[axis]
    array = _array(value)
    if extent is None:
        where_ = (_WHOLE,) * axis
        if isinstance(part, Bounds) or (hasattr(part, "ndim") and part.ndim):
            raise refused(selection, "is indexed once more on another axis")
        kept = isinstance(part, builtins.slice)
        if not kept:
            del extents[axis]
        return having(selection, array[(*where_, part)], extents), kept
    if isinstance(part, Selection) and part.dtype == bool and part.ndim == 1:
        extents[axis] = Chosen(extent.lanes() & onto(part, [extent]), shares=False)
        return having(selection, array, extents), True
    if isinstance(part, builtins.slice | Bounds):
        return _sliced(selection, array, extents, axis, part), True
    if jnp.ndim(part) or jnp.result_type(part).kind not in "iu":
        raise refused(selection, "is indexed with an array")
    del extents[axis]
    return having(selection, item(array, axis, extent, part), extents), False


def item(array: Any, axis: int, extent: Extent, index: Any) -> Any:
    """The chosen item with that number; IndexError where there is none."""
    length = extent.length
    _require_inside(index, length)
    return lax.dynamic_index_in_dim(array, place(extent, index, length), axis, keepdims=False)


def _require_inside(index: Any, length: Any) -> None:
    outside = (index < -length) | (index >= length)
    checks.fail_if(outside, IndexError("index is out of bounds for a part of an array"))


def place(extent: Extent, index: Any, length: Any) -> Any:
    """Where the chosen item with that number is."""
    rank = as_index(jnp.asarray(index))
    return extent.lane(jnp.where(rank < 0, rank + length, rank))


def _sliced(selection: Selection, array: Any, extents: list[Extent | None], axis: int, part: Any) -> Any:
    """A slice of the chosen items of an axis."""
    lower, upper, step = (
        (part.lower, part.upper, part.step)
        if isinstance(part, Bounds)
        else (part.start, part.stop, part.step)
    )
    step = 1 if step is None else step
    extent = extents[axis]
    assert extent is not None
    if traced(step) or step < -1 or step == 0 or (step == -1 and (lower is not None or upper is not None)):
        raise refused(selection, "is sliced with that step")
    if step == -1:
        extents[axis] = extent.flipped()
        return having(selection, jnp.flip(array, axis), extents)
    if lower is None and upper is None and step == 1:
        return having(selection, array, extents)
    length = jnp.asarray(extent.length)
    low, high = (_counted(bound, length, missing) for bound, missing in ((lower, 0), (upper, length)))
    if isinstance(extent, Span) and step == 1:
        extents[axis] = Span(extent.size, extent.start + low, extent.start + high)
        return having(selection, array, extents)
    ranks = extent.ranks()
    inside = (ranks >= low) & (ranks < high) & ((ranks - low) % step == 0)
    extents[axis] = Chosen(extent.lanes() & inside, shares=extent.shares)
    return having(selection, array, extents)


def _counted(bound: Any, length: jax.Array, missing: Any) -> Any:
    """A bound of a slice, where so many items are: from 0 to their number."""
    if bound is None:
        return missing
    return affine.clipped(jnp.asarray(bound), length, (None, None))


def written(selection: Selection, index: Any, value: Any) -> Any:
    """The selection after `selection[index] = value`, where it has one axis: a value of its own, and no view of the array."""
    if selection.ndim != 1 or isinstance(index, tuple):
        raise refused(selection, "is written to")
    extent = selection.extents[0]
    assert extent is not None
    index = affine.known(index)
    if isinstance(index, builtins.slice | Bounds | Selection):
        steps = (index.step,) if isinstance(index, builtins.slice | Bounds) else ()
        if any(traced(step) or (step is not None and step < 0) for step in steps):
            raise refused(selection, "is written to in reverse")
        part = picked(selection, index)
        lanes, new = chosen(part.extents), onto(value, part.extents)
    else:
        if jnp.ndim(index) or jnp.result_type(index).kind not in "iu":
            raise refused(selection, "is written to at an array of places")
        length = extent.length
        _require_inside(index, length)
        lanes, new = jnp.arange(extent.size) == place(extent, index, length), value
    array = selection.array
    return having(selection, jnp.where(lanes, jnp.asarray(new, array.dtype), array), selection.extents)


METHODS["[]"] = picked
