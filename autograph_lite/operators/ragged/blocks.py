"""Blocks: what does an index choose that has slices with traced bounds, or masks, in it? A block, and extents in it.

    A[i, :j]                              the row i, and in it a span
    x[i - 1 : i + 2]                      the three items from i - 1 on
    A[i : i + b, j : j + b] = v           a block of b rows and columns, written where it is

A block is read by one dynamic slice and written by one dynamic update, in place where XLA can (`trace_context.update_order`).
Arrays of places are taken by a gather; a step is a mask in the block where a bound or the step is traced.
"""

from __future__ import annotations

import builtins
import dataclasses
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph_lite.operators.ragged import affine_bounds, elementwise, gathered_stores, indexing
from autograph_lite.operators.ragged.affine_bounds import Bounds
from autograph_lite.operators.ragged.extents import Extent, Span
from autograph_lite.operators.ragged.index_axes import (
    Axis,
    axis_of,
    filled_up,
    is_apart,
    is_array,
    is_mask,
    require_shape,
    width,
)
from autograph_lite.operators.ragged.selection import Origin, Selection, chosen
from autograph_lite.operators.ragged.slice_spelling import spell_slice
from autograph_lite.operators.trace_context import update_order
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values.values import is_symbolic, traced


def is_needed(index: Any) -> bool:
    """Whether an index has a slice with a traced bound or step in it, a traced mask, or a selection."""
    return any(map(_is_unknown, index if isinstance(index, tuple) else (index,)))


def _is_unknown(part: Any) -> bool:
    if isinstance(part, Bounds | Selection):
        return True
    if isinstance(part, builtins.slice):
        return affine_bounds.as_bounds(part) is not part
    return is_mask(part)


class Block:
    """A part of an array."""

    def __init__(self, base: Any, index: Any) -> None:
        self.text, self.place = source_places.expression(), source_places.here()
        parts = filled_up(_parts(index), base.ndim)
        self.base, parts = _flattened(base, parts)
        self.shape = base.shape
        self.new: list[int] = []  # the axes of the result that the index adds
        self.axes: list[Axis] = []
        for number, part in parts:
            if part is None:
                self.new.append(sum(axis.kept for axis in self.axes) + len(self.new))
            else:
                axis = axis_of(part, self.base.shape[len(self.axes)])
                self.axes.append(dataclasses.replace(axis, part=number))

    @property
    def extents(self) -> list[Extent | None]:
        """For each axis of the result which places count."""
        found: list[Extent | None] = [axis.extent for axis in self.axes if axis.kept]
        for axis in self.new:
            found.insert(axis, None)
        return found

    def read(self) -> Any:
        """The part: an array, or a selection."""
        array = self._items()
        if all(extent is None for extent in self.extents):
            return array
        copies = any(axis.copies for axis in self.axes)
        return Selection(array, self.extents, self.origin(), memory=... if copies else None)

    def origin(self) -> Origin:
        """What messages say of the part."""
        axis = next(axis for axis in self.axes if axis.extent is not None)
        after = len(self.extents) - 1 - self.extents.index(axis.extent)
        return Origin(self.place, spell_slice(self.text, axis.part, axis.size, after=after))

    def _items(self) -> Any:
        starts = [axis.start for axis in self.axes]
        array = update_order.latest(self.base)
        sizes = [axis.size for axis in self.axes]
        if any(map(traced, starts)):
            array = lax.dynamic_slice(array, _of_one_type(starts), sizes, allow_negative_indices=False)
        elif any(axis.size is not size for axis, size in zip(self.axes, array.shape, strict=True)):
            array = array[tuple(builtins.slice(s, s + n) for s, n in zip(starts, sizes, strict=True))]
        array = update_order.read_in_order(
            self.base, array, unknown=any(extent is not None for extent in self.extents)
        )
        array = lax.squeeze(array, [k for k, axis in enumerate(self.axes) if not axis.kept])
        turned = [k for k, axis in enumerate(a for a in self.axes if a.kept) if axis.backwards]
        array = lax.rev(array, turned) if turned else array
        return jnp.expand_dims(array, self.new) if self.new else array

    def write(self, value: Any) -> Any:
        """The array with the items of `value` in this part."""
        old = self._items()
        target = [
            extent or (Span(size, 0, size) if isinstance(value, Selection) else None)
            for extent, size in zip(self.extents, old.shape, strict=True)
        ]
        array = elementwise.onto(gathered_stores.trimmed(value, len(target)), target)
        new = jnp.broadcast_to(as_items_of(old, array), old.shape)
        inside = [axis.inside for axis in self.axes if axis.inside is not True]
        kept = chosen(self.extents)
        for condition in inside:
            kept = condition if kept is None else kept & condition
        if kept is not None:
            new = jnp.where(kept, new, old)
        return update_order.pin_update(self._placed(new)).reshape(self.shape)

    def _placed(self, new: Any) -> Any:
        """The base with these items in the part."""
        new = lax.squeeze(new, self.new)
        turned = [k for k, axis in enumerate(a for a in self.axes if a.kept) if axis.backwards]
        new = lax.rev(new, turned) if turned else new
        new = new.reshape([axis.size for axis in self.axes])
        starts = [axis.start for axis in self.axes]
        if not any(map(traced, starts)) and new.shape == self.base.shape:
            return new

        def write(array: Any, new: Any) -> Any:
            return lax.dynamic_update_slice(array, new, _of_one_type(starts), allow_negative_indices=False)

        return update_order.write_out_of_place(update_order.latest(self.base), new, write)


def read_block(base: Any, index: Any) -> Any:
    """`base[index]` of an array, with slices of traced bounds, masks or positions in the index."""
    if _is_gathered(base, index):
        return indexing.picked(update_order.latest(base), index, _origin(base, index))
    strided, rest = _strides(base, index)
    return Block(base if strided is None else base[strided], rest).read()


def write_block(base: Any, index: Any, value: Any) -> Any:
    """The array after `base[index] = value`."""
    if _is_gathered(base, index):
        return update_order.pin_update(
            gathered_stores.write_gathered(update_order.latest(base), index, value, _origin(base, index))
        )
    strided, rest = _strides(base, index)
    if strided is None:
        return Block(base, rest).write(value)
    return base.at[strided].set(Block(base[strided], rest).write(value))


def _parts(index: Any) -> list[Any]:
    return list(index) if isinstance(index, tuple) else [index]


def _is_gathered(base: Any, index: Any) -> bool:
    """Whether arrays stand in an index in another way than one mask, or one array of places among slices."""
    parts = [part for _, part in filled_up(_parts(index), base.ndim)]
    arrays = [part for part in parts if is_array(part) and part.ndim]
    if not arrays or any(isinstance(part, Selection) for part in arrays):
        return bool(arrays)
    only = len(arrays) == 1 and not is_apart(parts)
    return not (only and (is_mask(arrays[0]) or (_is_places(arrays[0]) and _numbers(parts) == 1)))


def _numbers(parts: Sequence[Any]) -> int:
    """How many parts of an index are numbers or arrays."""
    return sum(part is not None and not isinstance(part, builtins.slice | Bounds) for part in parts)


def _origin(base: Any, index: Any) -> Origin:
    """What messages say of a part that is gathered: of positions, what they say of these."""
    parts = filled_up(_parts(index), base.ndim)
    text, place = source_places.expression(), source_places.here()
    for _, part in parts:
        if isinstance(part, Selection):
            return Origin(place, dataclasses.replace(part.origin.spelled, text=text))
    number, part = next(each for each in parts if _is_unknown(each[1]))
    axis = sum(width(part) for n, part in parts if n < number)
    size = part.size if is_mask(part) else base.shape[axis]
    return Origin(place, spell_slice(text, number, size, gathered=True))


def _strides(base: Any, index: Any) -> tuple[Any, Any]:
    """The parts of an index that no traced bound is in, and what is left for the items that they take.

    They are slices with a step, and an array of places where it is alone among slices.
    """
    parts = _parts(index)
    if any(is_mask(part) and part.ndim > 1 for part in parts):
        return None, index
    parts = [part for _, part in filled_up(parts, base.ndim)]
    found: list[Any] = [builtins.slice(None)] * base.ndim
    taken = False
    axis = 0
    for number, part in enumerate(parts):
        if _is_strided(part, base.shape, axis) or (_is_places(part) and _numbers(parts) == 1):
            found[axis], parts[number], taken = part, builtins.slice(None), True
        axis += part is not None
    return (tuple(found), tuple(parts)) if taken else (None, index)


def _is_strided(part: Any, shape: Sequence[Any], axis: int) -> bool:
    plain = isinstance(part, builtins.slice) and affine_bounds.as_bounds(part) is part
    return plain and part.step not in (None, 1, -1) and not is_symbolic(shape[axis])


def _is_places(part: Any) -> bool:
    return isinstance(part, jax.Array | np.ndarray) and part.ndim == 1 and part.dtype.kind in "iu"


def _of_one_type(starts: Sequence[Any]) -> list[Any]:
    return [jnp.asarray(start, jnp.result_type(int)) for start in starts]


def as_items_of(old: Any, array: Any) -> Any:
    """`array` as NumPy casts it where it becomes items of `old`."""
    if array.dtype == old.dtype or jnp.issubdtype(old.dtype, jax.dtypes.extended):
        return array
    return array.astype(old.dtype)


def _flattened(base: Any, parts: list[tuple[int, Any]]) -> tuple[Any, list[tuple[int, Any]]]:
    """The array and the index with one axis in place of those that a mask of several axes is about."""
    axis = 0
    for at, (number, part) in enumerate(parts):
        if is_mask(part) and part.ndim > 1:
            stop = axis + part.ndim
            require_shape(part, base.shape[axis:stop])
            shape = (*base.shape[:axis], part.size, *base.shape[stop:])
            return base.reshape(shape), [*parts[:at], (number, part.ravel()), *parts[at + 1 :]]
        axis += part is not None
    return base, parts
