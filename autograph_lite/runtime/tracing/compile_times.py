"""Compile times: how long has XLA taken for a program? JAX tells listeners of its own durations."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator
from typing import Any

import jax

from autograph_lite.scoped import Now

EVENT = "/jax/core/compile/backend_compile_duration"


class Compiling:
    """The seconds that compilation has taken, inside of `measured`; None if nothing was compiled."""

    def __init__(self) -> None:
        self.seconds: float | None = None


_now: Now[Compiling | None] = Now(None)


@functools.cache
def _listen() -> None:
    jax.monitoring.register_event_duration_secs_listener(_note)


def _note(event: str, duration_secs: float, **_: Any) -> None:
    into = _now.value
    if event == EVENT and into is not None:
        into.seconds = duration_secs + (into.seconds or 0.0)


@contextlib.contextmanager
def measured(into: Compiling) -> Iterator[None]:
    """Adds what is compiled on this thread, inside, to `into`."""
    _listen()
    with _now.being(into):
        yield
