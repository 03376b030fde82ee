"""Watched arrays: has Python written to an array of NumPy's that a program has as a constant, or put another in its place?

W = np.ones(3)

@convert
def f(x): return W * x        each call looks whether `W` is that array, and holds what it held when `f` was traced

W[0] = 5; f(x)                it does not: `f` is traced again
"""

from __future__ import annotations

import collections
import types
import weakref
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

import jax
import numpy as np

from autograph_lite.jax_internals.references import storages
from autograph_lite.operators.object_graph import places, reachability
from autograph_lite.operators.values.place import MISSING, Place
from autograph_lite.runtime.reading.read_places import Read, Reading
from autograph_lite.runtime.state.discovery import items_in
from autograph_lite.runtime.state.other_values import ARRAYS
from autograph_lite.runtime.state.weak_places import HeldPlace
from autograph_lite.syntax import codes

WHOLE = 1 << 18  # bytes of an array up to which all of it is compared
SAMPLES = 1024  # items of a larger one that are


class Watched:
    """What a function reads from outside: arrays of NumPy's, what is in them, and what leads to them.

    Args:
      roots: what the function could see.
      known: the slots of its state, and the ids of the arrays that are its inputs.
      shared: those of them that it only reads.
      objects: what a call brings, which is not to be kept alive.

    Attributes:
      values: the attributes in which it finds numbers of Python's.
    """

    def __init__(
        self, roots: Iterable[Any], known: set[Hashable], shared: set[Hashable], objects: Sequence[Any]
    ) -> None:
        self._places: list[_Held] = []
        self._containers: list[tuple[Any, Any]] = []
        self._own: list[int] = []  # the numbers of those in which the program writes
        # held as they are: NumPy lets nobody resize an array that is referenced weakly
        self.contents: list[tuple[np.ndarray[Any, Any], Callable[[Any], Any], Any]] = []
        roots = [*roots]
        reading = Reading(roots, known)
        self.values = frozenset(reading.values)
        self._brought = _led_to(objects, roots)
        own = {place for place, _ in (slot for slot in known - shared if isinstance(slot, tuple))}
        read, elsewhere = set[int](), set[int]()  # arrays that places of the state hold, and others
        for each in reading.places:
            is_known = (each.place.key, each.key) in known
            (read if is_known else elsewhere).update(map(id, map(storages.base_of, _arrays_in(each.value))))
            if reading.leads_to_arrays(each.value) or _is_empty(each.value):
                self._watch_keys(each.value, own)
            if not is_known and (_is_data(each.value) or reading.leads_to_arrays(each.value)):
                self._watch_place(each, known)
        bases = {id(base): base for base in map(storages.base_of, reading.arrays) if not base.dtype.hasobject}
        for number in bases.keys() - known - (read - elsewhere):
            base = bases[number]
            look = _whole if base.nbytes <= WHOLE else _sample
            self.contents.append((base, look, look(base)))

    def _watch_keys(self, container: Any, own: set[Hashable]) -> None:
        if isinstance(container, _KEYED) and not reachability.leading([container], self._brought):
            if not own.isdisjoint(place.key for place in places.object_places(container)):
                self._own.append(len(self._containers))
            self._containers.append((container, _keys(container)))

    def _watch_place(self, read: Read, known: set[Hashable]) -> None:
        value = read.value
        if isinstance(value, _CODE) or (
            isinstance(value, np.ndarray) and id(storages.base_of(value)) in known
        ):
            return
        get = _getter(read.place, read.key, self._brought)
        if get is None or not _is_same(get(), value):
            return  # as of a set, whose items are read as another object each time
        is_weak = type(value).__weakrefoffset__ and not isinstance(value, (np.ndarray, *_KEYED))
        if not (is_weak or _is_data(value) or not reachability.leading([value], self._brought)):
            return
        held = HeldPlace(read.place)
        held.loosen()
        as_input = (_is_data(value) or isinstance(value, (list, tuple, dict))) and all(
            isinstance(item, (np.ndarray, list, tuple, dict)) or _is_data(item) for item in items_in(value)
        )
        slots = (
            {(place.key, key) for place in places.object_places(value) for key in place.read()}
            if as_input
            else ()
        )
        as_input = as_input and known.isdisjoint(slots)
        self._places.append(
            _Held(get, weakref.ref(value) if is_weak else _always(value), held, read.key, as_input)
        )

    def __bool__(self) -> bool:
        return bool(self._places or self._containers or self.contents)

    def have_changed(self) -> bool:
        """Whether there are others, or other items in them."""
        for get, value, _, _, _ in self._places:
            if not _is_same(get(), value()):
                return True
        for container, keys in self._containers:
            if _keys(container) != keys:
                return True
        return any(look(array) != before for array, look, before in self.contents)

    def wrote(self) -> None:
        """To be called when the program has run, which may have made lists and dicts longer."""
        for number in self._own:
            container, _ = self._containers[number]
            self._containers[number] = container, _keys(container)

    def moved(self) -> list[_Held]:
        """The places that hold something else."""
        return [held for held in self._places if not _is_same(held.get(), held.value())]

    def written(self) -> list[np.ndarray[Any, Any]]:
        """The arrays with other items."""
        return [array for array, look, before in self.contents if look(array) != before]


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


_KEYED = (list, dict, collections.deque)
_CODE = (types.FunctionType, types.BuiltinFunctionType, types.ModuleType, type)


def _keys(container: Any) -> Any:
    return tuple(container) if isinstance(container, dict) else len(container)


def _is_empty(value: Any) -> bool:
    return isinstance(value, _KEYED) and not len(value)


def _is_data(value: Any) -> bool:
    """Whether a value is an array or a number of NumPy's, or stands where there may be one later."""
    return value is None or isinstance(value, ARRAYS)


def _is_same(now: Any, before: Any) -> bool:
    if now is before or (now is MISSING and (before is None or isinstance(before, jax.Array))):
        return True  # as under `jax.jit`, a name may be deleted
    if before is None:
        return isinstance(now, (int, float, complex, str, bytes)) and not isinstance(now, np.generic)
    return isinstance(now, np.generic) and type(now) is type(before) and now.tobytes() == before.tobytes()


def _always(value: Any) -> Callable[[], Any]:
    return lambda: value


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
        return partial(_attribute, weakref.ref(owner), key)
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


def _item(owner: list[Any], number: int) -> Any:
    return list.__getitem__(owner, number) if number < len(owner) else MISSING
