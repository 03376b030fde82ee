"""Dataclasses are structures, as tuples and dicts are: two paths may leave different ones of a class.

    p = Point(x, y) if c else Point(y, x)     a new Point, of the joined x and the joined y

JAX takes an object that nobody has registered for a leaf. So before a value is taken apart, its dataclasses are put into
nodes that JAX can take apart, and that come back as the objects themselves.
"""

from __future__ import annotations

from typing import Any

import jax

from autograph_lite.operators import places, trees
from autograph_lite.operators.boxes import Whole


def is_structure(value: Any) -> bool:
    """Whether `value` is a dataclass object that JAX takes for a leaf."""
    return hasattr(type(value), "__dataclass_fields__") and not isinstance(value, Whole)


def opened(leaves: list[Any], tree: Any) -> tuple[list[Any], Any]:
    """The leaves and the tree of a value where dataclasses are no leaves any more, but what is in them."""
    if not any(map(is_structure, leaves)):
        return leaves, tree
    nodes = [_node(leaf) if is_structure(leaf) else leaf for leaf in leaves]
    found, whole = trees.flatten(jax.tree.unflatten(tree, nodes))
    return opened(found, whole)


def attributes(owner: Any) -> dict[str, Any]:
    """What an object holds: its attributes, in slots or not."""
    return {**(places.attributes_of(owner) or {}), **places.slot_contents(owner)}


def _node(owner: Any) -> trees.Held:
    held = attributes(owner)
    return trees.Held(list(held.values()), _object, (type(owner), tuple(held)))


def _object(kind_and_names: Any, values: Any) -> Any:
    kind, names = kind_and_names
    made = object.__new__(kind)
    for name, value in zip(names, values, strict=True):
        object.__setattr__(made, name, value)
    return made
