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
import numpy as np
from jax import lax

from autograph_lite.jax_internals import avals
from autograph_lite.operators.checks import exception_templates


def fill_whole(base: jax.Array, index: Any, value: jax.Array) -> jax.Array | None:
    """`base` after `base[index] = value`, which has its dtype, if `index` is all of it; else None."""
    slices = _slices(index, base.ndim)
    if slices is None or not all(map(_is_all, slices, base.shape)) or not _fits(value, base, base.shape):
        return None
    weak = avals.weak_type(base) and avals.weak_type(value)
    return avals.as_type(jnp.broadcast_to(value, base.shape), base.dtype, weak)


def store_block(base: jax.Array, index: Any, value: jax.Array) -> jax.Array | None:
    """`base` after `base[index] = value`, which has its dtype, if `index` is slices of known bounds; else None."""
    slices = _slices(index, base.ndim)
    if slices is None or not all(type(size) is int for size in base.shape):
        return None
    spans = [range(size)[part] for part, size in zip(slices, base.shape, strict=True)]
    sizes = tuple(map(len, spans))
    if 0 in sizes or not _fits(value, base, sizes):
        return None
    new = lax.dynamic_update_slice(base, jnp.broadcast_to(value, sizes), [span.start for span in spans])
    return avals.as_type(new, base.dtype, avals.weak_type(base))


def axes_of(base: Any, index: Any) -> int:
    """How many axes `base[index]` has."""
    rest, own, picked = int(base.ndim), 0, 0
    for part in index if isinstance(index, tuple) else (index,):
        if part is None or isinstance(part, slice):
            own, rest = own + 1, rest - (part is not None)
        elif part is not Ellipsis:
            is_mask = np.dtype(getattr(part, "dtype", type(part))) == bool
            rest -= np.ndim(part) if is_mask else 1
            picked = max(picked, 1 if is_mask else np.ndim(part))
    return rest + own + picked


def refuse_other_shape(array: Any, new: Any) -> None:
    """Refuses `x[i] += v` and `x += v` where what is computed is of another shape than what it is to be written to."""
    if jnp.shape(new) != array.shape:
        error = ValueError(
            f"non-broadcastable output operand with shape {array.shape} doesn't match the broadcast shape {jnp.shape(new)}"
        )
        exception_templates.explicit(error)  # on a staged path, it is raised only if that path is taken
        raise error


def _fits(value: jax.Array, base: jax.Array, sizes: tuple[Any, ...]) -> bool:
    """Whether a part of these sizes takes the value, where JAX has no error to raise."""
    if jnp.issubdtype(base.dtype, jax.dtypes.extended) or value.ndim > len(sizes):
        return False
    pairs = zip(reversed(value.shape), reversed(sizes), strict=False)
    return all(size in (1, wanted) for size, wanted in pairs)


def _slices(index: Any, ndim: int) -> list[slice] | None:
    """What an index takes of each axis; None where it is not made of slices of known bounds, and without steps."""
    parts = list(index) if isinstance(index, tuple) else [index]
    ends = [number for number, part in enumerate(parts) if part is Ellipsis]
    missing = ndim - len(parts) + len(ends)
    if not parts or len(ends) > 1 or missing < 0:
        return None
    at = ends[0] if ends else len(parts)
    parts[at : at + len(ends)] = [slice(None)] * missing
    return parts if all(map(_is_block, parts)) else None


def _is_block(part: Any) -> bool:
    if not isinstance(part, slice) or not (part.step is None or (type(part.step) is int and part.step == 1)):
        return False
    return all(bound is None or type(bound) is int for bound in (part.start, part.stop))


def _is_all(part: slice, size: Any) -> bool:
    """Whether a slice takes all of an axis."""
    return not part.start and (part.stop is None or (type(size) is int and part.stop >= size))
