"""Quantiles: which item is the one at a place between two of them? The one that NumPy takes.

np.percentile(x, 50, method="nearest")       of four items in order x[2]: the even place; JAX takes x[1]
np.quantile(x, 0.29, method="lower")         of 101 items x[28]: 0.29 * 100 is less than 29 as a double
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from autograph_lite.operators.numpy_calls import exact_values
from autograph_lite.operators.values.values import known_value, traced

_PLACES = {"nearest": "round", "lower": "floor", "higher": "ceil"}  # functions of NumPy and of JAX


def quantile_of_items(name: str) -> Callable[..., Any]:
    """`np.quantile`, `np.percentile`, and those that leave nans out."""
    fun = getattr(jnp, name)
    parts, is_without = 100 if name.endswith("percentile") else 1, name.startswith("nan")

    @functools.wraps(fun)
    def run(
        a: Any, q: Any, axis: Any = None, *, method: Any = "linear", keepdims: Any = False, **rest: Any
    ) -> Any:
        if method not in _PLACES or rest.get("weights") is not None:
            return fun(a, q, axis, method=method, keepdims=keepdims, **rest)
        known = known_value(q) if traced(q) else np.asarray(q)
        if known is not None:
            getattr(np, name)(np.zeros(1), known)  # for its errors
        part = (
            np.asarray(known, float) / parts
            if known is not None
            else exact_values.divided_once(jnp.asarray(q), parts)
        )
        return _items(jnp.asarray(a), part, axis, _PLACES[method], keepdims, is_without)

    return run


def _items(a: Any, q: Any, axis: Any, rule: str, keepdims: Any, is_without: bool) -> Any:
    """The items of `a` at places that `rule` makes whole numbers; nan where one is nan, unless they are left out."""
    given = range(a.ndim) if axis is None else axis if isinstance(axis, tuple) else (operator.index(axis),)
    axes = [each % a.ndim for each in given]
    kept = [size for place, size in enumerate(a.shape) if place not in axes]
    rows = jnp.sort(jnp.moveaxis(a, axes, range(-len(axes), 0)).reshape(*kept, -1), axis=-1)
    is_nan = jnp.isnan(rows)
    if is_without:
        last = jnp.sum(~is_nan, axis=-1, keepdims=True) - 1
        places = jnp.maximum(getattr(jnp, rule)(last * q.reshape(-1)), 0)
    else:
        places = getattr(jnp if traced(q) else np, rule)((rows.shape[-1] - 1) * q.reshape(-1))
        places = jnp.broadcast_to(places, (*kept, q.size))
    found = jnp.take_along_axis(rows, places.astype(int), axis=-1)
    if not is_without and jnp.issubdtype(a.dtype, jnp.inexact):
        found = jnp.where(is_nan[..., -1:], jnp.nan, found)
    shape = [1 if place in axes else size for place, size in enumerate(a.shape)] if keepdims else kept
    return jnp.moveaxis(found, -1, 0).reshape(*q.shape, *shape)
