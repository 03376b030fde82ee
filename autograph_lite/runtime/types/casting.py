"""Casting: what does a value become where a signature says which array is expected? Or is it refused?

Arrays of JAX's have the dtype or are refused. Values of Python's and NumPy's, and weakly typed arrays, take the dtype
where that is of their kind and can hold them: a NumPy array of int64 becomes one of int32, a Python 3 a float.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autograph_lite.jax_internals import avals
from autograph_lite.runtime.types.array_spec import (
    ArraySpec,
    becomes_array,
    is_extended,
    is_numeric,
    refuse_subclass,
)


def cast(value: Any, spec: ArraySpec) -> jax.Array:
    """`value` as an array of the type `spec`.

    Raises:
      TypeError: it has another shape, a dtype of another kind, or values that the dtype can't hold. The message says what
        was found and what is allowed.
    """
    spec = spec.canonical()
    array = value if becomes_array(value) else _read(value, spec)
    if not ArraySpec(array.shape, spec.dtype).is_subtype_of(ArraySpec(spec.shape, spec.dtype)):
        raise TypeError(_misfit(array, spec, value))
    return avals.as_type(_converted(array, value, spec), spec.dtype, spec.weak_type)


def _converted(array: Any, value: Any, spec: ArraySpec) -> jax.Array:
    if isinstance(array, jax.Array):
        gives_way = (
            avals.weak_type(array) and not is_extended(spec.dtype) and _is_kind(array.dtype, spec.dtype, True)
        )
        if array.dtype != spec.dtype and not gives_way:
            raise TypeError(_misfit(array, spec, value))
        return array
    if is_extended(spec.dtype) or not _is_kind(array.dtype, spec.dtype, array is not value):
        raise TypeError(_misfit(array, spec, value))
    with np.errstate(all="ignore"):
        result = np.asarray(array).astype(spec.dtype)
    if not _held(np.asarray(array), result):
        raise TypeError(f"found {value!r}, which {spec.dtype} can't hold; allowed: {spec}")
    return jnp.asarray(result)


def _read(value: Any, spec: ArraySpec) -> Any:
    """The array that a number or a list of numbers is."""
    refuse_subclass(value)
    try:
        within = isinstance(value, (list, tuple)) and any(
            isinstance(x, jax.Array) for x in jax.tree.leaves(value)
        )
        array = jnp.asarray(value) if within else np.asarray(value)
    except (TypeError, ValueError):
        raise TypeError(f"found {value!r}; allowed: {spec}") from None
    if not is_numeric(array.dtype):
        raise TypeError(f"found {value!r}; allowed: {spec}")
    return array


def _is_kind(found: Any, allowed: Any, python: bool) -> bool:
    """Whether a dtype is of the allowed one's kind; an int of Python's is a float too, as Python promotes it."""
    one, other = _kind(found), _kind(allowed)
    return one == other or (python and 1 <= one <= other)


def _kind(dtype: Any) -> int:
    kinds: tuple[Any, ...] = (jnp.bool_, jnp.integer, jnp.floating, jnp.complexfloating)
    return next(rank for rank, kind in enumerate(kinds) if jnp.issubdtype(dtype, kind))


def _held(before: Any, after: Any) -> bool:
    """Whether nothing but precision was lost."""
    if jnp.issubdtype(after.dtype, jnp.integer):
        return bool(np.all(before == after))
    return bool(np.all(np.isfinite(before) <= np.isfinite(after)))


def _misfit(array: Any, spec: ArraySpec, value: Any) -> str:
    weak = isinstance(array, jax.Array) and avals.weak_type(array)
    found = str(ArraySpec(array.shape, array.dtype, weak))
    if array is not value:  # of Python's: JAX's dtype for it is not NumPy's
        kind = type(value).__name__
        number = isinstance(value, (bool, int, float, complex))
        found = (
            f"{value!r}, {_article(kind)}" if number else f"{_article(kind)}, {_of_jax(array)} as an array"
        )
    return f"found {found}; allowed: {spec}"


def _article(word: str) -> str:
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"


def _of_jax(array: Any) -> ArraySpec:
    return ArraySpec(array.shape, array.dtype).canonical()
