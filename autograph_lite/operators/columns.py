"""Which of Python's iterables can a rolled loop take its items from, and without taking any of them before it is rolled?

range(1000)                                 the index of the iteration
[1.5, 2.5], (w1, w2), [(w1, b1), (w2, b2)]  numbers of one type, arrays of one type, or tuples and dicts of such
enumerate(...), zip(...), reversed(...)     of these: what is left in the iterator can be asked for
"""

from __future__ import annotations

import itertools
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autograph_lite import _jax
from autograph_lite._jax_positions import Position
from autograph_lite.operators import aliases, iterables, trees
from autograph_lite.operators.lane_rules import Known
from autograph_lite.operators.templates import Array, as_array

_ITERATORS: tuple[type, ...] = tuple(
    type(iterator)
    for iterator in (iter([]), iter(()), iter(range(0)), iter(range(2**70)), reversed([]), reversed(()))
)


class Unlike(Exception):
    """Items that no rolled loop can take; says why."""


def items_of(iterable: Any) -> Sequence[Any] | None:
    """The items that are left in `iterable`, none of which is taken; None where it is none of those that are known."""
    kind = type(iterable)
    if kind in (range, list, tuple):
        return iterable  # type: ignore[no-any-return]
    if kind in _ITERATORS:
        return _left_in(iterable)
    if kind is enumerate:
        parts = iterable.__reduce__()[1]
        found = items_of(parts[0]) if _is_alone(enumerate, parts, 0) else None
        return None if found is None else [*enumerate(found, parts[1])]
    if kind is zip:
        return _zipped(iterable.__reduce__())
    return None


def _left_in(iterator: Iterator[Any]) -> Sequence[Any]:
    reduced: Any = iterator.__reduce__()
    make, (source, *_), *state = reduced
    if make is reversed:
        return [*source][: state[0] + 1][::-1] if state else ()
    found: Sequence[Any] = source[state[0] :] if state and state[0] else source
    return found


def _is_alone(kind: type, parts: Sequence[Any], place: int) -> bool:
    """Whether nobody else takes items from the iterator that is a part of another one."""
    return sys.getrefcount(parts[place]) <= _ALONE[kind]


_ALONE: dict[type, int] = {}
for _kind in (enumerate, zip):
    _made: Any = _kind([])
    _parts = _made.__reduce__()[1]
    _ALONE[_kind] = sys.getrefcount(_parts[0])


def _zipped(reduced: Any) -> Sequence[Any] | None:
    _, inner, *strict = reduced
    found = [items_of(inner[k]) if _is_alone(zip, inner, k) else None for k in range(len(inner))]
    if strict or not found or any(part is None for part in found):
        return None  # Python's own raises where the lengths differ
    return [*zip(*found, strict=False)]


def lists_in(iterable: Any) -> list[Any]:
    """The lists that the items come from: they must not change while the loop runs."""
    kind = type(iterable)
    if kind is list:
        return [iterable]
    if kind in (enumerate, zip, *_ITERATORS):
        return [found for one in iterable.__reduce__()[1] for found in lists_in(one)]
    if kind is tuple and any(type(one) in (enumerate, zip, *_ITERATORS) for one in iterable):
        return [found for one in iterable for found in lists_in(one)]
    return []


def exhaust(iterable: Any, count: int) -> None:
    """Takes so many items from an iterator, as the loop would have."""
    if type(iterable) in (enumerate, zip, *_ITERATORS):
        deque(itertools.islice(iterable, count), maxlen=0)


class Columns(iterables.Staged):
    """The items of a sequence that Python knows, all of one type.

    Raises:
      Unlike: they are not.
    """

    def __init__(self, items: Sequence[Any]) -> None:
        self.items = items
        if isinstance(items, range):
            numbers = np.arange(items.start, items.stop, items.step)
            info = np.iinfo(jnp.result_type(int))
            if (
                len(items)
                and not info.min <= min(items[0], items[-1]) <= max(items[0], items[-1]) <= info.max
            ):
                raise Unlike(f"the numbers of the range do not fit into {info.dtype}")
            self.tree, self.columns = trees.structure(0), [numbers]
        else:
            self.tree, self.columns = _columns(items)
        self.range = items if isinstance(items, range) else None

    def length(self) -> Any:
        return len(self.items)

    def rows(self) -> Any:
        if self.range is not None:
            # No array of JAX's: a scan counts them (`_jax_counted`).
            return np.arange(self.range.start, self.range.stop, self.range.step, dtype=jnp.result_type(int))
        return [_array(column) for column in self.columns]

    def positions(self) -> dict[int, Position]:
        if self.range is not None:
            return {0: Position(self.range.step, self.range.start)}
        return {
            k: place for k, column in enumerate(self.columns) if (place := position_of(column)) is not None
        }

    def item(self, row: Any) -> Any:
        if self.range is not None:
            return _weak(row)
        leaves = [
            _weak(r) if isinstance(c, np.ndarray) else r for r, c in zip(row, self.columns, strict=True)
        ]
        item = jax.tree.unflatten(self.tree, leaves)
        if aliases.containers(item):
            aliases.choose(item, self.items)
        return item

    def at(self, index: Any) -> Any:
        return self.items[index]

    def known(self) -> list[Known | None]:
        """The numbers in the rows, side by side; None for arrays."""
        return [_known(c) if isinstance(c, np.ndarray) else None for c in self.columns]


def _weak(row: Any) -> Any:
    return _jax.as_type(row, row.dtype, True)


def _known(column: Any) -> Known:
    program = column.astype(np.float32) if column.dtype.kind == "f" else column
    return Known(column, program, np.zeros(len(column), bool))


def _array(column: Any) -> jax.Array:
    """A column as an array; one that a range gives without a table in the program."""
    if not isinstance(column, np.ndarray):
        return jnp.stack(column)
    place = position_of(column)
    if place is not None and place.slope:
        return jnp.arange(place.offset, place.offset + place.slope * len(column), place.slope)
    return jnp.asarray(column, jnp.result_type(int if column.dtype.kind == "i" else float))


def position_of(column: Any) -> Position | None:
    """How the numbers of a column follow from those of the iterations; None where they don't, or there are few."""
    if not isinstance(column, np.ndarray) or column.dtype.kind != "i" or len(column) < 3:
        return None
    steps = np.diff(column)
    return Position(int(steps[0]), int(column[0])) if (steps == steps[0]).all() else None


def _columns(items: Sequence[Any]) -> tuple[Any, list[Any]]:
    if not items:
        return trees.structure(0), []
    tree = trees.structure(items[0])
    if any(trees.structure(item) != tree for item in items):
        raise Unlike("its items are no numbers or arrays of one type")
    columns = [*zip(*map(trees.leaves, items), strict=True)]
    return tree, [_column(column) for column in columns]


def _column(leaves: Sequence[Any]) -> Any:
    kind = type(leaves[0])
    if kind in (int, float) and all(type(leaf) is kind for leaf in leaves):
        dtype = jnp.result_type(kind)
        if kind is int and any(not np.iinfo(dtype).min <= leaf <= np.iinfo(dtype).max for leaf in leaves):
            raise Unlike(f"a number does not fit into {dtype}")
        return np.asarray(leaves)
    types = (
        {as_array(_fixed(leaf)) for leaf in leaves}
        if all(isinstance(v, jax.Array) for v in leaves)
        else {None}
    )
    if len(types) > 1 or None in types or next(iter(types)).weak:  # type: ignore[union-attr]
        raise Unlike("its items are no numbers or arrays of one type")
    return leaves


def _fixed(leaf: Any) -> Array:
    return Array(leaf.dtype, _jax.weak_type(leaf), leaf.shape, _jax.varying_axes(leaf))
