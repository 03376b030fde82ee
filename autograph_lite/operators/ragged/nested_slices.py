"""Nested slices: what does a slice choose of an axis, if items of it are chosen already? It counts these.

x[i:j][1:-1], x[m][::2]               a shorter span, every second place where the mask holds
x[m][::-1], x[m][3:0:-2]              likewise of the axis in reverse
"""

from __future__ import annotations

import builtins
from typing import Any

import jax
import jax.numpy as jnp

from autograph_lite.operators.checks import carried_checks
from autograph_lite.operators.ragged import affine_bounds
from autograph_lite.operators.ragged.affine_bounds import Bounds
from autograph_lite.operators.ragged.extents import Chosen, Extent, Span
from autograph_lite.operators.values.values import as_index, traced


def sliced(extent: Extent, part: builtins.slice | Bounds) -> tuple[Extent, bool]:
    """What is chosen of an axis then, and whether the axis is in reverse."""
    lower, upper, step = (
        (part.lower, part.upper, part.step)
        if isinstance(part, Bounds)
        else (part.start, part.stop, part.step)
    )
    step = 1 if step is None else step
    if traced(step):
        carried_checks.fail_if(
            step < 1, ValueError("a traced step of a slice has to be positive"), limit=True
        )
        return _forwards(extent, lower, upper, jnp.maximum(step, 1)), False
    if step == 0:
        raise ValueError("slice step cannot be zero")
    if step > 0:
        return _forwards(extent, lower, upper, step), False
    extent = extent.flipped()
    if lower is not None or upper is not None:
        length = jnp.asarray(extent.length)
        lower, upper = _from_end(lower, length), _from_end(upper, length)
    return _forwards(extent, lower, upper, -step), True


def _forwards(extent: Extent, lower: Any, upper: Any, step: Any) -> Extent:
    is_one = not traced(step) and step == 1
    if lower is None and upper is None and is_one:
        return extent
    length = jnp.asarray(extent.length)
    low, high = _counted(lower, length, 0), _counted(upper, length, length)
    if isinstance(extent, Span) and is_one:
        return Span(extent.size, extent.start + low, extent.start + high)
    ranks = extent.ranks()
    inside = (ranks >= low) & (ranks < high) & ((ranks - low) % step == 0)
    return Chosen(extent.lanes() & inside)


def _counted(bound: Any, length: jax.Array, missing: Any) -> Any:
    """A bound of a slice, where so many items are: from 0 to their number."""
    return missing if bound is None else affine_bounds.clipped(jnp.asarray(bound), length, (None, None))


def _from_end(bound: Any, length: jax.Array) -> Any:
    """A bound of a slice that goes backwards, counted from the other end: how many items lie behind the one at the bound."""
    if bound is None:
        return None
    place = as_index(jnp.asarray(bound))
    return length - jnp.clip(jnp.where(place < 0, place + length, place) + 1, 0, length)
