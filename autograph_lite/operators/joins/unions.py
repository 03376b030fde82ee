"""Union types: what type has a variable that is None on one path and an array on another?

    best = None; best = x                 OneOf(tag, None, float32[])
    ("ok", x) | ("bad", y)                (OneOf(tag, "bad", "ok"), float32[])

Types are united from the outside in, and are one of several where they part: variants of one kind are joined, others are
put beside each other, so that a union only grows. None comes first and arrays last, which makes unions of the same
variants equal.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph_lite.operators.values import pytrees
from autograph_lite.operators.values.one_of import OneOf
from autograph_lite.operators.values.values import are_equal

LIMIT = 16  # variants


class Node(NamedTuple):
    """A part of a type or of a value."""

    tree: Any  # its structure
    leaves: Sequence[Any]  # their types; values where a value is brought to a type


class Apart(Exception):
    """Two types that no union holds."""

    def __init__(self, many: Sequence[Node] = ()) -> None:
        super().__init__()
        self.many = many  # the variants, where they are more than `LIMIT`


_LEAF = jax.tree.structure(0)
_UNION: Any = jax.tree.structure(OneOf(0, ()))
_UNION = _UNION.node_data()
_ABSENT: Any = object()  # a leaf of a variant that a value is not


@functools.lru_cache(maxsize=4096)
def _has_union(tree: Any) -> bool:
    return _is_union(tree) or any(map(_has_union, tree.children()))


def has_union(tree: Any) -> bool:
    """Whether a part of a structure is one of several."""
    if tree is None or tree == _LEAF:
        return False
    try:
        return _has_union(tree)
    except TypeError:  # a user's pytree that can't be hashed
        return _is_union(tree) or any(map(has_union, tree.children()))


def _is_union(tree: Any) -> bool:
    data = tree.node_data()
    return data is not None and data[0] is OneOf


def _parts(node: Node) -> list[Node]:
    parts, at = [], 0
    for child in node.tree.children():
        parts.append(Node(child, node.leaves[at : at + child.num_leaves]))
        at += child.num_leaves
    return parts


def _variants(node: Node) -> list[Node]:
    return _parts(node)[1:] if _is_union(node.tree) else [node]


def taken_apart(node: Node) -> tuple[Any, Sequence[Node]]:
    """The tag of what is one of several, and its variants; else no tag, and the node."""
    return (node.leaves[0] if _is_union(node.tree) else None), _variants(node)


def _built(data: Any, parts: Sequence[Node]) -> Node:
    make: Any = jax.tree_util.PyTreeDef.from_node_data_and_children
    tree = make(jax.tree_util.default_registry, data, [part.tree for part in parts])
    return Node(tree, [leaf for part in parts for leaf in part.leaves])


class Uniting(NamedTuple):
    """How leaves are joined."""

    join: Callable[[Any, Any], Any]  # two leaves -> the least that holds both; None where there is none
    kind: Callable[[Any], Hashable]  # a leaf -> what makes two variants one; None of what is no variant
    tag: Any  # the type of a tag
    # whether tuples, lists and dicts of unlike structure are variants: in a loop, one that gets longer would be more and more
    lengths: bool

    def unite(self, a: Node, b: Node) -> Node:
        """The least type that holds both. Raises Apart: there is none."""
        if a.tree == b.tree == _LEAF and (joined := self.join(a.leaves[0], b.leaves[0])) is not None:
            return Node(_LEAF, [joined])
        x, y = a.tree.node_data(), b.tree.node_data()
        if x is not None and not _is_union(a.tree) and are_equal(x, y):
            inside = _parts(a), _parts(b)
            if len(inside[0]) == len(inside[1]):
                return _built(x, list(map(self.unite, *inside)))
        return self._union([*_variants(a)], _variants(b))

    def _union(self, found: list[Node], others: Sequence[Node]) -> Node:
        kinds = list(map(self._kind, found))
        for other in others:
            kind = self._kind(other)
            if kind in kinds:
                at = kinds.index(kind)
                if (
                    found[at].tree == other.tree == _LEAF
                    and self.join(found[at].leaves[0], other.leaves[0]) is None
                ):
                    raise Apart
                found[at] = self.unite(found[at], other)
            else:
                found.append(other)
                kinds.append(kind)
        classes = [kind[1] for kind in kinds if kind[0] == 2]
        containers = [kind for kind in classes if kind in (tuple, list, dict)]
        if (len(containers) > 1 and not self.lengths) or (len(kinds) > 1 and not SOLE.isdisjoint(classes)):
            raise Apart
        if len(found) > LIMIT:
            raise Apart(found)
        ranked = sorted(range(len(found)), key=lambda n: kinds[n][0])
        return _built(_UNION, [Node(_LEAF, [self.tag]), *(found[n] for n in ranked)])

    def _kind(self, node: Node) -> Any:
        """What makes two variants one, after the place that it has among them."""
        if node.tree == _LEAF:
            kind = self.kind(node.leaves[0])
            if kind is None:
                raise Apart
            return (3,) if kind == ARRAY else (1, kind)
        kind, known = node.tree.node_data()
        if kind is pytrees.Held:  # a dataclass object, or a dict whose keys JAX can't sort
            kind = known[1][0]
        return (0,) if kind is type(None) else (2, kind, _Comparable(known), len(node.tree.children()))

    def fit(self, source: Node, target: Node) -> list[Any]:
        """The leaves of a value, in the places that those of a wider type have; `is_absent` says which have no value."""
        if not has_union(target.tree):
            return list(source.leaves)
        if not _is_union(target.tree):
            inside = _parts(source), _parts(target)
            return [leaf for a, b in zip(*inside, strict=True) for leaf in self.fit(a, b)]
        variants = _parts(target)[1:]
        kinds, given = list(map(self._kind, variants)), _variants(source)
        places = [kinds.index(self._kind(variant)) for variant in given]
        tag: Any = places[0]
        if _is_union(source.tree):
            tag = (
                source.leaves[0] if places == [*range(len(places))] else Renumbered(source.leaves[0], places)
            )
        leaves = [tag]
        for number, variant in enumerate(variants):
            absent = [_ABSENT] * variant.tree.num_leaves
            leaves += self.fit(given[places.index(number)], variant) if number in places else absent
        return leaves


ARRAY = "array"
# Classes of what stands for the items of a list, beside which there is no other variant.
SOLE: set[type] = set()


def is_absent(leaf: Any) -> bool:
    """Whether a leaf belongs to a variant that the value is not."""
    return leaf is _ABSENT


class Renumbered(NamedTuple):
    """The number of a variant in a wider union: the tag, and where each of its variants is."""

    tag: Any
    places: Sequence[int]

    def number(self, tag: Any) -> Any:
        """The place of the variant, given the tag."""
        if isinstance(tag, (int, np.integer)):
            return self.places[int(tag)]
        first = self.places[0]
        if list(self.places) == [*range(first, first + len(self.places))]:
            return tag + np.int32(first)
        if np.ndim(tag):  # of the items of a list
            return jnp.asarray(self.places, np.int32)[tag]
        return lax.select_n(tag, *map(np.int32, self.places))


class _Comparable:
    """What a node has besides its parts, which may refuse to be compared."""

    def __init__(self, known: Any) -> None:
        self.known = known

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Comparable) and are_equal(self.known, other.known)

    __hash__ = None  # type: ignore[assignment]
