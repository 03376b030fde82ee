"""Deep recursion: how are trees walked that nest deeper than Python's recursion limit allows?

A chain of 200 `elif`s is a tree 200 levels deep, and a walk takes up to six frames for a level. The limit
protects the C stack, which calls from Python to Python do not use since 3.11: it may be higher for a while.
"""

from __future__ import annotations

import contextlib
import gc
import sys
import threading
from collections.abc import Iterator

# Python's own compiler gives up on trees deeper than about 3,000 levels, before the user's code ever runs.
_LIMIT = 20_000

_lock = threading.Lock()
_walks = 0
_usual = 0
_collects = False


@contextlib.contextmanager
def deep_recursion() -> Iterator[None]:
    """Raises the recursion limit while the outermost walk of any thread is under way.

    The garbage collector pauses meanwhile: it finds nothing in a tree that is being built, and looks at all of JAX each
    time (up to a quarter of the time for 1,000 lines).
    """
    global _walks, _usual, _collects
    with _lock:
        if _walks == 0:
            _usual = sys.getrecursionlimit()
            _collects = gc.isenabled()
            gc.disable()
            sys.setrecursionlimit(max(_usual, _LIMIT))
        _walks += 1
    try:
        yield
    finally:
        with _lock:
            _walks -= 1
            if _walks == 0:
                sys.setrecursionlimit(_usual)
                if _collects:
                    gc.enable()
