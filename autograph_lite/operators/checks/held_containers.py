"""Containers that JAX takes for leaves: how are a deque, a namespace and a subclass of dict or list taken apart and made again?

raise Full(deque([x]))                the exception that comes out of the call has a deque of the program's value
f"{Counter(a=x)}"                     and so has a text, which is completed when the program has run
"""

from __future__ import annotations

import argparse
import collections
import types
from collections.abc import Callable
from typing import Any

from autograph_lite.operators.values import instances, pytrees
from autograph_lite.operators.values.boxes import Whole

# What they hold, they hold in attributes.
_NAMESPACES = (
    types.SimpleNamespace,
    argparse.Namespace,
    collections.ChainMap,
    collections.UserDict,
    collections.UserList,
)
KINDS = (*_NAMESPACES, collections.deque, dict, list, tuple)


def opened(tree: Any, is_held: Callable[[Any], bool], around: tuple[Any, ...] = ()) -> Any:
    """`tree` with nodes that JAX can take apart in place of such containers; unflattened, they are the containers again.

    Args:
      tree: any value.
      is_held: whether a leaf is what is looked for: a container without it stays what it is.
      around: the containers that `tree` is in; one that holds itself stays a leaf.
    """
    if not any(isinstance(leaf, KINDS) for leaf in pytrees.leaves(tree)):
        return tree

    def node_of(leaf: Any) -> pytrees.Held | None:
        if not isinstance(leaf, KINDS) or any(leaf is other for other in around):
            return pytrees.dict_node(leaf)
        parts, known = _parts(leaf)
        inside = pytrees.leaves(opened(parts, is_held, (*around, leaf)))
        return pytrees.Held(parts, _made, known) if any(map(is_held, inside)) else pytrees.dict_node(leaf)

    return pytrees.parted(tree, lambda node: isinstance(node, Whole) or pytrees.is_iterator(node), node_of)


def _parts(whole: Any) -> tuple[list[Any], Any]:
    """What a container holds, its attributes last, and what it is besides."""
    attributes = instances.held_by(whole)
    keys, items = None, [] if isinstance(whole, _NAMESPACES) else [*whole]
    if isinstance(whole, dict):
        keys, items = items, [dict.__getitem__(whole, key) for key in items]
    known = (
        type(whole),
        keys,
        len(items),
        (*attributes,),
        whole.maxlen if isinstance(whole, collections.deque) else None,
    )
    return [*items, *attributes.values()], known


def _made(known: Any, parts: Any) -> Any:
    kind, keys, length, names, maxlen = known
    items = [*parts][:length]
    if issubclass(kind, tuple):
        whole = tuple.__new__(kind, items)
    elif issubclass(kind, collections.deque):
        whole = kind.__new__(kind)
        collections.deque.__init__(whole, items, maxlen)
    else:
        whole = kind.__new__(kind)
        if keys is not None:
            dict.update(whole, zip(keys, items, strict=True))
        elif issubclass(kind, list):
            list.extend(whole, items)
    for name, value in zip(names, [*parts][length:], strict=True):
        object.__setattr__(whole, name, value)
    return whole
