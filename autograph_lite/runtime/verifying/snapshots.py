"""Snapshots: what may a call change, and how is it put back? Each place that the function and its arguments lead to.

Open files, iterators, and objects of libraries that are written in C tell nobody what is in them: they are not put back.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any

import jax.numpy as jnp

from autograph_lite.operators.effects import journal
from autograph_lite.operators.object_graph import opaque_objects, reachability
from autograph_lite.operators.object_graph.places import cell_place, global_place, object_places
from autograph_lite.operators.user_code import ownership
from autograph_lite.operators.values.instances import attributes_of
from autograph_lite.operators.values.place import MISSING, Contents, Place
from autograph_lite.runtime.verifying.observations import Seen, observe

Part = tuple[Hashable, Hashable]  # a place, and the key of what it holds
States = Mapping[Hashable, tuple[Place, Contents]]


class Kept:
    """The places around a function, with what was in them."""

    def __init__(self, fn: Any, arguments: object) -> None:
        self.fn = fn
        owners = [*reachability.all_reachable([fn, arguments]), *opaque_objects.MODULES]
        self.places: dict[Hashable, Place] = {}
        for place in _places(owners):
            self.places.setdefault(place.key, place)
        self.before = self.now()
        self._names = _names(self.fn)

    def now(self) -> States:
        """What is in the places."""
        return {key: (place, _copied(place, place.read())) for key, place in self.places.items()}

    def restore(self, states: States) -> None:
        """Puts back what was in the places."""
        for place, contents in states.values():
            if place.ours or journal.differ(place, contents, place.read()):
                place.write(_copied(place, contents))

    def changes(self) -> dict[Part, Seen]:
        """What is now in the parts of places that are not as they were."""
        found: dict[Part, Seen] = {}
        for ident, (place, before) in self.before.items():
            now = place.read()
            if journal.differ(place, before, now):
                for key in dict.fromkeys([*before, *now]):
                    if now.get(key, MISSING) is not before.get(key, MISSING):
                        found[ident, key] = observe(now.get(key, MISSING))
        return found

    def first(self, part: Part) -> Seen:
        """What was in a part of a place at first, where a call has not changed it."""
        return observe(self.before[part[0]][1].get(part[1], MISSING))

    def label(self, part: Part) -> str:
        """What the user calls a part of a place."""
        place, key = self.places[part[0]], part[1]
        name = self._names.get(id(place.owner))
        if name is None or place.is_variable:
            return str(place.label(key))
        if place.holds_items and not isinstance(place.owner, (type, types.ModuleType)):
            return f"{name}[{key!r}]" if isinstance(place.owner, (list, dict)) else name
        return f"{name}.{key}"


def _names(fn: Any) -> dict[int, str]:
    """What a function calls the objects that it takes from outside, by their ids; those in their attributes, too."""
    function = getattr(fn, "__func__", fn)
    if not isinstance(function, types.FunctionType):
        return {}
    around = inspect.getclosurevars(function)
    found = {**around.globals, **around.nonlocals}
    if function is not fn:
        found[function.__code__.co_varnames[0]] = fn.__self__
    inside = {
        f"{name}.{attribute}": value
        for name, owner in found.items()
        if ownership.is_users_class(type(owner))
        for attribute, value in (attributes_of(owner) or {}).items()
    }
    return {id(value): name for name, value in {**inside, **found}.items()}


def _places(owners: Iterable[object]) -> Iterator[Place]:
    for owner in owners:
        if isinstance(owner, types.FunctionType):
            yield from _variables(owner)
        elif not isinstance(owner, (tuple, frozenset, types.CellType)):
            yield from object_places(owner)


def _variables(fn: types.FunctionType) -> Iterator[Place]:
    """The variables from outside of a function that it assigns."""
    if not ownership.is_users(fn):
        return
    cells, names = journal.written_variables(fn.__code__)
    for name, cell in zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True):
        if name in cells:
            yield cell_place(cell, name)
    for name in names:
        yield global_place(fn.__globals__, name)


def _copied(place: Place, contents: Contents) -> Contents:
    """The contents; of a Variable with an array of its own, as a program may take that of the Variable."""
    return {key: jnp.copy(value) for key, value in contents.items()} if place.ours else contents
