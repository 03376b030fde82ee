"""Object identity: is this the object that a trace was made for?

Identity tells, then equality; and the object is held weakly, so that no trace keeps a model alive. What is dead equals
nothing, and the trace made for it can go.
"""

from __future__ import annotations

import datetime
import decimal
import fractions
import pathlib
import types
import uuid
import weakref
from collections.abc import Callable, Hashable
from typing import Any

from autograph_lite.operators.values.values import are_equal
from autograph_lite.runtime.types.trace_type import Placeholders, Single, TraceType


class Bound:
    """Base of what is made again at each access, as Python's own bound methods are: what lives is the instance."""

    __slots__ = ()

    __self__: Any

    def weak(self) -> Callable[[], Any]:
        """What gives it while the instance lives. Raises TypeError: the instance can't be referenced weakly."""
        raise NotImplementedError


class ObjectType(Single):
    """An object that is neither array nor literal nor structure: one trace for each, or for those that are equal.

    An object that can't be hashed equals itself only, and so does one whose class takes its equality from a number, text,
    tuple and the like, which knows nothing of its attributes. One that can't be referenced weakly is held.

    Args:
      value: the object.
      contents: what the object must hold, besides, for the trace to serve.
    """

    def __init__(self, value: Any, contents: Hashable = None) -> None:
        self._reference = _reference(value)
        self._contents = contents
        self._by_equality, self._hash = _hashed(value, self._reference)
        self.kind = type(value)  # the class of the object, which is known when that is gone
        self._watches: list[Any] = []

    def referent(self) -> Any:
        """The object; None when it is gone."""
        return self._reference()

    @property
    def may_equal_others(self) -> bool:
        """Whether a trace for the object may serve other objects, too."""
        kind: Any = self.kind
        return self._by_equality and kind.__eq__ is not object.__eq__ and not issubclass(kind, _BOUND)

    def tie(self) -> None:
        """Lets only the object itself be of this type from now on: a trace has found more in it than its equality."""
        self._by_equality = False

    def on_death(self, callback: Callable[[], object]) -> None:
        """Calls `callback` when the object goes; at any point of the program, so that it had better only take note."""
        value = self.referent()
        owner = value.__self__ if isinstance(value, _BOUND) else value
        if not isinstance(self._reference, _Held):
            self._watches.append(weakref.ref(owner, lambda _: callback()))

    def placeholder_value(self, context: Placeholders) -> Any:
        """The object itself. Raises ReferenceError: it is gone."""
        value = self.referent()
        if value is None:
            raise ReferenceError(f"The {self.kind.__qualname__} object that the trace is made for is gone.")
        return value

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, ObjectType) or self.kind is not other.kind:
            return False
        if self._contents != other._contents:
            return False
        mine, others = self.referent(), other.referent()
        if mine is None or others is None:
            return False
        return mine is others or (self._by_equality and other._by_equality and are_equal(mine, others))

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> Any:
        return ObjectType, (self.referent(), self._contents)

    def __repr__(self) -> str:
        value = self.referent()
        if isinstance(value, _CALLED):
            return f"<{self.kind.__name__} {value.__qualname__}>"
        return (
            f"<{self.kind.__qualname__} object>"
            if value is not None
            else f"<dead {self.kind.__qualname__} object>"
        )


_OF_VALUES: frozenset[Any] = frozenset(
    kind.__eq__
    for kind in (
        *(int, float, complex, str, bytes, tuple, frozenset, decimal.Decimal, fractions.Fraction),
        *(datetime.date, datetime.time, datetime.datetime, datetime.timedelta, pathlib.PurePath, uuid.UUID),
    )
)
_CALLED = (types.FunctionType, types.MethodType, types.BuiltinFunctionType)
_BOUND = (types.MethodType, Bound)  # made again at each access: what lives is the instance


class _Held:
    """Stands for the weak reference to an object that has none."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __call__(self) -> Any:
        return self._value


def _reference(value: Any) -> Callable[[], Any]:
    try:
        if isinstance(value, Bound):
            return value.weak()
        return weakref.WeakMethod(value) if isinstance(value, types.MethodType) else weakref.ref(value)
    except TypeError:
        return _Held(value)


def _hashed(value: Any, reference: Callable[[], Any]) -> tuple[bool, int]:
    """Whether equality counts, and the hash."""
    if isinstance(value, types.MethodType):
        return True, hash((id(value.__self__), id(value.__func__)))
    if isinstance(value, Bound):
        return True, hash(value)
    try:
        # Python has one weak reference for an object, which remembers the first hash: so a changed object is the same.
        return type(value).__eq__ not in _OF_VALUES, hash(
            value if isinstance(reference, _Held) else reference
        )
    except Exception:  # a user's `__hash__` may do anything
        return False, id(value)


def object_types_in(type: TraceType) -> list[ObjectType]:
    """The types of objects that a type consists of."""
    if isinstance(type, ObjectType):
        return [type]
    return [found for part in type.parts() for found in object_types_in(part)]
