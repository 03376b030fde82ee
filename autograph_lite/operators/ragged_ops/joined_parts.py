"""Joined parts: what do np.concatenate and the like give of selections? One array after the other, and where each of them counts.

np.concatenate([x[m], y])             x and y in a row, where `m` holds or y lies
np.stack(history), np.vstack(rows)    of a list whose length only the data knows: the list is a part already
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp

from autograph_lite.operators.ragged.elementwise import common, onto
from autograph_lite.operators.ragged.extents import Chosen, Extent, Span
from autograph_lite.operators.ragged.selection import METHODS, Selection, chosen, extents_of, having, unsized


def ravel(value: Any) -> Any:
    """`np.ravel`."""
    if not isinstance(value, Selection):
        return jnp.ravel(value)
    lanes = jnp.broadcast_to(chosen(value.extents), value.array.shape)
    return having(value, value.array.reshape(-1), [Chosen(lanes.reshape(-1))], memory=value.memory)


def concatenate(arrays: Any, axis: int | None = 0, dtype: Any = None) -> Any:
    """`np.concatenate`."""
    if isinstance(arrays, Selection):
        return _one_after_the_other(arrays, axis)
    parts = [part if isinstance(part, Selection) else jnp.asarray(part) for part in arrays]
    if axis is None:
        parts, axis = [ravel(part) for part in parts], 0
    axis %= len(extents_of(parts[0]))
    target = [None if k == axis else extent for k, extent in enumerate(common(parts))]
    array = jnp.concatenate([onto(part, target) for part in parts], axis, dtype)
    if any(extents_of(part)[axis] is not None for part in parts):
        target[axis] = Chosen(jnp.concatenate([_lanes(part, axis) for part in parts]))
    return having(next(part for part in parts if isinstance(part, Selection)), array, target)


def _lanes(part: Any, axis: int) -> Any:
    extent = extents_of(part)[axis]
    return jnp.ones(part.shape[axis], bool) if extent is None else extent.lanes()


def _one_after_the_other(rows: Selection, axis: int | None) -> Any:
    """The items of a list whose length only the data knows, or the rows of a part, in one."""
    if rows.ndim == 1:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    own, inner = rows.extents[:2]
    if axis != 0 or inner is not None or own is None:
        raise unsized(rows, "is handed to 'concatenate'")
    size, length = rows.array.shape[:2]
    extent: Extent = (
        Span(size * length, own.start * length, own.stop * length)
        if isinstance(own, Span)
        else Chosen(jnp.repeat(own.mask, length))
    )
    array = rows.array.reshape(size * length, *rows.array.shape[2:])
    return having(rows, array, (extent, *rows.extents[2:]))


def stack(arrays: Any, axis: int = 0) -> Any:
    """`np.stack`."""
    if isinstance(arrays, Selection):
        if axis != 0:
            raise unsized(arrays, "is handed to 'stack'")
        return METHODS["copy"](arrays)
    axis %= max(len(extents_of(part)) for part in arrays) + 1
    return concatenate([_with_axis(part, axis) for part in arrays], axis)


def vstack(tup: Any) -> Any:
    """`np.vstack`."""
    if isinstance(tup, Selection):
        return _with_axis(tup, 1) if tup.ndim == 1 else stack(tup) if tup.ndim == 2 else concatenate(tup)
    return concatenate([_with_axis(part, 0) if len(extents_of(part)) < 2 else part for part in tup])


def hstack(tup: Any) -> Any:
    """`np.hstack`."""
    if isinstance(tup, Selection):
        return stack(tup) if tup.ndim == 1 else concatenate(tup, 0 if tup.ndim == 2 else 1)
    parts = [part if isinstance(part, Selection) else jnp.atleast_1d(jnp.asarray(part)) for part in tup]
    return concatenate(parts, 0 if len(extents_of(parts[0])) == 1 else 1)


def column_stack(tup: Any) -> Any:
    """`np.column_stack`."""
    if isinstance(tup, Selection):
        return stack(tup).T
    return concatenate([_with_axis(part, 1) if len(extents_of(part)) < 2 else part for part in tup], 1)


def append(arr: Any, values: Any, axis: int | None = None) -> Any:
    """`np.append`."""
    return concatenate([arr, values], axis)


def _with_axis(part: Any, axis: int) -> Any:
    part = part if isinstance(part, Selection) else jnp.asarray(part)
    return part[(*(slice(None),) * axis, None)]


JOINED: dict[str, Callable[..., Any]] = {
    "ravel": ravel, "flatten": ravel, "concatenate": concatenate, "stack": stack, "vstack": vstack, "row_stack": vstack,
    "hstack": hstack, "column_stack": column_stack, "append": append,
}  # fmt: skip
METHODS.update({name: JOINED[name] for name in ("ravel", "flatten")})
