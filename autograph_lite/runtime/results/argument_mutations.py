"""Argument mutations: what does a call leave in the objects that it was given? What it wrote to them comes out of the program.

def add(self, x):                  the program gives the new total, and the call writes it into the caller's object
    self.total = self.total + x

A function sees objects that are rebuilt from the values of a call, in the order in which these have them: so the number of
an object tells which one of the caller's it stands for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import jax
import numpy as np

from autograph_lite.errors import MutatedArgumentError
from autograph_lite.operators.effects.journal import Change, is_reordered
from autograph_lite.operators.iteration.iterables import Stepping
from autograph_lite.operators.lists import dynamic_length
from autograph_lite.operators.object_graph.places import object_places
from autograph_lite.operators.user_code import place_names, source_places
from autograph_lite.operators.values import dataclass_objects, instances, pytrees
from autograph_lite.operators.values.boxes import Whole
from autograph_lite.operators.values.instances import attributes_of
from autograph_lite.operators.values.place import MISSING, Contents, Place
from autograph_lite.operators.values.values import SCALARS, is_arraylike
from autograph_lite.runtime.results import list_trimming
from autograph_lite.runtime.state.weak_places import kind_of
from autograph_lite.runtime.types import value_leaves
from autograph_lite.runtime.types.leaf_partition import Split

_CONTAINERS = (list, tuple, dict, type(None))
_LEAVES = (jax.Array, int, float, complex, str, bytes)


def mutables_in(values: Iterable[Any], *, end: bool = False) -> list[Any]:
    """Lists, dicts, objects and pytrees in values, as their type orders them; by their `end` none holds itself, if known."""
    found: list[Any] = []

    def visit(node: Any) -> bool:
        if isinstance(node, (*_LEAVES, Whole, Stepping)) or pytrees.is_iterator(node):
            return True
        if pytrees.is_unordered(node):
            found.append(node)
            found.extend(mutables_in(node.values(), end=end))
            return True
        if value_leaves.is_value_leaf(node):
            return True
        if dataclass_objects.is_record(node):
            if end or value_leaves.object_node(node) is not node:
                found.append(node)
                attributes = instances.held_by(node)
                # Made again, they may be in another order.
                found.extend(mutables_in((attributes[name] for name in sorted(attributes)), end=True))
            return True
        if isinstance(node, (list, dict)) or is_registered(node):
            found.append(node)
        return False

    for value in values:
        jax.tree.flatten(value, is_leaf=visit)
    return found


def is_registered(node: Any) -> bool:
    """Whether an object is of a class that is registered as a pytree, and is none of Python's containers."""
    return not isinstance(node, _CONTAINERS) and not jax.tree_util.all_leaves([node])


def numbers_of(given: Sequence[Any]) -> dict[int, int]:
    """The numbers of objects by their ids, and by those of their `__dict__`s."""
    numbers = {
        id(attributes_of(owner)): number for number, owner in enumerate(given) if hasattr(owner, "__dict__")
    }
    return {**numbers, **{id(owner): number for number, owner in enumerate(given)}}


class _Kept:
    """Stands for what the caller's object holds under a key."""

    def __init__(self, key: Any) -> None:
        self.key = key


class _Given:
    """Stands for an object of the caller's."""

    def __init__(self, number: int) -> None:
        self.number = number


def _marked(value: Any, numbers: dict[int, int]) -> Any:
    """A value with `_Given` in place of objects of the call, as far as it is made of lists, tuples and dicts."""
    if id(value) in numbers:
        return _Given(numbers[id(value)])
    return _mapped(lambda item: _marked(item, numbers), value)


def _unmarked(value: Any, given: Sequence[Any], bindings: Mapping[int, Any]) -> Any:
    """The value with the caller's objects and Variables in their places."""
    if isinstance(value, _Given):
        return given[value.number]
    return _mapped(lambda item: _unmarked(item, given, bindings), bindings.get(id(value), value))


def _mapped(change: Callable[[Any], Any], value: Any) -> Any:
    if type(value) is dict:
        return {key: change(item) for key, item in value.items()}
    return type(value)(map(change, value)) if type(value) in (list, tuple) else value


class _Write:
    """What becomes of one place.

    Attributes:
      number: of its object.
      kind: which of the object's places it is.
      contents: what it holds under keys that are other than before: `_Kept`, or the number of a new value.
    """

    def __init__(
        self, number: int, owner: Any, change: Change, source: Callable[[Any, dict[int, Any]], Any]
    ) -> None:
        self.number, self.kind = number, kind_in(change.place, owner)
        self.at = place_names.written_at(change.place.owner)
        old, new = change.old, change.new
        held = {id(value): key for key, value in old.items()}
        # Of a list all: its items may have moved. Of others what has changed: the caller's may hold more than JAX is told.
        self._is_list = isinstance(change.place.owner, list) and change.place.holds_items
        others = {
            key: value for key, value in new.items() if self._is_list or old.get(key, MISSING) is not value
        }
        # Of one whose length only the data knows, the items are counted when the program has run.
        self._is_counted = self._is_list and dynamic_length.is_dynamic([*new.values()])
        if self._is_counted:
            others = {0: [*new.values()]}
        self.contents = {key: source(value, held) for key, value in others.items()}
        self._removed = [key for key in old if key not in new]
        self._moved = _moved(old, new) if is_reordered(change) else []

    def after(self, old: Contents, value: Callable[[Any], Any]) -> Contents:
        """The new contents of a place of the caller's, given those before, and what gives the value of a source."""
        new = {key: value(source) for key, source in self.contents.items()}
        if self._is_counted:
            before = [*old.values()]
            return {n: _known_number(each, before[n : n + 1]) for n, each in enumerate(new[0])}
        if self._is_list:
            return new
        after = {key: held for key, held in {**old, **new}.items() if key not in self._removed}
        stay = {key: held for key, held in after.items() if key not in self._moved}
        return {**stay, **{key: after[key] for key in self._moved}}

    def place(self, owner: Any) -> Place:
        """The place in an object of the caller's."""
        return place_in(owner, self.kind)


def _known_number(new: Any, before: Sequence[Any]) -> Any:
    """A number of the program's, or the equal one that stood there before, and has kept its type."""
    same = bool(before) and isinstance(before[0], (*SCALARS, np.generic)) and is_arraylike(new)
    return before[0] if same and before[0] == new else new


def _moved(old: Contents, new: Contents) -> list[Any]:
    """The keys that were removed and set once more, and those that were set after them, in their order."""
    places = {key: place for place, key in enumerate(old)}
    last = -1
    for number, key in enumerate(new):
        if places.get(key, last) < last:
            return [*new][number:]
        last = places.get(key, last)
    return []


def kind_in(place: Place, owner: Any) -> tuple[bool, str]:
    """Which place of an object one is; code may have written to the `__dict__` past the object."""
    return kind_of(place) if place.owner is owner else (True, "")


def place_in(owner: Any, kind: tuple[bool, str]) -> Place:
    """The place of an object that is of a kind."""
    return next(place for place in object_places(owner) if kind_of(place) == kind)


class WrittenBack:
    """The changes of a function to the objects of a call.

    Args:
      changes: what it has changed.
      given: the objects, as the function sees them.
      parted: the new values -> the same, parted.
      at: where the function is, for errors where no line of the user's is known that has written.
    """

    def __init__(
        self, changes: Sequence[Change], given: Sequence[Any], parted: Callable[[list[Any]], Split], at: Any
    ) -> None:
        numbers = numbers_of(given)
        values: list[Any] = []

        def source(value: Any, held: dict[int, Any]) -> Any:
            if id(value) in held:
                return _Kept(held[id(value)])
            values.append(_marked(value, numbers))
            return len(values) - 1

        places = [(numbers[id(change.place.owner)], change) for change in changes]
        self._writes = [_Write(number, given[number], change, source) for number, change in places]
        self._at = at
        moved = [owner for owner in mutables_in(values) if id(owner) in numbers]
        if moved:
            raise _refused(
                moved[0], place_names.written_at(changes[0].place.owner), "is put into a new object",
                "The new object would hold a copy of it.", "keep it in an attribute, or in a list, tuple or dict.",
            )  # fmt: skip
        # Whether some are lists whose length only the data knows.
        self.cuts = list_trimming.to_cut(values)
        self.split = parted(values)
        # The ids of objects that were not found outside: looking takes long.
        self._outside_of: set[int] = set()

    @property
    def count(self) -> int:
        """How many arrays of the program's are new values."""
        return len(self.split.arrays)

    def taken(self) -> list[Any]:
        """The arrays, which are the program's from now on."""
        arrays, self.split = self.split.arrays, self.split.emptied()
        return arrays

    def refuse_seen_twice(self, given: Sequence[Any], outside: Callable[[set[int]], set[int]]) -> None:
        """Refuses objects `given` that the function writes to, and may see as those that `outside` tells, too."""
        ids = [*map(id, given)]
        written = {write.number: write for write in self._writes}
        for number, write in written.items():
            if ids.count(ids[number]) > 1:
                raise _refused(
                    given[number], write.at or self._at, "is in the arguments twice, and changed",
                    _TWICE, "pass it once, or a copy.",
                )  # fmt: skip
        own = {ids[number] for number in written}
        if own <= self._outside_of:
            return
        found = outside(own)
        self._outside_of |= own - found
        for number, write in written.items():
            if ids[number] in found:
                raise _refused(
                    given[number], write.at or self._at, "is used from outside by the function, too, and changed",
                    _TWICE, "pass it, or use it from outside, but not both.",
                )  # fmt: skip

    def write(self, arrays: Sequence[Any], given: Sequence[Any], bindings: Mapping[int, Any]) -> None:
        """Writes what a program gives to the objects of a call."""
        values = self.split.merge(arrays, given)
        if self.cuts:
            values = list_trimming.cut(values)
        todo = []
        for write in self._writes:
            place = write.place(given[write.number])
            old = place.read()

            def value(source: Any, old: Contents = old) -> Any:
                return (
                    old[source.key]
                    if isinstance(source, _Kept)
                    else _unmarked(values[source], given, bindings)
                )

            todo.append((place, write.after(old, value)))
        for place, contents in todo:
            place.write(contents)


_TWICE = "Each argument is made of its values: a change of one is not seen in the other."


def _refused(owner: Any, at: Any, how: str, why: str, fix: str) -> MutatedArgumentError:
    return MutatedArgumentError(
        f"A {type(owner).__name__} that was passed as an argument {how}.",
        where=at or source_places.here(),
        why=why,
        fix=fix,
    )
