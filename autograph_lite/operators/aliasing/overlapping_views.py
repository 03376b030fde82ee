"""Overlap: would NumPy know an array that is about to be written by another name? Then only one would see the change.

The analysis says which two names may mean one array (see `analysis.item_stores`); here are the values that tell whether they do.
"""

from __future__ import annotations

import inspect
import types
from typing import Any

import jax
import numpy as np

from autograph_lite.errors import MutationError
from autograph_lite.operators.aliasing import access_paths
from autograph_lite.operators.ragged.selection import Selection
from autograph_lite.operators.values.values import ARRAYS, Tracer, describe


def check_view(
    value: Any, source: Any, name: str, path: str, made: str, drops: int | None, *, read: bool = True,
    grows: bool = False,
) -> None:  # fmt: skip
    """Before an item of `value` is written, which may be a view.

    Args:
      value: what `name` is bound to.
      source: the variable that `path` begins with, which is that variable or an attribute of it.
      name: what the user calls `value`.
      path: what it may be a view of.
      made: the statement that made it one.
      drops: how many dimensions less it has then; None where that is not known.
      read: whether the function reads what `path` names later; else only those who hold it can see it.
      grows: whether `path` names a list that an iteration of a staged loop has put `value` in: the trace does not show it.

    Raises:
      MutationError: it is a view.
    """
    is_one = is_view(value, source, path, drops) or (grows and isinstance(value, jax.Array) and value.ndim)
    if is_one and (read or not isinstance(source, ARRAYS)):
        raise MutationError(
            f"An item of '{name}', {describe(value)}, is written, which shares its memory with '{path}' in NumPy (`{made}`), "
            f"and '{path}' {LATER[read]}.",
            why=WHY,
            fix=f"write the item of '{path}', or store '{name}' there afterwards; where '{path}' is to stay as it is, "
            f"write to a copy: {name}.copy().",
        )


def check_viewed(
    value: Any, source: Any, name: str, path: str, made: str, drops: int | None, *, deep: bool = False
) -> None:
    """Before an item of what `path` names is written: `value` may be a view of it that is read later; see `check_view`.

    Where `deep`, an item of an item is written; else a list or a dict gets another item, and its arrays stay as they are.

    Raises:
      MutationError: it is a view.
    """
    if is_view(value, source, path, drops, deep=deep):
        raise MutationError(
            f"An item of '{path}' is written, and '{name}', {describe(value)}, which shares its memory in NumPy (`{made}`), "
            "is read later.",
            why=WHY,
            fix=f"where '{name}' is to stay as it is, copy it before: {name}.copy(); else take it again after the write.",
        )


LATER = {True: "is read later", False: "outlives the call"}
WHY = "An array is a value to a compiled program: the change would be seen under one of the names only."


def is_view(value: Any, source: Any, path: str, drops: int | None, *, deep: bool = True) -> bool:
    """Whether `value` may be, or be a part of, the array that `path` leads to from `source`; if `deep`, or of an item there."""
    if not isinstance(value, (jax.Array, Selection)) or not value.ndim:
        return False  # NumPy's own arrays are changed in place
    if isinstance(source, (*ARRAYS, Selection)):
        return _may_be_part(value, source, drops)
    for attribute in path.split(".")[1:]:
        source = held_attribute(source, attribute)
    if isinstance(source, (*ARRAYS, Selection)):
        return _may_be_part(value, source, drops)
    if not deep:
        return False
    items = (
        source.values() if isinstance(source, dict) else source if isinstance(source, (list, tuple)) else ()
    )
    arrays = [item for item in items if isinstance(item, (*ARRAYS, Selection))]
    return any(_may_share(value, item) and value.ndim <= item.ndim for item in arrays)


def is_told(value: Any, source: Any, path: str) -> bool:
    """Whether `value` is, or is a part of, the array that `path` leads to from `source`, by the program that is recorded."""
    for attribute in path.split(".")[1:]:
        source = held_attribute(source, attribute)
    if not (isinstance(value, Tracer) and value.ndim and isinstance(source, Tracer)):
        return False
    return access_paths.is_part_of(value, access_paths.array_identities([source]))


def is_held(source: Any, path: str) -> bool:
    """Whether `path` leads from `source` to something that objects hold, so that `is_view` knows it: no property computes it."""
    for attribute in path.split(".")[1:]:
        source = held_attribute(source, attribute)
    return isinstance(source, (*ARRAYS, Selection, dict, list, tuple))


def held_attribute(owner: Any, attribute: str) -> Any:
    """An attribute that an object holds: a property may compute another array at each time."""
    held = inspect.getattr_static(owner, attribute, None)
    return getattr(owner, attribute) if isinstance(held, types.MemberDescriptorType) else held


def _may_be_part(
    value: jax.Array | Selection,
    source: jax.Array | Selection | np.ndarray[Any, Any] | np.generic,
    drops: int | None,
) -> bool:
    """Whether type and shape allow it: an index with an array in it, which copies, seldom takes as many dimensions away."""
    if not _may_share(value, source):
        # As `z.real` and `x.view(np.int32)` do, where there is a program that tells.
        return value.dtype != source.dtype and access_paths.is_part_of(
            value, access_paths.array_identities([source])
        )
    return drops is None or value.ndim == source.ndim - drops


def _may_share(value: Any, source: Any) -> bool:
    """Whether the items may lie in the memory of the source's: not those that a mask has copied, but for parts of these."""
    if isinstance(value, Selection) and value.memory is not None:
        return isinstance(source, Selection) and source.memory is value.memory
    return bool(value.dtype == source.dtype)
