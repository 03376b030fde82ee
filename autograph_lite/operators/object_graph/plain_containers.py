"""Plain containers: does one hold nothing but values of some kinds? Numbers and texts; there may be a million.

Walks that look for arrays and objects in all that a function can see pass such a container by: Python tells the kinds of
100,000 items in a millisecond.
"""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterable
from typing import Any

# Of subclasses nobody knows what else they have.
_ITEMS: dict[type, Callable[[Any], Iterable[Any]]] = {
    dict: lambda container: [*container.values()],  # at once: another thread may change it
    **dict.fromkeys((list, tuple, set, frozenset, collections.deque), lambda container: [*container]),
}


def are_all(container: Any, is_one: Callable[[type], bool]) -> bool:
    """Whether an object is one of Python's containers, and holds nothing but values of such classes."""
    items = _ITEMS.get(type(container))
    return items is not None and all(map(is_one, set(map(type, items(container)))))
