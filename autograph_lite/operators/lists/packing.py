"""Packing: how do the items of a list become one stretch? They are stacked into buffers, where the types of a join are known.

    [a, b]       and    [a, b, x]         on two paths:  [<up to 3 items>], where 2 or 3 count
    [<up to 3 items>, y]                  as one:        [<up to 4 items>]

How many items there are at most is known at each point, and makes the size of the buffers: so nothing can be lost.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from autograph_lite.jax_internals import avals
from autograph_lite.jax_internals.dataflow import recorded_views
from autograph_lite.jax_internals.references import numpys_arrays
from autograph_lite.operators.checks.traced_text import Text
from autograph_lite.operators.joins.join_types import (
    Array,
    Captured,
    Deferred,
    Mismatch,
    Template,
    capture,
    fill,
    fitted,
    fitting_array,
    join_templates,
    rebuild,
    widen,
    zeros,
)
from autograph_lite.operators.joins.literal_types import holding
from autograph_lite.operators.lists import growing_lists, list_errors
from autograph_lite.operators.lists.dynamic_length import (
    Item,
    Part,
    Stretch,
    arrays_of,
    most_of,
    parts_of,
    total,
)
from autograph_lite.operators.object_graph.places import object_places
from autograph_lite.operators.purity import trial
from autograph_lite.operators.user_code import place_names, source_places
from autograph_lite.operators.values import pytrees
from autograph_lite.operators.values.one_of import OneOf, options_of
from autograph_lite.operators.values.place import Contents, Place
from autograph_lite.operators.values.values import is_arraylike

Lookup = Callable[[Any], Any]


def item_of(
    values: Sequence[Captured], place: Place, known: Item | None = None, before: Sequence[Captured] = ()
) -> Item:
    """The type that holds all items, and those of the type `known`, which `before` have.

    Raises:
      MutationError: there is none, or an item is no value that a program computes.
    """
    for value in values:
        new = value.value.item if isinstance(value.value, Stretch) else _plain(value, place)
        try:
            joint = new if known is None else join_templates(known, new)
            if known is not None:
                trial.refuse_promotion(known, new)
            known = joint
        except Mismatch as found:
            raise list_errors.of_items(list_errors.unlike(place, found, source_places.here())) from None
    assert known is not None  # a list whose length depends on data holds an item on some path
    try:
        return holding(known, [value for value in (*before, *values) if not isinstance(value.value, Stretch)])
    except Mismatch as found:
        raise list_errors.of_items(list_errors.unlike(place, found, source_places.here())) from None


def _plain(value: Captured, place: Place) -> Item:
    for leaf in value.leaves:
        if isinstance(leaf, growing_lists.Earlier):
            raise leaf.uneven()
    if not _is_value(value.value):
        raise list_errors.of_items(list_errors.unkept(place, value.value, source_places.here()))
    return widen(value.template)


def _is_value(item: Any) -> bool:
    """Whether an item can't be changed in place, so that it does not matter which object it is."""
    if isinstance(item, tuple):
        return all(map(_is_value, item))
    if type(item) is OneOf:
        return all(map(_is_value, options_of(item)))
    return is_arraylike(item) or (isinstance(item, growing_lists.IMMUTABLE) and not isinstance(item, Text))


def stretch_template(item: Item, most: int, room: int, values: Iterable[Captured], place: Place) -> Template:
    """The type of a stretch."""
    origin = place_names.owner_spelling(place.owner) or "", place_names.written_at(place.owner)
    lengths = [value.value.length for value in values if isinstance(value.value, Stretch)]
    varying: frozenset[str] = frozenset().union(*map(avals.varying_axes, lengths))
    kinds = [Array(jnp.dtype("int32"), False, (), varying)]
    kinds += [dataclasses.replace(kind, shape=(max(room, 1), *kind.shape)) for kind in arrays_of(item)]
    return Template(jax.tree.structure(Stretch(item, most, origin, [0] * len(kinds))), tuple(kinds))


def stretched(values: Sequence[Captured], template: Template, item: Item) -> Captured:
    """Items and stretches as what stands for one stretch of the type `template`."""

    def count(lookup: Lookup, _: Array) -> Any:
        lengths = [lookup(value.leaves[0]) for value in values if isinstance(value.value, Stretch)]
        return jnp.asarray(total(len(values) - len(lengths), lengths), jnp.int32)

    def column(position: int) -> Deferred:
        return Deferred(lambda lookup, kind: _filled(values, [row[position] for row in rows], lookup, kind))

    rows = [_fitted_item(value, item) for value in values]
    columns = [column(i) for i, leaf in enumerate(item.leaves) if isinstance(leaf, Array)]
    return Captured(None, True, template, [Deferred(count), *columns])


def _fitted_item(value: Captured, item: Item) -> list[Any]:
    """The leaves of an item, or the columns of a stretch, in the places of those of a type that holds them."""
    if not isinstance(value.value, Stretch):
        return fitted(value, item)
    columns, known = iter(value.leaves[1:]), value.value.item
    leaves = [next(columns) if isinstance(leaf, Array) else leaf.value for leaf in known.leaves]
    return fitted(Captured(None, True, known, leaves), item)


def _filled(values: Sequence[Captured], leaves: Sequence[Any], lookup: Lookup, kind: Array) -> jax.Array:
    """A buffer with one array of each item."""
    row = dataclasses.replace(kind, shape=kind.shape[1:])

    def part(value: Captured, leaf: Any) -> tuple[Any, Any]:
        """Rows, and how many of them count."""
        if not isinstance(value.value, Stretch):
            # Not by `[None]`, whose result would be what the array is by now.
            return lax.expand_dims(fitting_array(leaf, lookup, row), (0,)), 1
        of_them = dataclasses.replace(kind, shape=(value.value.room, *row.shape))
        rows = fitting_array(leaf, lookup, of_them)  # or one number: which variant all of them are
        return jnp.broadcast_to(rows, of_them.shape), lookup(value.leaves[0])

    known = sum(1 for _ in itertools.takewhile(lambda value: not isinstance(value.value, Stretch), values))
    if not values:
        return zeros(kind)
    if known:
        buffer = jnp.stack([fitting_array(leaf, lookup, row) for leaf in leaves[:known]])
        end: Any = known
    else:
        buffer, end = part(values[0], leaves[0])
    buffer = _resized(buffer, kind)
    for value, leaf in list(zip(values, leaves, strict=True))[max(known, 1) :]:
        rows, count = part(value, leaf)
        # Room behind, as JAX moves a part that does not fit to the front.
        if isinstance(value.value, Stretch):
            buffer = jnp.concatenate([buffer, rows])
        buffer = _resized(lax.dynamic_update_slice_in_dim(buffer, rows, end, 0), kind)
        end = end + count
    return buffer


def _resized(rows: jax.Array, kind: Array) -> jax.Array:
    missing = kind.shape[0] - rows.shape[0]
    if missing > 0:
        return jnp.concatenate([rows, zeros(dataclasses.replace(kind, shape=(missing, *kind.shape[1:])))])
    return rows[: kind.shape[0]] if missing else rows


def room_for(values: Sequence[Captured], most: int) -> int:
    """How large the buffers have to be; as large as those that there are, so that these are not copied."""
    return max([most, *(value.value.room for value in values if isinstance(value.value, Stretch))])


def packed(values: Sequence[Any]) -> Stretch:
    """All items of a list or tuple as one stretch."""
    parts = parts_of(values)
    if len(parts) == 1 and isinstance(parts[0], Stretch):
        return parts[0]
    place = object_places(values if growing_lists.has_lengths(values) else [])[0]
    assert place is not None
    captured = list(map(capture, parts))
    item, most = item_of(captured, place), most_of(parts)
    return as_stretch(captured, stretch_template(item, most, room_for(captured, most), captured, place), item)


def as_stretch(values: Sequence[Captured], template: Template, item: Item) -> Stretch:
    """Items and stretches as a stretch of the type `template`."""
    arrays = map(jnp.asarray, fill(stretched(values, template, item), template))
    made: Stretch = rebuild(template, arrays, "a list")
    numpys_arrays.note_buffers(leaves_of(values), made.columns)
    return made


def without_gaps(values: Sequence[Captured]) -> list[Captured]:
    """The items and stretches of a list, as they were captured."""
    parts_of(value.value for value in values)  # refuses what is no list of ours
    return [
        value for value in values if not isinstance(value.value, Part) or isinstance(value.value, Stretch)
    ]


# Where paths meet


def uneven(place: Place, contents: Sequence[Contents]) -> bool:
    """Whether paths leave a list with different lengths, or with different stretches in it."""
    first = contents[0] if contents else {}
    if not (place.holds_items and growing_lists.has_lengths(place.owner)):
        return False
    return any(
        len(now) != len(first) or any(isinstance(v, Part) and v is not first[k] for k, v in now.items())
        for now in contents
    )


def note_put(paths: Iterable[Sequence[Captured]], before: Iterable[Any] = ()) -> None:
    """Notes which arrays a list may have at several places, of those that these paths put there; `before`, it has these items."""
    numpys_arrays.note_items(map(leaves_put, paths), pytrees.leaves([*before]))


def note_left(place: Place, leaves: Iterable[Any]) -> None:
    """Notes what a path leaves in a list, with what these arrays are parts of, which its trace alone tells."""
    arrays = [*filter(numpys_arrays.has_memory, leaves)]
    known = [each for leaf in arrays for each in (leaf, *recorded_views.parts_from(leaf))]
    numpys_arrays.note_kept(place.label(0), known)


def note_items_had_twice(values: Iterable[Captured]) -> None:
    """Notes which arrays a list has at several places."""
    numpys_arrays.note_twice(leaves_put(values))


def leaves_of(values: Iterable[Captured]) -> list[Any]:
    """The arrays in items, as the user's code holds them."""
    return [leaf for value in values for leaf in pytrees.leaves(value.value)]


def leaves_put(values: Iterable[Captured]) -> list[Any]:
    """Those of items alone, and not of stretches, whose arrays are buffers."""
    return leaves_of(each for each in values if not isinstance(each.value, Part))


def join_lists(
    place: Place, paths: Sequence[Sequence[Captured] | None], before: Iterable[Any] = ()
) -> tuple[list[Captured | None], Template, list[Any]]:
    """What stands on each path for the items of the list at `place`, the type that holds them all, and the arrays in them.

    None stands for a path that raises. `before` are the items that the list has before the paths.
    """
    found = [None if path is None else without_gaps(path) for path in paths]
    alive = [path for path in found if path is not None]
    values = list(itertools.chain(*alive))
    item, leaves = item_of(values, place), leaves_of(values)
    note_put(alive, before)
    note_left(place, leaves)
    most = max(most_of(value.value for value in path) for path in alive)
    template = stretch_template(item, most, room_for(values, most), values, place)
    return [None if path is None else stretched(path, template, item) for path in found], template, leaves
