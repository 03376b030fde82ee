"""Has the running code left the trace that it stands in, by `init_scope`?"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from autograph_lite.jax_internals import tracing_state
from autograph_lite.operators.checks import carried_checks
from autograph_lite.operators.effects import journal
from autograph_lite.scoped import Now

_depth: Now[int] = Now(0)


def left() -> bool:
    """Whether the running code stands in a scope that has left a trace."""
    return _depth.value > 0 and not carried_checks.within_program()


@contextlib.contextmanager
def leaving() -> Iterator[journal.Journal]:
    """Inside, nothing is traced, nothing is undone, and checks are Python's own.

    Gives the journal of what is written inside.
    """
    with (
        _depth.being(_depth.value + 1),
        tracing_state.no_trace(),
        journal.suspended() as written,
        carried_checks.suspended(),
    ):
        yield written
