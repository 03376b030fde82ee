"""Watched arrays: has Python written to an array of NumPy's that a program has as a constant, or put another in its place?

W = np.ones(3)

@convert
def f(x): return W * x        each call looks whether `W` is that array, and holds what it held when `f` was traced

W[0] = 5; f(x)                it does not: `f` is traced again
"""

from __future__ import annotations

import types
import weakref
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from autograph_lite.jax_internals.references import storages
from autograph_lite.operators.object_graph import reachability
from autograph_lite.operators.values.place import Place
from autograph_lite.runtime.state.discovery import items_in, places_in
from autograph_lite.runtime.state.weak_places import HeldPlace
from autograph_lite.syntax import codes

WHOLE = 1 << 18  # bytes of an array up to which all of it is compared
SAMPLES = 1024  # items of a larger one that are


class Watched:
    """The arrays of NumPy's that can be seen, and what is in them.

    Args:
      roots: what a function could see.
      known: the slots of its state, and the ids of the arrays that are its inputs.
      objects: what a call brings, which is not to be kept alive.
    """

    def __init__(self, roots: Iterable[Any], known: set[Hashable], objects: Sequence[Any]) -> None:
        self._places: list[tuple[Callable[[], Any], Callable[[], Any], HeldPlace, Hashable]] = []
        self._lengths: list[tuple[Any, int]] = []
        self._contents: list[tuple[weakref.ref[Any], Callable[[Any], bytes], bytes]] = []
        roots, brought = [*roots], {id(each) for each in objects if each is not None}
        read, elsewhere = set[int](), set[int]()  # arrays that places of the state hold, and others
        for place in places_in(roots):
            for key, value in place.read().items():
                bases = {id(storages.base_of(item)) for item in items_in(value) if _is_of_numbers(item)}
                is_known = (place.key, key) in known
                (read if is_known else elsewhere).update(bases)
                if not bases or is_known:
                    continue
                is_input = isinstance(value, np.ndarray) and id(storages.base_of(value)) in known
                get = None if is_input else _getter(place, key, brought)
                is_container = isinstance(value, (list, tuple, dict))
                if get is None or (is_container and reachability.leading([value], brought)):
                    continue
                held = HeldPlace(place)
                held.loosen()
                self._places.append((get, _reference(value), held, key))
                if isinstance(value, (list, dict)):
                    self._lengths.append((value, len(value)))
        found = {id(base): base for base in map(storages.base_of, arrays_in(roots))}
        for number in found.keys() - known - (read - elsewhere):
            base = found[number]
            look = np.ndarray.tobytes if base.nbytes <= WHOLE else _sample
            self._contents.append((weakref.ref(base), look, look(base)))

    def __bool__(self) -> bool:
        return bool(self._places or self._contents)

    def have_changed(self) -> bool:
        """Whether there are others, or other items in them."""
        for get, value, _, _ in self._places:
            if get() is not value():
                return True
        for container, length in self._lengths:
            if len(container) != length:
                return True
        for array, look, before in self._contents:
            now = array()
            if now is not None and look(now) != before:
                return True
        return False

    def moved(self) -> Iterable[tuple[HeldPlace, Hashable]]:
        """The places that hold something else."""
        return [(held, key) for get, value, held, key in self._places if get() is not value()]

    def written(self) -> Iterable[np.ndarray[Any, Any]]:
        """The arrays with other items."""
        found = [(array(), look, before) for array, look, before in self._contents]
        return [array for array, look, before in found if array is not None and look(array) != before]


def arrays_in(roots: Iterable[Any]) -> list[np.ndarray[Any, Any]]:
    """The arrays of numbers that can be seen, in tuples and closures, too."""
    return [item for item in reachability.all_reachable(roots) if _is_of_numbers(item)]


def _is_of_numbers(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in "biufc"


def _reference(value: Any) -> Callable[[], Any]:
    return weakref.ref(value) if isinstance(value, np.ndarray) else lambda: value


def _sample(array: np.ndarray[Any, Any]) -> bytes:
    """Items of an array, evenly spread."""
    flat = array.reshape(-1) if array.flags.c_contiguous else array.T.reshape(-1)
    return flat[:: max(1, flat.size // SAMPLES) | 1].tobytes()


def _getter(place: Place, key: Any, brought: set[int]) -> Callable[[], Any] | None:
    """Gives what a place holds; None where that would keep alive what a call brings, by its id."""
    owner = place.owner
    if place.attributes is not None and type(owner).__weakrefoffset__:
        return partial(_attribute, weakref.ref(owner), key)
    if place.is_variable:
        return partial(dict.get, owner[0], key)
    if isinstance(owner, types.CellType):
        return partial(codes.content, owner, None)
    if isinstance(owner, type):
        return partial(_attribute, weakref.ref(owner), key)
    if reachability.leading([owner], brought):
        return None
    if isinstance(owner, (list, dict)) and place.holds_items:
        return partial(dict.get, owner, key) if isinstance(owner, dict) else partial(_item, owner, key)
    return lambda: place.read().get(key)


def _attribute(owner: weakref.ref[Any], name: str) -> Any:
    found = owner()
    return None if found is None else vars(found).get(name)


def _item(owner: list[Any], number: int) -> Any:
    return list.__getitem__(owner, number) if number < len(owner) else None
