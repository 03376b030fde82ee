"""Exact values: where no rounding error is left in what NumPy gives, XLA may give the number beside it, and `int` the one before.

np.round(0.3, 1)     0.30000000000000004: XLA multiplies by what it takes for 1 / 10
np.log2(8.0)         2.9999999999999996
np.exp2(15.0)        32767.98, in 32 bits

These functions give NumPy's numbers. What they add to JAX's is no part of a derivative.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


def divided_once(x: Any, number: Any) -> Any:
    """`x / number`, rounded once, also where the program knows the number."""
    if not is_rounded(number):
        return jnp.true_divide(x, number)
    return jnp.true_divide(x, lax.optimization_barrier(float(number)))


def is_rounded(number: Any) -> bool:
    """Whether 1 / `number`, a real one, has a rounding error: of all but powers of two."""
    return math.isfinite(number) and abs(math.frexp(number)[0]) not in (0.0, 0.5)


def rounded_to_decimals(x: Any, decimals: int) -> Any:
    """Floats `x`, rounded to `decimals` as NumPy does: to even, and divided by a power of ten."""
    factor = lax.optimization_barrier(10.0 ** abs(decimals))
    if decimals < 0:
        return jnp.round(x / factor) * factor
    return jnp.round(x * factor) / factor


def log2(x: Any) -> Any:
    """`np.log2`, a whole number for powers of two."""
    found = jnp.log2(x)
    return _corrected(found, x, lambda whole: jnp.ldexp(jnp.ones_like(whole), whole.astype(np.int32)))


def log10(x: Any) -> Any:
    """`np.log10`, a whole number for powers of ten."""
    found = jnp.log10(x)
    if found.dtype not in _REAL:
        return found
    limits = np.finfo(found.dtype)
    first = round(math.log10(float(limits.tiny)))
    powers = np.asarray(
        [10.0**n for n in range(first, math.floor(math.log10(float(limits.max))) + 1)], found.dtype
    )
    return _corrected(found, x, lambda whole: jnp.take(powers, (whole - first).astype(np.int32), mode="clip"))


def cbrt(x: Any) -> Any:
    """`np.cbrt`, a whole number for cubes of whole numbers."""
    return _corrected(jnp.cbrt(x), x, lambda whole: whole * whole * whole)


def exp2(x: Any) -> Any:
    """`np.exp2`, a power of two for whole numbers."""
    found = jnp.exp2(x)
    return found if found.dtype not in _REAL else jnp.power(jnp.asarray(2.0, found.dtype), x)


def gamma(x: Any) -> Any:
    """`math.gamma`, a factorial for whole numbers."""
    found = jax.scipy.special.gamma(x)
    if found.dtype not in _REAL:
        return found
    limit = float(np.finfo(found.dtype).max)
    values = [float(each) for n in range(171) if (each := math.factorial(n)) < limit]
    place = lax.stop_gradient(jnp.asarray(x, found.dtype)) - 1
    exact = jnp.take(np.asarray(values, found.dtype), place.astype(np.int32), mode="clip")
    return _moved(found, exact, (jnp.round(place) == place) & (place >= 0) & (place < len(values)))


_REAL = (np.dtype(np.float32), np.dtype(np.float64))


def _corrected(found: Any, x: Any, inverse: Callable[[Any], Any]) -> Any:
    """`found` of `x`, made whole where the `inverse` of the whole number next to it is `x`."""
    if found.dtype not in _REAL:
        return found
    whole = jnp.round(lax.stop_gradient(found))
    return _moved(found, whole, inverse(whole) == lax.stop_gradient(jnp.asarray(x, found.dtype)))


def _moved(found: Any, exact: Any, is_exact: Any) -> Any:
    near = lax.stop_gradient(found)
    return found + jnp.where(is_exact & jnp.isfinite(near), exact - near, 0)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    fun.__name__: functools.wraps(getattr(jnp, fun.__name__))(fun) for fun in (log2, log10, cbrt, exp2)
}
