"""Indexing: what is an item, or a part, of a selection? Indices count the chosen items.

x[i:j][k]                             x[i + k], where k is less than j - i
x[:j][::-1], x[:j][1:], x[:j][x[:j] > 0]
x[m][[0, -1]], x[m][:, [2, 0]]        gathered: the first and the last row that `m` chooses, two columns of all that it chooses
x[jnp.nonzero(m)[0]]                  gathered, of an array: those items count whose places do

As NumPy has it, a mask that stands beside arrays of places is the array of the places where it holds.
"""

from __future__ import annotations

import builtins
import operator
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph_lite.jax_internals.dataflow import recorded_ints
from autograph_lite.jax_internals.references import numpys_arrays
from autograph_lite.operators.checks import carried_checks
from autograph_lite.operators.ragged import affine_bounds, mask_positions
from autograph_lite.operators.ragged.affine_bounds import Bounds
from autograph_lite.operators.ragged.elementwise import common, onto, require_equal
from autograph_lite.operators.ragged.extents import Chosen, Extent, entire
from autograph_lite.operators.ragged.index_axes import axis_of, filled_up, is_apart, is_array, require_shape
from autograph_lite.operators.ragged.nested_slices import sliced
from autograph_lite.operators.ragged.selection import (
    METHODS,
    Origin,
    Selection,
    array_of,
    chosen,
    extents_of,
    length_of,
)
from autograph_lite.operators.values.values import any_traced, as_index, is_symbolic, traced

_WHOLE = builtins.slice(None)


def picked(base: Any, index: Any, origin: Origin | None = None, *, missing: int | None = None) -> Any:
    """`base[index]`, of an array or a selection; selections, masks and arrays may stand in the index.

    Args:
      base: an array or a selection.
      index: what stands in the brackets.
      origin: what messages call the part; None for what they call `base`.
      missing: what is read beyond the ends of an axis; None for what JAX's arrays give there.
    """
    given = index if isinstance(index, tuple) else (index,)
    parts = [part for _, part in filled_up([*map(_known, given)], len(extents_of(base)))]
    part = _Part(base, base.origin if origin is None else origin, missing)
    return part.taken(part.without_masks(parts))


def _known(part: Any) -> Any:
    """A part of an index as a slice, `Bounds`, a number, an array, a selection, None or Ellipsis."""
    if isinstance(part, (list, tuple, builtins.range)):
        part = jnp.asarray(part) if any_traced(part) else np.asarray(part)
        return part if part.size else part.astype(int)
    if isinstance(part, (bool, np.bool_)) or (is_array(part) and part.dtype == bool and not part.ndim):
        raise IndexError("a part of an array whose length only the data knows is indexed by a truth value")
    return affine_bounds.as_bounds(part)


class _Part:
    """A part of an array or a selection, as far as it has been taken."""

    def __init__(self, base: Any, origin: Origin, missing: int | None) -> None:
        self.array, self.extents = array_of(base), [*extents_of(base)]
        self.memory = base.memory if isinstance(base, Selection) else None
        self.origin, self.missing = origin, missing

    def taken(self, parts: list[Any]) -> Any:
        """What is chosen by slices, numbers, arrays and None, in an index `without_masks`."""
        axis = 0
        for number, part in enumerate(parts):
            if isinstance(part, builtins.slice | Bounds):
                self._slice(axis, part)
                parts[number] = _WHOLE
            axis += part is not None
        if any(map(np.ndim, parts)) or any(isinstance(part, Selection) for part in parts):
            self._gather(parts)
        else:
            self._take_numbers(parts)
        if all(extent is None for extent in self.extents):
            return self.array
        return Selection(self.array, self.extents, self.origin, memory=self.memory)

    # Masks

    def without_masks(self, parts: list[Any]) -> list[Any]:
        """The index without its masks: a single one that is traced has narrowed the axes that it is about, others are places."""
        found: list[Any] = []
        axis = 0
        alone = not is_apart(parts) and sum(is_array(part) and part.ndim > 0 for part in parts) == 1
        for part in parts:
            if not (is_array(part) and part.dtype == bool):
                found.append(part)
                axis += part is not None
                continue
            extents = self.extents[axis : axis + part.ndim]
            self._require_fit(part, axis)
            if not alone or not (traced(part) or isinstance(part, Selection) or any(extents)):
                found += mask_positions.nonzero(part)
                axis += part.ndim
                continue
            self._narrow(part, axis)
            found.append(_WHOLE)
            axis += 1
        return found

    def _require_fit(self, mask: Any, axis: int) -> None:
        own = self.extents[axis : axis + mask.ndim]
        if not any(own) and not isinstance(mask, Selection):
            require_shape(mask, self.array.shape[axis : axis + mask.ndim])
        sizes = self.array.shape[axis : axis + mask.ndim]
        for number, (extent, other) in enumerate(zip(own, extents_of(mask), strict=True)):
            if extent is None or other is None or not extent.same(other):
                require_equal(length_of(mask, number), sizes[number] if extent is None else extent.length)

    def _narrow(self, mask: Any, axis: int) -> None:
        """One axis, in place of those that a mask is about, of the items where it holds."""
        shape, stop = self.array.shape, axis + mask.ndim
        own = self.extents[axis:stop]
        target = [extent or entire(size) for extent, size in zip(own, shape[axis:stop], strict=True)]
        holds, lanes = onto(mask, target), chosen(own)
        holds = jnp.broadcast_to(holds if lanes is None else holds & lanes, shape[axis:stop])
        self.extents[axis:stop] = [Chosen(holds.reshape(-1))]
        self.memory = ...
        if mask.ndim > 1:
            self.array = self.array.reshape(*shape[:axis], -1, *shape[stop:])

    # Slices

    def _slice(self, axis: int, part: Any) -> None:
        extent = self.extents[axis]
        if extent is not None:
            self.extents[axis], flipped = sliced(extent, part)
            self.array = jnp.flip(self.array, axis) if flipped else self.array
        elif isinstance(part, Bounds):
            found = axis_of(part, self.array.shape[axis])
            if found.size is not self.array.shape[axis]:
                self.array = lax.dynamic_slice_in_dim(self.array, found.start, found.size, axis)
            self.array = jnp.flip(self.array, axis) if found.backwards else self.array
            self.extents[axis] = found.extent
        elif part != _WHOLE:
            self.array = self.array[(*(_WHOLE,) * axis, part)]

    # Numbers and arrays

    def _take_numbers(self, parts: list[Any]) -> None:
        """An item of each axis that a number is about; None makes an axis."""
        axis = len(self.extents)
        for part in reversed(parts):
            axis -= part is not None
            if part is None or isinstance(part, builtins.slice):
                continue
            place, _ = self._places(part, axis)
            if self.extents[axis] is not None:
                starts = [place if k == axis else jnp.zeros_like(place) for k in range(self.array.ndim)]
                sizes = [1 if k == axis else size for k, size in enumerate(self.array.shape)]
                # in two operations, as views are seen
                self.array = lax.squeeze(lax.dynamic_slice(self.array, starts, sizes), [axis])
            else:
                self.array = self._at((*(_WHOLE,) * axis, place))
            del self.extents[axis]
        kept = [part for part in parts if part is None or isinstance(part, builtins.slice)]
        new = [number for number, part in enumerate(kept) if part is None]
        self.array = jnp.expand_dims(self.array, new) if new else self.array
        for number in new:
            self.extents.insert(number, None)

    def _gather(self, parts: list[Any]) -> None:
        """The items at arrays of places, which go together as NumPy's."""
        extents = iter([*self.extents])
        kept: list[Extent | None] = []
        advanced: dict[int, Any] = {}
        axis = first = 0
        for number, part in enumerate(parts):
            if part is None:
                kept.append(None)
                continue
            extent = next(extents)
            if isinstance(part, builtins.slice):
                kept.append(extent)
            else:
                first = first if advanced else len(kept)
                place, lanes = self._places(part, axis)
                advanced[number] = Selection(place, lanes, self.origin) if any(lanes) else place
            axis += 1
        target = common([*advanced.values()])
        index = [onto(advanced[k], target) if k in advanced else part for k, part in enumerate(parts)]
        self.array, self.memory = numpys_arrays.note_next(self._at(tuple(index)), self.array), ...
        first = 0 if is_apart(parts) else first
        self.extents = [*kept[:first], *target, *kept[first:]]

    def _at(self, index: tuple[Any, ...]) -> Any:
        if self.missing is None:
            return self.array[index]
        return self.array.at[index].get(mode="fill", fill_value=self.missing)

    def _places(self, part: Any, axis: int) -> tuple[Any, tuple[Extent | None, ...]]:
        """Where on an axis the items are that a number or an array counts, and which of them count.

        Raises:
          IndexError: there is no such item, when it is traced or as the program runs; JAX's rule holds on an axis that is whole.
        """
        if not jnp.issubdtype(part.dtype if hasattr(part, "dtype") else jnp.result_type(part), jnp.integer):
            raise IndexError("arrays used as indices must be of integer (or boolean) type")
        extent, rank = self.extents[axis], array_of(part)
        size = self.array.shape[axis]
        if extent is None:
            self._require_on_axis(part, rank, size)
            return operator.index(rank) if not np.ndim(rank) and not traced(rank) else rank, extents_of(part)
        length = extent.length
        _require_inside(rank, length, chosen(extents_of(part)))
        rank = as_index(jnp.asarray(rank))
        return extent.lane(jnp.where(rank < 0, rank + length, rank)), extents_of(part)

    def _require_on_axis(self, part: Any, rank: Any, size: Any) -> None:
        if isinstance(part, Selection):
            low, high = recorded_ints.known_range(rank)
            if low is None or high is None or not -size <= low <= high < size:
                _require_inside(rank, size, chosen(part.extents))
        elif not traced(rank) and not is_symbolic(size):
            outside = (np.asarray(rank) < -size) | (np.asarray(rank) >= size)
            if outside.any():
                place = np.asarray(rank)[outside][0]
                raise IndexError(f"index {place} is out of bounds for axis with size {size}")


def _require_inside(index: Any, length: Any, lanes: Any = None) -> None:
    index = as_index(jnp.asarray(index))  # an unsigned one is never less than what is negative
    outside = (index < -length) | (index >= length)
    outside = outside if lanes is None else outside & lanes
    outside = jnp.any(outside) if jnp.ndim(outside) else outside
    carried_checks.fail_if(outside, IndexError("index is out of bounds for a part of an array"))


METHODS["[]"] = picked
