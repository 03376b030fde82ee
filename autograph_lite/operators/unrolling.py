"""A loop over Python values is traced once for each iteration: warns where that becomes slow."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from autograph_lite.errors import UnrolledLoopWarning
from autograph_lite.operators import where

# Compile time of 500 unrolled 32x32 products is about a minute; of 50, eight seconds.
LIMIT = 256


def counter(body_fun: Callable[..., Any]) -> Callable[[], None]:
    """A function to be called after each iteration; it warns once, at the user's line."""
    count = 0

    def step() -> None:
        nonlocal count
        count += 1
        if count == LIMIT and (place := where.of_function(body_fun)):
            warnings.warn_explicit(
                f"The loop at {place.path}:{place.line} has been unrolled {LIMIT} times: its bounds are Python values, so "
                "each iteration is traced and compiled. Use autograph_lite.range to stage it.",
                UnrolledLoopWarning,
                place.path,
                place.line,
            )

    return step
