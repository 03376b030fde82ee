"""Traced keys: which of its keys is meant where a dict is asked for a number, or a tuple, that a traced value decides?

counts[k] += 1                        one of the keys that the dict has while tracing, as an index is one of a list's
table[state, symbol]                  so is a tuple with a traced number, or one of several texts, in it
"""

from __future__ import annotations

import collections
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autograph_lite.errors import MutationError
from autograph_lite.operators.checks import carried_checks, exception_templates
from autograph_lite.operators.python.logical import equal
from autograph_lite.operators.values.one_of import OneOf
from autograph_lite.operators.values.values import SCALARS, describe


def is_traced_key(key: Any) -> bool:
    """Whether it is a traced number, or a tuple with such, or with one of several, in it."""
    if type(key) is tuple:
        return any(type(part) is OneOf or is_traced_key(part) for part in key)
    return isinstance(key, jax.Array) and not key.ndim


def has_pythons_items(table: dict[Any, Any]) -> bool:
    """Whether items of a dict are read and written by Python's methods."""
    kind = type(table)
    return kind.__getitem__ is dict.__getitem__ and kind.__setitem__ in (
        dict.__setitem__,
        collections.OrderedDict.__setitem__,
    )


def key_place(table: dict[Any, Any], key: Any) -> tuple[list[Any], Any]:
    """The keys that a traced key may be, and the number of the one that it is; -1 where it is none of them."""
    keys: list[Any]
    if type(key) is tuple:
        keys = [known for known in table if type(known) is tuple and len(known) == len(key)]
    else:
        keys = [known for known in table if isinstance(known, (*SCALARS, np.generic))]
    index: Any = jnp.int32(-1)
    for number, known in enumerate(keys):
        same = equal(key, known) if type(key) is tuple else key == known
        index = jnp.where(same, number, index)
    return keys, index


def check_read(table: dict[Any, Any], key: Any, index: Any) -> list[Any]:
    """Checks that a key whose item is read is there; gives what is read where it is not, if that is no error."""
    if isinstance(table, collections.Counter):
        return [0]
    error: Exception = KeyError(key)
    if hasattr(type(table), "__missing__"):
        error = _no_new(table, key)
    exception_templates.explicit(error)
    carried_checks.fail_if(index < 0, error)
    return []


def check_written(table: dict[Any, Any], key: Any, index: Any) -> None:
    """Checks that a key is there whose item is written: which keys a dict has is known while tracing."""
    carried_checks.fail_if(index < 0, _no_new(table, key))


def _no_new(table: dict[Any, Any], key: Any) -> MutationError:
    return MutationError(
        f"A traced key, {describe(key)}, is none of those that the {type(table).__name__} has, and its item is written.",
        why="Which keys there are is known while tracing.",
        fix="set an item for each key that there may be before, dict.fromkeys(range(n), 0), or use an array.",
    )
