"""Watched places: has Python put something else where a program has read, or written to an array that it has as a constant?

W, rate = np.ones(3), 0.5

@convert
def f(x): return W * x * rate        each call looks whether the two are what they were when `f` was traced

W[0] = 5; f(x)                       they are not: `f` is traced again
rate = 0.1; f(x)                     likewise, and has `rate` as an input from then on
"""

from __future__ import annotations

import array
import itertools
import random
import types
import weakref
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

import jax
import numpy as np

from autograph_lite.jax_internals.references import storages
from autograph_lite.operators.calls import method_patching
from autograph_lite.operators.object_graph import places, reachability
from autograph_lite.operators.values.place import MISSING, Place
from autograph_lite.runtime.reading.read_places import VALUES, Read, Reading
from autograph_lite.runtime.state.carried_state import State
from autograph_lite.runtime.state.discovery import items_in
from autograph_lite.runtime.state.other_values import ARRAYS, NUMBERS
from autograph_lite.runtime.state.weak_places import HeldPlace
from autograph_lite.runtime.types.leaf_partition import literal_key
from autograph_lite.syntax import codes

WHOLE = 1 << 18  # bytes of an array, or of the references of a list, up to which all of it is compared
SAMPLES = 1024  # items of a larger one that are
MANY = 8  # numbers and texts of a container, from which on they are compared at one go as long as they are the same


class Watched:
    """What a function reads from outside, and what leads to it.

    Args:
      roots: what the function could see.
      state: what its programs carry, and what Python has changed while it was traced.
      inputs: the ids of arrays of NumPy's that are inputs of them.
      shared: slots and arrays of these that they only read.
      objects: what a call brings, which is not to be kept alive.
      before: what was there when the trace began.
      fine: the ids of containers of many numbers whose items are watched one by one.

    Attributes:
      values: the places in which it finds numbers of Python's.
    """

    def __init__(
        self,
        roots: Iterable[Any],
        state: State,
        inputs: set[int],
        shared: set[Hashable],
        objects: Sequence[Any],
        before: Before,
        fine: set[int],
    ) -> None:
        self._places: list[_Held] = []
        self._containers: list[tuple[Any, Callable[[Any], Any], Any]] = []
        self._objects: list[tuple[Callable[[], Any], Callable[[Any], Any], Any]] = []
        self._own: list[int] = []  # the numbers of those in which the program writes
        self._added, self._fine = [*state.added], fine
        # held as they are: NumPy lets nobody resize an array that is referenced weakly
        self.contents: list[tuple[np.ndarray[Any, Any], Callable[[Any], Any], Any]] = []
        roots = [*roots]
        self._brought = _led_to(objects, roots)
        known = {*state.slots, *state.counted, *inputs}
        reading = Reading(roots, known)
        changed = before.changed(reading)
        numbers = [each for each in reading.plain if isinstance(each.value, NUMBERS)]
        # where any name may be read, any function that can be reached might have read it
        self.values = {(each.place.key, each.key) for each in numbers if reading.names is not None} - changed
        self._codes = [(weakref.ref(fn), fn.__code__) for fn in reading.functions]
        written = {slot[0] for slot in known - shared if isinstance(slot, tuple)}
        used = [
            *reading.places,
            *(
                each
                for each in reading.foreign
                if _is_data(each.value) or reading.leads_to_values(each.value)
            ),
        ]
        for each in used:
            if id(each.value) not in state.resized and not before.is_resized(each.value):
                self._watch_keys(each.value, written)
        # what a buffer that is an argument holds tells calls apart
        unused = {id(each) for each in objects if isinstance(each, _BUFFERS)}
        whole = {id(each.value) for each in reading.places if self._is_one_value(each.value)}
        plain = [each for each in reading.plain if id(each.place.owner) not in unused | whole]
        for each in [*used, *plain]:
            if (each.place.key, each.key) not in known | changed:
                self._watch_place(each, known)
        for item in reading.objects:
            self._watch_names(item, reading.names)
        for base in _unshared(reading, known):
            look = _whole if base.nbytes <= WHOLE else _sample
            self.contents.append((base, look, look(base)))

    def _watch_keys(self, container: Any, written: set[Hashable]) -> None:
        if isinstance(container, places.CONTAINERS) and not self._is_brought(container):
            if not written.isdisjoint(place.key for place in places.object_places(container)):
                self._own.append(len(self._containers))
            look = _whole_of if self._is_one_value(container) else _keys_of
            self._containers.append((container, look, look(container)))

    def _watch_names(self, item: Any, names: frozenset[str] | None) -> None:
        """Watches which of the names an object or a class has itself, and the class of an object."""
        is_weak = bool(type(item).__weakrefoffset__)
        if is_weak or not self._is_brought(item):
            look = partial(_names_of, names)
            get = weakref.ref(item) if is_weak else partial(_itself, item)
            self._objects.append((get, look, look(item)))

    def _is_one_value(self, container: Any) -> bool:
        return id(container) not in self._fine and _is_one_value(container)

    def _is_brought(self, value: Any) -> bool:
        """Whether a value leads to what a call brings, so that it is not to be kept alive."""
        return bool(self._brought) and bool(reachability.leading([value], self._brought))

    def _watch_place(self, read: Read, known: set[Hashable]) -> None:
        value = read.value
        if isinstance(read.place.owner, random.Random):
            return  # drawn while tracing
        if isinstance(value, types.ModuleType) or (
            isinstance(value, np.ndarray) and id(storages.base_of(value)) in known
        ):
            return
        get = _getter(read.place, read.key, self._brought)
        if get is None or not _is_same(get(), value):
            return  # as of a set, whose items are read as another object each time
        is_weak = type(value).__weakrefoffset__ and not isinstance(value, (np.ndarray, *places.CONTAINERS))
        if not (is_weak or _is_data(value) or not self._is_brought(value)):
            return
        held = HeldPlace(read.place)
        held.loosen()
        then = partial(_living, weakref.ref(value)) if is_weak else partial(_itself, value)
        as_input = not isinstance(read.place.owner, _BUFFERS) and _may_be_input(value, known)
        self._places.append(_Held(get, then, held, read.key, as_input))

    def __bool__(self) -> bool:
        return bool(self._places or self._containers or self.contents or self._added)

    def have_changed(self) -> bool:
        """Whether there are others, or other items in them."""
        for get, value, _, _, _ in self._places:
            if not _is_same(get(), value()):
                return True
        for container, look, keys in self._containers:
            if look(container) != keys:
                return True
        for get, look, names in self._objects:
            if (item := get()) is not None and look(item) != names:
                return True
        return any(look(array) != before for array, look, before in self.contents)

    def ran(self) -> None:
        """To be called when the call is over for which the program was made: what that has added is there for the next one."""
        for held, key in self._added:
            get = None if held.owner is None else _getter(held(), key, self._brought)
            if get is not None:
                self._places.append(_Held(get, partial(_itself, MISSING), held, key, as_input=False))
        self._added = []

    def wrote(self) -> None:
        """To be called when the program has run, which may have made lists and dicts longer."""
        for number in self._own:
            container, look, _ = self._containers[number]
            self._containers[number] = container, look, look(container)

    def is_recoded(self) -> bool:
        """Whether a function has got other code, as `%autoreload` gives it."""
        return any(getattr(fn(), "__code__", code) is not code for fn, code in self._codes)

    def moved(self) -> list[_Held]:
        """The places that hold something else."""
        return [held for held in self._places if not _is_same(held.get(), held.value())]

    def given(self) -> list[tuple[HeldPlace, Hashable]]:
        """The places of numbers, texts and arrays that objects have got since."""
        found = []
        for get, look, before in self._objects:
            item = get()
            new = set() if item is None else {*look(item)[1]} - {*before[1]}
            for place in places.object_places(item) if new else ():
                held = {key: place.read().get(key) for key in new if place.attributes is not None}
                found += [(HeldPlace(place), key) for key, value in held.items() if _is_data(value)]
        return found

    def rewritten(self) -> set[int]:
        """The ids of the containers that are compared as a whole, and hold something else."""
        return {
            id(each) for each, look, before in self._containers if look is _whole_of and look(each) != before
        }

    def leave_out(self, ids: set[int]) -> None:
        """Looks no more at the arrays of these ids, nor at the places that have held them."""
        self._places = [each for each in self._places if id(each.value()) not in ids]
        self.contents = [each for each in self.contents if id(each[0]) not in ids]

    def written(self) -> list[np.ndarray[Any, Any]]:
        """The arrays with other items."""
        return [array for array, look, before in self.contents if look(array) != before]


class Before:
    """The numbers and texts that a function could see when a trace began, and the lengths of containers.

    Those that are others afterwards were changed while tracing, in code that is not converted: as a print, once for each trace.
    """

    def __init__(self, roots: Iterable[Any]) -> None:
        reading = Reading(roots, ())
        self._values = {(each.place.key, each.key): each.value for each in reading.plain}
        containers = [each.value for each in reading.places if isinstance(each.value, places.CONTAINERS)]
        self._lengths = {id(each): len(each) for each in containers}

    def changed(self, reading: Reading) -> set[Hashable]:
        """The slots that hold another value now."""
        now = {(each.place.key, each.key): each.value for each in reading.plain}
        return {slot for slot, value in self._values.items() if not _is_same(now.get(slot, value), value)}

    def is_resized(self, container: Any) -> bool:
        """Whether a container is longer or shorter now."""
        return isinstance(container, places.CONTAINERS) and self._lengths.get(
            id(container), len(container)
        ) != len(container)


def _led_to(objects: Sequence[Any], roots: Sequence[Any]) -> set[int]:
    """The ids of the objects that a call brings, if something else leads to them: they hold themselves, or a global does."""
    brought = {id(each): each for each in objects if each is not None}
    others = [getattr(each, "__func__", each) for each in roots if id(each) not in brought]
    held = [item for each in brought.values() for item in reachability.referents(each)]
    return reachability.leading([*others, *held], {*brought})


class _Held(NamedTuple):
    """A place that is watched."""

    get: Callable[[], Any]  # gives what is there
    value: Callable[[], Any]  # gives what was there when the program was made
    place: HeldPlace
    key: Hashable
    as_input: bool  # whether a program can have what is there as an input


_BUFFERS = (bytearray, array.array)


def _is_one_value(container: Any) -> bool:
    """Whether a container is compared as a whole: it holds many numbers and texts, and nothing else."""
    if not isinstance(container, places.CONTAINERS) or not len(container) // MANY:
        return False
    return all(
        isinstance(value, VALUES)
        for value in (container.values() if isinstance(container, dict) else container)
    )


def _keys_of(container: Any) -> Any:
    """What tells whether a container has other keys, or another length."""
    if isinstance(container, set):
        return frozenset(container)
    return tuple(container) if isinstance(container, dict) else len(container)


def _whole_of(container: Any) -> Any:
    """What tells whether a container of numbers and texts has other items, of a long list some of them."""
    if isinstance(container, set):
        return frozenset(container)
    if isinstance(container, dict):
        return dict(container), [*map(type, container.values())]
    step = len(container) // SAMPLES | 1 if len(container) * 8 > WHOLE else 1
    items = [*container] if step == 1 else [*itertools.islice(container, 0, None, step)]
    return len(container), items, [*map(type, items)]


def _is_data(value: Any) -> bool:
    """Whether a value is an array, a number or a text, or stands where there may be one later."""
    return value is None or isinstance(value, (*ARRAYS, *VALUES))


def _is_same(now: Any, before: Any) -> bool:
    if now is before or (now is MISSING and isinstance(before, jax.Array)):
        return True  # as under `jax.jit`, a name may be deleted
    if isinstance(now, np.generic):
        return type(now) is type(before) and bool(now.tobytes() == before.tobytes())
    if isinstance(now, (range, slice)):
        return bool(now == before)
    return isinstance(now, VALUES) and literal_key(now) == literal_key(before)


def _living(value: weakref.ref[Any]) -> Any:
    found = value()
    return _GONE if found is None else found


_GONE = object()


def _names_of(names: frozenset[str] | None, item: Any) -> Any:
    """Its class, and the names that it has itself."""
    own = vars(item)
    kind = None if isinstance(item, type) else type(item)
    return kind, tuple(own) if names is None else names & own.keys()


def _itself(value: Any) -> Any:
    return value


def _may_be_input(value: Any, known: set[Hashable]) -> bool:
    """Whether a program can have what comes in the place of a value as an input: arrays, numbers, texts, and what holds them."""
    kinds = (np.ndarray, list, tuple, dict)
    items = [*items_in(value)]
    if not all(isinstance(item, kinds) or _is_data(item) for item in items):
        return False
    if isinstance(value, places.CONTAINERS) and any(
        id(storages.base_of(each)) in known for each in _arrays_in(value)
    ):
        return False  # which the program writes to, for all who have them
    return known.isdisjoint((place.key, key) for place in places.object_places(value) for key in place.read())


def _unshared(reading: Reading, known: set[Hashable]) -> list[np.ndarray[Any, Any]]:
    """The arrays that have memory of their own, but for inputs, and for those that places of the state alone hold."""
    held, elsewhere = set[int](), set[int]()
    for each in [*reading.places, *reading.foreign]:
        ids = map(id, map(storages.base_of, _arrays_in(each.value)))
        (held if (each.place.key, each.key) in known else elsewhere).update(ids)
    bases = {id(base): base for base in map(storages.base_of, reading.arrays) if not base.dtype.hasobject}
    return [base for number, base in bases.items() if number not in known | (held - elsewhere)]


def _arrays_in(value: Any) -> list[np.ndarray[Any, Any]]:
    return [item for item in items_in(value) if isinstance(item, np.ndarray)]


def _whole(array: np.ndarray[Any, Any]) -> Any:
    return array.shape, array.tobytes()


def _sample(array: np.ndarray[Any, Any]) -> Any:
    """Items of an array, evenly spread."""
    flat = array.reshape(-1) if array.flags.c_contiguous else array.T.reshape(-1)
    return array.shape, flat[:: max(1, flat.size // SAMPLES) | 1].tobytes()


def _getter(place: Place, key: Any, brought: set[int]) -> Callable[[], Any] | None:
    """Gives what a place holds; None where that would keep alive what a call brings, by its id."""
    owner = place.owner
    if place.attributes is not None and type(owner).__weakrefoffset__:
        return partial(_attribute, weakref.ref(owner), key)
    if place.is_variable:
        return partial(dict.get, owner[0], key, MISSING)
    if isinstance(owner, types.CellType):
        return partial(codes.content, owner, MISSING)
    if isinstance(owner, type):
        return partial(_class_attribute, weakref.ref(owner), key)
    if reachability.leading([owner], brought):
        return None
    if isinstance(owner, (list, dict)) and place.holds_items:
        return (
            partial(dict.get, owner, key, MISSING) if isinstance(owner, dict) else partial(_item, owner, key)
        )
    return lambda: place.read().get(key, MISSING)


def _attribute(owner: weakref.ref[Any], name: str) -> Any:
    found = owner()
    return MISSING if found is None else vars(found).get(name, MISSING)


def _class_attribute(kind: weakref.ref[type], name: str) -> Any:
    found, value = kind(), _attribute(kind, name)
    return value if found is None else method_patching.users_own(found, name, value)


def _item(owner: list[Any], number: int) -> Any:
    return list.__getitem__(owner, number) if number < len(owner) else MISSING
