"""Value ranges: between which numbers does a traced integer lie? The variable of a loop over a range that Python knows.

for i in range(1, n - 1):             1 <= i <= n - 2, so that x[i - 1 : i + 2] is never cut off
"""

from __future__ import annotations

import weakref
from typing import Any

Ends = tuple[int | None, int | None]
_known: dict[int, tuple[weakref.ref[Any], Ends]] = {}


def note_range(value: Any, least: int | None, most: int | None) -> Any:
    """Notes that a traced integer lies between two numbers, both included; returns it."""
    key = id(value)
    _known[key] = weakref.ref(value, lambda _: _known.pop(key, None)), (least, most)
    return value


def known_range(value: Any) -> Ends:
    """The least and the greatest number that a traced integer can be; None where that is not known."""
    found = _known.get(id(value))
    return found[1] if found is not None and found[0]() is value else (None, None)
