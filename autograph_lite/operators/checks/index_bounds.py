"""Index bounds: is an item there at a traced index? Asked where Python would raise an IndexError that somebody waits for."""

from __future__ import annotations

import sys
import types
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autograph_lite.operators.checks import carried_checks, catching, exception_templates, traced_text
from autograph_lite.operators.user_code import source_places
from autograph_lite.tracing import indexing, thread


def check_bounds(index: Any, length: int, message: str) -> None:
    """The program fails with an IndexError of this message where there is no such item among so many."""
    carried_checks.fail_if((index < -length) | (index >= length), IndexError(message))


def check_places(places: jax.Array, length: int, count: int) -> None:
    """Checks that each of some places is below `count`, and none before the first of `length` items."""
    message = f"an index is out of bounds for axis with size {length}"
    check_bounds(jnp.max(places, initial=0), count, message)
    check_bounds(jnp.min(places, initial=0), length, message)


def check_array(array: jax.Array, index: Any) -> None:
    """Checks integers that an array is indexed by where a `try` catches what NumPy raises; elsewhere JAX's rules hold.

    In a `__getitem__` of the user's numbers of Python's are checked, too: by its IndexError Python knows where a loop ends.

    Raises IndexError, as JAX does for a number, where an array takes items of an axis that has none.
    """
    is_caught = thread.now.catching and catching.is_caught(IndexError)
    ends = not is_caught and _is_beyond(array.shape, index) and _is_in_getitem()
    if not (is_caught or ends or 0 in array.shape):
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
        if not (is_caught or (ends and isinstance(each, (int, np.integer)))):
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


def check_static(array: jax.Array, index: Any) -> None:
    """`check_array`, where code indexes an array as it stands, `x[1]`: by numbers and slices of Python's."""
    if not any(isinstance(each, jax.Array) for each in (index if isinstance(index, tuple) else (index,))):
        check_array(array, index)


indexing[:] = [check_static]


def _is_beyond(shape: Sequence[int], index: Any) -> bool:
    """Whether one of Python's ints is no index of its axis, if all are such, and the size is known."""
    places = index if type(index) is tuple else (index,)
    if not all(type(each) in (int, slice) for each in places):
        return False
    pairs = zip(places, shape, strict=False)
    known = [(each, size) for each, size in pairs if type(each) is type(size) is int]
    return any(not -size <= each < size for each, size in known)


def _is_in_getitem() -> bool:
    """Whether a `__getitem__` of the user's runs."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if code.co_name == "__getitem__" and not source_places.is_hidden_file(code.co_filename):
            return True
        frame = frame.f_back
    return False


def _first_beyond(places: Any, size: int) -> Any:
    """The first of an array of indices that is not there; any of them where all are."""
    row = places.ravel()
    return row[((row < -size) | (row >= size)).argmax()] if row.size else 0
