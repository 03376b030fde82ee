"""How does C++ take a value among the arguments: as a structure of others, as a literal, or not at all?

It has to tell apart what the trace types tell apart. Where one of its own comparisons does that, it is used; else the
trace type of the value is what it compares.
"""

from __future__ import annotations

import enum
import functools
import types
import weakref
from typing import Any

from autograph_lite import _jax_dispatch
from autograph_lite.operators import objects
from autograph_lite.runtime import opening
from autograph_lite.runtime.literals import is_literal
from autograph_lite.runtime.modules import Module
from autograph_lite.runtime.object_type import ObjectType
from autograph_lite.runtime.structures import from_value
from autograph_lite.runtime.trace_types import TracingContext, registered

_BY_IDENTITY = (type, enum.Enum, types.BuiltinFunctionType)


@functools.cache
def registry() -> _jax_dispatch.Registry:
    """What is structure and what is a leaf among the arguments of any function."""
    return _jax_dispatch.Registry(_flatten_kind)


def _flatten_kind(value: Any) -> _jax_dispatch.Flatten | None:
    if isinstance(value, Module) and _is_plain(value):
        return lambda module: ((), weakref.ref(module))
    if registered(value) is not None:
        return None
    by_jax = _jax_dispatch.flattened_by_jax(type(value))
    if by_jax is not None:
        return by_jax
    if objects.is_structure(value):
        return _opened
    if isinstance(value, _BY_IDENTITY):
        return lambda literal: ((), literal)
    if not is_literal(value) and _is_plain(value):
        return lambda held: ((), weakref.ref(held))  # equal while both live, if these are
    return lambda other: ((), from_value(other, TracingContext()))


def _opened(owner: Any) -> tuple[Any, Any]:
    """The attributes of a dataclass; one that holds itself is an object like others."""
    node = opening.node(owner)
    return ((), ObjectType(owner)) if node is owner else (node.values, node.static)


def _is_plain(value: Any) -> bool:
    """Whether Python's own comparison of weak references to a class's objects is that of their trace types."""
    kind: Any = type(value)
    if kind.__eq__ is not object.__eq__ or kind.__hash__ is not object.__hash__:
        return False
    try:
        weakref.ref(value)
    except TypeError:
        return False
    return True
