"""Iterators: what do they give of an array that is written before they are asked? The numbers as they are by then.

for a, b in zip(x, x[1:]):       JAX has taken all numbers of `x` where the loop begins (0.12), or takes a hundred (0.10)
    x += a * b
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any

from autograph_lite.jax_internals.references import storages


class VectorIterator:
    """Gives the numbers of a vector, by JAX's iterator over it, which may have them already; others if it was written since."""

    __slots__ = ("_array", "_count", "_taken", "_version")

    def __init__(self, array: Any, taken: Iterator[Any]) -> None:
        self._array, self._count = array, 0
        self._taken = array if isinstance(taken, types.GeneratorType) else tuple(taken)
        self._version = storages.latest_version(array)

    def __iter__(self) -> VectorIterator:
        return self

    def __next__(self) -> Any:
        if not self.__length_hint__():
            raise StopIteration
        self._count += 1
        return self._items()[self._count - 1]

    def __length_hint__(self) -> int:
        return int(self._array.shape[0]) - self._count

    def __reduce__(self) -> Any:  # as those of lists
        return iter, (self._array,), self._count

    def left(self) -> list[Any]:
        """The numbers that it has yet to give."""
        items = self._items()
        return [items[place] for place in range(self._count, self._array.shape[0])]

    def _items(self) -> Any:
        return self._taken if storages.latest_version(self._array) is self._version else self._array
