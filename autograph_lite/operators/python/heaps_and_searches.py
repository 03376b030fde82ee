"""Heaps and searches: `heapq` and `bisect` in Python, which is converted: what a traced comparison decides is staged.

heapq.heappush(queue, (d, node))      the text of CPython's Lib/heapq.py, a sift towards the root and one towards the leaves
bisect.bisect_left(xs, x)             that of Lib/bisect.py: halves of a list or an array

C's functions compute the same, and need the truth of a comparison. Items are compared as members of tuples: that is how the
text shows that they may be tuples with traced members, which Python can't compare.
"""

from __future__ import annotations

import bisect
import heapq
from typing import Any


def heappush(heap: Any, item: Any, /) -> None:
    """`heapq.heappush`."""
    heap.append(item)
    _sift_up(heap, 0, len(heap) - 1)


def heappop(heap: Any, /) -> Any:
    """`heapq.heappop`."""
    last = heap.pop()
    if len(heap) > 0:
        least = heap[0]
        heap[0] = last
        _sift_down(heap, 0)
        return least
    return last


def heapreplace(heap: Any, item: Any, /) -> Any:
    """`heapq.heapreplace`."""
    least = heap[0]
    heap[0] = item
    _sift_down(heap, 0)
    return least


def heappushpop(heap: Any, item: Any, /) -> Any:
    """`heapq.heappushpop`."""
    if len(heap) > 0 and (heap[0],) < (item,):
        item, heap[0] = heap[0], item
        _sift_down(heap, 0)
    return item


def heapify(heap: Any, /) -> None:
    """`heapq.heapify`."""
    for place in range(len(heap) // 2 - 1, -1, -1):
        _sift_down(heap, place)


def nsmallest(n: Any, iterable: Any, key: Any = None) -> Any:
    """`heapq.nsmallest`."""
    return sorted(iterable, key=key)[: max(n, 0)]


def nlargest(n: Any, iterable: Any, key: Any = None) -> Any:
    """`heapq.nlargest`."""
    return sorted(iterable, key=key, reverse=True)[: max(n, 0)]


def _sift_up(heap: Any, start: Any, place: Any) -> None:
    """Moves the item at a place towards `start`, as far as it is less than what is above it."""
    item = heap[place]
    while place > start:
        above = (place - 1) >> 1
        parent = heap[above]
        if not (item,) < (parent,):
            break
        heap[place] = parent
        place = above
    heap[place] = item


def _sift_down(heap: Any, place: Any) -> None:
    """Moves the lesser children up until a leaf is free, puts the item there, and sifts it up."""
    end, start, item = len(heap), place, heap[place]
    child = 2 * place + 1
    while child < end:
        right = child + 1
        if right < end and not (heap[child],) < (heap[right],):
            child = right
        heap[place] = heap[child]
        place = child
        child = 2 * place + 1
    heap[place] = item
    _sift_up(heap, start, place)


def bisect_left(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> Any:
    """`bisect.bisect_left`."""
    hi = _end(a, lo, hi)
    while lo < hi:
        middle = (lo + hi) // 2
        if (a[middle] if key is None else key(a[middle]),) < (x,):
            lo = middle + 1
        else:
            hi = middle
    return lo


def bisect_right(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> Any:
    """`bisect.bisect_right`."""
    hi = _end(a, lo, hi)
    while lo < hi:
        middle = (lo + hi) // 2
        if (x,) < (a[middle] if key is None else key(a[middle]),):
            hi = middle
        else:
            lo = middle + 1
    return lo


def _end(a: Any, lo: Any, hi: Any) -> Any:
    """Where a search ends. Raises ValueError, as Python's do, where it would begin before the list."""
    if lo < 0:
        raise ValueError("lo must be non-negative")
    return len(a) if hi is None else hi


def insort_left(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> None:
    """`bisect.insort_left`."""
    a.insert(bisect_left(a, x if key is None else key(x), lo, hi, key=key), x)


def insort_right(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> None:
    """`bisect.insort_right`."""
    a.insert(bisect_right(a, x if key is None else key(x), lo, hi, key=key), x)


IN_PYTHON: dict[Any, Any] = {
    heapq.heappush: heappush, heapq.heappop: heappop, heapq.heapreplace: heapreplace, heapq.heappushpop: heappushpop,
    heapq.heapify: heapify, heapq.nsmallest: nsmallest, heapq.nlargest: nlargest,
    bisect.bisect_left: bisect_left, bisect.bisect_right: bisect_right, bisect.insort_left: insort_left,
    bisect.insort_right: insort_right,
}  # fmt: skip
