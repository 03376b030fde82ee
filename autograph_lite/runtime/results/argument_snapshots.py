"""Which objects among the arguments are made anew of their values, and has anybody changed them since?

A function sees a registered pytree, such as a module of Flax NNX, as an object that was made of traced arrays. What it
changes there would be lost. Converted code notes what it changes; libraries do not, so the values are compared.
"""

from __future__ import annotations

import collections
from collections.abc import Iterator
from typing import Any

import jax

from autograph_lite.operators.iteration.iterables import Stepping
from autograph_lite.operators.values import dataclass_objects as dataclass_objects, instances, pytrees
from autograph_lite.operators.values.boxes import Whole
from autograph_lite.runtime.types import tree_paths

_CONTAINERS = (list, tuple, dict, collections.deque, type(None))
_LEAVES = (jax.Array, int, float, str)


class Contents:
    """What the registered pytrees in a value hold now.

    Args:
      value: the arguments of a call.
    """

    def __init__(self, value: Any) -> None:
        self._held = [(owner, *jax.tree.flatten(owner), *jax.tree.flatten(owner)) for owner in objects(value)]

    def changed(self) -> Iterator[tuple[Any, str]]:
        """Those that hold something else now, each with the path to it; "" where it has none."""
        for owner, leaves, tree, again, same in self._held:
            found = jax.tree.leaves_with_path(owner)
            # What is made anew each time that it is asked for tells nothing of changes.
            if tree_paths.equal(tree, same) and not tree_paths.equal(tree, jax.tree.structure(owner)):
                yield owner, ""
            elif len(leaves) == len(again) == len(found):
                for leaf, stable, (path, new) in zip(leaves, again, found, strict=True):
                    if leaf is stable and leaf is not new:
                        yield owner, _spelled(path)


def _spelled(path: Any) -> str:
    if any(isinstance(key, jax.tree_util.FlattenedIndexKey) for key in path):
        return ""  # the class has no names for its values
    return jax.tree_util.keystr(path, simple=True, separator=".")


def objects(value: Any, around: tuple[Any, ...] = ()) -> list[Any]:
    """The registered pytrees in a value, itself included, of which none is Python's own.

    Args:
      value: it is.
      around: the dataclass objects that it is inside of, of which one may be in itself.
    """
    found: list[Any] = []

    def visit(node: Any) -> bool:
        if isinstance(node, (Whole, Stepping)) or pytrees.is_iterator(node):  # ours know what has changed
            return True
        if dataclass_objects.is_structure(node):
            if not any(node is other for other in around):
                inside = [*instances.held_by(node).values()]
                found.extend(objects(inside, (*around, node)))
        elif pytrees.is_unordered(node):
            found.extend(objects([*node.values()], around))
            return True
        elif not isinstance(node, (*_CONTAINERS, *_LEAVES)) and not jax.tree_util.all_leaves([node]):
            found.append(node)
        return False

    jax.tree.flatten(value, is_leaf=visit)
    return found
