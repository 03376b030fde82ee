"""Leaves: what are those of a value, where dataclasses, None and dictionaries of any keys count?

Point(x, [y, None])      x, y and None; JAX takes a Point that nobody has registered for one leaf, and None for none
{"w": x, "b": y}         y and x, as of JAX, which sorts the keys: who gives them in another order gets the same trace
{(0, 1): x, "k": y}      x and y; JAX can't sort the keys, and refuses
"""

from __future__ import annotations

from typing import Any

import jax

from autograph_lite.operators.values import dataclass_objects, pytrees
from autograph_lite.runtime.types.trace_type import TraceType, registered_maker


def flatten_value(value: Any) -> tuple[list[Any], Any]:
    """The leaves of a value and its structure; `jax.tree.unflatten` makes a value of other leaves.

    An object that holds itself is a leaf, and so is what has trace types of its own.
    """
    return jax.tree.flatten(_parted(value), is_leaf=is_value_leaf)


def flatten_value_up_to(treedef: Any, value: Any) -> list[Any]:
    """The parts of a value that stand where a structure has leaves. Raises ValueError: it does not have that structure."""
    found: list[Any] = treedef.flatten_up_to(_parted(value))
    return found


def is_value_leaf(value: Any) -> bool:
    """Whether a value is a leaf, whatever JAX takes it for."""
    return _ends(value) or pytrees.is_unordered(value)


def _parted(value: Any, *, itself: bool = False) -> Any:
    return pytrees.parted(value, _ends, _node_of, itself=itself, is_node=pytrees.is_unordered)


def _ends(value: Any) -> bool:
    return (
        value is None
        or isinstance(value, TraceType)
        or registered_maker(value) is not None
        or pytrees.is_iterator(value)
    )


def _node_of(leaf: Any) -> pytrees.Held | None:
    return (
        dataclass_objects.dataclass_node(leaf)
        if dataclass_objects.is_record(leaf)
        else pytrees.dict_node(leaf)
    )


def object_node(owner: Any) -> Any:
    """A dataclass object as a node; the object itself where it holds itself."""
    return _parted(owner, itself=True)


def keys_of(treedef: Any) -> list[str]:
    """What to write after a node's name to get at each of its children."""
    kind, static = treedef.node_data()
    if kind is pytrees.Held:
        make, (*_, keys) = static
        return [f".{key}" if make is dataclass_objects.rebuild_dataclass else f"[{key!r}]" for key in keys]
    whole = jax.tree.unflatten(treedef, range(treedef.num_leaves))
    found, _ = jax.tree_util.tree_flatten_with_path(whole, is_leaf=lambda node: node is not whole)
    return [jax.tree_util.keystr(path) for path, _ in found]
