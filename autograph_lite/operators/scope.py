"""Has the running code left the trace that it stands in, by `init_scope`?"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from autograph_lite import _jax
from autograph_lite.operators import checks, journal
from autograph_lite.scoped import Now

_depth: Now[int] = Now(0)


def left() -> bool:
    """Whether the running code stands in a scope that has left a trace."""
    return _depth.value > 0 and not checks.within_program()


@contextlib.contextmanager
def leaving() -> Iterator[journal.Journal]:
    """Inside, nothing is traced, nothing is undone, and checks are Python's own.

    Gives the journal of what is written inside.
    """
    with _depth.being(_depth.value + 1), _jax.no_trace(), journal.suspended() as written, checks.suspended():
        yield written
