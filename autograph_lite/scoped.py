"""Dynamic scope: what holds on a thread while some code runs there?"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Now(threading.local, Generic[T]):
    """A value of each thread's own; all threads begin with the same one, which is not changed in place."""

    def __init__(self, value: T) -> None:
        self.value = value

    @contextlib.contextmanager
    def being(self, value: T) -> Iterator[T]:
        """Inside, it is another one."""
        before, self.value = self.value, value
        try:
            yield value
        finally:
            self.value = before
