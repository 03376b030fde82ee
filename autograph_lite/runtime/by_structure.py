"""What serves calls of one structure, where `jax.jit` sees the arrays alone? The structure, the literals and objects tell.

f({"w": x, "n": 3})      (the structure, (Literal[3], None)) -> an entry, which is called with x
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Hashable
from typing import Any, Generic, NamedTuple, TypeVar

import jax

from autograph_lite.runtime import shallow, tree_paths
from autograph_lite.runtime.array_spec import ArraySpec, array_types
from autograph_lite.runtime.object_type import objects_in
from autograph_lite.runtime.structures import from_value
from autograph_lite.runtime.trace_types import TraceType, TracingContext, registered

E = TypeVar("E")
# What JAX's structures consist of, where they are of lists, tuples and dictionaries with texts for keys.
_SIMPLE = frozenset([str, *map(type, gc.get_referents(jax.tree.structure(0)))])
_SHOWN = all(1.5 in gc.get_referents(jax.tree.structure(node)) for node in ({1.5: 0}, [{1.5: 0}]))


class Key(NamedTuple):
    """What tells calls apart beside their arrays.

    Attributes:
      tree: the structure, as of JAX, which takes keys and static parts for the same that are equal.
      kinds: the types of the leaves that are no arrays.
      static: the types of the keys and static parts.
    """

    tree: Any
    kinds: tuple[TraceType | None, ...] = ()
    static: Hashable = None


class ByStructure(Generic[E]):
    """Entries by the structure of calls, and by the types of the leaves that are no arrays.

    Args:
      make: gives a new entry.
    """

    def __init__(self, make: Callable[[], E]) -> None:
        self._make = make
        self._entries: dict[Key, E | None] = {}  # None where JAX's structure says too little
        self._simple: dict[Any, E] = {}  # by the structure alone
        self._shallow: dict[shallow.Shape, E] = {}

    def find(
        self,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        is_leaf: Callable[[Any], bool] | None = None,
    ) -> tuple[E | None, list[Any]]:
        """The entry for a call, which is None if the policy has to look at it; and the call's arrays."""
        found = shallow.parted(args, kwargs)
        if found is None:
            return self._deeper((args, kwargs), is_leaf)
        entry = self._shallow.get(found[0])
        if entry is None:
            entry = self._shallow[found[0]] = self._make()
        return entry, found[1]

    def _deeper(self, arguments: Any, is_leaf: Callable[[Any], bool] | None) -> tuple[E | None, list[Any]]:
        leaves, tree = jax.tree_util.tree_flatten(arguments, is_leaf)
        if array_types().issuperset(map(type, leaves)) and _is_simple(tree):
            entry = self._simple.get(tree)
            if entry is None and not _has_hidden_types(arguments):
                entry = self._simple[tree] = self._make()
            return entry, leaves
        return self._typed(arguments, leaves, tree)

    def _typed(self, arguments: Any, leaves: list[Any], tree: Any) -> tuple[E | None, list[Any]]:
        kinds = tuple(None if isinstance(leaf, jax.Array) else _leaf_type(leaf) for leaf in leaves)
        if any(kind is not None and kind.parts() for kind in kinds):
            return None, []  # there are arrays in what is a leaf to JAX
        key = Key(tree, kinds, tree_paths.static_types(tree))
        if key not in self._entries:
            self._entries[key] = None if _has_hidden_types(arguments) else self._make()
        return self._entries[key], [leaf for leaf, kind in zip(leaves, kinds, strict=True) if kind is None]

    def clear(self) -> None:
        """Forgets all entries."""
        self._entries.clear()
        self._simple.clear()
        self._shallow.clear()

    def forget_dead(self) -> None:
        """Forgets what serves calls with objects that are gone."""
        for key in [key for key in list(self._entries) if _is_dead(key)]:
            self._entries.pop(key, None)


def _is_simple(tree: Any) -> bool:
    """Whether structures that equal this one are the same; Python's own look at what it holds takes a microsecond."""
    return _SHOWN and _SIMPLE.issuperset(map(type, gc.get_referents(tree)))


def _leaf_type(leaf: Any) -> TraceType | None:
    """The type of a literal or an object; None for an array."""
    found = from_value(leaf, TracingContext())
    return None if isinstance(found, ArraySpec) else found


def _has_hidden_types(arguments: Any) -> bool:
    """Whether one type is that of a whole structure of JAX's, or of a leaf that holds arrays."""
    values = jax.tree.leaves(arguments, is_leaf=lambda value: registered(value) is not None)
    typed = [value for value in values if registered(value) is not None]
    hold_arrays = (from_value(value, TracingContext()).arrays(value) for value in typed)
    return not jax.tree_util.all_leaves(typed) or any(hold_arrays)


def _is_dead(key: Key) -> bool:
    objects = [found for kind in key.kinds if kind is not None for found in objects_in(kind)]
    return any(found.referent() is None for found in objects)
