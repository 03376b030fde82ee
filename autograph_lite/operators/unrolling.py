"""A loop over Python values is traced once for each iteration: warns where that becomes slow, or stages it where asked to."""

from __future__ import annotations

import contextlib
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from autograph_lite import _jax
from autograph_lite.errors import UnrolledLoopWarning
from autograph_lite.operators import iterables, where
from autograph_lite.operators.boxes import opened

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


class _Local(threading.local):
    def __init__(self) -> None:
        self.rolled = False


_local = _Local()


@contextlib.contextmanager
def rolling(rolled: bool) -> Iterator[None]:
    """Whether loops over ranges, and over lists and tuples of numbers, that Python knows are staged all the same."""
    before, _local.rolled = _local.rolled, rolled
    try:
        yield
    finally:
        _local.rolled = before


def rolled(iterable: Any) -> Any:
    """`iterable`, or what stands for it in a staged loop, where that is asked for and possible."""
    iterable = opened(iterable)
    if not _local.rolled or not _jax.tracing():
        return iterable
    if isinstance(iterable, range):
        return iterables.Range(iterable.start, iterable.stop, iterable.step)
    if type(iterable) in (list, tuple) and iterables.are_numbers(iterable):
        return iterables.Rows(iterables.numbers(iterable))
    return iterable
