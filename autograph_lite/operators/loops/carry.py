"""Carry: what does a staged loop hand to its next iteration, and in which types?

The types start from the variables' values before the loop and grow until an iteration leaves them as they are. Places in
the user's objects that the body writes to are carried like variables. While the types settle the user's body may be
traced again, but what it did to Python objects is undone each time.
"""

from __future__ import annotations

import collections
import dataclasses
import itertools
import types
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autograph_lite.converters.python_ops import held
from autograph_lite.jax_internals import avals, tracing_state
from autograph_lite.jax_internals.loops import loop_binding
from autograph_lite.jax_internals.references import lower_kinds, number_types, numpys_arrays, storages
from autograph_lite.jax_internals.references.storages import Storage
from autograph_lite.operators.aliasing import (
    iteration_ends,
    kept_arrays,
    loop_carried_aliases,
    shared_memory,
    yielded_arrays,
)
from autograph_lite.operators.branches.branch_paths import enter_generated
from autograph_lite.operators.checks import carried_checks
from autograph_lite.operators.effects import container_identity, journal, shared_containers
from autograph_lite.operators.joins import join_errors, unions
from autograph_lite.operators.joins.join_types import (
    LEAF,
    Array,
    Captured,
    Fixed,
    Mismatch,
    Template,
    capture,
    fill,
    fitted,
    join_templates,
    rebuild,
    strong,
    structural,
    widen,
)
from autograph_lite.operators.joins.literal_types import holding
from autograph_lite.operators.lists import (
    bounded_growth,
    capacity,
    growing_lists,
    list_errors,
    packing,
)
from autograph_lite.operators.loops import integer_overflow, owned_containers
from autograph_lite.operators.object_graph import reachability
from autograph_lite.operators.purity import trial
from autograph_lite.operators.trace_context import (
    decision_log,
    lane_termination,
    loop_options,
    path_facts,
    update_order,
)
from autograph_lite.operators.user_code import place_names, source_places
from autograph_lite.operators.values import dataclass_objects, pytrees
from autograph_lite.operators.values.one_of import OneOf, options_of
from autograph_lite.operators.values.place import MISSING, Contents, Place
from autograph_lite.operators.values.values import Tracer, is_arraylike, traced
from autograph_lite.tracing import entered, thread

Key = tuple[Hashable, Hashable]  # a place, and what is in it


class Grow(Exception):
    """The types have to grow: traces the loop again with `carry`."""

    def __init__(self, carry: Carry) -> None:
        self.carry = carry


class StandsIn(Exception):
    """A variable before the loop is of another kind than after an iteration: a first one may do without a union."""

    def __init__(self, places: Sequence[int | Key]) -> None:
        self.places = places  # the numbers of such variables, and the keys of such places


class Unjoinable(Exception):
    """A variable before the loop and after an iteration have no common type."""

    def __init__(self, name: str, found: Mismatch) -> None:
        self.name, self.found = name, found


class Reordered(Unjoinable):
    """An iteration leaves the keys of a dict in another order, as `jax.tree.map` does, which sorts them."""


@dataclasses.dataclass(frozen=True, eq=False)
class Slot:
    """A place that the loop carries."""

    place: Place  # `place`, `key`: where it is
    key: Hashable
    before: Captured  # its value before the loop
    template: Template  # its type


@dataclasses.dataclass(frozen=True, eq=False)
class Carry:
    """The variables and places of a loop."""

    names: tuple[str, ...]  # of the variables
    start_values: tuple[Captured, ...]  # before the loop
    templates: tuple[Template, ...]  # their types
    slots: dict[Key, Slot]  # places, by owner and key
    outer: object  # the trace around the loop
    # lists that get longer with each iteration, by the key of their place
    growths: dict[Hashable, growing_lists.Growth] = dataclasses.field(default_factory=dict)
    # lists whose length only the data knows, likewise
    bounds: dict[Hashable, bounded_growth.Bound] = dataclasses.field(default_factory=dict)
    # the number of iterations, where it is known: then the loop can put out a row for each
    count: int | None = None
    # pairs of variables and places; an iteration makes the first a part of the second, or the same
    parts: frozenset[tuple[Hashable, Hashable]] = frozenset()
    peels: bool = False  # whether a first iteration may run before the loop
    # numbers of variables, and of the leaves in them that every iteration leaves as the arrays that they were before
    held: frozenset[tuple[int, int]] = frozenset()
    # likewise, that an iteration writes to and makes other arrays then: each iteration has one of its own
    apart: frozenset[tuple[int, int]] = frozenset()
    # likewise, of variables without a value before the loop, that an iteration leaves as NumPy's arrays
    numpys: frozenset[tuple[int, int]] = frozenset()
    # the keys of values that are arrays of NumPy's without axes in one iteration, and numbers in another
    unclear: frozenset[Hashable] = frozenset()
    owned: frozenset[int] = frozenset()  # numbers of variables whose containers nobody else holds
    # for each variable, whether every iteration assigns it; known once the body has been traced
    sure: list[bool] = dataclasses.field(default_factory=list)
    # of lists and objects in it; known likewise
    changes: list[journal.Change] = dataclasses.field(default_factory=list)
    # the variables after an iteration, and the contents of the places; known likewise
    after: list[tuple[Sequence[Captured], dict[Key, Captured]]] = dataclasses.field(default_factory=list)
    # these where the body begins, by their keys; known likewise
    inside: list[dict[Hashable, Any]] = dataclasses.field(default_factory=list)
    # the arrays that an iteration leaves in lists, by the key of their place; known likewise
    kept: dict[Hashable, list[Any]] = dataclasses.field(default_factory=dict)
    # the items that each iteration appends, and the containers in them that others hold, too, by their ids
    appended: dict[Hashable, list[Any]] = dataclasses.field(default_factory=dict)
    held_twice: dict[int, Any] = dataclasses.field(default_factory=dict)
    # those of them that it has put there itself
    put: dict[Hashable, list[Any]] = dataclasses.field(default_factory=dict)

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        values: Sequence[Any],
        funs: Sequence[Callable[..., Any]] = (),
        *,
        count: int | None = None,
        peels: bool = False,
    ) -> Carry:
        """The first guess: numbers that Python knows will be arrays, as a loop's variables change; `funs` are its parts."""
        captured = tuple(map(capture, values))
        templates = tuple(widen(c.template) for c in captured)
        owned = owned_containers.owned_before(captured, funs)
        outer = tracing_state.trace_state()
        return cls(tuple(names), captured, templates, {}, outer, count=count, peels=peels, owned=owned)

    def wants(self, wanted: growing_lists.Wanted) -> Carry:
        """The carry with what a body has asked for; raises `wanted` where another loop has to answer."""
        for owner, growth in self.growths.items():
            if growth.token is wanted.token:
                if isinstance(wanted, growing_lists.Uneven):
                    return self._bounding(
                        {owner: bounded_growth.Bound.of(growth.place, self.count, growth.templates)}
                    )
                new = growth.wants(wanted)
                known = self.slots.items()
                slots = {key: slot for key, slot in known if key[0] != owner or _below(key[1], new.head)}
                before = growth.place.read()
                for j in range(1, new.window + 1):
                    first = before[growth.length - j]
                    if isinstance(first, growing_lists.Earlier):
                        raise first.wanted()
                    item, last = capture(first), growing_lists.Last(j)
                    slots[owner, last] = Slot(growth.place, last, item, widen(structural(item.template)))
                return dataclasses.replace(self, slots=slots, growths={**self.growths, owner: new})
        raise wanted

    def numbers(self) -> tuple[list[Any], set[int], set[int]]:
        """For each array of the carry, the number that it is before the loop, or None.

        And which of them belong to lists that grow; and which to checks.
        """
        found: list[Any] = []
        windows: set[int] = set()
        of_checks: set[int] = set()
        for value, template in zip(self.start_values, self.templates, strict=True):
            found += _numbers(value, template)
        for (owner, _), slot in self.slots.items():
            new = _numbers(slot.before, slot.template)
            if isinstance(slot.place.owner, carried_checks.Frame):
                new = [int(leaf) if _is_zero(leaf) else None for leaf in slot.before.leaves]
                of_checks.update(range(len(found), len(found) + len(new)))
            if owner in self.growths or owner in self.bounds:
                windows.update(range(len(found), len(found) + len(new)))
            found += new
        return found, windows, of_checks

    def lengths(self) -> dict[int, int]:
        """How many items there are before the loop in lists with a buffer, where that is known, by the places of the lengths."""
        sizes = [*(len(_numbers(*pair)) for pair in zip(self.start_values, self.templates, strict=True))]
        sizes += [len(_numbers(slot.before, slot.template)) for slot in self.slots.values()]
        places = [*itertools.accumulate(sizes, initial=0)][len(self.templates) :]
        known = {n: self.bounds.get(owner) for n, (owner, _) in zip(places, self.slots, strict=False)}
        found = {n: bound.known_length() for n, bound in known.items() if bound is not None}
        return {n: length for n, length in found.items() if length is not None}

    def traced(self) -> bool:
        """Whether there are arrays among the variables, and no other numbers: the loop sees the values as they are."""
        leaves = [leaf for value in self.start_values for leaf in value.leaves]
        return any(map(traced, leaves)) and all(traced(leaf) or not is_arraylike(leaf) for leaf in leaves)

    def _bounding(self, bounds: dict[Hashable, bounded_growth.Bound]) -> Carry:
        """The carry with these lists as lists whose length only the data knows."""
        slots = {key: slot for key, slot in self.slots.items() if key[0] not in bounds}
        for owner, bound in bounds.items():
            slots[owner, 0] = Slot(bound.place, 0, *bound.start_value())
        growths = {owner: growth for owner, growth in self.growths.items() if owner not in bounds}
        return dataclasses.replace(self, slots=slots, growths=growths, bounds={**self.bounds, **bounds})

    @property
    def indexed(self) -> bool:
        """Whether the body asks for the number of the iteration."""
        return any(growth.indexed for growth in self.growths.values())

    def start(self) -> list[jax.Array]:
        """The arrays that enter the loop."""
        return self._arrays(self.start_values, {key: slot.before for key, slot in self.slots.items()})

    def _arrays(self, values: Iterable[Captured], contents: dict[Key, Captured]) -> list[jax.Array]:
        arrays: list[jax.Array] = []
        for value, template in zip(values, self.templates, strict=True):
            arrays += fill(value, template)
        for key, slot in self.slots.items():
            arrays += fill(contents[key], slot.template)
        return arrays

    def read(self, arrays: Iterable[Any]) -> tuple[list[Any], dict[Key, Any]]:
        """Variables and contents of places that `arrays` stand for."""
        arrays = iter(arrays)
        values = [rebuild(t, arrays, name) for t, name in zip(self.templates, self.names, strict=True)]
        for number, (value, start) in enumerate(zip(values, self.start_values, strict=True)):
            numpys_arrays.note_next(value, start.value)
            if number in self.owned:
                continue
            before = container_identity.containers(start.value)
            # A new container in each iteration stands for the one before.
            if before and not container_identity.is_any_of(value, [start.value]):
                container_identity.remember_copies(container_identity.containers(value), before)
        contents = {
            key: rebuild(slot.template, arrays, slot.place.label(slot.key))
            for key, slot in self.slots.items()
        }
        for key, slot in self.slots.items():
            numpys_arrays.note_next(contents[key], slot.before.value)
        inside = self._by_key(values, contents) if self.unclear else {}
        for each in (inside[key] for key in self.unclear & inside.keys()):
            storages.note_unclear(each)
        for owner, bound in self.bounds.items():
            packing.note_items_had_twice(bound.before)
            leaves = [*packing.leaves_of(bound.before), *self.kept.get(owner, ())]
            numpys_arrays.note_buffers(leaves, contents[owner, 0].columns)
        return values, contents

    def enter(self, contents: dict[Key, Any]) -> None:
        """Puts the carried contents into the user's objects, for the time that a body is traced."""
        for place, new in self._merged(contents):
            growth = self.growths.get(place.key)
            journal.commit(place, new if growth is None else growth.shown(new))

    def _merged(self, contents: dict[Key, Any]) -> list[tuple[Place, Contents]]:
        merged: dict[Hashable, tuple[Place, Contents]] = {}
        for key, slot in self.slots.items():
            owner = slot.place.key
            if owner in self.bounds:
                merged[owner] = slot.place, contents[key].contents()
                continue
            _, now = merged.setdefault(owner, (slot.place, slot.place.read()))
            now[slot.key] = contents[key]
        for owner, growth in self.growths.items():
            merged.setdefault(owner, (growth.place, growth.place.read()))
        return list(merged.values())

    def leave(
        self,
        values: Sequence[Any],
        written: journal.Journal,
        roots: Sequence[Any],
        inside: dict[Hashable, Any],
    ) -> tuple[Carry, list[jax.Array]]:
        """The carry, and the arrays after an iteration; then what it puts out. `inside` is what the body began with.

        The carry is another one where types that came from Python numbers no longer do.

        Raises:
          Grow: they do not fit the types.
          Unjoinable: no types hold both.
        """
        captured = [capture(path_facts.narrow(value)) for value in values]
        if parted := {(n, i) for n, i in self.held if not self._is_still(n, i, values[n])}:
            raise self._parted(parted)
        numpys_arrays.know_roots(map(_value, captured))
        self.sure[:] = [value.present is True for value in captured]
        contents = {key: slot.before for key, slot in self.slots.items()}
        grown, growths = dict(self.slots), dict(self.growths)
        known = [slot.place.owner for slot in self.slots.values()]
        known += [growth.place.owner for growth in self.growths.values()]
        roots = [*roots, *known]

        def outlives(value: Any) -> bool:
            return bool(reachability.reachable(roots, {id(value)}))

        appended: dict[Hashable, list[Captured]] = {}
        bounds: dict[Hashable, bounded_growth.Bound] = {}
        changes = written.changes(roots)
        self.changes[:] = changes.values()
        pairs = zip(captured, self.start_values, strict=True)
        moved = [each for n, (now, start) in enumerate(pairs) for each in self._other_arrays(n, now, start)]
        iteration_ends.refuse_carried(moved, changes.values())
        for owner, change in changes.items():
            if owner in self.bounds or bounded_growth.is_length_unknown(change) or self._has_room(change):
                self._bounded(owner, change, contents, bounds)
            elif owner in growths or (
                len(change.new) != len(change.old) and growing_lists.grows(change.place)
            ):
                items = self._appended(owner, change, contents, grown, outlives)
                appended[owner] = items
                self._keep(owner, items)
                growths[owner] = self._growth(owner, change, items, outlives)
            else:
                self._changed(change, contents, grown, outlives)
        kept = [*contents.values(), *(item for items in appended.values() for item in items)]
        if any(container_identity.is_chosen(each.value) for each in kept):
            trial.end_trial("an object or a list keeps one of the items, of which the loop has a copy")
        self._note_appended(appended, roots)
        labels = {key: slot.place.label(slot.key) for key, slot in self.slots.items()}
        ends = zip(self.start_values, captured, strict=True)
        moving = [
            (self.names[n], *pair) for n, end in enumerate(ends) for pair in self._moves(n, *end, inside)
        ]
        moving += [(labels[key], slot.before.value, contents[key].value) for key, slot in self.slots.items()]
        iteration_ends.refuse_seen_next(moving, *self._bound(captured))
        for owner, bound in self.bounds.items():
            name, *_ = str(bound.place.label(0)).partition("[")
            iteration_ends.refuse_items_seen_next(name, self.put.get(owner, ()), *self._bound(captured))
        self._check_apart(captured, contents)
        for key, slot in self.slots.items():
            joined = _join(labels[key], slot.template, contents[key], slot.before, outlives)
            grown[key] = dataclasses.replace(slot, template=joined)
        variables = zip(self.names, self.templates, captured, self.start_values, strict=True)
        templates = tuple(_join(*variable, outlives) for variable in variables)
        numpys = {
            (n, i)
            for n, (now, start) in enumerate(zip(captured, self.start_values, strict=True))
            for i, leaf in enumerate(self._arrays_in(n, now) if start.present is False else ())
            if isinstance(leaf, Tracer) and leaf.ndim and numpys_arrays.is_numpys(leaf)
        }
        if not numpys <= self.numpys:
            tracing_state.abandon_trace()
            after = dataclasses.replace(self, templates=templates, slots=grown, growths=growths)
            raise Grow(dataclasses.replace(after, numpys=self.numpys | numpys))
        unclear = self._mixed(inside, self._by_key(captured, contents))
        if not unclear <= self.unclear:
            tracing_state.abandon_trace()
            after = dataclasses.replace(self, templates=templates, slots=grown, growths=growths)
            raise Grow(dataclasses.replace(after, unclear=self.unclear | unclear))
        if self.peels and (places := self._standing_in(templates, grown)):
            tracing_state.abandon_trace()
            raise StandsIn(places)
        if bounds:
            tracing_state.abandon_trace()
            after = dataclasses.replace(self, templates=templates, slots=grown, growths=growths)
            raise Grow(after._bounding(bounds))
        after = self
        if templates != self.templates or _types(grown) != _types(self.slots) or growths != self.growths:
            after = dataclasses.replace(self, templates=templates, slots=grown, growths=growths)
            is_other = growths != self.growths or after._strong_types() != self._strong_types()
            if is_other or number_types.are_types_asked():
                tracing_state.abandon_trace()
                raise Grow(after)
        owned = owned_containers.owned_after(self.owned, captured, [*contents.values()], roots)
        if owned != self.owned:
            tracing_state.abandon_trace()
            raise Grow(dataclasses.replace(after, owned=owned))
        after.after[:] = [(captured, contents)]
        arrays = after._arrays(captured, contents)
        for owner, growth in self.growths.items():
            for item, template in zip(appended[owner], growth.templates, strict=True):
                arrays += fill(item, template)
        return after, arrays

    def _standing_in(self, templates: Sequence[Template], grown: dict[Key, Slot]) -> list[int | Key]:
        """The variables and places that are one of several after an iteration, and are not before the loop."""
        variables = zip(self.start_values, templates, strict=True)
        found: list[int | Key] = [n for n, (start, new) in enumerate(variables) if _parts(start, new)]
        return found + [key for key, slot in grown.items() if _parts(slot.before, slot.template)]

    def aliases(self, values: Sequence[Any], inside: dict[Hashable, Any]) -> loop_carried_aliases.Loop:
        """What is known where the body is traced, which gets these values; `inside` is what they, and the places, hold."""
        outside = self._by_key(self.start_values, {key: slot.before for key, slot in self.slots.items()})
        parts = [(inside[part], inside[whole]) for part, whole in self.parts if {part, whole} <= {*inside}]
        same = [(new, outside[key]) for key, new in inside.items() if key in outside]
        for new, old in same:
            if isinstance(new, Tracer) and new.ndim:
                numpys_arrays.note_widened(new, [old])
        return loop_carried_aliases.carried(same, parts, lambda array: self._hold(values, array))

    def _hold(self, values: Sequence[Any], array: Any) -> bool:
        """To be called where the body writes to a variable's array, and others are to see it; whether it is the iteration's own.

        Raises:
          Grow: from now on, the variable is the array that it was before the loop, whose memory is carried.
        """
        variables = enumerate(values)
        leaves = ((n, i, each) for n, value in variables for i, each in enumerate(self._arrays_in(n, value)))
        number, leaf = next(((n, i) for n, i, each in leaves if each is array), (None, 0))
        if number is None:
            return False
        if (number, leaf) in self.apart:
            loop_carried_aliases.note_write(numpys_arrays.same_in_loops(array))
            numpys_arrays.note_stored(array)
            return True
        start, template = self._arrays_in(number, self.start_values[number].value), self.templates[number]
        if len(start) != len(template.leaves) or not shared_memory.is_shareable(start[leaf]):
            return False
        kinds = (*template.leaves[:leaf], Fixed(start[leaf]), *template.leaves[leaf + 1 :])
        templates = (*self.templates[:number], template.of(kinds), *self.templates[number + 1 :])
        tracing_state.abandon_trace()
        raise Grow(dataclasses.replace(self, templates=templates, held=self.held | {(number, leaf)}))

    def _check_apart(self, captured: Sequence[Captured], contents: dict[Key, Captured]) -> None:
        """Raises MutationError where somebody else knows the array that an iteration writes to, and that is its own."""
        if not self.apart:
            return
        starts = self._by_key(self.start_values, {key: slot.before for key, slot in self.slots.items()})
        labels = {key: self._label(key) for key in starts}
        apart = [(n, i, "leaf") for n, i in self.apart]
        after = self._by_key(captured, contents)
        iteration_ends.refuse_apart(apart, labels, starts, after, *self._bound(captured))

    def _bound(self, captured: Sequence[Captured]) -> tuple[set[str], set[tuple[int, Hashable]]]:
        """The names of variables, and the slots of objects, that an iteration binds to something else.

        One of several objects may still be that which it was.
        """
        slots = self.slots.values()
        cells = (str(slot.key) for slot in slots if isinstance(slot.place.owner, types.CellType))
        ends = zip(self.names, self.start_values, captured, strict=True)
        names = (
            name for name, start, now in ends if now.value is not start.value and type(now.value) is not OneOf
        )
        return {*names, *cells}, {(id(slot.place.owner), slot.key) for slot in slots}

    def _label(self, key: Any) -> str:
        """What the user calls a variable, or a place."""
        return self.slots[key].place.label(key[1]) if key in self.slots else self.names[key[0]]

    def _parted(self, parted: set[tuple[int, int]]) -> Grow:
        """What is raised where an iteration makes variables that are `held` other arrays: each has one of its own then."""
        templates = [*self.templates]
        for number, leaf in parted:
            kinds = [*templates[number].leaves]
            kinds[leaf] = widen(structural(self.start_values[number].template)).leaves[leaf]
            templates[number] = templates[number].of(tuple(kinds))
        tracing_state.abandon_trace()
        held, apart = self.held - parted, self.apart | parted
        return Grow(dataclasses.replace(self, templates=tuple(templates), held=held, apart=apart))

    def _is_still(self, number: int, leaf: int, value: Any) -> bool:
        """Whether a variable has the array in it that was there before the loop."""
        now, start = (self._arrays_in(number, each) for each in (value, self.start_values[number].value))
        return len(now) == len(start) and now[leaf] is start[leaf]

    def part(self, inside: dict[Hashable, Any]) -> None:
        """To be called where the body writes to an array; `inside` are the variables and places that it began with.

        Raises:
          Grow: an iteration leaves variables that are parts of others, and the body did not know that.
        """
        after = self._by_key(*self.after[0])
        keys = [*after]
        moved = [n for n, key in enumerate(keys) if after[key] is not inside.get(key)]
        pairs = loop_carried_aliases.aliases_after_iteration([*after.values()], moved)
        found = {(keys[n], keys[m]) for n, m in pairs}
        if not found <= self.parts:
            tracing_state.abandon_trace()
            raise Grow(dataclasses.replace(self, parts=self.parts | found))

    def _by_key(self, values: Sequence[Any], contents: dict[Key, Any]) -> dict[Hashable, Any]:
        """What is in variables, by their numbers and those of the leaves, and contents of places; captured, or as they are."""
        known: dict[Hashable, Any] = {
            (n, i, "leaf"): leaf
            for n, value in enumerate(values)
            for i, leaf in enumerate(self._arrays_in(n, _value(value)))
        }
        known.update((key, _value(each)) for key, each in contents.items() if not self._is_memory(key))
        return known

    def _arrays_in(self, number: int, value: Any) -> list[Any]:
        """A variable's array, or the leaves of what is made again in each iteration: a tuple, a list, an object."""
        kind, value = self.templates[number], _value(value)
        if kind.tree is None or kind.tree == LEAF:
            return [value]
        leaves, _ = dataclass_objects.flatten_dataclasses(value)
        return leaves if len(leaves) == len(kind.leaves) else [value]

    def _pairs(self, number: int, start: Captured, now: Captured) -> list[tuple[Any, Any]]:
        """These of a variable before the loop, each with what it is after an iteration; none where there are others."""
        before, after = (self._arrays_in(number, each) for each in (start, now))
        return [*zip(before, after, strict=True)] if len(before) == len(after) else []

    def _moves(
        self, number: int, start: Captured, now: Captured, inside: dict[Hashable, Any]
    ) -> list[tuple[Any, Any]]:
        """As `_pairs`; of a variable without a value before the loop, what the iteration began with."""
        begun = (
            (inside.get((number, i, "leaf")), each) for i, each in enumerate(self._arrays_in(number, now))
        )
        return self._pairs(number, start, now) or [*begun]

    def _other_arrays(self, number: int, now: Captured, start: Captured) -> list[Any]:
        """Of these of a variable, those that it had not before the loop."""
        pairs = self._pairs(number, start, now)
        return [each for old, each in pairs if each is not old] if pairs else self._arrays_in(number, now)

    def _mixed(self, inside: dict[Hashable, Any], ends: dict[Hashable, Any]) -> set[Hashable]:
        """The keys of those that are arrays without axes before the loop, and numbers after an iteration, or the other way."""
        starts = self._by_key(self.start_values, {key: slot.before for key, slot in self.slots.items()})
        known = starts.keys() & ends.keys()
        return {
            key
            for key, each in inside.items()
            if key in known and numpys_arrays.are_mixed(each, (starts[key], ends[key]))
        }

    def _one_of_several(self) -> list[tuple[str, Any]]:
        """The arrays that variables may be after an iteration which are one of several, with their names."""
        pairs = zip(self.names, self.after[0][0], strict=True)
        return [
            (f"'{name}'", leaf)
            for name, each in pairs
            if type(each.value) is OneOf
            for leaf in pytrees.leaves(options_of(each.value))
        ]

    def _is_memory(self, key: Key) -> bool:
        """Whether a place is the memory of an array, which has its names already."""
        return isinstance(self.slots[key].place.owner, Storage)

    def changing(self) -> list[str]:
        """The variables and places that are of another type before the loop, or after an iteration, than in the loop."""
        captured, contents = self.after[0]
        variables = zip(self.names, self.templates, self.start_values, captured, strict=True)
        slots = [
            (slot.place.label(slot.key), slot.template, slot.before, contents[key])
            for key, slot in self.slots.items()
            if key[0] not in self.bounds
        ]
        pairs = [*variables, *slots]
        return [name for name, kind, *ends in pairs if any(_differs(end, kind) for end in ends)]

    def other_dtypes(self) -> list[str]:
        """The variables that are arrays before the loop, and of another dtype after an iteration."""
        ends = zip(self.names, self.start_values, self.after[0][0], strict=True)
        arrays = [
            (name, start.value, end.value)
            for name, start, end in ends
            if isinstance(start.value, jax.Array) and isinstance(end.value, jax.Array)
        ]
        return [name for name, a, b in arrays if a.dtype != b.dtype and not avals.weak_type(a)]

    def _strong_types(self) -> tuple[list[Template], dict[Key, Template]]:
        """The types, whatever numbers they came from."""
        slots = {key: strong(slot.template) for key, slot in self.slots.items()}
        return list(map(strong, self.templates)), slots

    def _has_room(self, change: journal.Change) -> bool:
        """Whether a list gets longer in a loop that may run any number of times, and may do so."""
        if self.count is not None or len(change.new) <= len(change.old):
            return False
        owner = change.place.owner
        if (
            type(owner) not in (list, collections.deque)
            or not growing_lists.has_lengths(owner)
            or not change.place.holds_items
        ):
            return False
        return self._most() is not None or capacity.room(of_list=True) > 0

    def _most(self) -> int | None:
        """How many iterations there are, or may be where the user has said it: a list has room for what so many add.

        None where it has not, or where that may be much, and a program that is made for less can be run again.
        """
        if self.count is not None:
            return self.count
        most = loop_options.most()
        return (
            most if most is not None and (most <= capacity.FIRST or not capacity.room(of_list=True)) else None
        )

    def _bounded(
        self, owner: Hashable, change: journal.Change, contents: dict[Key, Captured],
        bounds: dict[Hashable, bounded_growth.Bound],
    ) -> None:  # fmt: skip
        """What an iteration leaves in a list whose length only the data knows; notes in `bounds` what is new."""
        items = packing.without_gaps([change.captured.get(k) or capture(v) for k, v in change.new.items()])
        known = self.bounds.get(owner)
        bound = known or bounded_growth.Bound.of(change.place, self._most())
        new = bound.after(items)
        if new is not known:
            bounds[owner] = new
        self._keep(owner, items)
        if known is not None:
            contents[owner, 0] = known.left(items, self.slots[owner, 0].template)
            packing.note_put([items])

    def _note_appended(self, appended: dict[Hashable, list[Captured]], roots: Iterable[Any]) -> None:
        """Notes which lists, dicts and objects in what an iteration appends are at several places, or were there before."""
        self.appended.update((owner, [each.value for each in items]) for owner, items in appended.items())
        values = (each.value for items in appended.values() for each in items)
        every = [one for value in values for one in container_identity.containers(value)]
        counts = collections.Counter(map(id, every))
        before = reachability.reachable(roots, {*counts}) if counts else set()
        self.held_twice.update((id(one), one) for one in every if counts[id(one)] > 1 or id(one) in before)

    def _remember_shared(self, owner: Hashable, rows: Sequence[Any]) -> None:
        """Remembers which containers in the items of a list after the loop stand for others."""
        items = self.appended.get(owner) if self.held_twice else None
        for n, row in enumerate(rows if items else ()):
            pairs = map(container_identity.containers, (row, items[n % len(items)]))  # type: ignore[index, arg-type]
            for copy, one in zip(*pairs, strict=False):
                if id(one) in self.held_twice and copy is not one:
                    container_identity.remember_copies([copy], [one])

    def _keep(self, owner: Hashable, items: Sequence[Captured]) -> None:
        """Notes the arrays in what an iteration leaves in a list: for the next pass, and for what comes after the loop."""
        self.kept[owner] = packing.leaves_of(items)
        self.put[owner] = packing.leaves_put(items)
        numpys_arrays.know_roots(self.kept[owner])

    def _appended(
        self, owner: Hashable, change: journal.Change, contents: dict[Key, Captured], grown: dict[Key, Slot],
        outlives: Callable[[Any], bool],
    ) -> list[Captured]:  # fmt: skip
        """The items that an iteration puts out; notes in `contents` and `grown` what it does to the others."""
        growth = self.growths.get(owner)
        items = list(change.new.values())
        captured = [change.captured.get(k) or capture(v) for k, v in change.new.items()]
        if growth is None:  # found in this pass: the body has seen the list itself
            if self.count is None:
                raise list_errors.unbounded(change.place, source_places.here())
            if len(change.new) < len(change.old):
                raise list_errors.shrinks(change.place, source_places.here())
            return captured[len(change.old) :]
        tail = growth.tail(items, source_places.here())
        if len(items) < tail + growth.window:
            if growing_lists.has_lengths(change.place.owner):
                raise growing_lists.Uneven(growth.token)
            raise list_errors.shrinks(change.place, source_places.here())
        last = len(items)
        for j in range(1, growth.window + 1):
            contents[owner, growing_lists.Last(j)] = captured[last - j]
        old = {k: v for k, v in change.old.items() if _below(k, growth.head)}
        new = {k: v for k, v in change.new.items() if _below(k, growth.head)}
        self._changed(dataclasses.replace(change, old=old, new=new), contents, grown, outlives)
        return captured[tail : last - growth.window]

    def _growth(
        self,
        owner: Hashable,
        change: journal.Change,
        items: Sequence[Captured],
        outlives: Callable[[Any], bool],
    ) -> growing_lists.Growth:
        """The list as the next pass has to know it: the same object where nothing is new."""
        growth = self.growths.get(owner) or growing_lists.Growth(change.place, len(change.old), ())
        try:
            new = tuple(growing_lists.stacked_type(item, outlives) for item in items)
            if len(new) == len(growth.templates):
                new = tuple(map(growing_lists.join_item_types, growth.templates, new))
        except growing_lists.UnstackableItemError as error:
            raise list_errors.of_items(
                list_errors.unstackable(change.place, error.found, source_places.here())
            ) from None
        except Mismatch as found:
            raise list_errors.of_items(
                list_errors.changing(change.place, found, source_places.here())
            ) from None
        return growth if new == growth.templates else dataclasses.replace(growth, templates=new)

    def _changed(
        self, change: journal.Change, contents: dict[Key, Captured], grown: dict[Key, Slot],
        outlives: Callable[[Any], bool],
    ) -> None:  # fmt: skip
        place, old, new = change.place, change.old, change.new
        for k in dict.fromkeys([*old, *new]):
            key = place.key, k
            before, after = old.get(k, MISSING), new.get(k, MISSING)
            if before is after:
                continue
            if after is not MISSING and before is MISSING and isinstance(place.owner, carried_checks.Frame):
                before = np.zeros(jnp.shape(after), jnp.result_type(after))
            elif before is MISSING:
                before = place.default(k)
            if before is MISSING or after is MISSING:
                raise join_errors.unjoinable_place(place.label(k))
            if key in self.slots:
                contents[key] = change.captured[k]
            else:
                first = capture(before, pins=False)  # a part of an array is made again where the loop begins
                template = _join(place.label(k), widen(first.template), change.captured[k], first, outlives)
                grown[key] = Slot(place, k, first, template)

    def finish(
        self, arrays: Iterable[Any], outputs: Iterable[Any] = (), count: int = 0, *, reverse: bool = False
    ) -> tuple[Any, ...]:
        """The variables after the loop; writes the places.

        Args:
          arrays: after the last iteration.
          outputs: what the iterations have put out, stacked.
          count: the number of iterations, where it is known; at least 1.
          reverse: whether the last iteration is at index 0 of the outputs.
        """
        values, contents = self.read(map(storages.as_held, arrays))
        self._note_met(values, contents)
        if count and self.after:  # `s = 0`, and `s += x[i]` in each iteration: no int
            ends = self._by_key(*self.after[0])
            for key, value in self._by_key(values, contents).items():
                number_types.note_types_left(value, ends.get(key))
        for owner, bound in self.bounds.items():
            now = contents[owner, 0]
            contents[owner, 0] = now.having([now.length, *now.columns], bound.most)
        if count:  # what every iteration assigns is assigned
            values = [held(value) if sure else value for value, sure in zip(values, self.sure, strict=True)]
        outputs = iter(outputs)
        rows = {owner: growth.rows(outputs, count, reverse=reverse) for owner, growth in self.growths.items()}
        for owner, items in rows.items():
            self._remember_shared(owner, items)
            every = [leaf for leaves in self.kept.values() for leaf in leaves]
            numpys_arrays.note_rows(self.kept.get(owner, ()), pytrees.leaves(items), every)
        for place, new in self._merged(contents):
            owner = place.key
            journal.commit(place, self.growths[owner].finished(new, rows[owner]) if owner in rows else new)
        shared_containers.note_shared([], self._joined(values, contents), [])
        integer_overflow.check_noted()
        carried_checks.flush()
        if decision_log.listeners:
            self._tell()
        return tuple(values)

    def refuse_narrower(self, uses: Sequence[lower_kinds.Use], inside: dict[Hashable, Any]) -> None:
        """Refuses what the body does with arrays, if NumPy does something else with such as an iteration leaves."""
        ends = self._by_key(*self.after[0])
        lower = [key for key, new in inside.items() if key in ends and lower_kinds.note_end(new, ends[key])]
        for use in uses if lower else ():
            name = self._label(lower[0])
            use.refuse_lower(f"'{name}' is after an iteration", name)

    def _note_met(self, values: Sequence[Any], contents: dict[Key, Any]) -> None:
        """Notes which arrays variables and places may be, in the loop and after it: those before, or what an iteration leaves."""
        starts = self._by_key(self.start_values, {key: slot.before for key, slot in self.slots.items()})
        ends = self._by_key(*self.after[0]) if self.after else {}
        for note, known in (
            *((_note_inside, each) for each in self.inside),
            (numpys_arrays.note_met, self._by_key(values, contents)),
        ):
            for key, value in known.items():
                note(value, *(each[key] for each in (starts, ends) if key in each))

    def _joined(self, values: Sequence[Any], contents: dict[Key, Any]) -> list[shared_containers.Joined]:
        """What variables and places hold after the loop, with what they held before, and what an iteration leaves: `b = a`."""
        captured, left = self.after[0] if self.after else ((), {})
        variables = [(value, [one.value]) for value, one in zip(values, captured, strict=False)]
        places = [
            (contents[key], [one.value for one in (slot.before, left.get(key)) if one is not None])
            for key, slot in self.slots.items()
            if key in contents
        ]
        return [*variables, *places]

    def _tell(self) -> None:
        """Says what became of the lists."""
        for growth in self.growths.values():
            place = place_names.written_at(growth.place.owner)
            decision_log.note_list(place, "outputs of a scan", "each iteration appends as many items")
        for bound in self.bounds.values():
            place = place_names.written_at(bound.place.owner)
            many = f"for the {bound.most} items" if not bound.spare else f"for {bound.most} items"
            why = "that the loop may make" if not bound.spare else "at first, as nothing bounds the loop"
            decision_log.note_list(place, "a buffer and a length", f"there is room {many} {why}")


def _note_inside(value: Any, *options: Any) -> None:
    """Notes what a variable of the body may be; what an iteration leaves as it is, is what it was before the loop."""
    numpys_arrays.note_options(value, *(each for each in options if each is not value))


def _below(key: Hashable, end: int) -> bool:
    return isinstance(key, int) and key < end


def _types(slots: dict[Key, Slot]) -> dict[Key, Template]:
    return {key: slot.template for key, slot in slots.items()}


def _is_zero(value: Any) -> bool:
    """Whether a value that goes with a check is what it is as long as none has failed."""
    return isinstance(value, np.ndarray) and value.shape == () and value.dtype.kind in "iub" and not value


def _numbers(value: Captured, template: Template) -> list[Any]:
    """For each array that `fill` makes of a value, the number that it is; 0 where nobody reads it."""
    present = [value.present if isinstance(value.present, bool) else None] if template.present is None else []
    if value.present is False:
        return present + [0 for kind in template.leaves if isinstance(kind, Array)]
    if not any(isinstance(kind, Array) for kind in template.leaves):
        return present
    pairs = zip(fitted(value, template), template.leaves, strict=True)
    numbers = [
        leaf if type(leaf) in (bool, int, float, complex) else None
        for leaf, kind in pairs
        if isinstance(kind, Array)
    ]
    return present + numbers


def _value(each: Any) -> Any:
    """A variable's value; of one that has none before the loop, what says so, which is no other's."""
    return held(each.value if isinstance(each, Captured) else each)


def _differs(value: Captured, template: Template) -> bool:
    """Whether arrays in a value are of another type than the loop has for them; numbers of Python's are of any."""
    if value.present is False or len(leaves := fitted(value, template)) != len(template.leaves):
        return False
    return any(
        isinstance(kind, Array) and isinstance(leaf, jax.Array) and not kind.is_type_of(leaf)
        for leaf, kind in zip(leaves, template.leaves, strict=True)
    )


def _parts(start: Captured, new: Template) -> bool:
    return unions.has_union(new.tree) and not unions.has_union(structural(start.template).tree)


def _join(
    name: str, template: Template, after: Captured, start: Captured, outlives: Callable[[Any], bool] | None
) -> Template:
    try:
        # In a loop on trial, Python may know which of several it is: then the loop is unrolled.
        is_known = thread.now.trial and not unions.has_union(structural(start.template).tree)
        outlives = None if is_known or join_errors.is_opaque_place(name) else outlives
        joined = holding(join_templates(template, after.template, outlives), [after])
    except Mismatch as found:
        raise (Reordered if _reorders(template, after.template) else Unjoinable)(name, found) from None
    try:
        return holding(joined, [start])
    except Mismatch as found:
        raise Unjoinable(name, Mismatch(found.right, found.left, many=found.many)) from None


def _reorders(before: Template, after: Template) -> bool:
    """Whether two types that don't fit each other have the same keys, in orders that JAX does not tell apart."""
    found = [structural(each) for each in (before, after)]
    if any(each.tree is None for each in found) or found[0].tree == found[1].tree:
        return False
    values = [jax.tree.unflatten(each.tree, range(len(each.leaves))) for each in found]
    variants = [one for value in values for one in (options_of(value) if type(value) is OneOf else [value])]
    trees = {jax.tree.structure(one) for one in variants}
    return len(trees) == 1 and not any(
        map(jax.tree_util.treedef_is_leaf, trees)
    )  # too many texts are leaves, too


def run_body(
    carry: Carry, body_fun: Callable[..., Any], arrays: Iterable[Any], take: Callable[[], Sequence[Any]] = tuple,
    after: Callable[[list[Any]], Any] | None = None, index: Any = None,
) -> tuple[Carry, list[jax.Array]]:  # fmt: skip
    """One iteration, while it is traced: the carry as `Carry.leave` gives it, and the arrays.

    Args:
      carry: what the loop carries.
      body_fun: item, variables -> variables.
      arrays: before the iteration.
      take: gives the arguments of `body_fun` before the variables; may run the user's code.
      after: called with the variables after the body, in the same trace; its result, an array, comes first.
      index: the number of the iteration, where the carry says that the body asks for it.
    """
    arrays = list(arrays)
    values, contents = carry.read(arrays)
    inside = carry._by_key(values, contents)
    for n, i in carry.numpys:
        numpys_arrays.note_numpys(inside.get((n, i, "leaf")))
    loop = carry.aliases(values, inside)
    with (
        journal.journal(outer=carry.outer) as written,
        entered(
            carried=arrays,
            growing=growing_lists.growing([*carry.growths.values()], index),
            barriers=update_order.barriers(body_fun),
            aliases=(*thread.now.aliases, loop),
            facts=path_facts.frames(),
        ),
    ):
        carry.enter(contents)
        for bound in carry.bounds.values():
            bound.check()
        enter_generated(body_fun, values)
        extra: list[Any] = []
        item: Sequence[Any] = ()
        try:
            item = take()
            new = list(body_fun(*item, *values))
            extra = [after(new)] if after is not None else []
        except BaseException as error:
            if isinstance(error, OverflowError) and (told := integer_overflow.told(error)) is not error:
                raise told from None
            if not carried_checks.is_raised_on_path(error):
                raise
            carried_checks.fail_if(True, error)
            new = values
            extra = [jnp.asarray(False)] if after is not None else []
        roots = [body_fun, take, after, *(c.value for c in carry.start_values), *item]
        now, results = carry.leave(new, written, roots, inside)
        now.inside[:] = [inside]
        if loop.uses:
            now.refuse_narrower(loop.uses, inside)
        if loop.written:
            left = now._by_key(*now.after[0])
            yielded_arrays.refuse_yield_after_write(loop.written, inside, left)
            kept = [*loop.kept, *now._one_of_several()]
            kept_arrays.refuse_kept_after_write(
                loop.written, inside, left, carry.changes, kept, shared_memory.hold_before_loop
            )
            now.part(inside)
        return now, [*extra, *results]


def widen_start(now: Carry, after: Carry, jaxprs: Sequence[Any], start: list[Any]) -> list[Any]:
    """The arrays that enter the loop, in types that hold.

    Args:
      now: what the loop was traced with.
      after: what came out of the body.
      jaxprs: of the loop's condition, where it has one, and of its body.
      start: the arrays that they were traced for; those of the carry come last.

    Raises:
      Grow: the loop has to be traced with other types.
    """
    if after is now:
        return start
    arrays = after.start()
    if not loop_binding.settle_weak_types(jaxprs, len(start) - len(arrays), len(start)):
        raise Grow(after)
    return [*start[: len(start) - len(arrays)], *arrays]


def failed() -> Any:
    """Whether a check has failed: a loop stops then, as the exception would have stopped it."""
    if thread.now.replaced:  # in a `finally`, whose loops run after what has failed in its `try`
        alive = carried_checks.alive()
        return False if alive is True else jnp.logical_not(alive)
    return carried_checks.frame().failed


def unless_failed(test: Any) -> Any:
    """`test`, and no check has failed; see `lanes` for the rest."""
    stop = failed()
    return lane_termination.while_reached(
        jnp.logical_and(test, jnp.logical_not(stop)) if traced(stop) or stop else test
    )
