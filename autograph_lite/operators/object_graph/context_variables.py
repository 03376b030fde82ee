"""Context variables: what does Python hold in a ContextVar or a SimpleQueue, which have no attributes or items to look at?

current.set(x)          a ContextVar is carried by the program as an attribute is: set at every call
log.put(x)              what is in a SimpleQueue can't be replaced there: a traced value in it is refused
"""

from __future__ import annotations

import collections
import contextvars
import gc
import queue
import sys
import threading
from collections.abc import Callable, Hashable
from typing import Any

from autograph_lite.operators.values.place import MISSING, Place

_VALUE = "value"
_NONE = object()


class _Local(threading.local):
    """For ContextVars that had not been set, the tokens of that time: nothing else can make them so again."""

    def __init__(self) -> None:
        self.tokens: dict[contextvars.ContextVar[Any], collections.deque[contextvars.Token[Any]]] = {}


_local = _Local()


def context_variable_place(owner: Any) -> Place | None:
    """The place that a ContextVar is; None where it is another kind of object."""
    if not isinstance(owner, contextvars.ContextVar):
        return None
    return Place(
        owner,
        lambda: _read(owner),
        lambda new: _write(owner, new),
        lambda _: f"the ContextVar {owner.name!r}",
        default=lambda _: contextvars.Context().run(owner.get, MISSING),
    )


def setting(variable: contextvars.ContextVar[Any]) -> Callable[[Any], contextvars.Token[Any]]:
    """`variable.set`, for code whose writes may have to be undone."""

    def set(value: Any, /) -> contextvars.Token[Any]:
        token = variable.set(value)
        if token.old_value is contextvars.Token.MISSING:
            _local.tokens.setdefault(variable, collections.deque(maxlen=16)).append(token)
        return token

    return set


def _read(variable: contextvars.ContextVar[Any]) -> dict[Hashable, Any]:
    now = variable.get(_NONE)
    return {} if now is _NONE or not _is_set(variable) else {_VALUE: now}


def _is_set(variable: contextvars.ContextVar[Any]) -> bool:
    return variable in contextvars.copy_context()


def _write(variable: contextvars.ContextVar[Any], new: dict[Hashable, Any]) -> None:
    if _VALUE in new:
        if variable.get(_NONE) is not new[_VALUE] or not _is_set(variable):
            setting(variable)(new[_VALUE])
        return
    tokens = _local.tokens.pop(variable, None)
    while tokens and _is_set(variable):
        try:
            variable.reset(tokens.pop())
        except (ValueError, RuntimeError):  # of another context, or used by the user's own `reset`
            continue


class Queued:
    """The items of a queue, which are the same only where they are the same objects."""

    def __init__(self, items: tuple[Any, ...]) -> None:
        self.items = items

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Queued) or len(self.items) != len(other.items):
            return False
        return all(a is b for a, b in zip(self.items, other.items, strict=True))

    __hash__ = None  # type: ignore[assignment]


def queued(owner: queue.SimpleQueue[Any]) -> Queued:
    """What is in a queue, and stays there."""
    found, count = gc.get_referents(owner), owner.qsize()
    if sys.version_info < (3, 13):  # a list, with None for what was taken out of it
        found = found[0][len(found[0]) - count :]
    return Queued(tuple(found[:count]))


def set_queued(owner: queue.SimpleQueue[Any], new: Queued) -> None:
    """Makes these the items of a queue; those that are there and stay are not taken out."""
    now = queued(owner).items
    kept = new.items[: len(now)]
    if Queued(now) == Queued(kept):
        added = new.items[len(now) :]
    else:
        added = new.items
        while not owner.empty():
            owner.get_nowait()
    for item in added:
        owner.put(item)
