"""List trimming: how does a list whose length only the data knows come out of a program? With the items that it has.

    ys = f(xs)                            [<up to 8 items>, ...]; the program says that 3 count
                                          [Array(3.), Array(4.), Array(5.)]

Inside somebody else's trace nobody runs the program, so that the items can't be counted: there it is an error.
"""

from __future__ import annotations

import collections
import itertools
from collections.abc import Iterable
from typing import Any

from autograph_lite.operators.effects import container_identity, journal
from autograph_lite.operators.joins.join_types import rebuild
from autograph_lite.operators.lists import growing_lists, list_errors
from autograph_lite.operators.lists.dynamic_length import Part, Stretch, is_dynamic, parts_of
from autograph_lite.operators.ragged.selection import Selection, unsized
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values import dataclass_objects
from autograph_lite.operators.values.values import Tracer


def to_cut(result: Any) -> bool:
    """Whether lists in `result`, which a program gives, have stretches in them.

    Raises:
      MutationError: there is one elsewhere, as in a tuple.
      DynamicShapeError: a part of an array is in `result`, of a length that only the data knows.
    """
    leaves = dataclass_objects.object_leaves(result, is_leaf=lambda node: isinstance(node, (Part, Selection)))
    for leaf in leaves:
        if isinstance(leaf, Selection):
            raise unsized(leaf, "is returned, or kept in an object", inside=False)
    parts = [leaf for leaf in leaves if isinstance(leaf, Part)]
    if parts:
        inside = [part for owner in _lists(result) for part in owner if isinstance(part, Part)]
        if len(inside) < len(parts):
            raise parts[0].misused()
    return bool(parts)


def refuse_deques(result: Any) -> None:
    """Raises MutationError if a deque in a function's result has a length that only the data knows."""
    for leaf in dataclass_objects.object_leaves(result):
        if isinstance(leaf, collections.deque) and is_dynamic(leaf):
            raise list_errors.returned_deque_error(leaf, source_places.here())


def cut(result: Any) -> Any:
    """`result` of a program that has run, with items in place of the stretches in its lists.

    Raises:
      MutationError: the call is part of somebody else's trace.
    """
    for owner in _lists(result):
        owner[:] = itertools.chain.from_iterable(map(_items, parts_of(owner)))
    return result


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
    columns = [list(column) for column in part.columns]
    return [rebuild(part.item, [column[i] for column in columns], "an item") for i in range(int(part.length))]


def refuse_outside(change: journal.Change) -> None:
    """Raises MutationError if a list from outside of the function gets a length that only the data knows."""
    if (
        growing_lists.has_lengths(change.place.owner)
        and change.place.holds_items
        and is_dynamic([*change.new.values()])
    ):
        raise list_errors.outer_list_error(change.place, source_places.here())
