"""Trimming: how does what has a length that only the data knows come out of a program? With the items that there are.

    ys = f(xs)                            [<up to 8 items>, ...]; the program says that 3 count
                                          [Array(3.), Array(4.), Array(5.)]
    return x[x > 0]                       all of x, and where the mask holds; an array of the items that it chooses

Inside somebody else's trace nobody runs the program, so that the items can't be counted: there it is an error.
"""

from __future__ import annotations

import collections
import itertools
import operator
from collections.abc import Iterable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autograph_lite.operators.effects import container_identity, journal
from autograph_lite.operators.lists import growing_lists, list_errors
from autograph_lite.operators.lists.dynamic_length import Part, Stretch, is_dynamic, parts_of
from autograph_lite.operators.ragged.extents import Span
from autograph_lite.operators.ragged.selection import Selection, unsized
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values import dataclass_objects, instances, pytrees
from autograph_lite.operators.values.values import Tracer, is_arraylike


def to_cut(result: Any) -> bool:
    """Whether lists in `result`, which a program gives, have stretches in them, or parts of arrays are in it.

    Raises:
      MutationError: there is a stretch elsewhere, as in a tuple.
    """
    leaves = dataclass_objects.object_leaves(
        result, is_leaf=lambda node: isinstance(node, (Part, Selection)), deques=True
    )
    parts = [leaf for leaf in leaves if isinstance(leaf, Part)]
    if parts:
        inside = [part for owner in _lists(result) for part in owner if isinstance(part, Part)]
        if len(inside) < len(parts):
            raise parts[0].misused()
    return bool(parts) or any(isinstance(leaf, Selection) for leaf in leaves)


def refuse_deques(result: Any) -> None:
    """Raises MutationError if a deque in a function's result has a length that only the data knows."""
    for leaf in dataclass_objects.object_leaves(result, deques=True):
        if isinstance(leaf, collections.deque) and is_dynamic(leaf):
            raise list_errors.returned_deque_error(leaf, source_places.here())


def cut(result: Any) -> Any:
    """`result` of a program that has run, with items in place of the stretches in its lists, and arrays in place of parts.

    Raises:
      MutationError, DynamicShapeError: the call is part of somebody else's trace.
    """
    for owner in _lists(result):
        owner[:] = itertools.chain.from_iterable(map(_items, parts_of(owner)))
    return _with_arrays(result, set())


def _with_arrays(value: Any, seen: set[int]) -> Any:
    """`value` with arrays in place of the parts in it; a dataclass object stays the one that it is."""
    leaves, tree = pytrees.flatten(value, is_leaf=lambda node: isinstance(node, Selection))
    found = [_array(leaf) if isinstance(leaf, Selection) else leaf for leaf in leaves]
    for owner in filter(dataclass_objects.is_record, leaves):
        if id(owner) not in seen:
            seen.add(id(owner))
            for name, held in instances.held_by(owner).items():
                if (new := _with_arrays(held, seen)) is not held:
                    object.__setattr__(owner, name, new)
    return value if all(map(operator.is_, found, leaves)) else jax.tree.unflatten(tree, found)


def _array(part: Selection) -> Any:
    """The items of a part. NumPy takes them, as XLA would compile a program for each length."""
    if any(isinstance(value, Tracer) for value in jax.tree.leaves(part)):
        raise unsized(part, "is returned, or kept in an object", inside=False)
    extended = jnp.issubdtype(part.dtype, jax.dtypes.extended)
    array = part.array if extended else np.asarray(part.array)
    for axis, extent in enumerate(part.extents):
        if isinstance(extent, Span):
            array = array[(slice(None),) * axis + (slice(int(extent.start), int(extent.stop)),)]
        elif extent is not None:
            array = array[(slice(None),) * axis + (np.flatnonzero(np.asarray(extent.mask)),)]
    return array if extended else jax.device_put(array, part.array.sharding)


def _lists(result: Any) -> list[list[Any]]:
    return [
        owner
        for owner in container_identity.containers(result)
        if isinstance(owner, list) and is_dynamic(owner)
    ]


def _items(part: Any) -> Iterable[Any]:
    if not isinstance(part, Stretch):
        return [part]
    if isinstance(part.length, Tracer):
        raise part.misused()
    return part.items()


def refuse_outside(change: journal.Change, *, given: bool) -> None:
    """Raises MutationError if a list from outside of the function gets a length that only the data knows.

    Args:
      change: of the list.
      given: whether it is a list of the call, whose items are counted when the program has run; of numbers and texts, as
        an array in it would be another one then.
    """
    values = [*change.new.values()]
    if not (
        growing_lists.has_lengths(change.place.owner) and change.place.holds_items and is_dynamic(values)
    ):
        return
    columns = [
        column if isinstance(part, Stretch) else column[None]
        for part in parts_of(values)
        for column in (
            part.columns
            if isinstance(part, Stretch)
            else map(jnp.asarray, filter(is_arraylike, pytrees.leaves(part)))
        )
    ]
    if not given or type(change.place.owner) is not list or any(column.ndim > 1 for column in columns):
        raise list_errors.outer_list_error(change.place, source_places.here(), given=given)
