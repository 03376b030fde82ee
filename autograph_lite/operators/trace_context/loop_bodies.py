"""Loop bodies: is that of a staged loop being traced?"""

from __future__ import annotations

from typing import Any

from autograph_lite.jax_internals import tracing_state
from autograph_lite.tracing import thread


def in_loop() -> bool:
    """Whether it is."""
    return thread.now.carried is not None


def is_carried(value: Any) -> bool:
    """Whether the innermost loop carries this array, and it is as the iteration before has left it."""
    return any(tracing_state.is_same(value, each) for each in thread.now.carried or ())
