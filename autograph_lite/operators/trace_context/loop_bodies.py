"""Is the body of a staged loop being traced?"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

from autograph_lite.scoped import Stack

_carried: Stack[Sequence[Any]] = Stack()  # of each body that is being traced


def looping(carried: Sequence[Any]) -> AbstractContextManager[object]:
    """Inside, the body of a staged loop is traced, which carries these arrays."""
    return _carried.holding(carried)


def in_loop() -> bool:
    """Whether it is."""
    return bool(_carried.all)


def is_carried(value: Any) -> bool:
    """Whether the innermost loop carries this array, and it is as the iteration before has left it."""
    return bool(_carried.all) and any(value is each for each in _carried.all[-1])
