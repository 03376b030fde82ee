"""Literals: which values is a trace made for, one by one, and when are two of them the same?

By type and value: 1, 1.0 and True are three, 0.0 is not -0.0, a nan is a nan. Two values are the same only if no program
could tell them apart: `range(0, 3, 2) == range(0, 4, 2)`, and their `stop` differs.
"""

from __future__ import annotations

import datetime
import decimal
import enum
import fractions
import itertools
import pathlib
import re
import types
import uuid
import zoneinfo
from collections.abc import Callable, Hashable
from typing import Any

import jax
import numpy as np

from autograph_lite.runtime.types.object_type import ObjectType
from autograph_lite.runtime.types.trace_type import Placeholders, Single, TraceType

LONGEST = 200  # characters of a value in a message


class Literal(Single):
    """A value that a trace is made for: another one, or one of another type, is another trace.

    Args:
      value: a number, text, None, an enum, a class, a dtype, a range, a slice, a frozenset ...

    Raises:
      TypeError: no value of that class can be told by what it is.
    """

    def __init__(self, value: Any) -> None:
        read = _reader(value)
        if read is None:
            raise TypeError(f"A {type(value).__qualname__} object is no literal: {value!r}.")
        self.value = value
        self._key: Hashable = type(value), read(value)
        self._hash = hash(self._key)

    def placeholder_value(self, context: Placeholders) -> Any:
        """The value itself."""
        return self.value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Literal) and self._key == other._key

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> Any:
        return Literal, (self.value,)  # an id is another one elsewhere

    def __repr__(self) -> str:
        return f"Literal[{_shown(self.value)}]"


def is_literal(value: Any) -> bool:
    """Whether a value can be told by what it is."""
    return _reader(value) is not None


Reader = Callable[[Any], Hashable]


def _itself(value: Hashable) -> Hashable:
    return value


_NUMBERS_AND_TEXTS: dict[type, Reader] = {  # of a subclass, too, whatever it overrides
    int: lambda value: int.__add__(value, 0),
    float: lambda value: float.__repr__(value),  # nan equals itself, 0.0 is not -0.0
    complex: complex.__repr__,
    str: lambda value: str.__add__(value, ""),
    bytes: lambda value: bytes.__add__(value, b""),
}

_KINDS: dict[type, Reader] = {
    bool: _itself,
    types.NoneType: _itself,
    types.EllipsisType: _itself,
    types.NotImplementedType: _itself,
    range: lambda value: (value.start, value.stop, value.step),
    slice: lambda value: (_part(value.start), _part(value.stop), _part(value.step)),
    frozenset: lambda value: frozenset(map(_part, value)),
    fractions.Fraction: lambda value: (value.numerator, value.denominator),
    # Equal ones may differ in what a program can see: 0.5 and 0.50, one instant in two time zones.
    **dict.fromkeys(
        (decimal.Decimal, datetime.date, datetime.time, datetime.datetime, datetime.timedelta), repr
    ),
    **dict.fromkeys((datetime.timezone, zoneinfo.ZoneInfo), repr),
    **dict.fromkeys((uuid.UUID, re.Pattern, jax.ShapeDtypeStruct), _itself),
}

# Of classes derived from them, too, where a value holds no more than that.
_BASES: dict[type, Reader] = {
    **_NUMBERS_AND_TEXTS,
    pathlib.PurePath: pathlib.PurePath.__str__,  # paths of Windows are equal whatever the case of their letters
}

_FAMILIES: tuple[tuple[type | tuple[type, ...], Reader], ...] = (
    ((enum.Enum, type), id),  # held by the literal, so that the id stays its own
    ((np.dtype, TraceType), _itself),
)


def _reader(value: Any) -> Reader | None:
    """What reads of a value all that tells it from others of its class; None if nothing does."""
    kind = type(value)
    for family, read in _FAMILIES:
        if issubclass(kind, family):
            return read
    found: Reader | None = _KINDS.get(kind) or _NUMBERS_AND_TEXTS.get(kind)
    if found is None and issubclass(kind, np.generic):
        return _of_scalar
    return found or _inherited(value, kind) or _singleton(value)


def _inherited(value: Any, kind: type) -> Reader | None:
    """How to read a number, text or path of a class of the user's; attributes make it an object."""
    base = next((base for base in _BASES if issubclass(kind, base)), None)
    return None if base is None or _has_attributes(value, base) else _BASES[base]


def _has_attributes(value: Any, base: type) -> bool:
    """Whether a value of a class derived from `base` may hold more than `base` does."""
    derived = itertools.takewhile(lambda kind: kind.__module__ != base.__module__, type(value).__mro__)
    return bool(getattr(value, "__dict__", None)) or any(vars(kind).get("__slots__") for kind in derived)


def _of_scalar(value: Any) -> Hashable:
    return value.dtype, repr(value)


def _singleton(value: Any) -> Reader | None:
    """Functions of a module written in C are there once."""
    is_global = isinstance(value, types.BuiltinFunctionType) and isinstance(value.__self__, types.ModuleType)
    return id if is_global else None


def _shown(value: Any) -> str:
    """What a message says of a value, in a line."""
    try:
        text = value.__qualname__ if isinstance(value, type) else repr(value)
    except Exception:  # an int of 5000 digits has no text, and a user's `__repr__` may do anything
        text = object.__repr__(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def _part(value: Any) -> Hashable:
    """What tells a value in a frozenset or a slice from others."""
    if type(value) is tuple:
        return tuple, tuple(map(_part, value))
    return Literal(value) if is_literal(value) else ObjectType(value)
