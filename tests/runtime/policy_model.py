"""A small model of the policy: which calls share a trace, and what a trace remembers. It knows nothing of JAX's tracing.

{"x": float32[3], "n": 2}  float32[4] beside it, reduce_retracing  ->  {"x": float32[?], "n": 2}
"""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

ARRAY, LITERAL, OBJECT, NODE = "array", "literal", "object", "node"
Type = tuple[Any, ...]
Gains = dict[Any, float]


@dataclasses.dataclass
class Point:
    """A structure of the user's."""

    x: Any
    y: Any


class Thing:
    """An object that is itself alone."""

    def __init__(self, gain: float) -> None:
        self.gain = gain

    kind = property(lambda self: ("thing", id(self)))


class Named:
    """An object that equals others."""

    def __init__(self, gain: float) -> None:
        self.gain = gain

    kind = property(lambda self: ("named", self.gain))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Named) and self.gain == other.gain

    def __hash__(self) -> int:
        return hash(self.gain)


def type_of(value: Any, *, x64: bool) -> Type:
    """What of a value tells its calls from others."""
    match value:
        case jax.Array() | np.ndarray() | np.generic():
            dtype = np.dtype(value.dtype)
            if dtype.itemsize == 8 and not x64:
                dtype = np.dtype(f"{dtype.kind}4")
            return ARRAY, value.shape, str(dtype), bool(getattr(value, "weak_type", False))
        case jax.ShapeDtypeStruct():
            return ARRAY, value.shape, str(value.dtype), False
        case Thing() | Named():
            return OBJECT, value.kind
        case _ if dataclasses.is_dataclass(value):
            parts = dict(vars(value))
        case dict():
            parts = dict(sorted(value.items()))
        case list() | tuple():
            parts = dict(enumerate(value))
        case _:
            return LITERAL, type(value), repr(value)
    return NODE, type(value), *((key, type_of(part, x64=x64)) for key, part in parts.items())


def accepts(general: Any, own: Any) -> bool:
    """Whether a trace for one type serves calls of the other."""
    if general == own:
        return True
    if not (isinstance(general, tuple) and isinstance(own, tuple) and len(general) == len(own)):
        return False
    if general[:1] == own[:1] == (ARRAY,):
        return general[2:] == own[2:] and _fits(general[1], own[1])
    return all(map(accepts, general, own)) if general[:1] not in ((LITERAL,), (OBJECT,)) else False


def _fits(general: Any, own: Any) -> bool:
    if general is None or own is None:
        return general is None
    return len(general) == len(own) and all(a is None or a == b for a, b in zip(general, own))


def joined(one: Any, other: Any) -> Any:
    """The narrowest type that serves both; None if there is none."""
    if one == other:
        return one
    if not (isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other)):
        return None
    if one[:1] == other[:1] == (ARRAY,):
        return (ARRAY, _joined_shape(one[1], other[1]), *one[2:]) if one[2:] == other[2:] else None
    if one[:1] in ((LITERAL,), (OBJECT,)):
        return None
    parts = tuple(map(joined, one, other))
    return None if any(part is None for part in parts) else parts


def _joined_shape(one: Any, other: Any) -> Any:
    if one is None or other is None or len(one) != len(other):
        return None
    return tuple(a if a == b else None for a, b in zip(one, other))


def shapes(type: Any) -> list[Any]:
    """Those of the arrays in a type."""
    if not isinstance(type, tuple):
        return []
    if type[:1] == (ARRAY,):
        return [type[1]]
    return (
        [shape for part in type for shape in shapes(part)] if type[:1] not in ((LITERAL,), (OBJECT,)) else []
    )


@dataclasses.dataclass
class Trace:
    """What was traced for a type: once, or once for each size where nothing stands for any."""

    type: Type
    x64: bool
    read: Gains  # what its programs have found in objects
    objects: list[int]
    programs: set[Any] = dataclasses.field(default_factory=set)
    inputs: set[Any] = dataclasses.field(default_factory=set)  # what has changed once is read at each call

    def changed(self, gains: Gains) -> set[Any]:
        """What is not what its programs have found."""
        return {kind for kind, gain in gains.items() if self.read.get(kind, gain) != gain} - self.inputs

    def program(self, own: Type) -> tuple[Any, ...] | None:
        """What tells the program for calls of a type from the others; one that was asked for by any rank is of rank 0."""
        known = tuple(() if shape is None else shape for shape in shapes(own))
        return known if None in shapes(self.type) else None


class Policy:
    """The traces of one function.

    Args:
      reduce: whether sizes that vary become any size.
    """

    def __init__(self, *, reduce: bool = False) -> None:
        self.reduce, self.count = reduce, 0
        self.traces: list[Trace] = []

    def find(self, own: Type, *, x64: bool, exact: bool = False) -> Trace | None:
        """The trace for a type, or the most specific one that serves it."""
        known = [trace for trace in self.traces if trace.x64 == x64]
        for trace in known:
            if trace.type == own:
                return trace
        best: Trace | None = None
        for trace in [] if exact else known:
            if accepts(trace.type, own) and (best is None or accepts(best.type, trace.type)):
                best = trace
        return best

    def knows(self, own: Type, gains: Gains, *, x64: bool, exact: bool = False) -> bool:
        """Whether a call of a type runs no Python, with these gains in the objects that it reads."""
        trace = self.find(own, x64=x64, exact=exact)
        if trace is None or trace.changed(gains):
            return False
        return exact or trace.program(own) in trace.programs

    def call(self, own: Type, objects: list[Any], gains: Gains, *, x64: bool, exact: bool = False) -> Trace:
        """The trace that serves a call, made if there is none; one that is asked for is not called."""
        trace = self.find(own, x64=x64, exact=exact)
        if trace is not None and exact:
            return trace
        if trace is None:
            general = own
            for other in self.traces if self.reduce and not exact else []:
                if other.x64 == x64:
                    general = joined(general, other.type) or general
            trace = Trace(general, x64, dict(gains), list(map(id, objects)))
            self.traces = [*(t for t in self.traces if (t.type, t.x64) != (general, x64)), trace]
        if changed := trace.changed(gains):
            trace.inputs |= changed
            trace.programs = set()
        if trace.program(own) not in trace.programs:
            trace.programs.add(trace.program(own))
            self.count += 1
        return trace

    def gone(self, ident: int) -> None:
        """Notes that an object is gone."""
        self.traces = [trace for trace in self.traces if ident not in trace.objects]


class PlainVariable:
    """A Variable of the model's."""

    def __init__(self, value: Any) -> None:
        self.value = jnp.asarray(value)

    def assign(self, value: Any) -> None:
        self.value = jnp.asarray(value, self.value.dtype)

    def assign_add(self, value: Any) -> None:
        self.assign(self.value + value)

    def assign_sub(self, value: Any) -> None:
        self.assign(self.value - value)
