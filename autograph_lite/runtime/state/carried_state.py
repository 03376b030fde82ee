"""Carried state: which attributes and items of the user's objects does a function write traced values to?

They become inputs and outputs of the compiled program: read from the objects at each call, written back after it. So a
call leaves the objects as plain Python would have left them, and no tracer stays behind.
"""

from __future__ import annotations

import collections
import dataclasses
import operator
import random
import types
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from autograph_lite.jax_internals import recorded_equations
from autograph_lite.jax_internals.references import storages
from autograph_lite.operators.effects import journal
from autograph_lite.operators.object_graph.reachability import leading
from autograph_lite.operators.values import pytrees
from autograph_lite.operators.values.place import MISSING, Contents, Place
from autograph_lite.operators.values.values import Tracer
from autograph_lite.runtime.state import left_arrays, tracer_leaks, variable_frames
from autograph_lite.runtime.state.creations import Creations
from autograph_lite.runtime.state.discovery import items_in, places_in, variables_around
from autograph_lite.runtime.state.other_values import (
    ARRAYS,
    NUMBERS,
    holds_tracer,
    is_named_elsewhere,
    is_other_array,
    other_values,
    refuse_appended,
    widened,
)
from autograph_lite.runtime.state.variable import KEY, Variable, exclusive_memory
from autograph_lite.runtime.state.weak_places import HeldPlace
from autograph_lite.runtime.types.leaf_partition import Split

# of a Variable that a program only reads, and of an array of NumPy's to which it writes itself
KEPT = type("KEPT", (), {"__repr__": lambda self: "KEPT"})()
Slot = tuple[Hashable, Hashable]  # a place's key, and the key in it
Bindings = Mapping[int, Variable]  # from the ids of Variables that stand for others


@dataclasses.dataclass
class State:
    """The places that a function carries from call to call, in the order in which they were found."""

    # the places
    slots: dict[Slot, tuple[HeldPlace, Hashable]] = dataclasses.field(default_factory=dict)
    # the Variables that the function has created, and whether it may create more
    creations: Creations = dataclasses.field(default_factory=Creations)
    # whether some are in objects that the trace's arguments lead to, and that others may be equal to
    tied: bool = False
    # numbers of Python's that the function changes without data; those whose value a program is made for, and those that
    # nothing but the next one depends on: Python counts these while tracing
    numbers: set[Slot] = dataclasses.field(default_factory=set)
    literal: set[Slot] = dataclasses.field(default_factory=set)
    counted: set[Slot] = dataclasses.field(default_factory=set)
    # those that other functions read, which Python does not count so
    read_elsewhere: set[Slot] = dataclasses.field(default_factory=set)
    # what Python has put, while tracing, where there was nothing; and the containers that it has made longer or shorter
    added: list[tuple[HeldPlace, Hashable]] = dataclasses.field(default_factory=list)
    resized: set[Hashable] = dataclasses.field(default_factory=set)
    # containers that hold arrays of NumPy's to which the program writes: it is traced again where others are there
    fixed: set[Slot] = dataclasses.field(default_factory=set)
    # what is to be said where arrays of NumPy's that nobody passes can't be written as arguments
    refusal: BaseException | None = None
    _searched: bool = False

    @property
    def places(self) -> list[tuple[Place, Hashable]]:
        """The places, and what they hold it under."""
        return [(held(), key) for held, key in [*self.slots.values()]]  # which another thread may add to

    @property
    def is_gone(self) -> bool:
        """Whether an object went that the function wrote to: then it has to be traced for what is in its place."""
        return any(held.owner is None for held, _ in self.slots.values())

    def loosen(self, roots: Iterable[Any]) -> None:
        """Keeps no object alive that a call brings: what `roots` lead to."""
        owners = {id(held.owner): held for held, _ in self.slots.values() if not held.ours}
        for owner in leading(roots, set(owners)):
            for held, _ in self.slots.values():
                if id(held.owner) == owner:
                    held.loosen()

    def leads(self, roots: Iterable[Any]) -> bool:
        """Whether objects lead to some of the places."""
        return bool(leading(roots, {id(held.owner) for held, _ in self.slots.values()}))

    def search(self, roots: Iterable[Any]) -> None:
        """Takes in the Variables that can be reached from `roots`, once, and places where calls have left arrays of NumPy's.

        Raises Restart: there are some.
        """
        known = len(self.slots)
        for variable in () if self._searched else variables_around(roots):
            self._take_in(variable)
        self._searched = True
        inner: set[int] = set()  # lists and dicts that a place before holds with all that is in them
        apart = {id(held.owner) for held, _ in self.slots.values()}  # those whose items are places themselves
        for place in places_in(roots) if left_arrays.exist() else ():
            for key, value in place.read().items() if id(place.owner) not in inner else ():
                held = [*items_in(value)]
                if any(map(left_arrays.is_left, held)) and apart.isdisjoint(map(id, held)):
                    self.slots.setdefault((place.key, key), (HeldPlace(place), key))
                    inner |= {*map(id, held)}
        if len(self.slots) > known:
            raise Restart

    def _take_in(self, variable: Variable) -> None:
        place = variable.place
        self.slots.setdefault((place.key, KEY), (HeldPlace(place), KEY))

    def read(self, bindings: Bindings | None = None, donated: Collection[int] = ()) -> Split:
        """What the places hold now, for a program that runs: under the lock, as another's may have taken the memory.

        Args:
          bindings: the Variables of this call, by the ids of those that were traced in their place.
          donated: the numbers of the slots whose arrays the program takes; see `written`.
        """
        held = []
        for number, (place, key) in enumerate(self.places):
            if place.ours and number in donated:
                held.append(_bound(place, bindings).owner.taken())
            else:
                bound = _bound(place, bindings)
                if place.ours:
                    bound.owner.refuse_gone()
                held.append(self._now(bound, key))
        return Split.of(held)

    def looked_at(self, bindings: Bindings | None = None) -> Split:
        """What the places hold now, for those who ask for the types: a thread may have taken the arrays' memory."""
        return Split.of([self._now(_bound(place, bindings), key) for place, key in self.places])

    def _now(self, place: Place, key: Hashable) -> Any:
        value = place.read().get(key, MISSING)
        if not self.literal or (place.key, key) not in self.literal:
            return widened(value, deep=(place.key, key) in self.numbers)
        if isinstance(value, (list, tuple, dict)):
            return widened(value, deep=True, kinds=(float, complex))
        return value.item() if isinstance(value, ARRAYS) and not value.ndim else value

    def lent(self, bindings: Bindings | None = None) -> Split:
        """What the places hold now, whose memory no program on another thread takes from now on."""
        with exclusive_memory():
            for held, _ in [*self.slots.values()]:
                if held.ours:
                    _bound(held(), bindings).owner.lend()
            return self.read(bindings)

    def enter(self, values: Sequence[Any]) -> None:
        """Puts traced values into the places, for the time of a trace."""
        for place, contents in self._merged(values):
            if place.ours:  # of the trace's frame, which ends with it: nothing has to be put back
                place.write(contents)
            else:
                journal.commit(place, contents)

    def write(self, values: Sequence[Any], bindings: Bindings | None = None) -> None:
        """Puts the values of a finished call into the places."""
        for place, contents in self._merged(values):
            _bound(place, bindings).write(contents)

    def given(
        self, values: Sequence[Any], bindings: Bindings | None = None
    ) -> Iterator[tuple[Variable, Any]]:
        """The Variables that a finished call gives new values, and these."""
        for (held, _), value in zip([*self.slots.values()], values, strict=True):
            if held.ours and value is not KEPT:
                yield _bound(held(), bindings).owner, value

    @staticmethod
    def written(values: Sequence[Any]) -> list[int]:
        """The numbers of the slots that a trace has given new values, which are `values`."""
        return [number for number, value in enumerate(values) if value is not KEPT]

    def donated(self, values: Sequence[Any]) -> list[int]:
        """Those of `written` that are Variables: a program may take their arrays."""
        ours = [held.ours for held, _ in self.slots.values()]
        return [number for number in self.written(values) if ours[number]]

    def _merged(self, values: Sequence[Any]) -> list[tuple[Place, Contents]]:
        merged: dict[Hashable, tuple[Place, Contents]] = {}
        for (place, key), value in zip(self.places, values, strict=True):
            if value is KEPT:
                continue
            if place.ours:
                merged[place.key] = place, {key: value}
                continue
            _, contents = merged.setdefault(place.key, (place, place.read()))
            if value is MISSING:
                contents.pop(key, None)
            else:
                contents[key] = value
        return list(merged.values())

    @property
    def is_ours(self) -> bool:
        """Whether all places are Variables, those of a call among them."""
        return not self.is_gone and all(held.ours for held, _ in [*self.slots.values()])

    @property
    def is_variables(self) -> bool:
        """Whether all places are Variables."""
        return not (self.tied or self.is_gone) and all(
            held.ours and not held.owner.stands_in for held, _ in [*self.slots.values()]
        )

    @property
    def variables(self) -> list[Variable]:
        """The Variables, in the order of their places."""
        return [held().owner for held, _ in self.slots.values() if held.ours]

    def positions(self) -> list[int]:
        """For each place, how many arrays the places before it hold."""
        counts = [
            # What stands for a Variable of the call holds none until there is a call.
            1 if place.ours else len(Split.of([self._now(place, key)]).arrays)
            for place, key in self.places
        ]
        return [sum(counts[:i]) for i in range(len(counts))]

    def owners(self) -> list[Any]:
        """The objects that the places are in."""
        return [held().owner for held, _ in self.slots.values()]

    def after(
        self,
        changes: dict[Hashable, journal.Change],
        standing: Iterable[Any],
        before: Sequence[Any],
        was_there: Callable[[Any], bool],
    ) -> list[Any]:
        """The values of the places after a trace; changes that nothing traced is in are made for good.

        Args:
          changes: of the trace.
          standing: the arrays of NumPy's to which the program writes itself; a place holds the very array.
          before: the leaves and the structure of what each place held when the trace began.
          was_there: whether an array was to be seen before the trace: it is put into a place as it is.

        Raises:
          Restart: there are more places with traced values than were known; they are known now.
        """
        known, stood = dict(self.slots), {id(array) for array in standing}
        kept: list[tuple[Place, Contents]] = []
        for owner, change in changes.items():
            place, old, new = change.place, change.old, change.new
            python: Contents = {}
            if isinstance(place.owner, (list, collections.deque)) and len(new) > len(old):
                refuse_appended(
                    place, [value for value in new.values() if id(value) in stood], [*old.values()]
                )
            for key in dict.fromkeys([*new, *old]):
                value = new.get(key, MISSING)
                before_it = old.get(key, place.default(key))
                is_same_length = not isinstance(place.owner, list) or len(new) == len(old)
                is_known = (owner, key) in known or (owner, key) in self.counted
                # what a generator of random numbers keeps, `gauss_next`, is drawn while tracing
                is_drawn = isinstance(place.owner, random.Random)
                is_counted = place.opaque or is_known or not is_same_length or is_drawn
                values_before = [] if is_counted else other_values(value, before_it)
                is_array = not isinstance(place.owner, np.ndarray) and is_other_array(
                    value, before_it, was_there
                )
                if place.ours or holds_tracer(value) or is_array or values_before:
                    self.slots.setdefault((owner, key), (HeldPlace(place), key))
                if any(isinstance(each, NUMBERS) for each, _ in values_before):
                    self.numbers.add((owner, key))
                    if any(isinstance(each, (bool, np.bool_)) for pair in values_before for each in pair):
                        self.literal.add((owner, key))
                # such an array is put there when the program has run, which has what is there before as an input
                python[key] = old.get(key, MISSING) if (owner, key) in self.slots else value
            kept.append((place, {k: v for k, v in python.items() if v is not MISSING}))
        frame = variable_frames.program()
        for variable in frame.found.values() if frame is not None else ():
            self._take_in(variable)
        if frame is not None and frame.created:
            self.creations.keep(kept)
            raise Restart
        if self.slots.keys() != known.keys():
            raise Restart
        for (_, contents), change in zip(kept, changes.values(), strict=True):
            fresh = [value for key, value in contents.items() if value is not change.old.get(key)]
            tracer_leaks.refuse_hidden(pytrees.leaves(fresh), "An object from outside of the function")
        for (place, contents), change in zip(kept, changes.values(), strict=True):
            self._note_added(place, change.old, contents)
            place.write(contents)
        values = []
        for (owner, key), (held, _) in self.slots.items():
            place = held()
            if place.ours and owner not in changes:
                values.append(KEPT)
                continue
            contents = changes[owner].new if owner in changes else place.read()
            value = contents.get(key, MISSING)
            is_kept = id(value) in stood or (not place.ours and _is_same(value, *before[len(values)]))
            values.append(KEPT if is_kept else value)
        return values

    def _note_added(self, place: Place, old: Contents, new: Contents) -> None:
        if place.holds_items and not isinstance(place.owner, dict):
            self.resized |= {place.key} if len(old) != len(new) else set()
            return
        nothing = {id(None), id(MISSING)}
        fresh = [
            key
            for key, value in new.items()
            if id(value) not in nothing and id(old.get(key, place.default(key))) in nothing
        ]
        for key in [] if place.ours else fresh:
            held = HeldPlace(place)
            held.loosen()
            self.added.append((held, key))

    def fix(self, arrays: Iterable[np.ndarray[Any, Any]]) -> None:
        """Carries no container that holds arrays of NumPy's to which the program writes themselves."""
        ids = {id(array) for array in arrays}
        for slot, (held, key) in [*self.slots.items()]:
            value = held().read().get(key)
            if isinstance(value, (list, tuple, dict)) and not ids.isdisjoint(map(id, items_in(value))):
                del self.slots[slot]
                self.fixed.add(slot)

    def only_read(
        self, changes: Mapping[Hashable, journal.Change], before: Sequence[Any]
    ) -> Collection[Slot]:
        """The slots that still hold what the trace was given there, to which it has written nothing."""
        known = dict(zip(self.slots, before, strict=True))
        return {
            (owner, key)
            for owner, change in changes.items()
            for key, value in change.new.items()
            if (owner, key) in known and _is_same(value, *known[owner, key])
        }

    def needs_value(self, slot: Slot) -> bool:
        """Has what a place holds as a value that a program is made for; whether it is a number."""
        held, key = self.slots[slot]
        value = held().read().get(key)
        is_number = isinstance(value, NUMBERS) or (isinstance(value, ARRAYS) and not value.ndim)
        if is_number:
            self.literal.add(slot)
        return is_number

    def is_read_elsewhere(self, slots: Iterable[Slot]) -> bool:
        """Notes that other functions read what these places hold; whether Python counts some of that while tracing."""
        found = self.counted.intersection(slots)
        self.counted -= found
        self.read_elsewhere |= found
        return bool(found)

    def need_values(self) -> bool:
        """Has the numbers that Python changes as values that a program is made for; whether there are some."""
        found = (self.numbers & self.slots.keys()) - self.literal
        self.literal |= {slot for slot in found if self._holds_ints(slot)} or found  # a float is no size
        return bool(found)

    def _holds_ints(self, slot: Slot) -> bool:
        held, key = self.slots[slot]
        value = None if held.owner is None else held().read().get(key)
        return any(
            isinstance(each, (int, np.integer)) or (isinstance(each, ARRAYS) and each.dtype.kind in "iu")
            for each in items_in(value)
        )

    def take(self, places: Mapping[Slot, tuple[HeldPlace, Hashable]]) -> None:
        """Carries what Python has changed in these places: numbers, those in lists and dicts, too, are inputs."""
        for slot, (held, key) in places.items():
            if slot in self.slots:
                continue
            self.slots[slot] = held, key
            value = held().read().get(key)
            if isinstance(value, bool):
                self.literal.add(slot)
            elif any(isinstance(each, NUMBERS) for each in items_in(value)):
                self.numbers.add(slot)
                self.read_elsewhere.add(slot)

    def count_while_tracing(
        self,
        changes: Mapping[Hashable, journal.Change],
        values: Sequence[Any],
        inputs: Iterable[Any],
        outputs: Iterable[Any],
        executed: Sequence[types.CodeType] | None,
        instance: Any,
    ) -> None:
        """Lets Python count numbers that nothing but the next one depends on.

        Args:
          changes: of the trace.
          values: what each place held when it began.
          inputs: of its program.
          outputs: what else that gives.
          executed: the code that ran; None where it is part of somebody else's trace.
          instance: what the function is a method of, which may have lists and dicts; None if it is none.

        Raises:
          Restart: there are some.
        """
        numbers = (self.numbers & self.slots.keys()) - self.literal - self.counted - self.read_elsewhere
        if not numbers:
            return
        given = {slot: pytrees.leaves(value) for slot, value in zip(self.slots, values, strict=True)}
        left = {(o, key): value for o, change in changes.items() for key, value in change.new.items()}
        new = {slot: [*map(storages.latest_version, pytrees.leaves(value))] for slot, value in left.items()}
        gives, inputs = [*outputs], [*inputs]
        found = {slot for slot in numbers if any(isinstance(leaf, Tracer) for leaf in given[slot])}
        for place, key in (
            [(self.slots[slot][0](), slot[1]) for slot in found] if executed is not None else ()
        ):
            if is_named_elsewhere(instance if place.holds_items else place.owner, key, executed or ()):
                found.discard((place.key, key))
        while found:
            own = {slot: [leaf for leaf in given[slot] if isinstance(leaf, Tracer)] for slot in found}
            counted = {id(leaf.val) for leaves in own.values() for leaf in leaves}
            elsewhere = [leaf for leaf in inputs if id(leaf.val) not in counted]
            rest = [*gives, *(leaf for slot, leaves in new.items() if slot not in found for leaf in leaves)]
            kept = {
                slot
                for slot in found
                if recorded_equations.depend(rest, own[slot])
                or not recorded_equations.depend(new.get(slot, []), own[slot])
                or recorded_equations.depend(new.get(slot, []), elsewhere)
            }
            if not kept:
                break
            found -= kept
        if found:
            self.counted |= found
            self.slots = {slot: held for slot, held in self.slots.items() if slot not in found}
            raise Restart


def _is_same(value: Any, leaves: Sequence[Any], tree: Any) -> bool:
    """Whether a place holds what the trace was given there, to which it has written nothing."""
    now, tree_now = pytrees.flatten(value)
    same = tree_now == tree and all(map(operator.is_, now, leaves))
    return same and not any(map(storages.is_written, now))


class Restart(Exception):
    """More state was found: the function is to be traced again with it as an input."""


class Retyped(Exception):
    """Objects of the call hold Variables now, so that it is one of another type."""

    def __init__(self, refused: BaseException | None) -> None:
        super().__init__()
        self.refused = refused  # the error where that is so once more


def _bound(place: Place, bindings: Bindings | None) -> Place:
    actual = bindings.get(id(place.owner)) if bindings else None
    return place if actual is None else actual.place
