"""Order statistics: what are selections in order, and reductions that leave nans out? Those of the items that are chosen.

jnp.sort(x[:j])                       the items that are not chosen come last
jnp.median(x[mask])                   the middle ones of so many as the mask chooses
jnp.nansum(x[:j])                     the sum of those that are numbers
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import lax

from autograph_lite.operators.ragged.elementwise import elementwise
from autograph_lite.operators.ragged.extents import Span
from autograph_lite.operators.ragged.selection import Selection, as_row, having
from autograph_lite.operators.ragged_ops import masked_reductions
from autograph_lite.operators.values.values import as_index


def sort(value: Selection, axis: int | None = -1) -> Any:
    """`jnp.sort`, nans last."""
    along = masked_reductions.only_axis(value, axis)
    extent = value.extents[along]
    if extent is None:
        return having(value, jnp.sort(value.array, along), value.extents)
    first = Span(extent.size, 0, extent.length)
    return having(
        value, _in_order(value, along), [*value.extents[:along], first, *value.extents[along + 1 :]]
    )


def _in_order(value: Selection, axis: int) -> Any:
    """The array with the chosen items of an axis first, in order."""
    extent = value.extents[axis]
    assert extent is not None
    left_out = jnp.broadcast_to(~as_row(extent.lanes(), axis, value.ndim), value.array.shape)
    return lax.sort((left_out, value.array), dimension=axis, num_keys=2)[1]


def median(value: Selection, axis: int | None = None, *, keepdims: bool = False) -> Any:
    """`jnp.median`: nan where there are no items, or where one is nan."""
    along = masked_reductions.only_axis(value, axis)
    extent = value.extents[along]
    if extent is None:
        return having(
            value,
            jnp.median(value.array, along, keepdims=keepdims),
            masked_reductions.extents_after_reduction(value, [along], keepdims),
        )
    kind = value.dtype if jnp.issubdtype(value.dtype, jnp.inexact) else jnp.result_type(float)
    ordered, length = _in_order(value, along).astype(kind), extent.length

    def item(place: Any) -> Any:
        at = as_index(jnp.clip(place, 0, extent.size - 1))
        return lax.dynamic_index_in_dim(ordered, at, along, keepdims)

    middle = (item((length - 1) // 2) + item(length // 2)) / 2
    found = jnp.where(jnp.isnan(item(length - 1)) | (length == 0), jnp.nan, middle)
    return having(
        value, found.astype(kind), masked_reductions.extents_after_reduction(value, [along], keepdims)
    )


def _numbers(value: Selection) -> Any:
    return elementwise(lambda array: ~jnp.isnan(array), (value,), fill=...)


def _without_nans(fun: Callable[..., Any]) -> Callable[..., Any]:
    """The reduction that leaves nans out, of one that has a `where`."""

    def run(value: Selection, axis: Any = None, **options: Any) -> Any:
        return fun(value, axis, where=_numbers(value), **options)

    run.__name__ = f"nan{fun.__name__}"
    return run


def _extreme(fun: Callable[..., Any], of_none: Callable[[Any], Any], name: str) -> Callable[..., Any]:
    """The largest or smallest of the items that are numbers; nan where none is."""

    def run(value: Selection, axis: Any = None, *, keepdims: bool = False) -> Any:
        masked_reductions.require_items(value, axis, name)
        numbers = _numbers(value)
        found = fun(value, axis, keepdims=keepdims, where=numbers, initial=of_none(value.dtype))
        some = masked_reductions.any(numbers, axis, keepdims=keepdims)
        if isinstance(found, Selection):
            return elementwise(_nan_unless, (some, found), fill=...)
        return _nan_unless(some, found)

    run.__name__ = f"nan{fun.__name__}"
    return run


def _nan_unless(some: Any, found: Any) -> Any:
    return jnp.where(some, found, jnp.nan) if jnp.issubdtype(found.dtype, jnp.inexact) else found


_WITHOUT_NANS = (
    masked_reductions.sum, masked_reductions.prod, masked_reductions.mean, masked_reductions.var, masked_reductions.std,
)  # fmt: skip
ORDER: dict[str, Callable[..., Any]] = {
    "sort": sort,
    "median": median,
    **{f"nan{fun.__name__}": _without_nans(fun) for fun in _WITHOUT_NANS},
    "nanmax": _extreme(masked_reductions.max, masked_reductions.least, "fmax"),
    "nanmin": _extreme(masked_reductions.min, masked_reductions.greatest, "fmin"),
}
