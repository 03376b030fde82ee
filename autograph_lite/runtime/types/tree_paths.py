"""Tree paths: how does the user get at each leaf of a structure, how does it look, and where does another one differ?

JAX's own description of a structure tells neither `1` from `True` among the keys and the static fields of its nodes, nor
where a leaf is in a dataclass.
"""

from __future__ import annotations

import dataclasses
import re
import types
from collections.abc import Hashable, Sequence
from typing import Any

import jax

from autograph_lite.runtime.types.literal import Literal
from autograph_lite.runtime.types.trace_type import TraceType
from autograph_lite.runtime.types.value_leaves import keys_of


def same_structure(one: Any, other: Any) -> bool:
    """Whether two structures are the same; not if what the nodes hold can't be compared, as arrays can't."""
    try:
        return one is other or bool(one == other)
    except Exception:  # what users' nodes hold may raise anything
        return False


def static_types(treedef: Any) -> Hashable:
    """The classes of the nodes of a structure, and the types of what they keep, keys and static fields.

    None where the keys are texts, and lists, tuples and dictionaries are all there is. JAX takes two classes that are
    registered as dataclasses for one.
    """
    data = treedef.node_data()
    if data is None:
        return None
    kind = data[0] if data[0] not in (list, tuple, dict) else None
    found = kind, types_in(data[1]), tuple(map(static_types, treedef.children()))
    return found if any(part is not None for part in (*found[:2], *found[2])) else None


_EQUAL_TO_NO_OTHERS = frozenset(
    [str, bytes, types.NoneType, types.FunctionType, types.BuiltinFunctionType, type]
)


PLAIN: set[tuple[type, ...]] = set()  # types of items of tuples, where none has parts
_WITH_PARTS = (dict, list, tuple, frozenset, float, complex)
_MOST = 4096


def with_types(static: Any) -> tuple[Any, Any]:
    """What a node keeps, and the types in it; those of tuples without parts in them are noted in `PLAIN`."""
    if type(static) is not tuple:
        return static, types_in(static)
    kinds = tuple(map(type, static))
    return static, kinds if _are_plain(kinds) else types_in(static)


def _are_plain(kinds: tuple[type, ...]) -> bool:
    """Whether no type is of values with parts; notes them."""
    if kinds in PLAIN:
        return True
    if any(issubclass(kind, _WITH_PARTS) or dataclasses.is_dataclass(kind) for kind in kinds):
        return False
    if len(PLAIN) >= _MOST:
        PLAIN.clear()
    PLAIN.add(kinds)
    return True


def types_in(static: Any) -> Any:
    """The types of what a node keeps, where values of other types may equal it; of floats the sign, too."""
    kind: Any = type(static)
    if kind in _EQUAL_TO_NO_OTHERS:
        return None
    if isinstance(static, dict):
        static = [*static, *static.values()]
    elif not isinstance(static, (list, tuple)) and dataclasses.is_dataclass(static):
        static = [getattr(static, field.name, None) for field in dataclasses.fields(static)]
    if isinstance(static, (list, tuple)):
        kinds = tuple(map(type, static))
        if _EQUAL_TO_NO_OTHERS.issuperset(kinds):
            return kind if kind not in (list, tuple, dict) else None  # most of them
        return kind, *((kinds,) if _are_plain(kinds) else map(types_in, static))
    if kind is frozenset:
        return Literal(static)
    if isinstance(static, (float, complex)):
        return kind, repr(static)
    return kind


def paths(treedef: Any) -> tuple[str, ...]:
    """What to write after a value's name to get at each of its leaves."""
    if treedef.node_data() is None:
        return ("",)
    rows = zip(child_keys(treedef), treedef.children(), strict=True)
    return tuple(key + rest for key, child in rows for rest in paths(child))


def child_keys(treedef: Any) -> list[str]:
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


def structure_text(treedef: Any, leaves: Sequence[str]) -> str:
    """The structure as Python prints it, on one line, with a text for each leaf."""
    try:
        text = repr(jax.tree.unflatten(treedef, list(map(_Text, leaves))))
        return re.sub(r"\s*\n\s*", " ", text)  # some libraries print a field a line
    except Exception:  # users' classes may refuse to be made, or printed, with texts in them
        return f"{treedef}: {', '.join(leaves)}"


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
        for key, child in zip(child_keys(self.treedef), self.treedef.children(), strict=True):
            found[key] = Part(child, self.leaves[start : start + child.num_leaves])
            start += child.num_leaves
        return found

    def __str__(self) -> str:
        return structure_text(self.treedef, list(map(repr, self.leaves)))


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
    same = new.treedef == old.treedef and static_types(new.treedef) == static_types(old.treedef)
    return found if found or same else [f"{path}: {new} where {old} was"]
