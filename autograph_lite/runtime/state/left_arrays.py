"""Left arrays: which arrays of JAX's has a call left in a place where NumPy's would be in Python? They are that in the next call.

o.h = np.zeros(3)                     a call leaves an array of JAX's in `o.h`
h = o.h; h *= 0.9                     the next one changes it in place: `o.h` holds another afterwards
"""

from __future__ import annotations

import weakref
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import jax
import numpy as np

from autograph_lite.jax_internals.references import numpys_arrays, storages
from autograph_lite.operators.values.values import Tracer

# by their ids, and whether another one was a part of it, or shares a part
_left: dict[int, tuple[weakref.ref[Any], bool]] = {}


def exist() -> bool:
    """Whether there are any."""
    return bool(_left)


def is_left(array: Any) -> bool:
    """Whether a call has left an array in a place, as what NumPy would have made there."""
    found = _left.get(id(array)) if _left else None
    return found is not None and found[0]() is array


def was_left_with_parts(array: Any) -> bool:
    """Whether others that were left with it had items of the same memory: they are apart since then."""
    return is_left(array) and _left[id(array)][1]


def kinds(arrays: Sequence[Any]) -> Hashable:
    """For each array what it is: one of JAX's, of NumPy's, or a left one, the number of the first that is the same, if shared."""
    first: dict[int, int] = {}
    return tuple(
        "NumPy"
        if isinstance(array, np.ndarray)
        else (first.setdefault(id(array), number), was_left_with_parts(array))
        if is_left(array)
        else None
        for number, array in enumerate(arrays)
    )


def without_axes(arrays: Sequence[Any]) -> tuple[int, ...]:
    """The numbers of those that are arrays of NumPy's without axes, which `o.total += x` changes, and no numbers."""
    return tuple(n for n, array in enumerate(arrays) if isinstance(array, np.ndarray) and not array.ndim)


class Outputs:
    """Which outputs of a program become such arrays, and which are one array; to be made where its trace ends.

    Args:
      leaves: what it leaves in places, its outputs from number `start` on.
    """

    def __init__(self, leaves: Iterable[Any], start: int) -> None:
        found = {
            number: leaf
            for number, leaf in enumerate(leaves, start)
            if isinstance(leaf, Tracer) and leaf.ndim and numpys_arrays.is_numpys(leaf)
        }
        first: dict[int, int] = {}
        self._first = {
            number: first.setdefault(id(storages.latest_version(leaf)), number)
            for number, leaf in found.items()
        }
        roots = [id(storages.root(found[number])) for number in first.values()]
        self._shared = {
            number for number, root in zip(first.values(), roots, strict=True) if roots.count(root) > 1
        }

    def noted(self, outputs: Sequence[Any]) -> Sequence[Any]:
        """The outputs of a call, with one array in place of several that are the same."""
        if not self._first or isinstance(outputs[next(iter(self._first))], Tracer):
            return outputs
        found = list(outputs)
        for number, first in self._first.items():
            found[number] = array = found[first]
            _note(array, shared=first in self._shared)
        return found


def _note(array: jax.Array, *, shared: bool) -> None:
    number = id(array)
    _left[number] = weakref.ref(array, lambda _: _left.pop(number, None)), shared
