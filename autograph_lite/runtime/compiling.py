"""How long has XLA taken to compile a program? JAX tells listeners of its own durations."""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Iterator
from typing import Any

import jax

EVENT = "/jax/core/compile/backend_compile_duration"


class Compiling:
    """The seconds that compilation has taken, inside of `measured`; None if nothing was compiled."""

    def __init__(self) -> None:
        self.seconds: float | None = None


class _Local(threading.local):
    def __init__(self) -> None:
        self.now: list[Compiling] = []


_local = _Local()


@functools.cache
def _listen() -> None:
    jax.monitoring.register_event_duration_secs_listener(_note)


def _note(event: str, duration_secs: float, **_: Any) -> None:
    if event == EVENT and _local.now:
        into = _local.now[-1]
        into.seconds = duration_secs + (into.seconds or 0.0)


@contextlib.contextmanager
def measured(into: Compiling) -> Iterator[None]:
    """Adds what is compiled on this thread, inside, to `into`."""
    _listen()
    _local.now.append(into)
    try:
        yield
    finally:
        _local.now.pop()
