"""Has the running code left the trace that it stands in, by `init_scope`?"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

from autograph_lite import _jax
from autograph_lite.operators import checks, journal


class _Local(threading.local):
    def __init__(self) -> None:
        self.depth = 0


_local = _Local()


def left() -> bool:
    """Whether the running code stands in a scope that has left a trace."""
    return _local.depth > 0 and not checks.within_program()


@contextlib.contextmanager
def leaving() -> Iterator[journal.Journal]:
    """Inside, nothing is traced, nothing is undone, and checks are Python's own.

    Gives the journal of what is written inside.
    """
    _local.depth += 1
    try:
        with _jax.no_trace(), journal.suspended() as written, checks.suspended():
            yield written
    finally:
        _local.depth -= 1
