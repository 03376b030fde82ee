"""Written arrays: what is an array after a loop that puts its rows out? What it was before, with these rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import jax.numpy as jnp
from jax import lax

from autograph_lite.jax_internals import avals
from autograph_lite.jax_internals.dataflow.scan_ir import Put


def overwritten(puts: Sequence[Put], outputs: Sequence[Any], after: Mapping[Any, Any], length: int) -> Any:
    """The array after the loop: what it was before, with the rows that were written."""
    rest = {n: jnp.expand_dims(after[variable], 0) for put in puts for n, variable in put.rest.items()}
    pieces = _interlaced(puts, outputs, length)
    array = puts[0].array
    if pieces is None:
        pieces = {}
        for put in puts:
            low, high = put.position.range(length)
            rows, step = _in_order(put, outputs), abs(put.position.slope)
            if step > 1:
                array = jnp.asarray(array).at[low : high + 1 : step].set(rows)
            else:
                pieces = {low: rows}
    return _put_together(array, {**pieces, **rest})


def _put_together(array: Any, pieces: Mapping[int, Any]) -> Any:
    """The array with other rows from some numbers on.

    No `dynamic_update_slice`: in a loop, XLA for CPUs writes it over a row that it still reads (jax 0.10.2 and 0.12.0.1).
    """
    parts, end = [], 0
    for start, rows in sorted(pieces.items()):
        if start > end:
            parts.append(lax.slice_in_dim(array, end, start))
        parts.append(avals.as_type(rows, rows.dtype, False))
        end = start + rows.shape[0]
    if end < array.shape[0]:
        parts.append(lax.slice_in_dim(array, end, array.shape[0]))
    return parts[0] if len(parts) == 1 else lax.concatenate(parts, 0)


def _in_order(put: Put, outputs: Sequence[Any]) -> Any:
    """The rows of an output in the order in which they stand in the array."""
    rows = outputs[put.output]
    return lax.rev(rows, [0]) if put.position.slope < 0 else rows


def _interlaced(puts: Sequence[Put], outputs: Sequence[Any], length: int) -> dict[int, Any] | None:
    """What a loop writes that writes all of so many neighbouring rows, and where it begins; None for another.

    x[i], x[i + 1] = ... for i in range(0, n, 2): a place in between them for each row would be computed.
    """
    step = abs(puts[0].position.slope)
    first = min(put.position.range(length)[0] for put in puts)
    order = {put.position.range(length)[0] - first: put for put in puts}
    if step == 1 or sorted(order) != list(range(step)):
        return None
    rows = [_in_order(order[k], outputs) for k in range(step)]
    return {first: jnp.stack(rows, 1).reshape(length * step, *rows[0].shape[1:])}
