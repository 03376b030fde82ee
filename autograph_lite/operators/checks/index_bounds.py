"""Index bounds: is an item there at a traced index? Asked where Python would raise an IndexError that somebody waits for."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from autograph_lite.operators.checks import carried_checks, catching, exception_templates, traced_text
from autograph_lite.tracing import thread


def check_bounds(index: Any, length: int, message: str) -> None:
    """The program fails with an IndexError of this message where there is no such item among so many."""
    carried_checks.fail_if((index < -length) | (index >= length), IndexError(message))


def check_array(array: jax.Array, index: Any) -> None:
    """Checks integers that an array is indexed by where a `try` catches what NumPy raises; elsewhere JAX's rules hold.

    Raises IndexError, as JAX does for a number, where an array takes items of an axis that has none.
    """
    is_caught = thread.now.catching and catching.is_caught(IndexError)
    if not is_caught and 0 not in array.shape:
        return
    for axis, each in enumerate(index if isinstance(index, tuple) else (index,)):
        has_axes = getattr(each, "ndim", 0) and each.dtype.kind in "iu"
        if (
            isinstance(each, (bool, np.bool_))
            or (getattr(each, "ndim", False) and not has_axes)
            or not isinstance(each, (int, np.integer, np.ndarray, jax.Array, slice))
        ):
            return  # what follows counts other axes
        if isinstance(each, slice) or axis >= array.ndim:
            continue
        size = array.shape[axis]
        if size == 0 and has_axes and np.size(each):  # for which JAX has no rule
            error = IndexError(f"index is out of bounds for axis {axis} with size 0")
            exception_templates.explicit(error)
            raise error
        if not is_caught:
            continue
        if has_axes:
            each = _first_beyond(each, size)
        message = traced_text.format("index {} is out of bounds for axis {} with size {}", each, axis, size)
        if isinstance(each, jax.Array):
            if each.dtype == bool:
                return
            check_bounds(each, size, message)
        elif not -size <= each < size:
            error = IndexError(message)
            exception_templates.explicit(error)
            raise error


def _first_beyond(places: Any, size: int) -> Any:
    """The first of an array of indices that is not there; any of them where all are."""
    row = places.ravel()
    return row[((row < -size) | (row >= size)).argmax()] if row.size else 0
