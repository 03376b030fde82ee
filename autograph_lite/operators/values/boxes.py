"""Boxes: which objects of ours stand for an array that may change, and are one leaf to converted code?

    v = Variable(0.)
    if v > limit: ...                     the array that `v` holds now decides
    v[0] = x                              `v` gets another array; it stays the same object

To JAX such an object is a pytree, so that its functions take it; to converted code it is the object itself.
"""

from __future__ import annotations

import abc
import functools
from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

from autograph_lite.operators.values.place import Place

F = TypeVar("F", bound=Callable[..., Any])


class Whole:
    """Base of what is one leaf to converted code."""

    __slots__ = ()


class Box(Whole, abc.ABC):
    """Base of what stands for an array."""

    __slots__ = ()
    ours: ClassVar[set[type]] = set()  # classes whose slots are no attributes to the user

    @abc.abstractmethod
    def read(self) -> Any:
        """The array that it holds now."""

    @abc.abstractmethod
    def assign(self, value: Any) -> Any:
        """Makes it hold `value`; returns it."""

    @property
    @abc.abstractmethod
    def place(self) -> Place:
        """Where it holds the array, for those who put it back."""


def unboxed(value: Any) -> Any:
    """The array that `value` stands for, where it stands for one; else itself."""
    return value.read() if isinstance(value, Box) else value


def opening(fun: F) -> F:
    """`fun`, called with arrays in place of the objects that stand for them."""

    @functools.wraps(fun)
    def run(*args: Any, **kwargs: Any) -> Any:
        return fun(*map(unboxed, args), **{name: unboxed(value) for name, value in kwargs.items()})

    return run  # type: ignore[return-value]
