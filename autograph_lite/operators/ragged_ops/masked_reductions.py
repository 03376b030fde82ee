"""Reductions: what are those of a selection? Those of the whole array, with what changes nothing in place of other items.

jnp.sum(x[:j])                        jnp.sum(jnp.where(k < j, x, 0)), where k counts the places of x
jnp.mean(x[mask])                     the sum where the mask holds, by how often it does
jnp.max(x[i:j])                       with -inf; an error as the program runs, where i is no less than j
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp

from autograph_lite.jax_internals.dataflow import recorded_copies
from autograph_lite.jax_internals.references import numpys_arrays
from autograph_lite.operators.checks import carried_checks
from autograph_lite.operators.ragged.elementwise import elementwise
from autograph_lite.operators.ragged.extents import Extent
from autograph_lite.operators.ragged.selection import (
    METHODS,
    Selection,
    as_row,
    chosen,
    having,
    length_of,
    padded,
    unsized,
)
from autograph_lite.operators.values.values import as_index

Axis = int | Sequence[int] | None


def _axes(value: Selection, axis: Axis) -> list[int]:
    """The axes that are reduced, as numbers from 0 on."""
    if axis is None:
        return list(range(value.ndim))
    named = [axis] if isinstance(axis, int) else axis
    return [operator.index(k) % value.ndim for k in named]


def extents_after_reduction(value: Selection, axes: list[int], keepdims: bool) -> list[Extent | None]:
    """The extents of what a reduction leaves."""
    return [
        None if k in axes else extent for k, extent in enumerate(value.extents) if keepdims or k not in axes
    ]


def only_axis(value: Selection, axis: int | None) -> int:
    """The axis that is meant, as a number from 0 on. Raises DynamicShapeError: it is none of several."""
    if axis is None and value.ndim > 1:
        raise unsized(value, "is taken for one row of items")
    return 0 if axis is None else axis % value.ndim


def _reduced(
    fun: Callable[..., Any], value: Any, fill: Any, axis: Axis, keepdims: bool, where: Any = None, **options: Any
) -> Any:  # fmt: skip
    value = _kept(value, where, fill)
    axes = _axes(value, axis)
    array = fun(padded(value, fill, axes), axis=tuple(axes), keepdims=keepdims, **options)
    return having(value, array, extents_after_reduction(value, axes, keepdims))


def _kept(value: Any, where: Any, fill: Any) -> Any:
    """`value`, with `fill` for the items that `where` leaves out; one of both is a selection."""
    if where is None:
        return value

    def keep(array: Any, kept: Any) -> Any:
        return jnp.where(kept, array, jnp.asarray(fill, array.dtype))

    return elementwise(keep, (value, _choice(where)), fill=...)


def _choice(where: Any) -> Any:
    return where if isinstance(where, Selection) else jnp.asarray(where, bool)


def _counted(value: Any, axes: list[int], keepdims: bool, where: Any) -> Any:
    """How many items are reduced to one: a number, or what a sum of them gives."""
    if where is None:
        return functools.reduce(operator.mul, (length_of(value, axis) for axis in axes), 1)

    def count(array: Any, kept: Any) -> Any:
        return jnp.zeros(jnp.shape(array), int) + kept

    return sum(elementwise(count, (value, _choice(where)), fill=...), axes, keepdims=keepdims)


def sum(
    value: Selection, axis: Axis = None, dtype: Any = None, *, keepdims: bool = False, initial: Any = None,
    where: Any = None,
) -> Any:  # fmt: skip
    """`jnp.sum`."""
    return _reduced(jnp.sum, value, 0, axis, keepdims, where, dtype=dtype, initial=initial)


def prod(
    value: Selection, axis: Axis = None, dtype: Any = None, *, keepdims: bool = False, initial: Any = None,
    where: Any = None,
) -> Any:  # fmt: skip
    """`jnp.prod`."""
    return _reduced(jnp.prod, value, 1, axis, keepdims, where, dtype=dtype, initial=initial)


def any(value: Selection, axis: Axis = None, *, keepdims: bool = False, where: Any = None) -> Any:
    """`jnp.any`."""
    return _reduced(jnp.any, value, 0, axis, keepdims, where)


def all(value: Selection, axis: Axis = None, *, keepdims: bool = False, where: Any = None) -> Any:
    """`jnp.all`."""
    return _reduced(jnp.all, value, 1, axis, keepdims, where)


def count_nonzero(value: Selection, axis: Axis = None, *, keepdims: bool = False) -> Any:
    """`jnp.count_nonzero`."""
    return _reduced(jnp.count_nonzero, value, 0, axis, keepdims)


def max(
    value: Selection, axis: Axis = None, *, keepdims: bool = False, initial: Any = None, where: Any = None
) -> Any:
    """`jnp.max`; ValueError where there are no items, or some are left out, and no `initial`."""
    if initial is None:
        _require_no_choice(where, "maximum")
        require_items(value, axis, "maximum")
    return _reduced(jnp.max, value, least(value.dtype), axis, keepdims, where, initial=initial)


def min(
    value: Selection, axis: Axis = None, *, keepdims: bool = False, initial: Any = None, where: Any = None
) -> Any:
    """`jnp.min`; ValueError where there are no items, or some are left out, and no `initial`."""
    if initial is None:
        _require_no_choice(where, "minimum")
        require_items(value, axis, "minimum")
    return _reduced(jnp.min, value, greatest(value.dtype), axis, keepdims, where, initial=initial)


def ptp(value: Selection, axis: Axis = None, *, keepdims: bool = False) -> Any:
    """`jnp.ptp`."""
    return max(value, axis, keepdims=keepdims) - min(value, axis, keepdims=keepdims)


def least(dtype: Any) -> Any:
    """What is no greater than any number of a dtype."""
    if jnp.issubdtype(dtype, jnp.bool_):
        return False
    return -jnp.inf if jnp.issubdtype(dtype, jnp.floating) else jnp.iinfo(dtype).min  # type: ignore[no-untyped-call]


def greatest(dtype: Any) -> Any:
    """What is no less than any number of a dtype."""
    if jnp.issubdtype(dtype, jnp.bool_):
        return True
    return jnp.inf if jnp.issubdtype(dtype, jnp.floating) else jnp.iinfo(dtype).max  # type: ignore[no-untyped-call]


def _require_no_choice(where: Any, name: str) -> None:
    if where is not None:
        raise ValueError(
            f"reduction operation {name} does not have an identity: a `where` wants `initial`, the value of no items."
        )


def require_items(value: Selection, axis: Axis, name: str, message: str = "") -> None:
    """A check that there are items where NumPy wants some."""
    text = message or f"zero-size array to reduction operation {name} which has no identity"
    for number in _axes(value, axis):
        extent = value.extents[number]
        if extent is not None:
            carried_checks.fail_if(extent.length == 0, ValueError(text))


def argmax(value: Selection, axis: int | None = None, *, keepdims: bool = False) -> Any:
    """`jnp.argmax`, counted among the chosen items."""
    return _position(value, axis, keepdims, max, "argmax")


def argmin(value: Selection, axis: int | None = None, *, keepdims: bool = False) -> Any:
    """`jnp.argmin`, counted among the chosen items."""
    return _position(value, axis, keepdims, min, "argmin")


def _position(
    value: Selection, axis: int | None, keepdims: bool, extreme: Callable[..., Any], name: str
) -> Any:
    if axis is None and value.ndim > 1:
        return _position_among_all(value, keepdims, extreme, name)
    along = 0 if axis is None else axis % value.ndim
    extent = value.extents[along]
    require_items(value, along, name, f"attempt to get {name} of an empty sequence")
    best = extreme(Selection(value.array, value.extents, value.origin), along, keepdims=True)
    best = best.array if isinstance(best, Selection) else best
    same = (value.array == best) | (jnp.isnan(best) & jnp.isnan(value.array))
    if extent is not None:
        same = same & as_row(extent.lanes(), along, value.ndim)
    place = jnp.argmax(same, axis=along, keepdims=keepdims)
    rank = place if extent is None else extent.rank(place)
    return having(value, as_index(rank), extents_after_reduction(value, [along], keepdims))


def _position_among_all(value: Selection, keepdims: bool, extreme: Callable[..., Any], name: str) -> Any:
    """The position in the order of the chosen items, the last axis the fastest."""
    require_items(value, None, name, f"attempt to get {name} of an empty sequence")
    best = extreme(value)
    same = (value.array == best) | (jnp.isnan(best) & jnp.isnan(value.array))
    lanes = chosen(value.extents)
    places = jnp.unravel_index(jnp.argmax(same & lanes), same.shape)
    position: Any = 0
    for axis, (extent, place) in enumerate(zip(value.extents, places, strict=True)):
        rank = place if extent is None else extent.rank(place)
        position = position * length_of(value, axis) + rank
    return as_index(position).reshape((1,) * value.ndim if keepdims else ())


def mean(
    value: Selection, axis: Axis = None, dtype: Any = None, *, keepdims: bool = False, where: Any = None
) -> Any:
    """`jnp.mean`: nan where there are no items."""
    kind = dtype or _inexact(value.dtype)
    total = sum(value, axis, kind, keepdims=keepdims, where=where)
    return _over(total, _counted(value, _axes(value, axis), keepdims, where), kind)


def _over(total: Any, count: Any, kind: Any) -> Any:
    """A sum over a number, which is a selection where the sum is one that a `where` has chosen from."""
    if isinstance(count, Selection):
        return elementwise(lambda a, b: a / b.astype(kind), (total, count))
    return total / jnp.asarray(count, kind)


def average(value: Selection, axis: int | None = None, weights: Any = None) -> Any:
    """`jnp.average`."""
    if weights is None:
        return mean(value, axis)
    return sum(value * weights, axis) / sum(elementwise(lambda v, w: v * 0 + w, (value, weights)), axis)


def var(
    value: Selection, axis: Axis = None, dtype: Any = None, *, ddof: Any = 0, keepdims: bool = False, where: Any = None
) -> Any:  # fmt: skip
    """`jnp.var`."""
    axes = _axes(value, axis)
    kind = dtype or _inexact(value.dtype)
    middle = mean(value, axis, kind, keepdims=True, where=where)
    distance = elementwise(lambda v, m: (v - m) ** 2, (value, middle))
    total = sum(distance, axis, kind, keepdims=keepdims, where=where)
    count = _counted(value, axes, keepdims, where)
    freedom = (
        elementwise(_less, (count, ddof), fill=...) if isinstance(count, Selection) else _less(count, ddof)
    )
    return _over(total, freedom, kind)


def _less(count: Any, ddof: Any) -> Any:
    """`count - ddof`, and no less than nothing, as NumPy has it."""
    return jnp.maximum(count - ddof, 0)


def std(
    value: Selection, axis: Axis = None, dtype: Any = None, *, ddof: Any = 0, keepdims: bool = False, where: Any = None
) -> Any:  # fmt: skip
    """`jnp.std`."""
    found = var(value, axis, dtype, ddof=ddof, keepdims=keepdims, where=where)
    return elementwise(jnp.sqrt, (found,)) if isinstance(found, Selection) else jnp.sqrt(found)


def _inexact(dtype: Any) -> Any:
    return dtype if jnp.issubdtype(dtype, jnp.inexact) else jnp.result_type(float)


def norm(value: Selection, ord: Any = None, axis: Axis = None, keepdims: bool = False) -> Any:
    """`jnp.linalg.norm` of vectors: of order 1, 2 or infinity."""
    if ord not in (None, 2, 1, jnp.inf) or (ord is not None and axis is None and value.ndim > 1):
        raise unsized(value, f"is asked for its norm of order {ord}")
    size = elementwise(jnp.abs, (value,), fill=None)
    if ord == 1:
        return sum(size, axis, keepdims=keepdims)
    if ord == jnp.inf:
        return max(size, axis, keepdims=keepdims)
    squares = sum(elementwise(lambda v: (v * jnp.conj(v)).real, (value,)), axis, keepdims=keepdims)
    return elementwise(jnp.sqrt, (squares,)) if isinstance(squares, Selection) else jnp.sqrt(squares)


def logsumexp(value: Selection, axis: Axis = None, *, keepdims: bool = False) -> Any:
    """`jax.scipy.special.logsumexp`, `jax.nn.logsumexp`."""
    from jax.scipy.special import logsumexp as whole

    return _reduced(whole, value, -jnp.inf, axis, keepdims)


def cumsum(value: Selection, axis: int | None = None, dtype: Any = None) -> Any:
    """`jnp.cumsum`: of the items up to each."""
    return _running(jnp.cumsum, value, 0, axis, dtype)


def cumprod(value: Selection, axis: int | None = None, dtype: Any = None) -> Any:
    """`jnp.cumprod`: of the items up to each."""
    return _running(jnp.cumprod, value, 1, axis, dtype)


def _running(fun: Callable[..., Any], value: Selection, fill: Any, axis: int | None, dtype: Any) -> Any:
    along = only_axis(value, axis)
    if dtype is None and numpys_arrays.is_numpys(value.array):
        dtype = recorded_copies.summed_type(value)
    return having(value, fun(padded(value, fill, [along]), axis=along, dtype=dtype), value.extents)


REDUCTIONS: dict[str, Callable[..., Any]] = {
    "sum": sum, "prod": prod, "any": any, "all": all, "max": max, "amax": max, "min": min, "amin": min,
    "argmax": argmax, "argmin": argmin, "mean": mean, "average": average, "var": var, "std": std,
    "count_nonzero": count_nonzero, "ptp": ptp, "logsumexp": logsumexp, "cumsum": cumsum, "cumprod": cumprod,
}  # fmt: skip
_OF_ARRAYS = frozenset({"amax", "amin", "average", "count_nonzero", "logsumexp"})
METHODS.update({name: fun for name, fun in REDUCTIONS.items() if name not in _OF_ARRAYS})
