"""A converted function that processes import; see `test_processes`."""

from __future__ import annotations

import numpy as np

from autograph_lite import convert


@convert
def collatz(x):
    steps = 0
    while x != 1:
        x = x // 2 if x % 2 == 0 else 3 * x + 1
        steps += 1
    return steps


def called(x: int) -> int:
    """How many steps x takes."""
    return int(collatz(np.int32(x)))
