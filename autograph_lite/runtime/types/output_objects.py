"""Output objects: what stands for an object that comes out of a program, and how is it made of the program's arrays?

return Point(x, [y])         Made(Point, ('a', 'b'), two arrays)
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any, Protocol


class Parted(Protocol):
    """What is in an object, its arrays apart from the rest: a `Split`."""

    @property
    def arrays(self) -> list[Any]:
        """The arrays."""
        ...

    def emptied(self) -> Parted:
        """The same without the arrays."""
        ...

    def merged(self, merging: Merging) -> Any:
        """What was parted, with the arrays that are left."""
        ...

    def loosened(self, objects: Sequence[Any]) -> Parted:
        """The same, which keeps none of these objects alive."""
        ...

    def made(self) -> Sequence[Made]:
        """What stands for objects in it."""
        ...

    def objects(self) -> list[Any]:
        """The literals in it."""
        ...


@dataclasses.dataclass(frozen=True)
class Merging:
    """What a tree is being put together from."""

    arrays: Iterator[Any]  # those that are left
    objects: dict[int, Any]  # those that are there already, by the numbers of the `Made` that stand for them
    passed: Sequence[Any] | None  # those of the call; None where there is none


class Made:
    """Stands for an object with arrays in it: each merge makes one of its class, or takes the one of the call.

    Args:
      number: tells it from the others of a tree, in which it may stand more than once.
      kind: its class.
      names: of its attributes.
      passed: its place among the objects of the call; None for one that is made.
    """

    def __init__(self, number: int, kind: type, names: tuple[str, ...], passed: int | None) -> None:
        self.number, self.kind, self.names, self.passed = number, kind, names, passed
        self._held: Parted | None = None  # the attributes; None while they are looked at
        self._arrays: list[Any] = []
        self._met = False  # for whatever leads from an object back to it

    def hold(self, held: Parted) -> None:
        """Takes the attributes."""
        self._held, self._arrays = held.emptied(), held.arrays

    def taken(self) -> list[Any]:
        """The arrays in it, at the first time that it is met."""
        arrays, self._arrays = self._arrays, []
        return arrays

    def merged(self, merging: Merging) -> Any:
        """The object."""
        if self.number in merging.objects:
            return merging.objects[self.number]
        given = None if self.passed is None or merging.passed is None else merging.passed[self.passed]
        if given is not None:
            whole = given
        else:
            whole = collections.deque() if self.kind is collections.deque else object.__new__(self.kind)
        merging.objects[self.number] = whole
        assert self._held is not None
        values = self._held.merged(merging)  # in any case: it takes the arrays in it
        if given is None and self.kind is collections.deque:
            whole.__init__(*values)  # it may hold itself
        elif given is None:
            for name, value in zip(self.names, values, strict=True):
                object.__setattr__(whole, name, value)
        return whole

    def loosen(self, objects: Sequence[Any]) -> None:
        """Keeps none of these objects alive."""
        if not self._met and self._held is not None:
            with self._meeting():
                self._held = self._held.loosened(objects)

    def objects(self) -> list[Any]:
        """The literals in it."""
        if self._met or self._held is None:
            return []
        with self._meeting():
            return self._held.objects()

    @property
    def passes(self) -> bool:
        """Whether it, or what is in it, is an object of the call."""
        if self.passed is not None or self._met or self._held is None:
            return self.passed is not None
        with self._meeting():
            return any(made.passes for made in self._held.made())

    @contextlib.contextmanager
    def _meeting(self) -> Iterator[None]:
        self._met = True
        try:
            yield
        finally:
            self._met = False


class Copied:
    """Stands for a set, a bytearray or an array of NumPy's that the function has made: each merge makes another."""

    def __init__(self, number: int, value: Any) -> None:
        self.number, self.value = number, value

    def taken(self) -> list[Any]:
        """No arrays."""
        return []

    def merged(self, merging: Merging) -> Any:
        """The object."""
        if self.number not in merging.objects:
            merging.objects[self.number] = self.value.copy()
        return merging.objects[self.number]
