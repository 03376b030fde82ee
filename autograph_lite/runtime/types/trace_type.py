"""Trace types: what does a trace depend on, of a value that a function is called with?

    f(x, 3)      x: float32[3] (any array of that type uses the trace), n: Literal[3] (another number is another trace)

A `TraceType` says it, value by value. A trace made for a type serves every value whose type is a subtype of it. A class
gets trace types of its own by a method `__tracing_type__(context)`, which returns one.
"""

from __future__ import annotations

import abc
import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import Any, Protocol


class Placeholders(Protocol):
    """What stands for the arguments while a function is traced."""

    def array(self, spec: Any) -> Any:
        """The next traced array, which has the type `spec` (an `ArraySpec`)."""

    def variable(self, type: VariableType) -> Any:
        """What stands for the Variable of that type; the same for the same `alias`."""


class TraceType(abc.ABC):
    """What a trace depends on, of one value.

    A class of your own implements the five abstract methods, and `arrays` where its values hold arrays that are to be
    traced: `placeholder_value` takes as many from its context, in the same order.
    """

    @abc.abstractmethod
    def is_subtype_of(self, other: TraceType) -> bool:
        """Whether a trace made for `other` serves the values of this type: a partial order."""

    @abc.abstractmethod
    def most_specific_common_supertype(self, others: Sequence[TraceType]) -> TraceType | None:
        """The least type that this one and `others` are subtypes of; None if there is none."""

    @abc.abstractmethod
    def placeholder_value(self, context: Placeholders) -> Any:
        """What the function gets in place of a value of this type while it is traced.

        Args:
          context: gives traced arrays: `context.array(ArraySpec(...))`.
        """

    @abc.abstractmethod
    def __eq__(self, other: object) -> bool: ...

    @abc.abstractmethod
    def __hash__(self) -> int: ...

    def arrays(self, value: Any) -> list[Any]:
        """The arrays of a value of this type that are traced, in the order in which `placeholder_value` takes them."""
        return [array for type, held in self._pairs(value) for array in type.arrays(held)]

    def variables(self, value: Any) -> list[Any]:
        """The Variables in a value of this type; one that is there twice is given twice."""
        return [found for type, held in self._pairs(value) for found in type.variables(held)]

    def _pairs(self, value: Any) -> Sequence[tuple[TraceType, Any]]:
        """The types that this one consists of, each with its part of the value."""
        return ()

    def parts(self) -> Sequence[TraceType]:
        """The types that this one consists of."""
        return ()

    def differences(self, other: TraceType, path: str) -> list[str]:
        """Why a trace made for `other` does not serve this type, place by place: "x[1]: float32[3] where float32[4] was".

        Args:
          other: the type that there is a trace for.
          path: how the user calls the value.
        """
        return [] if self.is_subtype_of(other) else [f"{path}: {self} where {other} was"]


class Single(TraceType):
    """A type whose only subtype and supertype is the type itself."""

    def is_subtype_of(self, other: TraceType) -> bool:
        """Whether `other` is this type."""
        return self == other

    def most_specific_common_supertype(self, others: Sequence[TraceType]) -> TraceType | None:
        """This type, where the others are no other."""
        return self if all(self == other for other in others) else None


@dataclasses.dataclass(frozen=True)
class VariableType(Single):
    """A Variable: another one of the same kind uses the same trace."""

    shape: tuple[int, ...]
    dtype: Any
    trainable: bool  # whether it is to be trained
    alias: int  # its number among the distinct Variables of the call: `f(v, v)` and `f(v, w)` are two traces
    cls: type | None = None  # its class, where that is one of the user's; else None
    # the types of what such a class keeps in it, where the call brings it for the first time
    attributes: tuple[tuple[str, TraceType], ...] = ()

    def placeholder_value(self, context: Placeholders) -> Any:
        """What stands for the Variable."""
        found = context.variable(self)
        held = {name: type.placeholder_value(context) for name, type in self.attributes}
        for name, value in held.items():
            if found.stands_in:
                object.__setattr__(found, name, value)
        return found

    def variables(self, value: Any) -> list[Any]:
        """The Variable, and those among its attributes."""
        return [value, *super().variables(value)]

    def parts(self) -> Sequence[TraceType]:
        """The types of its attributes."""
        return [type for _, type in self.attributes]

    def _pairs(self, value: Any) -> list[tuple[TraceType, Any]]:
        return [(type, object.__getattribute__(value, name)) for name, type in self.attributes]

    def __repr__(self) -> str:
        sizes = ",".join(map(str, self.shape))
        fixed = "" if self.trainable else ", trainable=False"
        held = "".join(f", {name}={type!r}" for name, type in self.attributes)
        name = "Variable" if self.cls is None else self.cls.__qualname__
        return f"{name}({self.dtype}[{sizes}]{fixed}{held}, #{self.alias})"


def variable_types(type: TraceType) -> list[VariableType]:
    """The types of Variables in a type."""
    own = [type] if isinstance(type, VariableType) else []
    return [*own, *(found for part in type.parts() for found in variable_types(part))]


class TracingContext:
    """What the types of one call's values have in common: which objects in it are the same."""

    def __init__(self, *, specs: bool = False) -> None:
        # whether a TraceType (or a `jax.ShapeDtypeStruct`) among the values stands for a value of that type
        self.specs = specs
        self._seen: dict[int, tuple[int, Any]] = {}

    def alias(self, value: Any) -> int:
        """The number of an object among the distinct ones that were asked for, from 0."""
        # Held, so that the id stays its own.
        number, _ = self._seen.setdefault(id(value), (len(self._seen), value))
        return number

    def has_seen(self, value: Any) -> bool:
        """Whether the number of an object has been asked for."""
        return id(value) in self._seen


MakeType = Callable[[Any, TracingContext], TraceType]
_leaves: dict[type, MakeType] = {}


def register_leaf(kind: type, make_type: MakeType) -> None:
    """Lets the values of a class have the types that `make_type(value, context)` gives."""
    _leaves[kind] = make_type
    _maker.cache_clear()


def registered_maker(value: Any) -> MakeType | None:
    """What makes the types of a value: its own `__tracing_type__`, or what is registered for its class."""
    kind: Any = type(value)
    return _maker(kind)


@functools.lru_cache(maxsize=1024)
def _maker(kind: type) -> MakeType | None:
    if is_of_protocol(kind):
        return _by_protocol
    return next((_leaves[base] for base in kind.__mro__ if base in _leaves), None)


def is_of_protocol(kind: type) -> bool:
    """Whether the objects of a class make their own types."""
    return hasattr(kind, "__tracing_type__")


def _by_protocol(value: Any, context: TracingContext) -> TraceType:
    made = value.__tracing_type__(context)
    if not isinstance(made, TraceType):
        kind = type(value).__qualname__
        raise TypeError(
            f"'{kind}.__tracing_type__' is to return an autograph_lite.TraceType, and returned {made!r}."
        )
    return made
