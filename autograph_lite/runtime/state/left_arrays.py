"""Left arrays: which arrays of JAX's has a call left in a place where NumPy's would be in Python? They are that in the next call.

o.h = np.zeros(3)                     a call leaves an array of JAX's in `o.h`
h = o.h; h *= 0.9                     the next one changes it in place: `o.h` holds another afterwards
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import jax
import numpy as np

from autograph_lite.jax_internals.references import joined_arrays, numpys_arrays, storages
from autograph_lite.operators.aliasing import arrays_left_twice
from autograph_lite.operators.values.values import Tracer

# by their ids
_left: dict[int, weakref.ref[Any]] = {}


def exist() -> bool:
    """Whether there are any."""
    return bool(_left)


def is_left(array: Any) -> bool:
    """Whether a call has left an array in a place, as what NumPy would have made there."""
    found = _left.get(id(array)) if _left else None
    return found is not None and found() is array


def kinds(arrays: Sequence[Any]) -> Hashable:
    """For each array what it is: one of JAX's, of NumPy's, or a left one, the number of the first that is the same, if shared."""
    first: dict[int, int] = {}
    return tuple(
        "NumPy"
        if isinstance(array, np.ndarray)
        else (first.setdefault(id(array), number), bool(arrays_left_twice.others_of(array)))
        if is_left(array)
        else None
        for number, array in enumerate(arrays)
    )


def without_axes(arrays: Sequence[Any]) -> tuple[int, ...]:
    """The numbers of those that are arrays of NumPy's without axes, which `o.total += x` changes, and no numbers."""
    return tuple(n for n, array in enumerate(arrays) if isinstance(array, np.ndarray) and not array.ndim)


class Given(NamedTuple):
    """What a trace was given: the arrays of a call, those from outside to which it writes, then those of the state.

    Attributes:
      handles: for each what the function has seen.
      outside: the number of the first one from outside.
      state: that of the first one of the state.
      others: the numbers of those that somebody may have afterwards, but for what it leaves itself.
      was_there: whether an array of NumPy's was to be seen before the trace.
    """

    handles: Sequence[Any]
    outside: int
    state: int
    others: Collection[int]
    was_there: Callable[[Any], bool]


class Outputs:
    """Which outputs of a program become such arrays, which are one array, and which are what it was given; to be made as it ends.

    Args:
      leaves: what it leaves in places, its outputs from number `start` on.
      given: None where it is a part of somebody else's trace.
      taken: the ids of arrays whose memory a program may take, as that of Variables: nobody shares it.
    """

    def __init__(
        self, leaves: Iterable[Any], start: int, given: Given | None, taken: Collection[int]
    ) -> None:
        all_leaves = dict(enumerate(leaves, start))
        found = {number: leaf for number, leaf in all_leaves.items() if isinstance(leaf, Tracer)}
        # `s.x = s.rows[-1]`, where that is an array of NumPy's that the program has as a constant
        self._constants = {
            number: leaf
            for number, leaf in all_leaves.items()
            if isinstance(leaf, np.ndarray) and given is not None and given.was_there(storages.base_of(leaf))
        }
        free = {number: leaf for number, leaf in found.items() if id(leaf) not in taken}
        self._given = {} if given is None else _unchanged(free, given)
        self._passed = 0 if given is None else given.outside
        numpys = {
            number: leaf for number, leaf in found.items() if leaf.ndim and numpys_arrays.is_numpys(leaf)
        }
        first: dict[int, int] = {}
        self._first = {
            number: first.setdefault(id(storages.latest_version(leaf)), number) if number in free else number
            for number, leaf in numpys.items()
        }
        # with which others each may be one in Python: outputs, what it was given, and arrays of NumPy's
        self._of_outputs: list[tuple[int, int]] = []
        self._of_given: list[tuple[int, int, bool]] = []  # and whether somebody has that afterwards
        self._of_numpys: list[tuple[int, weakref.ref[Any]]] = []
        firsts = [*first.values()]
        for number in firsts:
            leaf = found[number]
            others = [n for n in firsts if n > number and _may_be_one(leaf, found[n])]
            self._of_outputs += [(number, n) for n in others]
            if given is not None:
                handles = enumerate(given.handles)
                sources = [n for n, handle in handles if _may_be_one(leaf, handle)]
                self._of_given += [(number, n, n in given.others) for n in sources]
                arrays = filter(given.was_there, joined_arrays.numpys_on_paths(leaf))
                self._of_numpys += [(number, weakref.ref(array)) for array in arrays]

    def noted(self, outputs: Sequence[Any], given: Sequence[Any]) -> Sequence[Any]:
        """The outputs of a call, with one array in place of several that are the same, and those that it was given."""
        known = next(iter([*self._first, *self._given, *self._constants]), None)
        if known is None or isinstance(outputs[known], Tracer):
            return outputs
        found = list(outputs)
        unchanged = {
            number: given[n]
            for number, n in self._given.items()
            if n >= self._passed or isinstance(given[n], jax.Array)  # the caller's array of NumPy's is copied
        }
        for number, first in self._first.items():
            found[number] = array = found[first]
            if first not in unchanged:
                _left[id(array)] = weakref.ref(array, partial(_forget, id(array)))
        for number, array in [*unchanged.items(), *self._constants.items()]:
            found[number] = array
        # what earlier calls have left, not this one: of two that are exchanged, neither is the other one
        inherited = [(number, arrays_left_twice.others_of(given[n])) for number, n, _ in self._of_given]
        inherited += [(number, [given[n]]) for number, n, is_held in self._of_given if is_held]
        for number, others in inherited:
            for array in others:
                _note_twice(found[number], array)
        for number, other in self._of_outputs:
            _note_twice(found[number], found[other])
        for number, ref in self._of_numpys:
            _note_twice(found[number], ref())
        return found


def _unchanged(outputs: Mapping[int, Any], given: Given) -> dict[int, int]:
    """The outputs that are arrays that the trace was given, `s.old = s.a`, and the numbers of these."""
    numbers = {id(handle): number for number, handle in reversed([*enumerate(given.handles)])}
    return {
        number: n
        for number, leaf in outputs.items()
        if (n := numbers.get(id(leaf))) is not None
        and (given.outside <= n < given.state or not storages.is_written(leaf))
    }


def _may_be_one(array: Any, other: Any) -> bool:
    return storages.root(array) is storages.root(other) or joined_arrays.are_one_on_a_path(array, other)


def _note_twice(array: Any, other: Any) -> None:
    if isinstance(other, np.ndarray) or is_left(other):
        arrays_left_twice.note_left_twice(array, other)


def _forget(number: int, _: Any) -> None:
    _left.pop(number, None)
