"""Tracebacks: which frames does the user see? His own: those of this package are taken out, as JAX takes out its own."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from autograph_lite.jax_internals import configuration
from autograph_lite.operators.checks import raising
from autograph_lite.operators.user_code.source_places import PACKAGE, entries, is_hidden, is_piece

configuration.hide_files(f"{PACKAGE}/")


def hide_frames(error: BaseException) -> None:
    """Takes our frames, and JAX's, out of the traceback of `error`, and of those of its causes."""
    seen: set[int] = set()
    now: BaseException | None = error
    while now is not None and id(now) not in seen:
        seen.add(id(now))
        now.__traceback__ = _filtered(now.__traceback__)
        now = now.__cause__ or now.__context__


def hiding(call: Callable[..., Any]) -> Callable[..., Any]:
    """The same call; what it raises shows the user's lines alone."""

    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            return call(*args, **kwargs)
        except BaseException as error:
            hide_frames(error)
            raise  # without a frame of this call: a bare `raise` adds none

    return run


def _filtered(tb: types.TracebackType | None) -> types.TracebackType | None:
    if configuration.shows_all_frames():
        return tb
    shown = [entry for entry in entries(tb) if not is_hidden(entry.tb_frame.f_code)]
    result: types.TracebackType | None = None
    for entry in reversed(_merged(shown)):
        result = types.TracebackType(result, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return result


def _merged(found: list[types.TracebackType]) -> list[types.TracebackType]:
    """The pieces of a function are nested functions to Python; the user sees the innermost that has the function's name."""
    shown: list[types.TracebackType] = []
    for entry in found:
        code = entry.tb_frame.f_code
        if not shown or not is_piece(code, shown[-1].tb_frame.f_code):
            shown.append(entry)
        elif code.co_name != "<lambda>":
            shown[-1] = entry
        elif entry.tb_lineno != shown[-1].tb_lineno:  # an operand on a line of its own
            shown[-1] = raising.traceback_entry(raising.entry(code, entry.tb_lasti), None)
    return shown
