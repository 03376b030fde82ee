"""Which lists and dicts may be one of several, so that writing to them would have to change another one too?

    a = xs if c else ys                   # staged: `a` is a new list of the joined items
    a[0] = 1                              # Python would change xs or ys: refused

Where paths hold different containers, the joined value is a new one. That is right as long as nobody writes to it, or
to those that it stands for. So they are remembered until the trace is over, and a write is an error. Containers that
every path has made for itself are nobody else's, and stay free.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any

import jax

from autograph_lite import _jax
from autograph_lite.converters.python_ops import Maybe
from autograph_lite.errors import MutationError
from autograph_lite.operators import trees, where


class _Local(threading.local):
    def __init__(self) -> None:
        self.shared: dict[int, Any] = {}


_local = _Local()


def containers(value: Any) -> list[Any]:
    """The lists and dicts in a value, itself included."""
    found: list[Any] = []

    def visit(node: Any) -> bool:
        if isinstance(node, (list, dict)):
            found.append(node)
        if trees.is_unordered(node):
            for item in node.values():
                found.extend(containers(item))
            return True
        return False

    if isinstance(value, Maybe):
        value = value.value
    if value is not None and not isinstance(value, (jax.Array, int, float, str)):
        jax.tree.flatten(value, is_leaf=visit)
    return found


def share(owners: Iterable[Any]) -> None:
    """Remembers containers of which one may stand for another, until the trace is over."""
    if not _local.shared and _jax.tracing():
        _jax.when_trace_ends(_local.shared.clear)
    _local.shared.update((id(owner), owner) for owner in owners)


def refuse_write(owner: Any) -> None:
    """Raises MutationError if a write to `owner` may have to change another container."""
    if _local.shared and _local.shared.get(id(owner)) is owner:
        kind = type(owner).__name__
        raise MutationError(
            f"A {kind} is written to that is one object on one path of a staged statement and another on another path.",
            where=where.here(),
            why="Which of them the write would have to change depends on a traced value.",
            fix=f"make a new {kind} first: {kind}(...).",
        )
