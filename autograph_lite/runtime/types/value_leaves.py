"""Leaves: what are those of a value, where dataclasses, None and dictionaries of any keys count?

Point(x, [y, None])      x, y and None; JAX takes a Point that nobody has registered for one leaf, and None for none
{(0, 1): x, "k": y}      x and y; JAX sorts the keys of a dict, and refuses this one
"""

from __future__ import annotations

from typing import Any

import jax

from autograph_lite.operators.values import dataclass_objects, pytrees
from autograph_lite.runtime.types.trace_type import TraceType, registered

Around = tuple[Any, ...]  # the objects that a value is inside of


def flatten(value: Any) -> tuple[list[Any], Any]:
    """The leaves of a value and its structure; `jax.tree.unflatten` makes a value of other leaves.

    An object that holds itself is a leaf, and so is what has trace types of its own.
    """
    return jax.tree.flatten(_opened(value, ()), is_leaf=is_leaf)


def flatten_up_to(treedef: Any, value: Any) -> list[Any]:
    """The parts of a value that stand where a structure has its leaves.

    Raises:
      ValueError: the value does not have that structure.
    """
    found: list[Any] = treedef.flatten_up_to(_opened(value, ()))
    return found


def is_leaf(value: Any) -> bool:
    """Whether a value is a leaf, whatever JAX takes it for."""
    if value is None or isinstance(value, TraceType) or registered(value) is not None:
        return True
    return pytrees.is_iterator(value) or pytrees.is_unordered(value)


def _opened(value: Any, around: Around) -> Any:
    leaves, tree = jax.tree.flatten(value, is_leaf=is_leaf)
    if not any(map(_is_open, leaves)):
        return value
    return jax.tree.unflatten(tree, [_node(leaf, around) if _is_open(leaf) else leaf for leaf in leaves])


def _is_open(leaf: Any) -> bool:
    return pytrees.is_unordered(leaf) or (dataclass_objects.is_structure(leaf) and not is_leaf(leaf))


def node(owner: Any) -> Any:
    """A dataclass object as a node; the object itself where it holds itself."""
    return _node(owner, ())


def _node(owner: Any, around: Around) -> Any:
    try:
        if any(owner is other for other in around):
            raise _Cyclic
        made = pytrees.node(owner) if isinstance(owner, dict) else dataclass_objects.node(owner)
        made.parts = [_opened(item, (*around, owner)) for item in made.parts]
        return made
    except _Cyclic:
        if around:
            raise
        return owner


class _Cyclic(Exception):
    """An object holds itself."""


def keys_of(treedef: Any) -> list[str]:
    """What to write after a node's name to get at each of its children."""
    kind, static = treedef.node_data()
    if kind is pytrees.Held:
        make, (*_, keys) = static
        return [f".{key}" if make is dataclass_objects.made else f"[{key!r}]" for key in keys]
    whole = jax.tree.unflatten(treedef, range(treedef.num_leaves))
    found, _ = jax.tree_util.tree_flatten_with_path(whole, is_leaf=lambda node: node is not whole)
    return [jax.tree_util.keystr(path) for path, _ in found]
