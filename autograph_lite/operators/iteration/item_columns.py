"""Columns: from which of Python's iterables can a rolled loop take its items, without taking any before it is rolled?

range(1000)                                 the index of the iteration
[1.5, 2.5], (w1, w2), [(w1, b1), (w2, b2)]  numbers of one type, arrays of one type, or tuples and dicts of such
zip(ws, ["tanh", "tanh"])                   with what is the same in all items, a text or a function, as it is
d.values(), d.items(), nnx.List(...)        their items
enumerate(...), zip(...), reversed(...)     of these: what is left in the iterator can be asked for
itertools.product(...), np.ndindex(...)     all are taken at once, as nothing else runs when one is taken
"""

from __future__ import annotations

import enum
import gc
import itertools
import sys
import types
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autograph_lite.converters.python_ops import Maybe
from autograph_lite.jax_internals import avals
from autograph_lite.jax_internals.dataflow.affine_indices import Position
from autograph_lite.jax_internals.references import numpys_arrays, storages
from autograph_lite.jax_internals.references.vector_iterator import VectorIterator
from autograph_lite.operators.effects import container_identity
from autograph_lite.operators.iteration import iterables
from autograph_lite.operators.joins.join_types import Array, as_array_type, same_value
from autograph_lite.operators.lane_eval.primitive_rules import Known
from autograph_lite.operators.lists import dynamic_length
from autograph_lite.operators.object_graph import python_iterators
from autograph_lite.operators.values import dataclass_objects, pytrees
from autograph_lite.operators.values.values import Tracer

_DICTS: tuple[type, ...] = (dict, type({}.items()), type({}.values()), type({}.keys()))
_OF_DICTS: tuple[type, ...] = (type(iter({})), type(iter({}.items())), type(iter({}.values())))
_ITERATORS: tuple[type, ...] = (
    *map(type, (iter([]), iter(()), iter(range(0)), iter(range(2**70)), reversed([]), reversed(()))),
    *_OF_DICTS,
    VectorIterator,
)


class Unlike(Exception):
    """Items that no rolled loop can take; says why."""


def items_of(iterable: Any) -> Sequence[Any] | None:
    """The items that are left in `iterable`, which stay there; None where it is of no known kind."""
    kind = type(iterable)
    if kind in (range, list, tuple):
        return None if kind is list and any(map(dynamic_length.is_dynamic, iterable)) else iterable
    if kind in _DICTS or is_module_list(iterable):
        return [*iterable]
    if kind is VectorIterator:
        return iterable.left()  # type: ignore[no-any-return]
    if kind in _ITERATORS:
        return _left_in(iterable)
    if (held := _module_list_in(iterable)) is not None:
        return [*held][iterable.gi_frame.f_locals.get("i", -1) + 1 :]
    if kind is enumerate:
        parts = iterable.__reduce__()[1]
        found = items_of(parts[0]) if _is_alone(enumerate, parts, 0) else None
        return None if found is None else [*enumerate(found, parts[1])]
    return _zipped(iterable.__reduce__()) if kind is zip else None


_TAKEN = (
    itertools.product, itertools.combinations, itertools.permutations, itertools.combinations_with_replacement,
    np.ndindex,
)  # fmt: skip
_MOST = 100_000  # items that are taken at once


def is_module_list(iterable: Any) -> bool:
    """Whether it is an `nnx.List`, a module with the items of a list."""
    kind = type(iterable)
    return kind.__name__ == "List" and kind.__module__.startswith("flax.nnx")


def _module_list_in(iterable: Any) -> Any:
    """The module from which a generator takes items, as those in `enumerate` and `zip` do; it counts in `i`."""
    if type(iterable) is not types.GeneratorType or iterable.gi_frame is None:
        return None
    held: Any = iterable.gi_frame.f_locals.get("self")
    is_its = is_module_list(held) and type(held).__iter__.__code__ is iterable.gi_code
    return held if is_its else None


def is_sized(iterable: Any) -> bool:
    """Whether taking items from it leaves it as it was."""
    return type(iterable) in (range, list, tuple, *_DICTS) or is_module_list(iterable)


def take_columns(iterable: Any, body_fun: Callable[..., Any]) -> Any:
    """The items of an iterator that the header of the loop makes of nothing that others see; itself where it is none."""
    if not isinstance(iterable, _TAKEN) or not python_iterators.is_own(iterable, body_fun):
        return iterable
    items = [*itertools.islice(iterable, _MOST)]
    return items if len(items) < _MOST else itertools.chain(items, iterable)


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


def sources_in(iterable: Any) -> list[Any]:
    """The lists and arrays that the items come from: they must not change while the loop runs."""
    kind = type(iterable)
    if kind in (list, dict) or is_module_list(iterable):
        return [iterable]
    if (held := _module_list_in(iterable)) is not None:
        return [held]
    if isinstance(iterable, jax.Array):
        return [storages.root(iterable)]
    if kind in (*_DICTS, *_OF_DICTS):
        return [held for held in gc.get_referents(iterable) if type(held) is dict]
    if kind in (enumerate, zip, *_ITERATORS):
        return [found for one in iterable.__reduce__()[1] for found in sources_in(one)]
    if kind is tuple and any(type(one) in (enumerate, zip, *_ITERATORS) for one in iterable):
        return [found for one in iterable for found in sources_in(one)]
    return []


def exhaust(iterable: Any, count: int) -> None:
    """Takes so many items from an iterator, as the loop would have."""
    if type(iterable) in (enumerate, zip, *_ITERATORS):
        deque(itertools.islice(iterable, count), maxlen=0)


class Columns(iterables.Staged):
    """The items of a sequence that Python knows, all of one type."""

    def __init__(self, items: Sequence[Any]) -> None:
        self.items = items
        self._made: Any = None
        if isinstance(items, range):
            numbers = np.arange(items.start, items.stop, items.step)
            info = np.iinfo(jnp.result_type(int))
            if (
                len(items)
                and not info.min <= min(items[0], items[-1]) <= max(items[0], items[-1]) <= info.max
            ):
                raise Unlike(f"the numbers of the range do not fit into {info.dtype}")
            self.tree, self.columns = pytrees.structure(0), [numbers]
        else:
            self.tree, self.columns = _columns(items)
        self.range = items if isinstance(items, range) else None

    def length(self) -> Any:
        return len(self.items)

    def rows(self) -> Any:
        if self.range is not None:
            # No array of JAX's: a scan counts them (`iteration_counter`).
            return np.arange(self.range.start, self.range.stop, self.range.step, dtype=jnp.result_type(int))
        return [_array(column) for column in self._changing]

    def positions(self) -> dict[int, Position]:
        if self.range is not None:
            return {0: Position(self.range.step, self.range.start)}
        return {
            k: place for k, column in enumerate(self._changing) if (place := position_of(column)) is not None
        }

    def item(self, row: Any) -> Any:
        if self.range is not None:
            return _weak(row)
        arrays = iter(row)
        leaves = [c.value if isinstance(c, Same) else _number(next(arrays), c) for c in self.columns]
        item = jax.tree.unflatten(self.tree, leaves)
        if container_identity.containers(item):
            container_identity.choose(item, self.items)
        self._made = item
        return item

    def original(self, value: Any) -> Any:
        """What `value`, an object in the item that the body was traced with, is in the last item; None where it is none."""
        if self.range is not None or not self.items:
            return None
        copies, originals = (
            container_identity.containers(self._made),
            container_identity.containers(self.items[-1]),
        )
        return next((mine for copy, mine in zip(copies, originals, strict=False) if copy is value), None)

    def has_copy(self, value: Any) -> bool:
        """Whether there is an array in `value` that is one of the item's, or may be one: the loop has copies of those."""
        copies = {id(leaf) for leaf in pytrees.leaves(self._made) if isinstance(leaf, Tracer) and leaf.ndim}
        value = value.value if isinstance(value, Maybe) else value
        arrays = [leaf for leaf in pytrees.leaves(value) if isinstance(leaf, Tracer)] if copies else []
        options = (each for leaf in arrays for each in (leaf, *numpys_arrays.may_be(leaf)))
        return any(id(storages.root(each)) in copies for each in options)

    def arrays(self) -> list[Any]:
        """The arrays in the items: the loop has copies of them."""
        return [
            leaf for column in self.columns if not isinstance(column, (Same, np.ndarray)) for leaf in column
        ]

    def at(self, index: Any) -> Any:
        return self.items[index]

    def known(self) -> list[Known | None]:
        """The numbers in the rows, side by side; None for arrays."""
        return [_known(c) if isinstance(c, np.ndarray) else None for c in self._changing]

    @property
    def _changing(self) -> list[Any]:
        return [column for column in self.columns if not isinstance(column, Same)]


class Same:
    """A part that is the same in all items."""

    def __init__(self, value: Any) -> None:
        self.value = value


def _number(row: Any, column: Any) -> Any:
    """What stands in an item for a number of Python's, or an array."""
    return _weak(row) if isinstance(column, np.ndarray) and column.dtype != bool else row


def _weak(row: Any) -> Any:
    return avals.as_type(row, row.dtype, True)


def _known(column: Any) -> Known:
    program = column.astype(_SINGLE[column.dtype.kind]) if column.dtype.kind in _SINGLE else column
    return Known(column, program, np.zeros(len(column), bool))


_SINGLE = {"f": np.float32, "c": np.complex64}


def _array(column: Any) -> jax.Array:
    """A column as an array; one that a range gives without a table in the program."""
    if not isinstance(column, np.ndarray):
        return jnp.stack(column)
    place = position_of(column)
    if place is not None and place.slope:
        return jnp.arange(place.offset, place.offset + place.slope * len(column), place.slope)
    return jnp.asarray(column, jnp.result_type(_KINDS[column.dtype.kind]))


_KINDS: dict[str, type] = {"b": bool, "i": int, "f": float, "c": complex}


def position_of(column: Any) -> Position | None:
    """How the numbers of a column follow from those of the iterations; None where they don't, or there are few."""
    if not isinstance(column, np.ndarray) or column.dtype.kind != "i" or len(column) < 3:
        return None
    steps = np.diff(column)
    return Position(int(steps[0]), int(column[0])) if (steps == steps[0]).all() else None


def _columns(items: Sequence[Any]) -> tuple[Any, list[Any]]:
    if not items:
        return pytrees.structure(0), []
    parts, trees = zip(*(dataclass_objects.flatten_dataclasses(item) for item in items), strict=True)
    if any(tree != trees[0] for tree in trees):
        raise Unlike("its items are no numbers or arrays of one type")
    return trees[0], [_column(column) for column in zip(*parts, strict=True)]


def _column(leaves: Sequence[Any]) -> Any:
    kind = type(leaves[0])
    if kind in _KINDS.values() and all(type(leaf) is kind for leaf in leaves):
        dtype = jnp.result_type(kind)
        if kind is int and any(not np.iinfo(dtype).min <= leaf <= np.iinfo(dtype).max for leaf in leaves):
            raise Unlike(f"a number does not fit into {dtype}")
        return np.asarray(leaves)
    arrays = [leaf for leaf in leaves if isinstance(leaf, jax.Array)]
    if not arrays and all(_is_same(leaf, leaves[0]) for leaf in leaves):
        return Same(leaves[0])
    found = {as_array_type(_fixed(leaf)) for leaf in arrays} if len(arrays) == len(leaves) else {None}
    if len(found) > 1 or None in found or next(iter(found)).weak:  # type: ignore[union-attr]
        raise Unlike("its items are no numbers or arrays of one type")
    return leaves


def _is_same(leaf: Any, first: Any) -> bool:
    """Whether two parts are one function, or equal texts."""
    return (callable(leaf) and leaf is first) or (isinstance(leaf, _CONSTANTS) and same_value(leaf, first))


_CONSTANTS = (str, bytes, enum.Enum, np.dtype)


def _fixed(leaf: Any) -> Array:
    return Array(leaf.dtype, avals.weak_type(leaf), leaf.shape, avals.varying_axes(leaf))
