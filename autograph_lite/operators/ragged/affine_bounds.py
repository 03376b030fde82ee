"""Affine bounds: by how much do the traced bounds of a slice differ, and which are the same?

    x[i - 1 : i + 2]                      ag.bounds(lambda i: (i - 1, i + 2), i): three items, whatever i is
    A[k + 1 :, k] -= A[k, k + 1 :]        ag.bounds(lambda k: (k + 1, None), k): the same bound, computed twice

The bounds are computed twice: of the values, and of sums that stand for them.
"""

from __future__ import annotations

import builtins
import dataclasses
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from autograph_lite.jax_internals.dataflow import recorded_ints
from autograph_lite.operators.values.boxes import unboxed
from autograph_lite.operators.values.one_of import as_number
from autograph_lite.operators.values.values import as_index, is_symbolic, python_value, traced


class NotASum(Exception):
    """A bound is no sum of traced integers and numbers."""


class Sum:
    """A sum of traced integers, each so many times, and a number."""

    __slots__ = ("constant", "terms")

    def __init__(self, terms: dict[int, tuple[Any, int]], constant: int) -> None:
        # by the id of a traced integer, itself and how many times it is taken
        self.terms = {key: term for key, term in terms.items() if term[1]}
        self.constant = constant  # the number

    def __add__(self, other: Any) -> Any:
        other = _sum(other)
        terms = dict(self.terms)
        for key, (value, times) in other.terms.items():
            terms[key] = value, times + (terms[key][1] if key in terms else 0)
        return _known(Sum(terms, self.constant + other.constant))

    def __mul__(self, times: Any) -> Any:
        if type(times) is not int:
            raise NotASum
        scaled = {key: (value, count * times) for key, (value, count) in self.terms.items()}
        return _known(Sum(scaled, self.constant * times))

    def __neg__(self) -> Any:
        return self * -1

    def __sub__(self, other: Any) -> Any:
        return self + _sum(other) * -1

    def __rsub__(self, other: Any) -> Any:
        return _sum(other) + self * -1

    __radd__, __rmul__ = __add__, __mul__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sum) and self.shown() == other.shown()

    def __hash__(self) -> int:
        return hash(self.constant)

    def shown(self) -> tuple[dict[int, int], int]:
        """The sum as values that can be compared."""
        return {key: times for key, (_, times) in self.terms.items()}, self.constant

    def range(self) -> tuple[int | None, int | None]:
        """The least and the greatest value that it can have; None where that is not known."""
        low: int | None = self.constant
        high: int | None = self.constant
        for value, times in self.terms.values():
            ends = recorded_ints.known_range(value)
            least, most = ends if times > 0 else ends[::-1]
            low = None if low is None or least is None else low + least * times
            high = None if high is None or most is None else high + most * times
        return low, high


Term = int | Sum


def _sum(value: Any) -> Sum:
    if isinstance(value, Sum):
        return value
    if type(value) is not int:
        raise NotASum
    return Sum({}, value)


def _known(total: Sum) -> Term:
    return total if total.terms else total.constant


def term(value: Any) -> Any:
    """What stands for a value in a sum: itself, or a sum where it is a traced integer."""
    if not traced(value) or is_symbolic(value):
        return int(value) if isinstance(value, np.integer) else value
    wide = jnp.ndim(value) == 0 and jnp.result_type(value).kind == "i" and value.dtype.itemsize >= 4
    if not wide:
        raise NotASum  # a small integer may overflow where a sum does not
    return Sum({id(value): (value, 1)}, 0)


@dataclasses.dataclass(frozen=True, eq=False)
class Bounds:
    """The bounds of a slice; one at least, or the step, is traced."""

    lower: Any  # `lower`, `upper`, `step`: as in a slice
    upper: Any
    step: Any
    # what stands for lower and upper: None where a bound is missing, an object that is equal to no other where nothing is
    # known of it
    terms: tuple[Any, Any]

    @property
    def length(self) -> int | None:
        """How many items are between the bounds, where that is a number; None where it is not."""
        lower, upper = self.terms
        if (
            traced(self.step)
            or self.step not in (None, 1)
            or not (isinstance(lower, Sum) and isinstance(upper, Sum))
        ):
            return None
        found = upper - lower
        return found if isinstance(found, int) and found >= 0 else None

    def plain(self) -> builtins.slice:
        """The slice of Python's."""
        return builtins.slice(self.lower, self.upper, self.step)


def bounds(fun: Callable[..., tuple[Any, ...]], *values: Any) -> Any:
    """A slice with the bounds, and the step, that `fun` computes of `values`."""
    values = tuple(python_value(as_number(unboxed(value))) for value in values)
    lower, upper, *steps = (python_value(unboxed(bound)) for bound in fun(*values))
    step = steps[0] if steps else None
    if not any(map(_is_unknown, (lower, upper, step))):
        return builtins.slice(lower, upper, step)
    try:
        low, high, *_ = fun(*map(term, values))
    except (NotASum, TypeError):
        low, high = _of(lower), _of(upper)
    return Bounds(lower, upper, step, (low, high))


def as_bounds(part: Any) -> Any:
    """A slice with a traced bound or step as `Bounds`; any other part of an index as it is."""
    if not isinstance(part, builtins.slice):
        return part
    lower, upper, step = (as_number(unboxed(bound)) for bound in (part.start, part.stop, part.step))
    if not any(map(_is_unknown, (lower, upper, step))):
        return part
    return Bounds(lower, upper, step, (_of(lower), _of(upper)))


def _of(bound: Any) -> Any:
    try:
        return term(bound)
    except NotASum:
        return object()


def _is_unknown(bound: Any) -> bool:
    return traced(bound) and not is_symbolic(bound)


def resolve_bound(bound: Any, size: Any, known_as: Any, missing: Any) -> Any:
    """Where on an axis of that size a bound is, as Python counts: an int, or a traced one from 0 to `size`."""
    if bound is None:
        return missing
    if not _is_unknown(bound):
        if is_symbolic(bound) or is_symbolic(size):
            return clipped(jnp.asarray(bound), size, (None, None))
        return max(0, min(bound + size if bound < 0 else int(bound), size))
    require_integer(bound)
    return clipped(bound, size, known_as.range() if isinstance(known_as, Sum) else (None, None))


def require_integer(bound: Any) -> None:
    """Raises Python's TypeError if a bound is no integer."""
    if jnp.ndim(bound) or jnp.result_type(bound).kind not in "iub":
        raise TypeError("slice indices must be integers or None or have an __index__ method")


def clipped(bound: Any, size: Any, ends: tuple[int | None, int | None]) -> Any:
    """A traced bound on an axis: from the end where it is negative, and from 0 to `size` in any case."""
    low, high = ends
    found = as_index(bound)
    if low is None or low < 0:
        found = jnp.maximum(jnp.where(found < 0, found + size, found), 0)
    if high is None or is_symbolic(size) or high > size:
        found = jnp.minimum(found, size)
    return found
