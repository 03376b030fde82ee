"""Traces to report on, of functions that were never called: trace types that stand for the real ones."""

from __future__ import annotations

import dataclasses
import inspect
import weakref
from typing import Any

import numpy as np

from autograph_lite.errors import Location
from autograph_lite.runtime.changes import TraceRecord


@dataclasses.dataclass(frozen=True)
class Literal:
    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Literal) and (type(self.value), self.value) == (
            type(other.value),
            other.value,
        )

    def __repr__(self) -> str:
        return f"Literal[{self.value!r}]"


@dataclasses.dataclass(frozen=True)
class Array:
    shape: tuple[int | None, ...] | None
    dtype: np.dtype = np.dtype("float32")
    weak_type: bool = False

    def __repr__(self) -> str:
        sizes = "..." if self.shape is None else ",".join("?" if n is None else str(n) for n in self.shape)
        return f"{'weak ' if self.weak_type else ''}{self.dtype}[{sizes}]"


class Object:
    def __init__(self, value: Any) -> None:
        self.referent = weakref.ref(value)
        self.kind = type(value).__name__

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Object) and self.referent() is not None and self.referent() is other.referent()
        )

    def __repr__(self) -> str:
        return f"<{self.kind} object>"


@dataclasses.dataclass(frozen=True)
class Dictionary:
    """The type of a dictionary of leaves."""

    items: tuple[tuple[str, Any], ...]

    @property
    def treedef(self) -> Any:
        return tuple(key for key, _ in self.items)

    @property
    def leaves(self) -> tuple[Any, ...]:
        return tuple(leaf for _, leaf in self.items)

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(f"[{key!r}]" for key, _ in self.items)

    def __repr__(self) -> str:
        return "{" + ", ".join(f"{key!r}: {leaf}" for key, leaf in self.items) + "}"


@dataclasses.dataclass(frozen=True)
class VariableType:
    shape: tuple[int, ...]
    dtype: Any
    alias: int

    def __repr__(self) -> str:
        return f"Variable({self.dtype}{list(self.shape)}, #{self.alias})"


def record(
    line: int = 8,
    *,
    trace: float = 0.0125,
    compile: float | None = 0.03,
    context: Any = (),
    rebound: Any = (),
    **types: Any,
) -> TraceRecord:
    """A trace for arguments of the given types, called from train.py."""
    parameters = [
        inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=annotation)
        for name, annotation in types.items()
    ]
    place = Location("/model/train.py", line, "main", "step(x, n)")
    return TraceRecord(inspect.Signature(parameters), place, trace, compile, tuple(rebound), tuple(context))
