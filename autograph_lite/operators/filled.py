"""`x[:] = v` writes all of an array, and is no scatter: the array is made of the value alone.

XLA makes a map of such a scatter, and ends the process where that is reversed: `jax.jit(lambda x: x.at[:].set(1)[::-1])`
(jax 0.10.2 and 0.12.0.1).
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from autograph_lite import _jax


def filled(base: jax.Array, index: Any, value: jax.Array) -> jax.Array | None:
    """`base` after `base[index] = value`, which has its dtype, if `index` is all of it; else None."""
    if not _is_whole(index, base.shape) or jnp.issubdtype(base.dtype, jax.dtypes.extended):
        return None
    if value.ndim > base.ndim or any(
        size not in (1, wanted)
        for size, wanted in zip(reversed(value.shape), reversed(base.shape), strict=False)
    ):
        return None  # an error of JAX's
    weak = _jax.weak_type(base) and _jax.weak_type(value)
    return _jax.as_type(jnp.broadcast_to(value, base.shape), base.dtype, weak)


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
