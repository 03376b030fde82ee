"""Is the body of a staged loop being traced?"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Sequence
from typing import Any


class _Local(threading.local):
    def __init__(self) -> None:
        self.carried: list[Sequence[Any]] = []  # of each body that is being traced, the outer ones first


_local = _Local()


@contextlib.contextmanager
def looping(carried: Sequence[Any]) -> Iterator[None]:
    """Inside, the body of a staged loop is traced, which carries these arrays."""
    _local.carried.append(carried)
    try:
        yield
    finally:
        _local.carried.pop()


def in_loop() -> bool:
    """Whether it is."""
    return bool(_local.carried)


def is_carried(value: Any) -> bool:
    """Whether the innermost loop carries this array, and it is as the iteration before has left it."""
    return bool(_local.carried) and any(value is each for each in _local.carried[-1])
