"""List methods: what do they do where only the data knows the length? What Python's do, on a buffer and a length.

ys.reverse(), ys.sort()               the buffer in another order, that of the items that count
ys.insert(i, x), ys.remove(x)         all later items move by one
ys.index(x), ys.count(x)              of the items that count; for numbers
"""

from __future__ import annotations

import collections
import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autograph_lite.jax_internals.references import number_types
from autograph_lite.operators.checks import carried_checks, traced_text
from autograph_lite.operators.effects import journal
from autograph_lite.operators.joins import unions
from autograph_lite.operators.joins.join_types import LEAF, Array, capture
from autograph_lite.operators.lists import bounded_growth, packing, sort_order
from autograph_lite.operators.lists.dynamic_length import KINDS, Stretch, dynamic_len, length_error
from autograph_lite.operators.lists.packing import as_stretch, item_of, packed, room_for, stretch_template
from autograph_lite.operators.user_code import ownership
from autograph_lite.operators.values.one_of import OneOf, on_each
from autograph_lite.operators.values.values import as_index, is_arraylike, traced


def reverse(values: list[Any]) -> None:
    """`values.reverse()`."""
    stretch = packed(values)
    _write(values, _taken(stretch, jnp.maximum(stretch.length - 1 - jnp.arange(stretch.room), 0)))


def insert(values: list[Any], index: Any, value: Any, /) -> None:
    """`values.insert(index, value)`."""
    stretch = packed(values)
    at = jnp.clip(jnp.where(index < 0, index + stretch.length, index), 0, stretch.length)
    place, parts = bounded_growth.list_place(values), [capture(stretch), capture(value)]
    packing.note_put([parts])
    packing.note_left(place, packing.leaves_of(parts[1:]))
    item = item_of(parts, place)
    most = stretch.most + 1
    longer = as_stretch(parts, stretch_template(item, most, room_for(parts, most), parts, place), item)
    here = jnp.arange(longer.room)
    _write(
        values, _taken(longer, jnp.where(here == at, stretch.length, jnp.where(here > at, here - 1, here)))
    )


def remove(values: list[Any], value: Any, /) -> None:
    """`values.remove(value)`."""
    kind = type(values).__name__
    found = _found(values, value, f"{kind}.remove(x): x not in {kind}")
    bounded_growth.pop(values, found, fails=ValueError)


def index(values: Sequence[Any], value: Any, /, *bounds: Any) -> Any:
    """`values.index(value, *bounds)`."""
    try:
        message = str([].index(value))
    except ValueError as error:
        message = "list.index(x): x not in list" if traced(value) else str(error)
    if isinstance(values, collections.deque):
        message = traced_text.format("{} is not in deque", value)
    return _counted(_found(values, value, message, *bounds))


def count(values: Sequence[Any], value: Any, /) -> Any:
    """`values.count(value)`."""
    return _counted(jnp.sum(items_equal(values, value)))


def contains(values: Sequence[Any], value: Any, /) -> Any:
    """`value in values`."""
    return jnp.any(items_equal(values, value))


def sort(values: list[Any], /, *, key: Any = None, reverse: Any = False) -> None:
    """`values.sort()`."""
    _write(values, ordered(values, key, reverse))


def ordered(values: Sequence[Any], key: Any, reverse: Any) -> Stretch:
    """The items in their order. Raises MutationError: they are no numbers, or there is a key."""
    stretch, column = _numbers(values)
    if key is not None or traced(reverse):
        raise length_error(values)
    return _taken(stretch, sort_order.by_columns([column], [None], stretch.length, reverse=bool(reverse)))


def popleft(values: Any) -> Any:
    """`values.popleft()`, of a deque."""
    return bounded_growth.pop(values, 0)


def rotate(values: Any, n: Any = 1, /) -> None:
    """`values.rotate(n)`, of a deque."""
    stretch = packed(values)
    here = jnp.arange(stretch.room)
    _write(
        values,
        _taken(stretch, jnp.where(here < stretch.length, (here - n) % jnp.maximum(stretch.length, 1), here)),
    )


METHODS: dict[str, Callable[..., Any]] = {
    "pop": bounded_growth.pop, "reverse": reverse, "insert": insert, "remove": remove, "index": index, "count": count,
    "sort": sort, "popleft": popleft, "rotate": rotate, "__len__": dynamic_len, "__contains__": contains,
}  # fmt: skip


def items_equal(values: Sequence[Any], value: Any) -> Any:
    """For each place of the buffer, whether its item equals a value.

    Raises:
      MutationError: this or these are no numbers, texts, or other values that are compared at once.
    """
    if type(value) is OneOf:
        return on_each(functools.partial(items_equal, values), value)
    stretch = packed(values)
    columns = iter(stretch.columns)
    leaves = [(leaf, next(columns) if isinstance(leaf, Array) else None) for leaf in stretch.item.leaves]
    tag, variants = unions.taken_apart(unions.Node(stretch.item.tree, leaves))
    if isinstance(value, KINDS) or np.shape(value):
        raise length_error(values)
    tests = [_equal(variant, value, values) for variant in variants]
    if tag is not None:
        tests = [test & (tag[1] == n) for n, test in enumerate(tests)]
    return functools.reduce(operator.or_, tests) & counting(stretch)


def _equal(variant: unions.Node, value: Any, values: Sequence[Any]) -> Any:
    """Whether each of the items equals a value that is no list or tuple, if it is of this variant."""
    if variant.tree != LEAF:
        return value is None and variant.tree == jax.tree.structure(None)
    leaf, column = variant.leaves[0]
    if isinstance(leaf, Array):
        if leaf.shape:
            raise length_error(values)
        return column == value if is_arraylike(value) else False
    if ownership.is_users_class(type(leaf.value)):  # its `__eq__` may do anything
        raise length_error(values)
    return leaf.value == value


def counting(stretch: Stretch) -> Any:
    """For each place of the buffers, whether there is an item."""
    return jnp.arange(stretch.room) < stretch.length


def number_buffer(stretch: Stretch) -> Any:
    """The buffer, where the items are numbers; else None."""
    single = stretch.item.tree == LEAF and [jnp.ndim(column) for column in stretch.columns] == [1]
    return stretch.columns[0] if single else None


def _numbers(values: Sequence[Any]) -> tuple[Stretch, Any]:
    stretch = packed(values)
    column = number_buffer(stretch)
    if column is None:
        raise length_error(values)
    return stretch, column


def from_start(bound: Any, room: int, length: Any) -> Any:
    """A bound of places that may count from the end of so many items, for which there is that much room."""
    bound = as_index(bound) if traced(bound) else min(max(bound, -room), room)
    return jnp.where(bound < 0, jnp.maximum(bound + length, 0), bound)


def _found(values: Sequence[Any], value: Any, message: str, *bounds: Any) -> Any:
    same = items_equal(values, value)
    for number, end in enumerate(bounds):
        end, here = from_start(end, same.size, dynamic_len(values)), jnp.arange(same.size)
        same &= here < end if number else here >= end
    carried_checks.fail_if(jnp.logical_not(jnp.any(same)), ValueError(message))
    return jnp.argmax(same)


def _counted(number: Any) -> Any:
    return number_types.pythons_number(number, jnp.result_type(int))


def _taken(stretch: Stretch, order: Any) -> Stretch:
    columns = [jnp.take(column, order, axis=0, mode="clip") for column in stretch.columns]
    return stretch.having([stretch.length, *columns], stretch.most)


def _write(values: list[Any], stretch: Stretch) -> None:
    bounded_growth.list_place(journal.note_change(values)).write(stretch.contents())
