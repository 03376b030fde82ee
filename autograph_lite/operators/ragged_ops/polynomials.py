"""Polynomials: what do they give whose number of coefficients only the data knows?

np.polyval(np.polydiv(u, v)[1], x)    the rest begins behind its zeros, and each coefficient counts that is chosen
np.polyadd(np.polymul(q, v), rest)    zeros in front change no polynomial: the sum is as long as the longer one
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import lax

from autograph_lite.operators.ragged.extents import Span
from autograph_lite.operators.ragged.selection import Selection, padded, unsized


def polyval(p: Any, x: Any) -> Any:
    """`jnp.polyval`."""
    extent = p.extents[0] if isinstance(p, Selection) and p.ndim == 1 else None
    if extent is None or isinstance(x, Selection):
        raise unsized(x if isinstance(x, Selection) else p, "is handed to 'polyval'")
    x = jnp.asarray(x)

    def with_item(value: Any, row: Any) -> Any:
        item, counts = row
        return jnp.where(counts, value * x + item, value), None

    start = jnp.zeros(jnp.shape(x), jnp.result_type(p.dtype, x))
    return lax.scan(with_item, start, (p.array, extent.lanes()))[0]


def polyadd(a: Any, b: Any) -> Any:
    """`jnp.polyadd`."""
    return jnp.polyadd(*_with_zeros(a, b, "polyadd"))


def polysub(a: Any, b: Any) -> Any:
    """`jnp.polysub`."""
    return jnp.polysub(*_with_zeros(a, b, "polysub"))


def _with_zeros(a: Any, b: Any, name: str) -> tuple[Any, Any]:
    """Both with zeros in front, where the one that is an array is as long as the other one may be."""
    rest, other = (a, b) if isinstance(a, Selection) else (b, a)
    other = other if isinstance(other, Selection) else jnp.asarray(other)
    extent = rest.extents[0] if rest.ndim == 1 else None
    is_end = isinstance(extent, Span) and type(extent.stop) is int and extent.stop == extent.size
    if isinstance(other, Selection) or not is_end or other.size < rest.array.shape[0]:
        raise unsized(rest, f"is handed to '{name}'")
    whole = padded(rest, 0)
    return (whole, other) if rest is a else (other, whole)


POLYNOMIALS = {"polyval": polyval, "polyadd": polyadd, "polysub": polysub}
