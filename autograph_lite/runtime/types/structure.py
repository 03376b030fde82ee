"""Structures: what is the trace type of a value, and of each leaf in it?

    {"w": [x, y], "n": 3}      {'n': Literal[3], 'w': [float32[3], float32[4]]}

Lists, tuples, dictionaries, dataclasses and whatever JAX has registered are structures. The types of the leaves follow
from `from_value`; a value that is one leaf has that leaf's type.
"""

from __future__ import annotations

import array
import enum
import functools
import weakref
from collections.abc import Hashable, Sequence
from typing import Any

import jax
import numpy as np

from autograph_lite.runtime.types import tree_paths
from autograph_lite.runtime.types.array_spec import ArraySpec, becomes_array, refuse_subclass
from autograph_lite.runtime.types.container_contents import contents_key, is_container
from autograph_lite.runtime.types.literal import Literal, is_literal
from autograph_lite.runtime.types.object_type import ObjectType
from autograph_lite.runtime.types.trace_type import Placeholders, TraceType, TracingContext, registered_maker
from autograph_lite.runtime.types.tree_paths import Part, differences
from autograph_lite.runtime.types.value_leaves import flatten_value


class Structure(TraceType):
    """The type of a pytree.

    Attributes:
      treedef: its structure, as of JAX; None is a leaf in it.
      leaves: the types of its leaves.
    """

    def __init__(self, treedef: Any, leaves: Sequence[TraceType]) -> None:
        self.treedef, self.leaves = treedef, tuple(leaves)
        self._static = tree_paths.static_types(treedef)
        self._hash = hash((treedef, self.leaves))

    @functools.cached_property
    def paths(self) -> tuple[str, ...]:
        """How the user gets at each leaf: "['w'][1]"."""
        return tree_paths.paths(self.treedef)

    def is_subtype_of(self, other: TraceType) -> bool:
        """Whether the structures are the same, and each leaf's type is a subtype."""
        if not isinstance(other, Structure) or not self._same_tree(other):
            return False
        return all(map(lambda a, b: a.is_subtype_of(b), self.leaves, other.leaves))

    def most_specific_common_supertype(self, others: Sequence[TraceType]) -> TraceType | None:
        """The same structure of the leaves' common supertypes."""
        alike = [other for other in others if isinstance(other, Structure) and self._same_tree(other)]
        if len(alike) != len(others):
            return None
        columns = zip(*(other.leaves for other in alike), strict=True) if alike else [()] * len(self.leaves)
        pairs = zip(self.leaves, columns, strict=True)
        common = [leaf.most_specific_common_supertype(column) for leaf, column in pairs]
        known = [leaf for leaf in common if leaf is not None]
        return Structure(self.treedef, known) if len(known) == len(common) else None

    def placeholder_value(self, context: Placeholders) -> Any:
        """The value with placeholders for its leaves; its containers are new ones."""
        return jax.tree.unflatten(self.treedef, [leaf.placeholder_value(context) for leaf in self.leaves])

    def parts(self) -> Sequence[TraceType]:
        """The types of the leaves."""
        return self.leaves

    def differences(self, other: TraceType, path: str) -> list[str]:
        """Where the leaves differ, or how the structures do."""
        if not isinstance(other, Structure):
            return super().differences(other, path)
        mine, its = (Part(type.treedef, type.leaves) for type in (self, other))
        return differences(mine, its, path)

    def _pairs(self, value: Any) -> list[tuple[TraceType, Any]]:
        return list(zip(self.leaves, flatten_value(value)[0], strict=True))

    def _same_tree(self, other: Structure) -> bool:
        return self._static == other._static and tree_paths.same_structure(self.treedef, other.treedef)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Structure) and self._same_tree(other) and self.leaves == other.leaves

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return tree_paths.structure_text(self.treedef, list(map(repr, self.leaves)))


def classes_in(found: TraceType) -> list[type]:
    """The classes of the nodes of a type, and those that its literals are, or are members of."""
    if isinstance(found, Literal):
        value = found.value
        return [value] if isinstance(value, type) else [type(value)] if isinstance(value, enum.Enum) else []
    nodes = [found.treedef] if isinstance(found, Structure) else []
    classes: list[type] = []
    while nodes:
        node = nodes.pop()
        data = node.node_data()
        classes += _classes_among(data)
        nodes += node.children()
    return [*classes, *(each for part in found.parts() for each in classes_in(part))]


def _classes_among(data: Any) -> list[type]:
    if isinstance(data, tuple):
        return [found for each in data for found in _classes_among(each)]
    return [data] if isinstance(data, type) else []


def from_value(value: Any, context: TracingContext) -> TraceType:
    """The trace type of a value.

    Raises:
      TypeError: an array that JAX has no dtype for, a weak reference, or a `__tracing_type__` that returns no TraceType.
    """
    leaves, treedef = flatten_value(value)
    types = [_of_leaf(leaf, context) for leaf in leaves]
    return types[0] if len(leaves) == 1 and leaves[0] is value else Structure(treedef, types)


def _of_leaf(value: Any, context: TracingContext) -> TraceType:
    make = registered_maker(value)
    if make is not None:
        return make(value, context)
    if context.specs and isinstance(value, (TraceType, jax.ShapeDtypeStruct)):
        return _meant(value)
    if becomes_array(value):
        return ArraySpec.from_array(value)
    _refuse(value)
    return Literal(value) if is_literal(value) else ObjectType(value, _contents(value))


def _meant(value: Any) -> TraceType:
    """The type that a spec stands for."""
    if isinstance(value, ArraySpec):
        return value.canonical()
    return value if isinstance(value, TraceType) else ArraySpec.from_array(value)


def _refuse(value: Any) -> None:
    refuse_subclass(value)
    if isinstance(value, np.ndarray):
        raise TypeError(
            f"A NumPy array of dtype {str(value.dtype)!r} can be neither traced nor told from others by its value: "
            "pass a list or a tuple."
        )
    if type(value) is slice and any(isinstance(each, np.ndarray) for each in _bounds(value)):
        raise TypeError(
            "A slice with a NumPy array in it can be neither traced nor told from others by its value: "
            "pass numbers, slice(int(start), int(stop))."
        )
    if type(value) in (weakref.ref, weakref.WeakMethod, *weakref.ProxyTypes):
        raise TypeError(f"A {type(value).__name__} can't be an argument: pass the object that it refers to.")


def _bounds(found: slice) -> tuple[Any, ...]:
    return found.start, found.stop, found.step


def _contents(value: Any) -> Hashable:
    """What an object holds where Python changes it in place."""
    if isinstance(value, bytearray):
        return bytes(value)
    if isinstance(value, (array.array, memoryview)):
        return value.tobytes()
    if type(value) is set:
        return Literal(frozenset(value))
    return contents_key(value) if is_container(value) else None
