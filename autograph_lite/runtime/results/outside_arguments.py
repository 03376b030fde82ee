"""Outside arguments: how does a program write to arrays of NumPy's that nobody passes? As to arguments that each call has.

W = np.zeros(3)                           not passed, and each call reads it, and writes it back

@convert
def f(x):
    W[0] = x                              while `f` is traced, `W` means an array of the program, wherever it is held
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from autograph_lite.errors import MutatedArgumentError
from autograph_lite.jax_internals.references import storages
from autograph_lite.jax_internals.references.storages import References
from autograph_lite.operators.effects import journal, outside_arrays
from autograph_lite.operators.lists import dynamic_length
from autograph_lite.operators.object_graph import reachability
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values import retracing
from autograph_lite.operators.values.place import Place
from autograph_lite.operators.values.values import describe
from autograph_lite.runtime.state.discovery import items_in, places_in
from autograph_lite.runtime.state.other_values import is_another
from autograph_lite.runtime.state.weak_places import HeldPlace

MOST = 8  # arrays of one function; each may take a trace of its own to be found


def claimed(
    written: journal.Journal, roots: Sequence[Any], known: Sequence[Any], *, owned: bool
) -> Callable[[np.ndarray[Any, Any]], bool]:
    """Whether an array is one that a function sees from outside, and is to be an argument of its program; to be asked in it.

    Args:
      written: the journal of the function.
      roots: what the function could see.
      known: the arrays that are arguments already.
      owned: whether the program is no part of somebody else's trace.
    """

    def is_outside(array: np.ndarray[Any, Any]) -> bool:
        if not may_be_one(array) or any(array is each for each in known):
            return False
        if not written.reachable(roots, {id(array)}):
            return False
        if not owned:
            raise MutatedArgumentError(
                f"An array of NumPy's from outside of the function, {describe(array)}, gets traced items, and the call is part "
                "of somebody else's trace.",
                where=source_places.here(),
                why="What is written is known when the program runs, and nobody would put it into the array then.",
                fix="return what is written; or work on a copy, x.copy().",
            )
        before = written.in_place_of(array)
        for old in map(storages.base_of, (each for each in before if isinstance(each, np.ndarray))):
            if not any(old is each for each in known):
                raise retracing.Reborn([], [old])  # it was computed here, of what was there
        if before:
            return False
        if len(known) == MOST:
            raise _too_many(array)
        return True

    return is_outside


def may_be_one(array: Any) -> bool:
    """Whether an array of numbers may be an argument of a program that nobody passes: Python may write to it."""
    return isinstance(array, np.ndarray) and array.dtype.kind in "biufc" and array.flags.writeable


def given_up(
    changes: Iterable[journal.Change],
    known: References,
    others: Sequence[Any],
    was_there: Callable[[Any], bool],
) -> Any:
    """An array of a place from outside that gets another one that was there before, `s.x = s.y`; None where there is none.

    It is to be an argument of the program, which has these `others`: the next call finds the other one there.
    """
    for change in changes if len(others) < MOST else ():
        for key, new in change.new.items() if not isinstance(change.place.owner, np.ndarray) else ():
            old = change.old.get(key)
            both = isinstance(old, np.ndarray) and isinstance(new, np.ndarray)
            if both and is_another(new, old) and was_there(new) and known.is_outside(old):
                return old
    return None


def put_again(
    changes: Iterable[journal.Change], written: Iterable[Any], was_there: Callable[[Any], bool]
) -> str:
    """The place that gets a list or dict that was there before, or a new one, or a tuple, with arrays that it had; "" if none.

    The program leaves it as it is then, and the next call would have to find another one, `s.now, s.next = s.next, s.now`. One
    with the same arrays matters, `s.rows = list(s.rows)`, where some of them are `written`: they are looked for in the old one.
    """
    ids = {*map(id, written)}
    for change in changes:
        for key, new in change.new.items() if not change.place.ours else ():
            old = change.old.get(key)
            if new is old or not isinstance(new, (list, tuple, dict)):
                continue
            now, before = ([*map(id, filter(may_be_one, items_in(each)))] for each in (new, old))
            is_found_there = not isinstance(new, tuple) and (was_there(new) or not ids.isdisjoint(now))
            if is_found_there or (now != before and not {*now}.isdisjoint(before)):
                return str(change.place.label(key))
    return ""


def _too_many(array: Any) -> MutatedArgumentError:
    return MutatedArgumentError(
        f"More than {MOST} arrays of NumPy's from outside of the function get traced items; another one is {describe(array)}.",
        where=source_places.here(),
        why="Each of them is found by a trace of its own.",
        fix="pass the arrays as arguments, or make one of them, np.stack(arrays).",
    )


Held = tuple[Place, Any, np.ndarray[Any, Any]]  # a place, the key in it, the array


class Seen:
    """The places where a program has found arrays from outside."""

    def __init__(self) -> None:
        self._places: list[tuple[HeldPlace, Any, Any]] = []
        # what its trace has left there, `o.x = o.y`, until the program has run
        self._left: list[Any] | None = None
        self._puts: list[tuple[HeldPlace, Any, Any]] = []  # where such arrays are afterwards

    def find(self, found: Iterable[Held]) -> None:
        """To be called in the trace."""
        self._places = [(HeldPlace(place), key, value) for place, key, value in found]

    def puts(self, changes: Iterable[journal.Change], standing: Iterable[Any]) -> None:
        """To be called with the changes of the trace, and the arrays from outside that stand in it."""
        ids = {*map(id, standing)}
        self._puts = [
            (HeldPlace(each.place), key, value)
            for each in changes
            for key, value in each.new.items()
            if id(value) in ids and each.old.get(key) is not value
        ]

    def traced(self) -> None:
        """To be called after the trace."""
        self._left = [None if held.owner is None else held().read().get(key) for held, key, _ in self._places]

    def ran(self) -> None:
        """To be called where the program has run, whose arrays from outside are those of the trace: puts these where that has."""
        for held, key, array in self._puts:
            if held.owner is not None and (now := (place := held()).read()).get(key) is not array:
                place.write({**now, key: array})
        self._left = None

    def leads(self, roots: Iterable[Any]) -> bool:
        """Whether objects lead to some of the places."""
        return bool(reachability.leading(roots, {id(held.owner) for held, _, _ in self._places}))

    def moved(self) -> list[tuple[HeldPlace, Any, np.ndarray[Any, Any]]]:
        """The places with other arrays than the program was made for, or whose objects are gone, and that array."""
        now = [array for _, _, array in self._places] if self._left is None else self._left
        return [
            place
            for place, array in zip(self._places, now, strict=True)
            if place[0].owner is None or place[0]().read().get(place[1]) is not array
        ]


def put_stands(
    arrays: Sequence[Any], handles: Sequence[Any], roots: Iterable[Any], seen: Seen
) -> dict[int, Any]:
    """Puts arrays of the program in the places of those from outside, for the time of a trace; what stands for which, by ids.

    Args:
      arrays: from outside.
      handles: of the program, which stand for them.
      roots: what the function sees.
      seen: gets the places.
    """
    known = {id(array): [(array, handle)] for array, handle in zip(arrays, handles, strict=True)}
    found: list[Held] = []
    for place in [*places_in(roots)] if known else ():
        held = [(key, value) for key, value in place.read().items() if isinstance(value, np.ndarray)]
        found += [(place, key, value) for key, value in held if id(storages.base_of(value)) in known]
    stands: dict[int, Any] = {}
    seen.find(found)
    # All of an array, reshaped, before its parts.
    for place, key, value in sorted(found, key=lambda each: -each[2].size):
        of_base = known[id(storages.base_of(value))]
        stand = next((handle for array, handle in of_base if array is value), None)
        stand = _stand(value, of_base) if stand is None else stand
        if stand is not None:
            of_base.append((value, stand))
            stands[id(stand)] = value, stand
            journal.commit(place, {**place.read(), key: stand})
    return stands


def _stand(part: np.ndarray[Any, Any], known: Sequence[tuple[np.ndarray[Any, Any], Any]]) -> Any:
    """What stands for a part of arrays for which others stand; None where that is not seen."""
    base, handle = known[0]
    if (
        part.size == base.size
        and part.flags.c_contiguous
        and base.flags.c_contiguous
        and part.dtype == base.dtype
    ):
        return handle.reshape(part.shape)
    for array, stand in known:
        index = _index_of(part, array)
        if index is not None:
            return stand[index]
    return None


def _index_of(part: np.ndarray[Any, Any], whole: np.ndarray[Any, Any]) -> tuple[Any, ...] | None:
    """By which index a part was taken of the whole array; None where that is not seen."""
    rest = part.__array_interface__["data"][0] - whole.__array_interface__["data"][0]
    index: list[Any] = []
    axes = [*range(part.ndim)]
    for step in whole.strides:
        start, rest = divmod(rest, step) if step > 0 else (0, rest)
        if axes and part.strides[axes[0]] == step:
            index.append(slice(start, start + part.shape[axes.pop(0)]))
        else:
            index.append(start)
    if axes or rest or part.dtype != whole.dtype:
        return None
    try:
        same = whole[tuple(index)]
    except IndexError:
        return None
    return tuple(index) if same.__array_interface__ == part.__array_interface__ else None


def refuse_unseen(
    written: journal.Journal, roots: Sequence[Any], arrays: Iterable[np.ndarray[Any, Any]]
) -> None:
    """Raises MutatedArgumentError where no array of the program stands for one from outside that it writes to and sees."""
    for array in arrays:
        codes = [*written.codes.values()]
        if reachability.leading(roots, {id(array)}) or reachability.reached_from_outside(
            roots[0], codes, roots, {id(array)}
        ):
            raise MutatedArgumentError(
                f"An array of NumPy's from outside of the function, {describe(array)}, is written, and is held where the program "
                "can't stand for it: in a tuple, a default, a partial function, or as a part of another array.",
                where=source_places.here(),
                why="What is read there would be what it was while the function was traced.",
                fix="pass the array as an argument: what is written to it is in it after the call.",
            )


def refuse_passed(name: str, written: Iterable[np.ndarray[Any, Any]], given: Iterable[Any]) -> None:
    """Raises MutatedArgumentError where arguments share memory with an array that Python writes to while tracing."""
    arrays = [each for each in given if isinstance(each, np.ndarray)]
    for each in written:
        if any(np.may_share_memory(each, array) for array in arrays):
            once = outside_arrays.named(each)
            raise MutatedArgumentError(
                f"'{name}' writes to '{once.name}', an array of NumPy's from outside of it, and was passed a part of it, or all.",
                where=once.line or source_places.here(),
                why="Each argument is an input of the compiled program: a change is not seen in it.",
                fix="pass it, or use it from outside, but not both.",
            )


def _with_own(value: Any, stands: dict[int, tuple[Any, Any]]) -> Any:
    """A value with arrays from outside in place of what stood for them, in new lists, tuples and dicts, too."""
    if id(value) in stands:
        return stands[id(value)][0]
    if type(value) not in (list, tuple, dict) or dynamic_length.is_dynamic(value):
        return value
    keys = value.keys() if isinstance(value, dict) else range(len(value))
    items = {key: _with_own(value[key], stands) for key in keys}
    changed = {key: item for key, item in items.items() if item is not value[key]}
    if not changed:
        return value
    if isinstance(value, tuple):
        return (*items.values(),)
    return dict(items) if isinstance(value, dict) else [*items.values()]


def without_standing(changes: dict[Any, journal.Change], stands: dict[int, Any]) -> dict[Any, journal.Change]:
    """The changes but for the places where arrays of the program stood for those from outside."""
    if not stands:
        return changes
    found = {}
    for key, change in changes.items():
        own = {name: _with_own(value, stands) for name, value in change.new.items()}
        back = {name: value for name, value in own.items() if value is not change.new[name]}
        for name, value in back.items():
            change.new[name] = value
            change.captured.pop(name, None)
        if not back or journal.differ(change.place, change.old, change.new):
            found[key] = change
    return found
