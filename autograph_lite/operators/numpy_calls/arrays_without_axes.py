"""Arrays without axes: does a function of NumPy's give one, which `z += v` changes in place, or a number?

np.where(c, 1, 0), np.zeros_like(x[0]), np.tensordot(x, y, 1)      arrays
x.sum(), np.dot(x, y), np.clip(x[0], 0, 1)                         numbers

NumPy is asked, by a call with small arrays of ones.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Hashable
from typing import Any

import jax
import numpy as np

from autograph_lite.jax_internals.references import numpys_arrays
from autograph_lite.operators.values import pytrees
from autograph_lite.operators.values.values import Tracer

_SMALL = 2  # items on an axis
# of functions, which are not called for that
_CALLING = frozenset({"piecewise", "apply_along_axis", "apply_over_axes"})


def array_or_number(found: Any, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What JAX gives for a call of a function of NumPy's: without axes an array, if that is what NumPy gives."""
    is_one = isinstance(found, Tracer) and not found.ndim and _gives_one(fn, args, kwargs)
    return numpys_arrays.as_cell(found) if is_one else found


def _gives_one(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a function of NumPy's gives an array where what it gives has no axes."""
    if getattr(fn, "__name__", "") in _CALLING:
        return True
    leaves, tree = pytrees.flatten((args, kwargs))
    small = [*map(_small_key, leaves)]
    try:
        return _asked(fn, tree, tuple(small))
    except TypeError:  # a leaf has no hash
        return _ask(fn, tree, tuple(small))


class _Small:
    """A small array, or a number of NumPy's."""

    def __init__(self, shape: tuple[int, ...], dtype: Any, is_number: bool) -> None:
        self.key = shape, np.dtype(dtype).str, is_number

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Small) and self.key == other.key

    def value(self) -> Any:
        shape, dtype, is_number = self.key
        return np.dtype(dtype).type(1) if is_number else np.ones(shape, dtype)


def _small_key(leaf: Any) -> Hashable:
    if isinstance(leaf, (jax.Array, np.ndarray)):
        is_number = not leaf.ndim and not numpys_arrays.has_memory(leaf)
        return _Small(tuple(min(size, _SMALL) for size in leaf.shape), leaf.dtype, is_number)
    known: Hashable = leaf
    return known


@functools.lru_cache(maxsize=1024)
def _asked(fn: Callable[..., Any], tree: Any, small: tuple[Any, ...]) -> bool:
    return _ask(fn, tree, small)


def _ask(fn: Callable[..., Any], tree: Any, small: tuple[Any, ...]) -> bool:
    values = [each.value() if isinstance(each, _Small) else each for each in small]
    if any(callable(value) and not isinstance(value, type) for value in values):
        return False
    args, kwargs = jax.tree.unflatten(tree, values)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return isinstance(fn(*args, **kwargs), np.ndarray)
        except Exception:  # for other arrays than these
            return False
