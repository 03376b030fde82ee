"""Unique values: what does `np.unique` give of a traced array, where only the data knows how many items differ?

np.unique(y)                          the part of the sorted array that a mask chooses: each item that differs from the one before
np.unique(y, return_counts=True)      that, and the same part of how often each occurs
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from autograph_lite.operators.ragged.extents import Chosen
from autograph_lite.operators.ragged.selection import Origin, Selection
from autograph_lite.operators.ragged.slice_spelling import Spelled, sized
from autograph_lite.operators.user_code import source_places


def unique(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Any = None,
    equal_nan: bool = True,
) -> Any:
    """`np.unique`, with NumPy's arguments."""
    if axis is not None:
        return jnp.unique(ar, return_index, return_inverse, return_counts, axis)
    items = jnp.asarray(ar).reshape(-1)
    order = jnp.argsort(items, stable=True)
    items = items[order]
    same = items[1:] == items[:-1]
    if equal_nan and jnp.issubdtype(items.dtype, jnp.inexact):
        same = same | (jnp.isnan(items[1:]) & jnp.isnan(items[:-1]))
    first = jnp.concatenate([jnp.ones(min(items.size, 1), bool), ~same])
    extent, rank = Chosen(first), jnp.cumsum(first) - 1
    text = source_places.expression()
    origin = Origin(
        source_places.here(), Spelled(text, "Its items are traced.", sized("unique", "x", items.size))
    )
    found: list[Any] = [Selection(items, (extent,), origin)]
    if return_index:
        found.append(Selection(order, (extent,), origin))
    if return_inverse:
        found.append(jnp.zeros_like(order).at[order].set(rank).reshape(jnp.shape(ar)))
    if return_counts:
        found.append(Selection(jnp.zeros_like(order).at[rank].add(1)[rank], (extent,), origin))
    return tuple(found) if len(found) > 1 else found[0]
