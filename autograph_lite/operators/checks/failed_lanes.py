"""Failed lanes: in which lanes of `jax.vmap` has a check failed? A number beside the check, to which each adds its lanes.

    jax.vmap(f)(xs)       ValueError: 2.0 is not small
                          lane 3 of 8, one of 2 that failed

What the program carries is one array for each check: a row for each `vmap` around, the innermost first, with the lane and
how many there are, and a last row with the number of lanes that failed. Without `vmap` it is all zeros, of a known value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

DEEPEST = 4  # more axes of lanes than these are not told apart
_SHAPE = (DEEPEST + 1, 2)
_lanes = Primitive("failed_lanes")


def lanes_of_check(code: Any) -> jax.Array:
    """The lanes of a check, whose `code`, an int32 scalar, is not 0 where it has failed."""
    lanes: jax.Array = _lanes.bind((jnp.asarray(code) != 0).astype("int32"), depth=0)
    return lanes


def failed_lanes_text(lanes: Any) -> str:
    """What to add to an exception; empty where there is no `vmap`, or where all lanes are the same."""
    *rows, (failed, _) = np.asarray(lanes).tolist()
    axes = [(lane, size) for lane, size in reversed(rows) if size]
    if not axes:
        return ""
    which, sizes = zip(*axes, strict=True)
    more = f", one of {failed} that failed" if failed > 1 else ""
    return f"lane {which[0]} of {sizes[0]}{more}" if len(axes) == 1 else f"lane {which} of {sizes}{more}"


def _alone(failed: Any, *, depth: int) -> jax.Array:
    return jnp.zeros(_SHAPE, "int32").at[DEEPEST, 0].set(failed)


def _batched(operands: Sequence[Any], axes: Sequence[Any], *, depth: int) -> tuple[jax.Array, int]:
    failed, axis = operands[0], axes[0]
    around = _lanes.bind(jnp.sum(failed, axis=axis, dtype="int32"), depth=depth + 1)
    size = failed.shape[axis]
    rows = jnp.broadcast_to(around, (size, *_SHAPE))
    if depth < DEEPEST:
        here = jnp.stack([jnp.arange(size, dtype="int32"), jnp.full(size, size, "int32")], axis=1)
        rows = rows.at[:, depth].set(here)
    return rows, 0


def _tangent(primals: Sequence[Any], _: Sequence[Any], *, depth: int) -> tuple[Any, Any]:
    lanes = _lanes.bind(*primals, depth=depth)
    zero: Any = ad.Zero
    return lanes, zero.from_primal_value(lanes)


_lanes.def_impl(_alone)
_lanes.def_abstract_eval(lambda failed, *, depth: failed.update(shape=_SHAPE, weak_type=False))
mlir.register_lowering(_lanes, mlir.lower_fun(_alone, multiple_results=False))
batching.primitive_batchers[_lanes] = _batched
ad.primitive_jvps[_lanes] = _tangent
