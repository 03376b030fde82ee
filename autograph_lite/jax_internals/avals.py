"""Avals: which dtype, weak type and varying axes has an array, and how does it get others?"""

from __future__ import annotations

import weakref
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src import core
from jax._src.lax import lax as lax_internal
from jax.core import Tracer

_floats: dict[int, tuple[Any, float]] = {}  # by the ids of arrays, the floats that they were made of


def float_of(number: Any) -> float | None:
    """The float of Python's that a value of a program is, not rounded; None where it is none."""
    if isinstance(number, float):
        return float(number)
    known = _floats.get(id(number))
    return None if known is None else known[1]


def as_type(value: Any, dtype: Any, weak: bool) -> jax.Array:
    """`value` as an array of that dtype and weak type."""
    # The public lax.convert_element_type can't make a weakly typed array.
    array: jax.Array = value if isinstance(value, jax.Array) else jnp.asarray(value)
    if type(value) is float and not isinstance(array, Tracer):
        key = id(array)
        _floats[key] = weakref.ref(array, lambda _: _floats.pop(key, None)), value
    if array.dtype == dtype and weak_type(array) == weak:
        return array
    if jnp.issubdtype(array.dtype, jax.dtypes.extended):
        return array
    convert: Any = lax_internal._convert_element_type
    converted: jax.Array = convert(array, np.dtype(dtype), weak_type=weak)
    return converted


def weak_type(array: Any) -> bool:
    """Whether the array's dtype came from a Python scalar, and so gives way in a promotion."""
    return bool(getattr(jax.typeof(array), "weak_type", False))


def is_weak(aval: Any) -> bool:
    """Whether a type's dtype came from a Python scalar."""
    return bool(getattr(aval, "weak_type", False))


def varying_axes(array: Any) -> frozenset[str]:
    """The mesh axes of an enclosing shard_map over which the value differs from device to device."""
    return varying_of(jax.typeof(array))


def varying_of(aval: Any) -> frozenset[str]:
    """As `varying_axes`, of an array's type."""
    vma: Any = getattr(aval, "vma", None)  # 0.10
    if vma is None:
        vma = getattr(getattr(aval, "manual_axis_type", None), "varying", frozenset())  # 0.12
    return frozenset(vma)


def array_type(shape: tuple[int, ...], dtype: Any, weak: bool) -> Any:
    """The type of an array."""
    return core.ShapedArray(shape, np.dtype(dtype), weak_type=weak)


def as_varying(array: jax.Array, axes: frozenset[str]) -> jax.Array:
    """`array`, marked as varying over at least these mesh axes."""
    missing = tuple(sorted(axes - varying_axes(array)))
    return lax.pcast(array, missing, to="varying") if missing else array
