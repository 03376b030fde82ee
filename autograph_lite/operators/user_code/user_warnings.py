"""Warnings: whose line does one name? The user's, whatever frames of ours or of JAX's lie between.

With `stacklevel=2` it is the line that called the user's function, as in Python.
"""

from __future__ import annotations

import types
import warnings
from typing import Any

from autograph_lite.operators.user_code import source_places


def warn_(message: Any, category: Any = None, stacklevel: int = 1, *args: Any, **kwargs: Any) -> None:
    """`warnings.warn(...)`, where `stacklevel` counts functions of the user's."""
    frame = source_places.user_frame()
    for _ in range(stacklevel - 1):
        frame = frame and _caller(frame)
    kind = type(message) if isinstance(message, Warning) else UserWarning if category is None else category
    if frame is None or args or kwargs or not (isinstance(kind, type) and issubclass(kind, Warning)):
        warnings.warn(message, category, stacklevel + 1, *args, **kwargs)
        return
    registry = frame.f_globals.setdefault("__warningregistry__", {})
    name = frame.f_globals.get("__name__", "<string>")
    warnings.warn_explicit(message, kind, frame.f_code.co_filename, frame.f_lineno, name, registry)


def _caller(frame: types.FrameType) -> types.FrameType | None:
    """The frame that called the user's function, where `frame` runs a piece of it."""
    outer = source_places.outer_frame(frame)
    while outer is not None and source_places.is_piece(frame.f_code, outer.f_code):
        frame, outer = outer, source_places.outer_frame(outer)
    return outer
