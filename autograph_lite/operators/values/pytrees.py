"""Pytrees: what are the leaves of a value, where a dict has its keys in the order in which they were set?

    {"w": x, "b": y}                      JAX sorts the keys of a dict, and gives y before x
    {(0, 1): x, "k": y}                   and refuses this one

Such a dict is taken for a node with its keys in the order that Python has, and comes back as a dict.
"""

from __future__ import annotations

import builtins
import collections
import itertools
import sys
from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np

from autograph_lite.operators.values import boxes
from autograph_lite.operators.values.boxes import Box, Whole


def flatten(value: Any, is_leaf: Callable[[Any], bool] | None = None) -> tuple[list[Any], Any]:
    """The leaves of a value and its structure, as `jax.tree.flatten`; `jax.tree.unflatten` puts them together.

    Iterators are leaves (JAX would warn of them), and so are objects of ours that are pytrees to JAX.
    """
    if isinstance(value, _LEAVES):
        return jax.tree.flatten(value, is_leaf=is_leaf)
    unordered = False

    def ends(node: Any) -> bool:
        return isinstance(node, Whole) or is_iterator(node) or (is_leaf is not None and is_leaf(node))

    def stops(node: Any) -> bool:
        nonlocal unordered
        if ends(node):
            return True
        if type(node) in _SORTED:
            unordered = unordered or is_out_of_order(node)
        return unordered

    # JAX is not asked to sort what can't be: each time that it fails, Python 3.11 loses some of its recursion limit.
    found = jax.tree.flatten(value, is_leaf=stops)
    return found if not unordered else jax.tree.flatten(parted(value, ends, dict_node), is_leaf=ends)


_SORTED = (dict, collections.defaultdict)  # by JAX
_LEAVES = (jax.Array, np.ndarray, np.generic, bool, int, float, complex, str, type(None))


_MAPPINGS: tuple[Any, ...] = ({}, collections.OrderedDict())
VIEWS: tuple[type, ...] = tuple(
    type(view) for each in _MAPPINGS for view in (each.keys(), each.values(), each.items())
)


def is_iterator(node: Any) -> bool:
    """Whether `node` is an iterator of Python's own, or shows a dict's keys or values: to JAX a leaf that it warns of."""
    return type(node) in VIEWS or (
        type(node).__module__ in ("builtins", "itertools") and isinstance(node, Iterator)
    )


def leaves(value: Any, is_leaf: Callable[[Any], bool] | None = None) -> list[Any]:
    """The leaves of a value."""
    return flatten(value, is_leaf)[0]


def structure(value: Any) -> Any:
    """The structure of a value."""
    return flatten(value)[1]


def map(change: Callable[..., Any], first: Any, *others: Any) -> Any:
    """`first` with each leaf changed, given those of values of the same structure, as `jax.tree.map`."""
    found, tree = flatten(first)
    columns = [found, *(leaves(other) for other in others)]
    return jax.tree.unflatten(tree, [change(*row) for row in zip(*columns, strict=True)])


def unbox_leaves(value: Any) -> Any:
    """`value` with the arrays in place of the objects in it that stand for arrays; itself where there are none."""
    found, tree = flatten(value)
    if not any(isinstance(leaf, Box) for leaf in found):
        return value
    return jax.tree.unflatten(tree, [*builtins.map(boxes.unboxed, found)])


def flatten_up_to(tree: Any, value: Any) -> list[Any]:
    """The parts of a value that stand where a structure has leaves, whatever the order of the keys of its dicts.

    Raises:
      ValueError: it does not have that structure.
    """
    value = _with_keys_of(jax.tree.unflatten(tree, range(tree.num_leaves)), value)
    found: list[Any] = tree.flatten_up_to(parted(value, is_iterator, dict_node))
    return found


def _with_keys_of(other: Any, value: Any) -> Any:
    """`value` with the keys of its dicts in the order that those of another value have."""
    kind = type(value)
    if kind is not type(other) or kind not in (list, tuple, dict) or len(value) != len(other):
        return value
    if kind is not dict:
        return kind(builtins.map(_with_keys_of, other, value))
    return (
        {key: _with_keys_of(other[key], value[key]) for key in other}
        if value.keys() == other.keys()
        else value
    )


def is_unordered(node: Any) -> bool:
    """Whether `node` is a dict whose keys JAX can't sort."""
    if type(node) not in _SORTED or all(type(key) is str for key in node):
        return False
    try:
        sorted(node)
    except Exception:  # a user's comparison may do anything
        return True
    return False


def is_out_of_order(node: Any) -> bool:
    """Whether `node` is a dict whose keys were not set in the order in which JAX would put them."""
    if type(node) not in _SORTED or len(node) < 2:
        return False
    try:
        return any(one > other for one, other in itertools.pairwise(node))
    except Exception:  # a user's comparison may do anything
        return True


def holds_out_of_order(value: Any) -> bool:
    """Whether such a dict stands anywhere in `value`."""
    found = jax.tree.leaves(value, is_leaf=lambda node: is_out_of_order(node) or is_iterator(node))
    return any(builtins.map(is_out_of_order, found))


class Held:
    """A node in place of what JAX would refuse or take for a leaf.

    Args:
      parts: what is in it.
      make: (known, parts) -> the whole.
      known: what the whole has besides its parts; can be compared.
    """

    __slots__ = ("known", "make", "parts")

    def __init__(self, parts: list[Any], make: Callable[[Any, Any], Any], known: Any) -> None:
        self.parts, self.make, self.known = parts, make, known

    def __repr__(self) -> str:
        return repr(self.make(self.known, self.parts))


jax.tree_util.register_pytree_node(
    Held, lambda held: (held.parts, (held.make, held.known)), lambda made, parts: made[0](made[1], parts)
)


def parted(
    value: Any, ends: Callable[[Any], bool], node_of: Callable[[Any], Held | None], *, itself: bool = False,
    is_node: Callable[[Any], bool] = is_out_of_order,
) -> Any:  # fmt: skip
    """`value` with nodes in place of leaves of JAX's, and of what these hold; what holds itself is left as it is.

    Args:
      value: any.
      ends: whether something is a leaf, whatever it holds.
      node_of: another leaf -> its node, or None.
      itself: whether `value` becomes a node, also where JAX would take it apart.
      is_node: whether something else that JAX would take apart becomes one.
    """
    around: list[Any] = []

    def opened(value: Any) -> Any:
        found, tree = jax.tree.flatten(value, is_leaf=lambda item: ends(item) or is_node(item))
        nodes = [(n, made) for n, leaf in enumerate(found) if not ends(leaf) and (made := node_of(leaf))]
        for number, made in nodes:
            found[number] = filled(found[number], made)
        return jax.tree.unflatten(tree, found) if nodes else value

    def filled(owner: Any, made: Held) -> Any:
        if any(owner is other for other in around):
            raise _Cyclic
        if len(around) >= sys.getrecursionlimit() // FRAMES:
            raise RecursionError(
                f"A {type(owner).__name__} is inside of {len(around)} objects, one in the other, which is as deep as values are "
                "taken apart. Hold them in a list, or let `sys.setrecursionlimit` allow more."
            )
        around.append(owner)
        try:
            made.parts = [opened(item) for item in made.parts]
        except _Cyclic:
            if len(around) > 1:
                raise
            return owner
        finally:
            around.pop()
        return made

    made = node_of(value) if itself else None
    return opened(value) if made is None else filled(value, made)


FRAMES = 5  # of Python's that one more object around takes, in those who look at values


class _Cyclic(Exception):
    """An object holds itself."""


def dict_node(whole: Any) -> Held | None:
    """A dict that JAX would put in another order as a node of a pytree, with its keys in the order in which they were set."""
    if not is_out_of_order(whole):
        return None
    known = type(whole), getattr(whole, "default_factory", None), (*whole,)
    return Held([*whole.values()], _dict, known)


def _dict(known: Any, items: Any) -> Any:
    kind, factory, keys = known
    pairs = zip(keys, items, strict=True)
    return dict(pairs) if kind is dict else kind(factory, pairs)
