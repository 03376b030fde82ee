"""Tree differences: where do two structures differ, in the words of the user?

{"w": [x, y]} and {"w": (x, y), "b": z}      "x['w']: [float32[3], float32[3]] where (float32[3], float32[3]) was"
                                             "x['b']: nothing where float32[] was"
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from autograph_lite.runtime.types import tree_paths
from autograph_lite.runtime.types.trace_type import TraceType


@dataclasses.dataclass(frozen=True)
class Part:
    """A structure, or a part of one, and the types of its leaves."""

    treedef: Any
    leaves: Sequence[TraceType]

    @property
    def kind(self) -> Any:
        """The class of its outermost node; None for a leaf."""
        data = self.treedef.node_data()
        return data and data[0]

    def children(self) -> dict[str, Part]:
        """The parts under its outermost node, by what to write to get at each."""
        found, start = {}, 0
        for key, child in zip(tree_paths.child_keys(self.treedef), self.treedef.children(), strict=True):
            found[key] = Part(child, self.leaves[start : start + child.num_leaves])
            start += child.num_leaves
        return found

    def __str__(self) -> str:
        return tree_paths.structure_text(self.treedef, list(map(repr, self.leaves)))


def differences(new: Part, old: Part, path: str) -> list[str]:
    """What is at each place where the two differ, and what was: the innermost places that tell it."""
    if new.kind is None and old.kind is None:
        return new.leaves[0].differences(old.leaves[0], path)
    if new.kind is not old.kind:
        return [f"{path}: {new} where {old} was"]
    mine, its = new.children(), old.children()
    found: list[str] = []
    for key, part in mine.items():
        before = its.get(key)
        fresh = [f"{path}{key}: {part} where nothing was"]
        found += differences(part, before, path + key) if before is not None else fresh
    found += [f"{path}{key}: nothing where {part} was" for key, part in its.items() if key not in mine]
    same = new.treedef == old.treedef and tree_paths.static_types(new.treedef) == tree_paths.static_types(
        old.treedef
    )
    return found if found or same else [f"{path}: {new} where {old} was"]
