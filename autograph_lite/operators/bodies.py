"""Is the body of a staged loop being traced?"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator


class _Local(threading.local):
    def __init__(self) -> None:
        self.depth = 0


_local = _Local()


@contextlib.contextmanager
def looping() -> Iterator[None]:
    """Inside, the body of a staged loop is traced."""
    _local.depth += 1
    try:
        yield
    finally:
        _local.depth -= 1


def in_loop() -> bool:
    """Whether it is."""
    return _local.depth > 0
