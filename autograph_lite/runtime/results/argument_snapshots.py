"""Snapshots: which objects among the arguments are rebuilt from their values, and has anybody changed them since?

A function sees a registered pytree, such as a module of Flax NNX, as an object that was made of traced arrays. What it
changes there would be lost. Converted code notes what it changes; libraries do not, so the values are compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import jax

from autograph_lite.runtime.types import tree_paths


class Contents:
    """What registered pytrees hold now."""

    def __init__(self, owners: Iterable[Any]) -> None:
        self._held = [(owner, *jax.tree.flatten(owner), *jax.tree.flatten(owner)) for owner in owners]

    def changed(self) -> Iterator[tuple[Any, str]]:
        """Those that hold something else now, each with the path to it; "" where it has none."""
        for owner, leaves, tree, again, same in self._held:
            found = jax.tree.leaves_with_path(owner)
            # What is made again each time that it is asked for tells nothing of changes.
            if tree_paths.same_structure(tree, same) and not tree_paths.same_structure(
                tree, jax.tree.structure(owner)
            ):
                yield owner, ""
            elif len(leaves) == len(again) == len(found):
                for leaf, stable, (path, new) in zip(leaves, again, found, strict=True):
                    if leaf is stable and leaf is not new:
                        yield owner, _spelled(path)


def _spelled(path: Any) -> str:
    if any(isinstance(key, jax.tree_util.FlattenedIndexKey) for key in path):
        return ""  # the class has no names for its values
    return jax.tree_util.keystr(path, simple=True, separator=".")
