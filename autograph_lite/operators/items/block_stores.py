"""`x[:] = v` and `x[1:-1] = v` write all of an array and a block of it, and are no scatter.

In the first the array is made of the value alone. XLA makes a map of such a scatter, and ends the process where that is
reversed: `jax.jit(lambda x: x.at[:].set(1)[::-1])` (jax 0.10.2 and 0.12.0.1).

The second is an update of a slice. The places that a scatter takes are an array, which the gradient of a program that is called
by another one keeps, so that XLA no longer knows them there: the gradient of a loop with two such writes took twice as long
(4.3 and 2.1 ms, 50 times two blocks of 126 x 126, jax 0.12 on a CPU).
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from autograph_lite.jax_internals import avals


def filled(base: jax.Array, index: Any, value: jax.Array) -> jax.Array | None:
    """`base` after `base[index] = value`, which has its dtype, if `index` is all of it; else None."""
    if not _is_whole(index, base.shape) or not _fits(value, base, base.shape):
        return None
    weak = avals.weak_type(base) and avals.weak_type(value)
    return avals.as_type(jnp.broadcast_to(value, base.shape), base.dtype, weak)


def placed(base: jax.Array, index: Any, value: jax.Array) -> jax.Array | None:
    """`base` after `base[index] = value`, which has its dtype, if `index` is slices of known bounds; else None."""
    spans = _spans(index, base.shape)
    if spans is None or not all(map(len, spans)):
        return None
    sizes = tuple(map(len, spans))
    if not _fits(value, base, sizes):
        return None
    new = lax.dynamic_update_slice(base, jnp.broadcast_to(value, sizes), [span.start for span in spans])
    return avals.as_type(new, base.dtype, avals.weak_type(base))


def _fits(value: jax.Array, base: jax.Array, sizes: tuple[Any, ...]) -> bool:
    """Whether a part of these sizes takes the value, where JAX has no error to raise."""
    if jnp.issubdtype(base.dtype, jax.dtypes.extended) or value.ndim > len(sizes):
        return False
    pairs = zip(reversed(value.shape), reversed(sizes), strict=False)
    return all(size in (1, wanted) for size, wanted in pairs)


def _spans(index: Any, shape: tuple[Any, ...]) -> list[range] | None:
    """Which items of each axis an index takes; None where it is not made of slices of known bounds alone."""
    parts = list(index) if isinstance(index, tuple) else [index]
    ends = [number for number, part in enumerate(parts) if part is Ellipsis]
    missing = len(shape) - len(parts) + len(ends)
    if not parts or len(ends) > 1 or missing < 0 or not all(type(size) is int for size in shape):
        return None
    at = ends[0] if ends else len(parts)
    parts[at : at + len(ends)] = [slice(None)] * missing
    return (
        [range(size)[part] for part, size in zip(parts, shape, strict=True)]
        if all(map(_is_block, parts))
        else None
    )


def _is_block(part: Any) -> bool:
    """Whether a part of an index is a slice of known bounds without a step."""
    if not isinstance(part, slice) or not _is_known(part.step, 1):
        return False
    return all(bound is None or type(bound) is int for bound in (part.start, part.stop))


def _is_whole(index: Any, shape: tuple[Any, ...]) -> bool:
    parts = index if isinstance(index, tuple) else (index,)
    ends = [number for number, part in enumerate(parts) if part is Ellipsis]
    if not parts or len(ends) > 1 or len(parts) - len(ends) > len(shape):
        return False
    behind = len(parts) - ends[0] - 1 if ends else 0
    sizes = shape if not ends else (*shape[: ends[0]], None, *shape[len(shape) - behind :])
    return all(part is Ellipsis or _is_all(part, size) for part, size in zip(parts, sizes, strict=False))


def _is_all(part: Any, size: Any) -> bool:
    """Whether a part of an index is all of an axis."""
    return (
        isinstance(part, slice)
        and _is_known(part.start, 0)
        and (part.stop is None or (type(part.stop) is int and type(size) is int and part.stop >= size))
        and _is_known(part.step, 1)
    )


def _is_known(bound: Any, wanted: int) -> bool:
    return bound is None or (type(bound) is int and bound == wanted)
