"""Shared state: what does a call change that another function has read while it was traced? That one is traced again.

class Model:
    @convert
    def fit(self, x): self.w += x                 writes to an array of NumPy's, or binds `w` to another array

    @convert
    def predict(self, x): return self.w @ x       has `w` as a constant until `fit` is called, and as an input from then on
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from autograph_lite.jax_internals.references import storages
from autograph_lite.operators.checks.carried_checks import within_program
from autograph_lite.operators.values.place import Place
from autograph_lite.runtime.reading.read_places import attribute_names
from autograph_lite.runtime.reading.watched_places import Before, Watched
from autograph_lite.runtime.state.carried_state import State
from autograph_lite.runtime.state.discovery import places_in
from autograph_lite.runtime.state.weak_places import HeldPlace

Slot = tuple[Hashable, Hashable]  # a place's key, and the key in it

_lock = threading.RLock()
_readers: weakref.WeakSet[Reader] = weakref.WeakSet()
# by the ids of arrays that have memory of their own
_arrays: dict[int, weakref.WeakSet[Reader]] = {}
_constants: dict[Slot, weakref.WeakSet[Reader]] = {}


class Reader:
    """What one trace reads of the state that others change.

    Args:
      roots: gives what the function could see.
      state: gives the state that it carries.
      dropped: called where its programs are not to be used any more, from whichever thread.

    Attributes:
      is_outdated: whether others have changed what its programs have read.
      reads: the places in which its programs have found numbers of Python's.
      is_replaced: whether other objects are where there were those that its state is in.
    """

    def __init__(
        self, roots: Callable[[], Sequence[Any]], state: Callable[[], State], dropped: Callable[[], object]
    ) -> None:
        self._roots, self._state, self._dropped = roots, state, dropped
        self._found: dict[Slot, HeldPlace] = {}  # places that others carry, and this one is to have as inputs
        self._written: list[np.ndarray[Any, Any]] = []  # likewise, arrays
        self._inputs: set[Hashable] = set()  # what it has as inputs for that reason
        # what it can't have as an input: it is traced again where that has changed
        self._as_constants: set[Hashable] = set()
        self._known: set[Slot] = set()  # those of its places that the others know of
        self._watched: Watched | None = None
        self._told: list[str] = []
        self._fine: set[int] = set()  # containers of many numbers, some of them changed
        self._before: Before | None = None  # of the trace that is being made
        self.reads: set[Slot] = set()
        self.is_outdated = self.is_replaced = False

    @property
    def watches(self) -> bool:
        """Whether there is something that Python may have changed since its programs were made."""
        return bool(self._watched)

    def is_recoded(self) -> bool:
        """Whether a function that its programs have called has got other code."""
        return self._watched is not None and self._watched.is_recoded()

    def look_between_calls(self) -> None:
        """As `look`, where the call is over for which a program was made."""
        if self._watched is not None:
            self._watched.ran()
        self.look()

    def look(self) -> None:
        """To be called before a call: looks whether Python has changed what its programs have read."""
        if self._watched is None or self.is_outdated or not self._watched.have_changed() or within_program():
            return
        with _lock:
            for moved in self._watched.moved():
                place = None if moved.place.owner is None else moved.place()
                if moved.as_input and (place is None or (place.key, moved.key) not in self._state().fixed):
                    self._take_place(moved.place, moved.key)
                else:
                    self.is_replaced = True
                self._told += [] if place is None else [str(place.label(moved.key))]
            for held, key in self._watched.given():
                self._told.append(str(held().label(key)))
                held.loosen()
                self._take_place(held, key)
            self._fine |= self._watched.rewritten()
            for array in self._watched.written():
                self._changed(array)
            self._outdate()

    def told(self) -> tuple[str, ...]:
        """The names of what has changed since this was asked for."""
        told, self._told = self._told, []
        return tuple(dict.fromkeys(told))

    def begin_again(self) -> None:
        """Has no inputs: other objects are there."""
        with _lock:
            self.is_replaced = False
            self._inputs, self._found, self._written, self._known = set(), {}, [], set()

    @property
    def has_found(self) -> bool:
        """Whether there is something to be taken in."""
        return bool(self._found)

    def taken(self) -> tuple[dict[Slot, tuple[HeldPlace, Hashable]], list[np.ndarray[Any, Any]]]:
        """The places and arrays that are to be inputs of its programs, and were not before."""
        with _lock:
            self.is_outdated = False
            places = {
                slot: (HeldPlace(held()), slot[1])
                for slot, held in self._found.items()
                if held.owner is not None
            }
            arrays = self._written
            self._found, self._written = {}, []
            self._inputs |= {*places, *map(id, arrays)}
            return places, arrays

    def refused(self) -> set[Hashable]:
        """What it has had as inputs, slots and ids of arrays, and is to have as constants from now on."""
        with _lock:
            found, self._inputs = self._inputs, set()
            self._as_constants |= found
            for slot in found:
                if isinstance(slot, tuple):
                    _constants.setdefault(slot, weakref.WeakSet()).add(self)
            return found

    def watch(self, roots: Iterable[Any]) -> None:
        """To be called before a trace: notes what it may read, and looks for what others carry."""
        roots = [*roots]
        self._before = Before(roots)
        with _lock:
            _readers.add(self)
            others = [reader for reader in _readers if reader is not self]
            # of programs that were made: a trace that has failed leaves nothing
            known = {
                slot: place
                for each in others
                for slot, place in each._places().items()
                if slot in each._known
            }
            self._take_in(known, roots)

    def traced(self) -> None:
        """To be called after a trace, or where it has failed."""
        self._before = None

    def _places(self) -> dict[Slot, Place]:
        """Those that its programs carry, Variables apart."""
        slots = [*self._state().slots.items()]
        there = {slot: held() for slot, (held, _) in slots if held.owner is not None}
        return {slot: place for slot, place in there.items() if not place.ours}

    def _take_in(self, carried: dict[Slot, Place], roots: Iterable[Any]) -> bool:
        """Takes those of the places that can be seen; whether there are any that it has not got."""
        own = {*self._state().slots, *self._as_constants}
        wanted = {slot: place for slot, place in carried.items() if slot not in own}
        if not wanted:
            return False
        roots = [*roots]
        seen, names = {place.key for place in places_in(roots)}, attribute_names(roots)
        found = {
            slot: HeldPlace(place)
            for slot, place in wanted.items()
            if slot[0] in seen and (names is None or place.attributes is None or slot[1] in names)
        }
        for held in found.values():
            held.loosen()
        self._found |= found
        return bool(found)

    def moved(self, places: Iterable[tuple[HeldPlace, Hashable, np.ndarray[Any, Any]]]) -> None:
        """To be called where places have other arrays than those that are its inputs."""
        with _lock:
            for held, key, array in places:
                if id(storages.base_of(array)) in self._inputs:
                    self._take_place(held, key)
                    self.is_outdated = True

    def has_read(self, array: np.ndarray[Any, Any]) -> bool:
        """Whether its programs have an array as a constant."""
        return self._watched is not None and any(array is each for each, *_ in self._watched.contents)

    def leaves_out(self, arrays: Sequence[np.ndarray[Any, Any]]) -> None:
        """Looks no more at these arrays, nor whether they are where they were: they are to be inputs of its programs."""
        if self._watched is not None:
            self._watched.leave_out({*map(id, arrays)})

    def _take_place(self, held: HeldPlace, key: Hashable) -> None:
        if held.owner is not None and (slot := (held().key, key)) not in self._as_constants:
            self._found[slot] = held

    def carries(self, roots: Iterable[Any], objects: Sequence[Any], inputs: Iterable[Any]) -> None:
        """To be called when a program is made: others that have read what it changes are outdated.

        Args:
          roots: what the function could see.
          objects: those that a call brings.
          inputs: arrays of NumPy's that nobody passes, and that are inputs of it.
        """
        with _lock:
            for array, *_ in () if self._watched is None else self._watched.contents:
                if (readers := _arrays.get(id(array))) is not None:
                    readers.discard(self)
            for number in [number for number, readers in _arrays.items() if not readers]:
                del _arrays[number]
            bases = {id(storages.base_of(array)) for array in inputs}
            before = self._before or Before(())
            self._watched = Watched(roots, self._state(), bases, self._inputs, objects, before, self._fine)
            for array, *_ in self._watched.contents:
                _arrays.setdefault(id(array), weakref.WeakSet()).add(self)
            places = self._places()
            new = {slot: place for slot, place in places.items() if slot not in self._known}
            self._known = {*places}
            # what it only counts, too, is nothing that it needs
            self.reads = self._watched.values - self._state().counted
            for reader in [*_readers]:
                if reader is not self and reader._state().is_read_elsewhere(self.reads):
                    reader._outdate()
                if reader is not self and self._state().is_read_elsewhere(reader.reads):
                    self._outdate()
            for reader in [*_readers] if new else ():
                if reader is not self and reader._sees(new):
                    reader._outdate()

    def _sees(self, new: dict[Slot, Place]) -> bool:
        try:
            roots = self._roots()
        except ReferenceError:  # its instance is gone
            return False
        return self._take_in(new, roots)

    def wrote(self, arrays: Iterable[np.ndarray[Any, Any]]) -> None:
        """To be called when a call has written to arrays of NumPy's, and to the places that it carries."""
        if self._watched is not None:
            self._watched.wrote()
        with _lock:
            for array in arrays:
                base = storages.base_of(array)
                for reader in [*_arrays.get(id(base), ())]:
                    if reader is not self:
                        reader._changed(base)
            for slot in self._known if _constants else ():
                for reader in [*_constants.get(slot, ())]:
                    if reader is not self:
                        reader._outdate()

    def _changed(self, base: np.ndarray[Any, Any]) -> None:
        if any(each is base for each in self._written):
            return
        if id(base) not in self._as_constants and base.dtype.kind in "biufc" and base.flags.writeable:
            self._written.append(base)
        self._outdate()

    def _outdate(self) -> None:
        self.is_outdated = True
        self._dropped()
