"""Extents: which items of an axis does a slice or a mask choose, where only the program knows? A span, or a mask.

    x[i:j]                                Span: the places from i to j
    x[x > 0]                              Chosen: the places where the mask holds

The array keeps its full axis; what the extent leaves out is masked where it would count.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from autograph_lite.operators.ragged.affine_bounds import Bounds, resolve_bound
from autograph_lite.operators.trace_context import update_order
from autograph_lite.operators.values.values import as_index, is_symbolic, traced


class Span:
    """The places of an axis from `start` up to `stop`; none where that is no greater.

    Attributes:
      size: of the axis.
      start, stop: ints, or traced scalars of JAX's integer type, from 0 to `size`.
      identity: what tells that two spans of axes of one size are the same.
    """

    __slots__ = ("identity", "size", "start", "stop")

    def __init__(self, size: Any, start: Any, stop: Any, identity: Any = None) -> None:
        self.size, self.start, self.stop = size, start, stop
        self.identity = (start, stop) if identity is None else identity

    @classmethod
    def of(cls, bounds: Bounds, size: Any) -> Span:
        """What a slice chooses, its step aside."""
        start = resolve_bound(bounds.lower, size, bounds.terms[0], 0)
        stop = resolve_bound(bounds.upper, size, bounds.terms[1], size)
        return cls(size, start, stop, bounds.terms)

    def same(self, other: Extent) -> bool:
        """Whether both certainly choose the same places."""
        if not isinstance(other, Span) or (self.size is not other.size and self.size != other.size):
            return False
        return other is self or all(map(_same, self.identity, other.identity))

    @property
    def length(self) -> Any:
        """How many places are chosen."""
        if not traced(self.start) and not traced(self.stop):
            return max(self.stop - self.start, 0)
        return as_index(jnp.maximum(self.stop - self.start, 0))

    def lanes(self) -> Any:
        """For each place of the axis, whether it is chosen: bool[size]."""
        places = jnp.arange(self.size)
        above = None if not traced(self.start) and self.start == 0 else places >= self.start
        if not traced(self.stop) and not is_symbolic(self.stop) and self.stop == self.size:
            return jnp.ones((self.size,), bool) if above is None else above
        below = places < self.stop
        return below if above is None else above & below

    @property
    def first(self) -> Any:
        """The first chosen place; some place of the axis where none is."""
        return (
            jnp.minimum(self.start, self.size - 1) if traced(self.start) else min(self.start, self.size - 1)
        )

    def lane(self, rank: Any) -> Any:
        """The place of the chosen item with that number."""
        return self.start + rank

    def rank(self, lane: Any) -> Any:
        """The number of the chosen item at that place."""
        return lane - self.start

    def ranks(self) -> Any:
        """The number of each place among the chosen ones."""
        return jnp.arange(self.size) - self.start

    def parts(self) -> list[Any]:
        """The values that the program computes, where two paths have different ones."""
        return [self.start, self.stop]

    @classmethod
    def made_of(cls, size: Any, parts: list[Any]) -> tuple[Span, list[Any]]:
        """The span of the first of these parts, and the others."""
        return cls(size, parts[0], parts[1]), parts[2:]

    def flipped(self) -> Span:
        """The same places of the axis in reverse."""
        return Span(
            self.size, self.size - self.stop, self.size - self.start, (*map(_Flipped, self.identity),)
        )


class Chosen:
    """The places of an axis where a mask holds."""

    __slots__ = ("mask", "size")

    def __init__(self, mask: Any, size: Any = None) -> None:
        self.mask, self.size = mask, mask.shape[0] if size is None else size

    def same(self, other: Extent) -> bool:
        """Whether both certainly choose the same places."""
        return isinstance(other, Chosen) and other.mask is self.mask

    @property
    def length(self) -> Any:
        """How many places are chosen."""
        return as_index(jnp.sum(self.mask, dtype=jnp.result_type(int)))

    def lanes(self) -> Any:
        """For each place of the axis, whether it is chosen."""
        return self.mask

    @property
    def first(self) -> Any:
        """The first chosen place."""
        return jnp.argmax(self.mask)

    def lane(self, rank: Any) -> Any:
        """The place of the chosen item with that number."""
        places = jnp.nonzero(self.mask, size=self.size, fill_value=0)[0]
        return jnp.take(places, rank, mode="clip")

    def rank(self, lane: Any) -> Any:
        """The number of the chosen item at that place."""
        return jnp.take(self.ranks(), lane, mode="clip")

    def ranks(self) -> Any:
        """The number of each place among the chosen ones."""
        return jnp.cumsum(self.mask, dtype=jnp.result_type(int)) - 1

    def parts(self) -> list[Any]:
        """The values that the program computes, where two paths have different ones."""
        return [self.mask]

    @classmethod
    def made_of(cls, size: Any, parts: list[Any]) -> tuple[Chosen, list[Any]]:
        """The choice of the first of these parts, and the others."""
        return cls(parts[0], size), parts[1:]

    def flipped(self) -> Chosen:
        """The same places of the axis in reverse."""
        return Chosen(self.mask[::-1])


Extent = Span | Chosen


class _Flipped:
    """A bound, counted from the other end."""

    __slots__ = ("bound",)

    def __init__(self, bound: Any) -> None:
        self.bound = bound

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Flipped) and _same(self.bound, other.bound)

    __hash__ = None  # type: ignore[assignment]


def _same(a: Any, b: Any) -> bool:
    if a is b:
        return True
    if isinstance(a, jax.Array) or isinstance(b, jax.Array):
        return False
    return type(a) is type(b) and bool(a == b)


def entire(size: Any) -> Span:
    """All places of an axis."""
    return Span(size, 0, size)


def moved(array: Any, axis: int, source: Extent, target: Extent) -> Any:
    """`array` with the items that `source` chooses on an axis at the places that `target` chooses, in their order.

    What is at the other places is no matter. Where `target` chooses more items, nor is what is at the last of its.
    """
    if source.same(target):
        return array
    if isinstance(source, Span) and isinstance(target, Span):
        if not _is_zero(target.start - source.start):
            return _shifted(array, axis, source, target)
        return lax.slice_in_dim(_padded(array, axis, target.size), 0, target.size, axis=axis)
    places = jnp.clip(source.lane(target.ranks()), 0, source.size - 1)
    return jnp.take(array, places, axis, mode="clip")


def _is_zero(distance: Any) -> bool:
    return not traced(distance) and distance == 0


def _shifted(array: Any, axis: int, source: Span, target: Span) -> Any:
    """An axis that is moved so that the start of one span comes to that of the other; zeros where nothing comes, but for keys.

    With `jnp.roll`, XLA for CPUs chooses one of two places for each item, and computes the item there: a loop that shifts 2,001
    sums took four times as long.
    """
    size, distance = target.size, target.start - source.start
    if jnp.issubdtype(array.dtype, jax.dtypes.extended):
        return lax.slice_in_dim(jnp.roll(_padded(array, axis, size), distance, axis), 0, size, axis=axis)
    zeros = jnp.zeros([size if k == axis else n for k, n in enumerate(array.shape)], array.dtype)
    parts = [update_order.computed(array)]
    upwards, downwards = not _is_zero(target.start), not _is_zero(source.start)
    if upwards:
        parts, distance = [zeros, *parts], distance - size
    if downwards or source.size < size:
        parts = [*parts, zeros]
    return lax.dynamic_slice_in_dim(lax.concatenate(parts, axis), -distance, size, axis)


def _padded(array: Any, axis: int, size: int) -> Any:
    missing = size - array.shape[axis]
    if missing <= 0:
        return array
    return jnp.pad(array, [(0, missing if k == axis else 0) for k in range(array.ndim)])
