"""Tracebacks show the user's lines: frames of this package are taken out, as JAX takes out its own."""

from __future__ import annotations

import os
import types

from autograph_lite import _jax
from autograph_lite.operators.where import PACKAGE, is_part

_jax.hide_frames(PACKAGE)


def hide_frames(error: BaseException) -> None:
    """Takes our frames, and JAX's, out of the traceback of `error`, and of those of its causes."""
    seen: set[int] = set()
    now: BaseException | None = error
    while now is not None and id(now) not in seen:
        seen.add(id(now))
        now.__traceback__ = _filtered(now.__traceback__)
        now = now.__cause__ or now.__context__


def _filtered(tb: types.TracebackType | None) -> types.TracebackType | None:
    if os.environ.get("JAX_TRACEBACK_FILTERING") == "off":
        return tb
    entries = []
    while tb is not None:
        path = tb.tb_frame.f_code.co_filename
        if not path.startswith(PACKAGE) and "/jax/_src/" not in path:
            entries.append(tb)
        tb = tb.tb_next
    result: types.TracebackType | None = None
    for entry in reversed(_merged(entries)):
        result = types.TracebackType(result, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return result


def _merged(entries: list[types.TracebackType]) -> list[types.TracebackType]:
    """Nested statements of one function are nested functions to Python; the user sees the innermost."""
    shown: list[types.TracebackType] = []
    for entry in entries:
        if shown and is_part(entry.tb_frame.f_code, shown[-1].tb_frame.f_code):
            shown.pop()
        shown.append(entry)
    return shown
