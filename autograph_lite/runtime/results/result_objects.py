"""Result objects: which does a call return: those that it makes, those that it was given, or others?

    return Point(x, y)           each call makes a Point of its own, of the arrays that the program gives
    return {1, 2}                each call makes a set of its own
    return deque([x], 3)         and a deque of its own, of the arrays that the program gives
    return p                     a dataclass object among the arguments is the caller's own
    return DEFAULT               one from elsewhere is that very object

To JAX, a dataclass object that nobody has registered is one leaf. Here its attributes are parts of the result.
"""

from __future__ import annotations

import collections
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph_lite.operators.effects.journal import Journal
from autograph_lite.operators.object_graph import reachability
from autograph_lite.operators.values import dataclass_objects, instances, pytrees
from autograph_lite.runtime.state import tracer_leaks
from autograph_lite.runtime.types.leaf_partition import Split
from autograph_lite.runtime.types.output_objects import Copied, Made


def split_result(
    result: Any, given: Sequence[Any], written: Journal, roots: Sequence[Any], *, values: bool = True
) -> Split:
    """What a function returns, as it is at the end of the trace, parted.

    Args:
      result: what it returns.
      given: the objects of the call; those of dataclasses come back as they are.
      written: what the trace has changed and made.
      roots: from where the function sees what it has not made.
      values: whether a Variable stands for the value that it has at that call, and not for itself.
    """
    opened = pytrees.unbox_leaves if values else lambda value: value
    result = opened(result)
    found = {
        id(leaf): leaf
        for leaf in dataclass_objects.object_leaves(result, deques=True)
        if _is_changeable(leaf)
    }
    if not found:
        return Split.of(result, keep_numpy=True)
    passed = {id(owner): number for number, owner in enumerate(given)}
    seen = written.reachable(roots, found.keys() - passed.keys())
    made = {
        ident
        for ident, owner in found.items()
        if ident not in passed and ident not in seen and _is_made(owner, written)
    }
    whole = Split.of(result, keep_numpy=True, part=_Parting(passed, made, opened))
    # As a function in an attribute: it would see another.
    if reachability.leading(whole.objects(), {*made, *passed}):
        return Split.of(result, keep_numpy=True)
    return whole


class _Parting:
    """Opens the objects that a call makes or is given.

    Args:
      passed: the places of those that it is given, by their ids.
      made: the ids of those that it makes.
      values: gives what those hold, with the values that Variables have at that call.
    """

    def __init__(
        self, passed: dict[int, int], made: set[int], values: Callable[[list[Any]], list[Any]]
    ) -> None:
        self._passed, self._made, self._values = passed, made, values
        self._known: dict[int, Made | Copied] = {}

    def __call__(self, leaf: Any) -> Made | Copied | None:
        """What stands for an object; None for what is none of these."""
        ident = id(leaf)
        if ident not in self._passed and ident not in self._made:
            return None
        known = self._known.get(ident)
        if known is None:
            number = len(self._known)
            if isinstance(leaf, _COPIED):
                known = self._known[ident] = Copied(number, leaf)
            else:
                known = self._opened(number, leaf)
        return known

    def _opened(self, number: int, owner: Any) -> Made:
        held = _held_by(owner)
        made = Made(number, type(owner), tuple(held), self._passed.get(id(owner)))
        self._known[id(owner)] = made
        values = [*held.values()] if made.passed is not None else self._values([*held.values()])
        made.hold(Split.of(values, keep_numpy=True, part=self))
        return made


_COPIED = (set, bytearray, np.ndarray)
_CONTAINERS = (*_COPIED, collections.deque)


def _held_by(owner: Any) -> dict[Any, Any]:
    """What an object holds, by its attributes; of a deque, its items and how many there may be."""
    if type(owner) is collections.deque:
        return {"items": [*owner], "maxlen": owner.maxlen}
    return instances.held_by(owner)


def _is_changeable(leaf: Any) -> bool:
    return type(leaf) in _CONTAINERS or dataclass_objects.is_record(leaf)


def _is_made(owner: Any, written: Journal) -> bool:
    """Whether an object that nothing leads to is the call's own."""
    if type(owner) in _CONTAINERS:
        return True
    # What holds no traced value may be older than the trace, in a place that nothing here leads to.
    return _can_be_made(type(owner)) and (id(owner) in written.born or tracer_leaks.is_hidden_in([owner]))


def _can_be_made(kind: type) -> bool:
    """Whether an object of a class is its attributes and nothing else: not what also is a dict, or an exception."""
    try:
        object.__new__(kind)
    except TypeError:
        return False
    return True
