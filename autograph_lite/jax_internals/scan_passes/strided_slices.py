"""Strided slices: what are the items of an array at known places? Slices, put together if they are few; else a gather.

places 1, 2, ..., n - 1, 0            concatenate(x[1:], x[:1]), as `jnp.roll` has it
places 0, 2, 4                        x[0:5:2]

Neither do long rows of numbers stand in the program one by one.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

# Of so many slices an array is put together.
_PIECES = 3
# So many numbers may stand in the program one by one.
_MANY = 4096


def are_short(numbers: Any) -> bool:
    """Whether a program may hold these numbers of NumPy's; it computes others."""
    return len(numbers) <= _MANY or len(_runs(numbers)) <= _PIECES


def array(numbers: Any, dtype: Any) -> Any:
    """Integers or bools of NumPy's as an array of that dtype."""
    if dtype.kind == "b":
        return array(numbers, np.dtype(np.int32)) != 0
    runs = _runs(numbers)
    if len(runs) > _PIECES:
        return jnp.asarray(numbers.astype(dtype))
    dtype = jax.dtypes.canonicalize_dtype(dtype)
    pieces = [lax.iota(dtype, count) * dtype.type(step) + dtype.type(first) for first, step, count in runs]
    return pieces[0] if len(pieces) == 1 else lax.concatenate(pieces, 0)


def take_strided(source: Any, axis: int, places: Any) -> Any:
    """The items of an axis at these places: int64[n] of NumPy's, all on the axis."""
    runs = _runs(places)
    if len(runs) > _PIECES:
        return jnp.take(source, array(places, np.dtype(np.int32)), axis, mode="clip")
    pieces = [_piece(source, axis, *run) for run in runs]
    return pieces[0] if len(pieces) == 1 else lax.concatenate(pieces, axis)


def _runs(places: Any) -> list[tuple[int, int, int]]:
    """Numbers as runs in equal steps, no more of them than are worth it: the first number, the step, how many."""
    found: list[tuple[int, int, int]] = []
    places = places.astype(np.int64)
    steps, first = np.diff(places), 0
    while first < len(places) and len(found) <= _PIECES:
        others = np.flatnonzero(steps[first:] != steps[first : first + 1])
        end = first + int(others[0]) + 1 if len(others) else len(places)
        step = int(steps[first]) if first < len(steps) else 1
        if end - first == 2 and abs(step) != 1:  # `n - 1, 0, 1, 2`: the first stands alone
            end, step = first + 1, 1
        found.append((int(places[first]), step, end - first))
        first = end
    return found


def _piece(source: Any, axis: int, first: int, step: int, count: int) -> Any:
    """`count` items of an axis, from `first` on."""
    last = first + step * (count - 1)
    if step == 0:
        one = lax.slice_in_dim(source, first, first + 1, axis=axis)
        return jnp.repeat(one, count, axis, total_repeat_length=count)
    low, high = min(first, last), max(first, last)
    if (low, high, abs(step)) == (0, np.shape(source)[axis] - 1, 1):
        part = source
    else:
        part = lax.slice_in_dim(source, low, high + 1, abs(step), axis)
    return part if step > 0 else lax.rev(part, [axis])
