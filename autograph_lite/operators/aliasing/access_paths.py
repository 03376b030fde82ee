"""Access paths: how do variables lead to an array: by names, attributes of objects, items of lists, tuples and dicts?"""

from __future__ import annotations

import collections
import dataclasses
import functools
import inspect
import types
from collections.abc import Callable, Iterable, Mapping, Sequence, Set as AbstractSet
from typing import Any

import jax
import numpy as np

from autograph_lite.jax_internals.dataflow import recorded_views
from autograph_lite.jax_internals.references import eager_views, numpys_arrays, storages
from autograph_lite.operators.aliasing import loop_carried_aliases
from autograph_lite.operators.lists.dynamic_length import Stretch
from autograph_lite.operators.object_graph import held_items
from autograph_lite.operators.object_graph.held_items import Items
from autograph_lite.operators.ragged.selection import Method, Selection
from autograph_lite.operators.values.one_of import OneOf, options_of
from autograph_lite.operators.values.values import Tracer

Slot = tuple[int, Any]
Way = tuple[Any, ...]  # of a variable, its name alone; else the way to an owner, the owner, and the key there
NAMES = 3
# What is said where NumPy would know an array that is written by another name, too.
LATER = {True: "is read later", False: "outlives the call"}
WHY = "An array is a value to a compiled program: the change would be seen under one of the names only."
_LAZY = (*held_items.LAZY, Method)  # what reads an array when it is called, or asked for an item


@dataclasses.dataclass(frozen=True)
class Path:
    """A path to a value."""

    name: str  # the variable that it begins with
    attributes: str  # the part of it that is made of names, `self.rows`
    shown: str  # all of it, `self.rows[0]`
    # the object that has got the array, by its identity, and under what; None for a variable, and an item of a tuple
    slot: Slot | None
    value: Any  # what is there
    owner: Any = None  # the object of the slot; that of a tuple's item, too

    @property
    def is_variable(self) -> bool:
        """Whether it is a name alone."""
        return self.shown == self.name and self.slot is None

    @property
    def has_items(self) -> bool:
        """Whether items lead there, and not names alone."""
        return self.shown != self.attributes


def leading_to(
    variables: Mapping[str, Any], arrays: Iterable[Any], *, parts: bool = False, first: bool = False,
    written: bool = False, but: Any = None,
) -> list[Path]:  # fmt: skip
    """The paths from variables to any of the arrays, short ones first; no methods of the user's classes run.

    Args:
      variables: by name.
      arrays: which are looked for.
      parts: whether parts of these are, too: rows, as the program that is being recorded says.
      first: whether one path will do.
      written: whether what the program has made of these by writing to them counts as a part.
      but: an array that is not meant, nor what it is a part of, though that may be one of these, or a part of one.
    """
    arrays = [*arrays]
    wanted = array_identities(arrays)
    buffers = [] if but is None else numpys_arrays.buffers_of(but)
    found: list[tuple[Way, Any]] = []
    seen: set[int] = set()
    again: dict[int, list[Way]] = {}  # further ways to an object, by its identity
    todo: collections.deque[tuple[Way, Any, Callable[[Any], Items]]] = collections.deque()

    def is_wanted(value: Any) -> bool:
        known = not wanted.isdisjoint(recorded_views.view_key(value))
        return known or (
            parts and (is_part_of(value, wanted, written=written) or may_be_part_or_whole(value, arrays))
        )

    def is_left_out(value: Any) -> bool:
        return but is not None and (
            storages.root(value) is storages.root(but) or any(value is each for each in buffers)
        )

    def look_at(way: Way, value: Any) -> None:
        inside = _of(value)
        if inside is held_items.of_array:
            if is_wanted(value) and not is_left_out(value):
                found.append((way, value))
        elif inside is not None:
            todo.append((way, value, inside))

    for name, value in variables.items():
        look_at((name,), value)
    while todo and not (first and found):
        way, value, items = todo.popleft()
        if id(value) in seen:
            again.setdefault(id(value), []).append(way)
            continue
        if held_items.are_all(value, lambda kind: _inside(kind) is None):
            continue
        # A tuple is no part of a cycle alone, and no place that all who lead there share.
        if not issubclass(type(value), tuple):
            seen.add(id(value))
        for key, item in items(value):
            look_at((way, value, key), item)
    leading = {} if first else _owners([way for way, _ in found], again)
    if first or again.keys().isdisjoint(leading):
        return [_path(way, value) for way, value in found]
    return _by_all_ways(variables, leading, is_wanted)


def _owners(ways: list[Way], again: Mapping[int, list[Way]]) -> dict[int, Any]:
    """The objects on these ways, and on the further ways to such objects, by their identities."""
    found: dict[int, Any] = {}
    while ways:
        way = ways.pop()
        while len(way) > 1:
            way, owner, _ = way
            if id(owner) not in found:
                found[id(owner)] = owner
                ways += again.get(id(owner), ())
            elif not issubclass(type(owner), tuple):
                break
    return found


def _by_all_ways(
    variables: Mapping[str, Any], leading: Mapping[int, Any], is_wanted: Callable[[Any], bool]
) -> list[Path]:
    """The paths through the objects in `leading`: it goes through each once for all attributes that lead there.

    Of more than `NAMES` attributes in a row the first ones stand for all: who reads any behind them counts as a reader.
    """
    found: list[Path] = []
    seen: set[tuple[int, str, bool]] = set()
    todo: collections.deque[tuple[Way, str, bool, Any]] = collections.deque()
    todo.extend(((name,), name, True, value) for name, value in variables.items())
    while todo:
        way, attributes, are_names, value = todo.popleft()
        inside, key_here = _of(value), (id(value), attributes, are_names)
        if inside is held_items.of_array:
            if is_wanted(value):
                found.append(dataclasses.replace(_path(way, value), attributes=attributes))
        elif inside is not None and id(value) in leading and key_here not in seen:
            seen.add(key_here)
            are_names = are_names and not isinstance(value, _LAZY) and attributes.count(".") < NAMES
            for key, item in inside(value):
                text = _text(value, key)
                named = are_names and text[0] == "."
                todo.append(((way, value, key), attributes + text if named else attributes, named, item))
    return found


def readers(path: Path, variables: Mapping[str, Any]) -> frozenset[str]:
    """The attributes by which a function may read what a path leads to: itself, and what a property may compute of it."""
    if "." not in path.attributes:
        return frozenset({path.attributes})
    kind: type = type(variables[path.name])
    return frozenset({path.attributes, *(f"{path.name}.{name}" for name in _computed(kind))})


@functools.lru_cache(maxsize=1024)
def _computed(kind: type) -> list[str]:
    """The attributes that a class computes when they are read."""
    held = {name: value for base in reversed(kind.__mro__) for name, value in vars(base).items()}
    return [name for name, value in held.items() if isinstance(value, property | functools.cached_property)]


def array_identities(arrays: Iterable[Any]) -> frozenset[int]:
    """The identities of arrays, and of what they are in the program that is being recorded."""
    arrays = [*arrays]
    copies = [each for each in arrays if isinstance(each, Selection) and each.memory is not None]
    memories = [each.memory for each in copies]
    memories += [storages.root(each.array) for each in copies if storages.memories_of(each.array)]
    own = (number for array in (*arrays, *memories) for number in recorded_views.view_key(array))
    return frozenset(own).union(*map(storages.keys_of_versions, arrays))


def is_part_of(array: Any, whole: AbstractSet[int], *, written: bool = False) -> bool:
    """Whether an array is a part of one of several, which are given by their `array_identities`; `written`, or was once."""
    before = (
        recorded_views.parts_from(array, written=True) if written and isinstance(array, jax.Array) else ()
    )
    if whole.isdisjoint(map(id, (*base_arrays(array), *before))):
        return False
    # a number is a copy
    return isinstance(array, np.ndarray) or bool(array.ndim) or storages.is_cell(array)


def meets(array: Any, written: Any, index: Any, value: Any = None) -> bool:
    """Whether an array that shares memory with another one, which is written at an index, does so there, as far as is known.

    Not if it is the `value` that is written to where it lies: `m[0] = row`.
    """
    if not all(map(is_concrete, (array, written))):
        return True
    if array is value and np.array_equal(
        storages.item_positions(written, index), storages.item_positions(array)
    ):
        return False
    return may_be_part_or_whole(array, [written], index)


def may_be_part_or_whole(array: Any, others: Iterable[Any], index: Any = ...) -> bool:
    """Whether an array that no program records, or is one before a loop, may share the memory of others, or of items."""
    before = [each for each in numpys_arrays.same_in_loops(array) if each is not array or is_concrete(each)]
    return bool(before) and any(_may_share(each, index, one) for each in others for one in before)


def _may_share(array: Any, index: Any, other: Any) -> bool:
    if isinstance(array, np.ndarray) and isinstance(other, np.ndarray):
        return np.may_share_memory(array, other)
    if not is_concrete(array) or not is_concrete(other):
        return False
    place = recorded_views.recorded_index(array, index)
    array, other = recorded_views.recorded_as(array), recorded_views.recorded_as(other)
    return eager_views.may_share_memory(array, place, other)


def is_concrete(array: Any) -> bool:
    """Whether JAX computes an array, or what `vmap` and `grad` hold of it, at once."""
    return (
        isinstance(array, jax.Array)
        and bool(array.ndim)
        and not isinstance(recorded_views.recorded_as(array), Tracer)
    )


def base_arrays(array: Any) -> list[Any]:
    """The arrays that `array` is a part of."""
    if isinstance(array, np.ndarray):
        base = storages.base_of(array)
        return [] if base is array else [base]
    if isinstance(array, Selection):
        return (
            [array.array, *loop_carried_aliases.base_arrays_in_loops(array.array)]
            if array.memory is None
            else [array.memory]
        )
    return [*loop_carried_aliases.base_arrays_in_loops(array), *numpys_arrays.may_be(array)]


def same_and_whole(array: Any) -> tuple[list[Any], list[Any]]:
    """An array and what it was before the loops around, and the arrays that these are parts of."""
    same = numpys_arrays.same_in_loops(array)
    return same, [whole for each in same for whole in base_arrays(each)]


def is_one(value: Any, arrays: Sequence[Any]) -> bool:
    """Whether a value is one of the arrays."""
    return any(value is each for each in arrays)


def _path(way: Any, value: Any) -> Path:
    """What the steps of a way are in a program's text; each stands behind the way to its owner."""
    steps: list[tuple[Any, Any]] = []
    while len(way) > 1:
        way, owner, key = way
        steps.append((owner, key))
    name = attributes = shown = way[0]
    for owner, key in reversed(steps):
        if isinstance(owner, _LAZY):
            break  # who reads `z` in `z = zip(x, y)` reads `x`
        is_name = attributes == shown
        text = _text(owner, key)
        shown += text
        attributes += text if is_name and text[0] == "." else ""
    slot = None if not steps or issubclass(type(steps[0][0]), tuple) else (id(steps[0][0]), steps[0][1])
    return Path(name, attributes, shown, slot, value, steps[0][0] if steps else None)


def _text(owner: Any, key: Any) -> str:
    kind: type = type(owner)
    fields: Sequence[str] = getattr(kind, "_fields", ()) if issubclass(kind, tuple) else ()
    if key in range(len(fields)):
        return f".{fields[key]}"
    if _inside(kind) is held_items.attributes:
        return f".{key}"
    return f"[{key!r}]" if type(key) in (str, int, float, bool) else "[...]"


def _of(value: Any) -> Callable[[Any], Items] | None:
    kind: type = type(value)
    return _inside(kind)


@functools.lru_cache(maxsize=1024)
def _inside(kind: type) -> Callable[[Any], Items] | None:
    """As `held_items.items_getter_of_class`; a selection is an array, and a method of one leads to it."""
    found: Callable[[Any], Items] | None = held_items.items_getter_of_class(kind)
    if issubclass(kind, Selection):
        return held_items.of_array
    if kind is Stretch:
        return _of_stretch
    if kind is OneOf:
        return _of_variants
    return _of_selection if issubclass(kind, Method) else found


def _of_variants(value: OneOf) -> Items:
    return enumerate(options_of(value))


def _of_stretch(value: Stretch) -> Items:
    return enumerate(value.columns)


def _of_selection(value: Method) -> Items:
    return [("owner", value.owner)]


def held_attribute(owner: Any, attribute: str) -> Any:
    """An attribute that an object holds: a property may compute another array at each time."""
    held = inspect.getattr_static(owner, attribute, None)
    return getattr(owner, attribute) if isinstance(held, types.MemberDescriptorType) else held
