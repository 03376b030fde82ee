"""Index axes: what does a part of an index choose of its axis, where it may be traced?

i                                     one place
i : i + b                             b places from i on, once it is checked that all are on the axis
i:j, x > 0                            the whole axis, and an extent that says what counts of it
"""

from __future__ import annotations

import builtins
import dataclasses
import operator
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autograph_lite.errors import SliceLengthError, TracedIndexError
from autograph_lite.operators.checks import carried_checks
from autograph_lite.operators.ragged import affine_bounds
from autograph_lite.operators.ragged.affine_bounds import Bounds, Sum
from autograph_lite.operators.ragged.extents import Chosen, Extent, Span
from autograph_lite.operators.ragged.selection import Selection
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values.values import as_index, is_symbolic, traced


@dataclasses.dataclass(frozen=True, eq=False)
class Axis:
    """What is chosen of an axis."""

    start: Any  # the first place, an int or traced
    size: Any  # how many places
    kept: bool = True  # whether the result has the axis
    extent: Extent | None = None  # which of those places, where only the program knows
    copies: bool = False  # whether NumPy copies what is chosen: of a mask
    inside: Any = True  # whether `start` is on the axis: True, or a traced bool
    backwards: bool = False  # whether the items are taken from the last to the first
    part: int = 0  # which part of the index it comes from


def is_mask(index: Any) -> bool:
    """Whether the index is a traced mask: how many items it takes is not known while tracing."""
    return (
        isinstance(index, Selection | jax.Array) and index.dtype == bool and index.ndim > 0 and
        (isinstance(index, Selection) or traced(index))
    )  # fmt: skip


def require_shape(mask: Any, shape: tuple[Any, ...]) -> None:
    """Raises IndexError, as NumPy does, if a mask is not of the shape of the axes that it is about."""
    if mask.shape != shape:
        raise IndexError(
            f"boolean index has shape {mask.shape}; the axes that it indexes have shape {shape}."
        )


def is_array(part: Any) -> bool:
    """Whether a part of an index is an array, or some items of one."""
    return isinstance(part, Selection | jax.Array | np.ndarray)


def is_picked(index: Any) -> bool:
    """Whether NumPy copies what an index takes of an array: what an array, a list or a mask picks of it."""
    parts = index if isinstance(index, tuple) else (index,)
    return any(
        isinstance(part, (list, range, bool, np.bool_)) or (is_array(part) and part.ndim) for part in parts
    )


def width(part: Any) -> int:
    """How many axes of an array a part of an index is about."""
    if part is None or part is ...:
        return 0
    return part.ndim if is_array(part) and part.dtype == bool else 1


def filled_up(parts: Sequence[Any], ndim: int) -> list[tuple[int, Any]]:
    """The parts of an index, each with its number, with slices for the axes that `...` and the end leave out."""
    missing = ndim - sum(map(width, parts))
    if missing < 0:
        raise IndexError(f"too many indices: the array has {ndim} axes, and {ndim - missing} are indexed.")
    dots = next((number for number, part in enumerate(parts) if part is ...), len(parts))
    numbered = list(enumerate(parts))
    return [*numbered[:dots], *[(dots, builtins.slice(None))] * missing, *numbered[dots + 1 :]]


def is_apart(parts: Sequence[Any]) -> bool:
    """Whether something stands between the numbers and arrays of an index: NumPy puts what an array chooses first then."""
    advanced = [
        k
        for k, part in enumerate(parts)
        if part is not None and not isinstance(part, builtins.slice | Bounds)
    ]
    return bool(advanced) and advanced[-1] - advanced[0] >= len(advanced)


def _unsupported(why: str) -> TracedIndexError:
    """The error for an index whose parts do not go together."""
    return TracedIndexError(
        f"'{source_places.expression()}' mixes kinds of indices, one of them of a length that only the data knows.",
        why=why,
        fix="index in two steps: first with integers and slices, then with the mask.",
    )


def axis_of(part: Any, size: Any) -> Axis:
    """What a part of an index chooses of an axis of that length."""
    part = affine_bounds.as_bounds(part)
    if isinstance(part, builtins.slice):
        return _static(part, size)
    if isinstance(part, Bounds):
        return _window(part, size) or _span(part, size)
    if is_mask(part):
        require_shape(part, (size,))
        return Axis(0, size, extent=Chosen(part), copies=True)
    if jnp.result_type(part).kind not in "iu":
        raise IndexError(
            "only integers, slices, `...`, None, and arrays of integers or truth values are valid indices"
        )
    if not traced(part):
        place = operator.index(part)
        if not -size <= place < size:
            raise IndexError(f"index {place} is out of bounds for axis with size {size}")
        return Axis(place % size, 1, kept=False)
    index = as_index(part)
    low, high = _ends(part)
    if low is not None and high is not None and low >= 0 and high < size:
        return Axis(index, 1, kept=False)
    counted = jnp.where(index < 0, index + size, index)
    return Axis(counted, 1, kept=False, inside=(counted >= 0) & (counted < size))


def _ends(part: Any) -> tuple[int | None, int | None]:
    try:
        found = affine_bounds.term(part)
    except affine_bounds.NotASum:
        return None, None
    return found.range() if isinstance(found, Sum) else (None, None)


def _static(part: builtins.slice, size: Any) -> Axis:
    """A slice of Python's."""
    if part == builtins.slice(None):
        return Axis(0, size)
    if is_symbolic(size) or any(map(is_symbolic, (part.start, part.stop, part.step))):
        raise _unsupported("It goes with a symbolic size.")
    places = range(*part.indices(size))
    if len(places) > 1 and places.step not in (1, -1):
        raise _unsupported("It goes with a slice that has a step.")
    return Axis(0, 0) if not places else Axis(min(places), len(places), backwards=places.step < 0)


def _window(part: Bounds, size: Any) -> Axis | None:
    """A slice of a length that is a number; None where it has none."""
    length = part.length
    if length is None or is_symbolic(size) or length > size:
        return None
    low, high = part.terms[0].range()
    lower = as_index(part.lower)
    if length == 0:
        return Axis(0, 0)
    if low is not None and high is not None and low >= 0 and high <= size - length:
        return Axis(lower, length)
    from_end = (lower < 0) & (lower >= -size) & (lower + length < 0)
    inside = ((lower >= 0) & (lower <= size - length)) | from_end
    carried_checks.fail_if(jnp.logical_not(inside), _cut_off(length, size))
    return Axis(jnp.where(lower < 0, lower + size, lower), length)


def _cut_off(length: int, size: int) -> SliceLengthError:
    return SliceLengthError(
        f"'{source_places.expression()}' reaches beyond the ends of an axis of {size} items.",
        why=f"Python would give fewer than {length} items, and the program is compiled for {length}.",
        fix="keep the bounds on the axis, or cut them off: x[max(i, 0) : min(j, n)] is a part of any length.",
    )


def _span(part: Bounds, size: Any) -> Axis:
    """A slice of a length that only the program knows."""
    step = 1 if part.step is None else part.step
    if traced(step):
        carried_checks.fail_if(
            step < 1, ValueError("a traced step of a slice has to be positive"), limit=True
        )
        return Axis(0, size, extent=_strided(Span.of(part, size), jnp.maximum(step, 1)))
    if step == 0:
        raise ValueError("slice step cannot be zero")
    if step == 1:
        return Axis(0, size, extent=Span.of(part, size))
    if step > 1:
        span = Span.of(part, size)
        return Axis(0, size, extent=_strided(span, step))
    # x[a:b:-s] is every s-th item of the reversed axis, from `a` on.
    start = (
        affine_bounds.resolve_bound(part.lower, size, part.terms[0], size)
        if part.lower is None
        else _below(part.lower, size)
    )
    stop = 0 if part.upper is None else _below(part.upper, size)
    span = Span(size, size - start, size - stop, (_Down(part.terms[0]), _Down(part.terms[1])))
    return Axis(0, size, extent=span if step == -1 else _strided(span, -step), backwards=True)


def _below(bound: Any, size: Any) -> Any:
    """The number of places up to a bound of a slice that goes backwards, the bound included."""
    if not traced(bound):
        return max(0, min((bound + size if bound < 0 else bound) + 1, size))
    place = as_index(bound)
    return jnp.clip(jnp.where(place < 0, place + size, place) + 1, 0, size)


@dataclasses.dataclass(frozen=True)
class _Down:
    """A bound of a slice that goes backwards."""

    bound: Any


def _strided(span: Span, step: Any) -> Chosen:
    """Every so many-th place of a span."""
    return Chosen(span.lanes() & ((jnp.arange(span.size) - span.start) % step == 0))
