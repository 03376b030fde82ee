"""Dynamic length: what is a list whose length only the data knows? An ordinary list with a stretch in it: buffer and length.

    if x > 0:                             ys before:  [a, b]
        ys.append(x)                      ys after:   [<up to 3 items>, ..., ...]
    ys.append(y)                                      [<up to 3 items>, ..., ..., y]

So the list stays the object that it is, and what Python does with whole lists (`+`, `+=`, `[*ys, z]`, `list(ys)`,
`extend`) is right as it is. Python takes a stretch for as many items as it may hold: gaps fill its place up, which no
operation takes, so that a slice or an unpacking of Python's own is never taken for the items.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from autograph_lite.errors import MutationError
from autograph_lite.jax_internals.references import number_types, numpys_arrays
from autograph_lite.operators.checks import traced_text
from autograph_lite.operators.joins import join_types, unions
from autograph_lite.operators.joins.join_types import Array, Template, cast_leaf, rebuild
from autograph_lite.operators.lists import growing_lists, list_errors
from autograph_lite.operators.object_graph import opaque_objects, places
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values import pytrees
from autograph_lite.operators.values.one_of import settled
from autograph_lite.operators.values.place import Contents
from autograph_lite.operators.values.values import Tracer, is_arraylike

Item = Template
KINDS = (list, tuple, collections.deque)
Origin = tuple[str, Any]  # how the user calls a list, and the line that changed it
_made = False  # whether this process has made a stretch: until then nothing has to be asked


def any_made() -> bool:
    """Whether this process has made a stretch."""
    return _made


class Part:
    """Base of what stands in a list for items; each use of it by others than this package is an error."""

    __slots__ = ()
    origin: Origin

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and not name.startswith(("__array", "__jax_array")):
            raise AttributeError(name)
        raise self.misused()

    def misused(self, location: Any = None) -> MutationError:
        """What a use raises, at a place of the user's, or here."""
        return list_errors.dynamic_list_error(*self.origin, location or source_places.here())


class Gap(Part):
    """The second and later places of a stretch, as Python counts."""

    __slots__ = ("origin",)

    def __init__(self, origin: Origin) -> None:
        self.origin = origin

    def __repr__(self) -> str:
        return "..."


@functools.cache
def _gap(origin: Origin) -> Gap:
    """One for all lists that are called so: where it stays in its place, nothing has changed, and nothing has to be joined."""
    made = Gap(origin)
    join_types.captured_once[id(made)] = join_types.capture(made)
    return made


class Stretch(Part):
    """Items in a list; only the program knows how many there are.

    Attributes:
      item: the type of each.
      most: how many they are at most.
      origin: see `Origin`.
      length: how many they are, an int32 scalar.
      columns: for each array in an item, a buffer with a leading axis for the items.
    """

    __slots__ = ("columns", "item", "length", "most", "origin")

    def __init__(self, item: Item, most: int, origin: Origin, arrays: Sequence[Any]) -> None:
        global _made
        _made = True
        self.item, self.most, self.origin = item, most, origin
        self.length, *self.columns = arrays

    def __repr__(self) -> str:
        return f"<up to {self.most} items>"

    def having(self, arrays: Sequence[Any], most: int, added: Iterable[Any] = ()) -> Stretch:
        """Some of these items, so many at most, and the arrays that are `added`."""
        made, added = Stretch(self.item, most, self.origin, arrays), [*added]
        numpys_arrays.note_items([added])
        numpys_arrays.note_buffers([*self.columns, *added], made.columns)
        return made

    @property
    def room(self) -> int:
        """How many items the buffers can hold."""
        return int(self.columns[0].shape[0]) if self.columns else self.most

    def at(self, position: Any) -> Any:
        """The item at a position, which is traced."""
        rows = [lax.dynamic_index_in_dim(column, position, keepdims=False) for column in self.columns]
        made = map(cast_leaf, rows, arrays_of(self.item))
        return rebuild(self.item, map(numpys_arrays.note_copied_item, made, self.columns), "an item")

    def contents(self) -> Contents:
        """Those of a list that holds nothing else; items where Python's numbers lead a loop, and so have told the length."""
        if type(self.length) is int:
            columns = [growing_lists.unstacked(column[: self.length]) for column in self.columns]
            note = numpys_arrays.note_copied_item
            rows = [[*map(note, (column[k] for column in columns), self.columns)] for k in range(self.length)]
            return {k: rebuild(self.item, row, "an item") for k, row in enumerate(rows)}
        return dict(enumerate([self, *[_gap(self.origin)] * self.gaps]))

    def items(self) -> list[Any]:
        """The items, when the program has run."""
        columns = [list(column) for column in self.columns]
        rows = [[column[i] for column in columns] for i in range(int(self.length))]
        return [settled(rebuild(self.item, row, "an item")) for row in rows]

    @property
    def gaps(self) -> int:
        """How many of them follow the stretch: more than any index that is written as a number, or enough."""
        return max(growing_lists.GAP, self.most) - 1


def arrays_of(item: Item) -> list[Array]:
    """The types of the arrays in an item."""
    return [leaf for leaf in item.leaves if isinstance(leaf, Array)]


def _misused(self: Part, *_: Any) -> Any:
    raise self.misused()


for _name in (
    *growing_lists.SYMBOLS,
    *(name for name in growing_lists.OTHERS if name not in ("repr", "str", "format")),
):
    for _prefix in ("", "r", "i") if _name in growing_lists.SYMBOLS else ("",):
        setattr(Part, f"__{_prefix}{_name}__", _misused)


@dataclasses.dataclass(frozen=True)
class _Kind:
    """What of a stretch, or of a gap, is no array."""

    item: Item | None
    most: int
    origin: Origin = dataclasses.field(compare=False)

    def __hash__(self) -> int:
        return hash(self.most)


def _flat(part: Any) -> tuple[list[Any], _Kind]:
    if not source_places.asked_by_us():  # a library's function, or the outputs of the user's own `jax.jit`
        raise part.misused()
    if isinstance(part, Gap):
        return [], _Kind(None, 0, part.origin)
    return [part.length, *part.columns], _Kind(part.item, part.most, part.origin)


def _stretch(kind: Any, arrays: Iterable[Any]) -> Stretch:
    return Stretch(kind.item, kind.most, kind.origin, tuple(arrays))


jax.tree_util.register_pytree_node(Stretch, _flat, _stretch)
jax.tree_util.register_pytree_node(Gap, _flat, lambda kind, _: _gap(kind.origin))
unions.SOLE.update((Stretch, Gap))


# What a list holds


def is_dynamic(value: Any) -> bool:
    """Whether a list, tuple or deque has a stretch in it."""
    return _made and isinstance(value, KINDS) and any(isinstance(part, Part) for part in value)


def parts_of(values: Iterable[Any]) -> list[Any]:
    """The items and stretches of a list. Raises MutationError if some are gone: something else has taken it apart."""
    found: list[Any] = []
    gaps = 0
    for value in values:
        if isinstance(value, Gap) != bool(gaps):
            raise length_error([value, *found[-1:]])
        if gaps:
            gaps -= 1
            continue
        found.append(value)
        gaps = value.gaps if isinstance(value, Stretch) else 0
    if gaps:
        raise length_error(found[-1:])
    return found


def with_known_items(tree: Any) -> Any:
    """`tree` with the items in place of the stretches in its lists, when the program has run."""
    if not _made:
        return tree
    leaves, structure = pytrees.flatten(tree, is_dynamic)
    return jax.tree.unflatten(structure, [_known_list(leaf) if is_dynamic(leaf) else leaf for leaf in leaves])


def _known_list(values: Sequence[Any]) -> Any:
    parts = parts_of(values)
    lengths = [part.length for part in parts if isinstance(part, Stretch)]
    if not all(is_arraylike(length) and not isinstance(length, Tracer) for length in lengths):
        return values  # of an example of the text
    items = [part.items() if isinstance(part, Stretch) else [part] for part in parts]
    return type(values)(itertools.chain.from_iterable(items))  # type: ignore[call-arg]


def most_of(parts: Iterable[Any]) -> int:
    """How many items there are at most."""
    return sum(part.most if isinstance(part, Stretch) else 1 for part in parts)


def total(plain: int, lengths: Sequence[Any]) -> Any:
    """The number of items: so many are known, and others are in stretches of these lengths."""
    number: Any = plain
    for others in lengths:
        number = others if number is plain and plain == 0 else number + others
    return number


def dynamic_len(values: Sequence[Any]) -> Any:
    """`len(values)`: a traced integer, which adds like one of Python's."""
    return number_types.pythons_number(_length(values), jnp.result_type(int))


def _length(values: Sequence[Any]) -> Any:
    parts = parts_of(values)
    lengths = [part.length for part in parts if isinstance(part, Stretch)]
    return total(len(parts) - len(lengths), lengths)


def dynamic_truth(values: Sequence[Any]) -> Any:
    """`bool(values)`."""
    return _length(values) > 0


def length_error(values: Iterable[Any]) -> MutationError:
    """The error for what has to know the length of a list."""
    return next(part for part in values if isinstance(part, Part)).misused()


def known_inside(owner: Any) -> Any:
    """A library's object, whose methods use the containers in it. Raises MutationError: one has no known length."""
    if opaque_objects.holds_others(owner):
        for inside in places.containers_in(owner):
            whole(inside)
    return owner


def whole(values: Any) -> Any:
    """What Python takes apart: `a, b = values`. Raises MutationError: only the data knows how many items there are."""
    if is_dynamic(values):
        raise length_error(values)
    return growing_lists.readable(values, "an unpacking")


traced_text.knows_lists(is_dynamic, with_known_items)
