"""Container contents: what does a container hold now that is neither a structure nor a literal? A deque's items come and go.

deque([x, 3], maxlen=4)      (4, x itself, Literal[3])
"""

from __future__ import annotations

import collections
from collections.abc import Hashable
from typing import Any

from autograph_lite.operators.values import instances
from autograph_lite.runtime.types.literal import Literal, is_literal

_CHANGED_IN_PLACE = (list, dict, set, collections.deque)


class Same:
    """An object that equals itself alone; not kept alive where that can be."""

    def __init__(self, value: Any) -> None:
        self._hash, self._found = id(value), instances.reference_to(value)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Same):
            return NotImplemented
        mine = self._found()
        return mine is not None and mine is other._found()

    def __hash__(self) -> int:
        return self._hash


def is_container(value: Any) -> bool:
    """Whether a value holds items that Python changes in place; of a class of the user's, too."""
    return isinstance(value, _CHANGED_IN_PLACE)


def contents_key(value: Any, around: tuple[Any, ...] = ()) -> Hashable:
    """What tells the items of a container from others: literals by what they are, all else by identity."""
    if is_literal(value):
        return Literal(value)
    if not isinstance(value, (*_CHANGED_IN_PLACE, tuple)) or any(value is other for other in around):
        return Same(value)
    held = [*value, *value.values()] if isinstance(value, dict) else value
    found = tuple(contents_key(item, (*around, value)) for item in held)
    if isinstance(value, set):
        return type(value), frozenset(found)
    return type(value), value.maxlen if isinstance(value, collections.deque) else None, found
