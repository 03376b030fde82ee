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
from jax import lax

from autograph_lite.jax_internals.references import numpys_arrays
from autograph_lite.operators.values import pytrees
from autograph_lite.operators.values.values import Tracer

_SMALL = 2  # items on an axis
_IN_PYTHON = {"i": np.dtype(int), "u": np.dtype(np.uint), "f": np.dtype(float), "c": np.dtype(complex)}
# of functions, which are not called for that
_CALLING = frozenset({"piecewise", "apply_along_axis", "apply_over_axes"})


def array_or_number(found: Any, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What JAX gives for a call of a function of NumPy's: without axes an array, if that is what NumPy gives."""
    if not isinstance(found, Tracer) or found.ndim:
        return found
    leaves, tree = pytrees.flatten((args, kwargs))
    given = _what_is_given(fn, leaves, tree)
    for number, leaf in enumerate(leaves):
        argument = numpys_arrays.argument_of(leaf) if isinstance(leaf, Tracer) and not leaf.ndim else None
        if argument is not None and _what_is_given(fn, leaves, tree, other=number) != given:
            argument.is_asked = True  # whether it is a number
    if type(given) is int and isinstance(leaves[given], Tracer) and not leaves[given].ndim:
        return leaves[given]
    if given is None or given == "new":  # and JAX may give what it was handed
        found = lax.copy_p.bind(found) if any(found is each for each in leaves) else found
    return found if given is None else numpys_arrays.as_cell(found)


def _what_is_given(fn: Callable[..., Any], leaves: list[Any], tree: Any, other: int = -1) -> int | str | None:
    """Which array a function of NumPy's gives where what it gives has no axes; None for a number.

    A "new" one; or that of the leaves of this number, or a part of it. The leaf `other` is a number in place of an array without
    axes, or the other way.
    """
    if getattr(fn, "__name__", "") in _CALLING:
        return "new"
    small = tuple(_small_key(leaf, is_other=number == other) for number, leaf in enumerate(leaves))
    try:
        return _asked(fn, tree, small)
    except TypeError:  # a leaf has no hash
        return _ask(fn, tree, small)


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


def _small_key(leaf: Any, *, is_other: bool) -> Hashable:
    if isinstance(leaf, (jax.Array, np.ndarray)):
        is_number = not leaf.ndim and numpys_arrays.has_memory(leaf) is is_other
        dtype = leaf.dtype
        if not leaf.ndim and not is_number:  # whether `np.asarray(z, float)` is `z` itself depends on that
            dtype = numpys_arrays.type_of(leaf) or _IN_PYTHON.get(dtype.kind, dtype)
        return _Small(tuple(min(size, _SMALL) for size in leaf.shape), dtype, is_number)
    known: Hashable = leaf
    return known


@functools.lru_cache(maxsize=1024)
def _asked(fn: Callable[..., Any], tree: Any, small: tuple[Any, ...]) -> int | str | None:
    return _ask(fn, tree, small)


def _ask(fn: Callable[..., Any], tree: Any, small: tuple[Any, ...]) -> int | str | None:
    values = [each.value() if isinstance(each, _Small) else each for each in small]
    if any(callable(value) and not isinstance(value, type) for value in values):
        return None
    args, kwargs = jax.tree.unflatten(tree, values)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = fn(*args, **kwargs)
        except Exception:  # for other arrays than these
            return None
    if not isinstance(found, np.ndarray):
        return None
    arrays = [n for n, value in enumerate(values) if isinstance(value, np.ndarray)]
    return next((n for n in arrays if np.may_share_memory(found, values[n])), "new")
