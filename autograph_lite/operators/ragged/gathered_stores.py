"""Gathered stores: what is a selection after a write, and an array after one to positions that an array of indices gives?

b = x[m]; b[:, [1, 0]] = 0            one scatter; what lies in rows that `m` leaves out is no matter
x[jnp.where(m)[0]] = 0                one scatter; what is not chosen is written beyond the end, which writes nothing
b[1:] += 1                            no scatter: the items are where they were
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from autograph_lite.jax_internals.references import numpys_arrays
from autograph_lite.operators.checks import catching
from autograph_lite.operators.ragged.elementwise import onto
from autograph_lite.operators.ragged.extents import entire
from autograph_lite.operators.ragged.indexing import picked
from autograph_lite.operators.ragged.selection import Origin, Selection, array_of, chosen, extents_of


def write_gathered(base: Any, index: Any, value: Any, origin: Origin | None = None) -> Any:
    """`base` after `base[index] = value`; a selection is a value of its own then, and no view of an array."""
    array, extents = array_of(base), extents_of(base)
    places = jnp.arange(array.size).reshape(array.shape)
    named = base.origin if origin is None else origin
    part = picked(
        Selection(places, extents, named) if any(extents) else places, index, named, missing=array.size
    )
    kept, lanes = extents_of(part), chosen(extents_of(part))
    target = [
        extent or (entire(size) if isinstance(value, Selection) else None)
        for extent, size in zip(kept, jnp.shape(array_of(part)), strict=True)
    ]
    new = onto(trimmed(value, len(kept)), target)
    new = jnp.asarray(new, None if jnp.issubdtype(array.dtype, jax.dtypes.extended) else array.dtype)
    if array_of(part) is places:  # some of them, where they are
        array = new if lanes is None else jnp.where(lanes, new, array)
    else:
        at = array_of(part)
        at = at if lanes is None else jnp.where(lanes, at, array.size)
        at = jnp.where(
            catching.unraised(), at, array.size
        )  # nowhere, where there is no such item and a `try` catches that
        new = jnp.broadcast_to(new, jnp.shape(at))
        array = array.reshape(-1).at[at].set(new, mode="drop").reshape(array.shape)
    numpys_arrays.note_next(array, array_of(base))
    return Selection(array, extents, base.origin, memory=base.memory) if any(extents) else array


def trimmed(value: Any, ndim: int) -> Any:
    """`value` without the leading axes of length one that an assignment does not mind."""
    if isinstance(value, Selection):
        return value
    value = jnp.asarray(value)
    extra = value.ndim - ndim
    return value.reshape(value.shape[extra:]) if extra > 0 and set(value.shape[:extra]) == {1} else value
