"""How does the user get at each leaf of a structure, and what does the structure look like?

JAX's own description of a structure tells neither `1` from `True` among the keys and the static fields of its nodes, nor
where a leaf is in a dataclass.
"""

from __future__ import annotations

import re
import types
from collections.abc import Hashable, Sequence
from typing import Any

import jax

from autograph_lite.runtime.literals import Literal
from autograph_lite.runtime.opening import keys_of


def equal(one: Any, other: Any) -> bool:
    """Whether two structures are the same; not if what the nodes hold can't be compared, as arrays can't."""
    try:
        return one is other or bool(one == other)
    except Exception:  # what users' nodes hold may raise anything
        return False


def static_types(treedef: Any) -> Hashable:
    """The types of what the nodes of a structure keep, keys and static fields; of floats the sign, too."""
    data = treedef.node_data()
    if data is None:
        return None
    found = _types(data[1]), tuple(map(static_types, treedef.children()))
    return found if found[0] is not None or any(part is not None for part in found[1]) else None


def _types(static: Any) -> Hashable:
    kind: Any = type(static)
    if kind is dict:
        static = [*static, *static.values()]
    if isinstance(static, (list, tuple, dict)):
        found = tuple(map(_types, static))
        return found if any(part is not None for part in found) else None
    if kind is frozenset:
        return Literal(static)
    if isinstance(static, (float, complex)):
        return kind, repr(static)
    return kind if kind not in (str, bytes, types.NoneType) else None  # most of them, and equal to no others


def paths(treedef: Any) -> tuple[str, ...]:
    """What to write after a value's name to get at each of its leaves."""
    if treedef.node_data() is None:
        return ("",)
    rows = zip(keys(treedef), treedef.children(), strict=True)
    return tuple(key + rest for key, child in rows for rest in paths(child))


def keys(treedef: Any) -> list[str]:
    """What to write after a node's name to get at each of its children."""
    count = len(treedef.children())
    try:
        found = keys_of(treedef)
    except Exception:  # users' nodes are made of what stands for the leaves
        found = []
    return found if len(found) == count else [f"[{i}]" for i in range(count)]


class _Text:
    """Prints as a text."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def shown(treedef: Any, leaves: Sequence[str]) -> str:
    """The structure as Python prints it, on one line, with a text for each leaf."""
    try:
        text = repr(jax.tree.unflatten(treedef, list(map(_Text, leaves))))
        return re.sub(r"\s*\n\s*", " ", text)  # some libraries print a field a line
    except Exception:  # users' classes may refuse to be made, or printed, with texts in them
        return f"{treedef}: {', '.join(leaves)}"
