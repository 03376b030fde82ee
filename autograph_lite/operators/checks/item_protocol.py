"""Sequence protocol: is Python asking an object of the user's for its items, one after the other?

    class Line:
        def __getitem__(self, i):       for y in Line(): ...
            if i >= self.n:             list(Line())
                raise IndexError        Line()[2]  # no: this asks for one item
            return self.xs[i]

While tracing, both paths of the staged `if` run. Python would never be told that there are no more items, and ask for ever.
"""

from __future__ import annotations

import dis
import sys
import traceback
import types
from typing import Any

from autograph_lite.operators.user_code import source_places

ENDING: dict[str, type[Exception]] = {"__next__": StopIteration, "__getitem__": IndexError}
"""What tells Python that there are no more items, by the method of the user's that it asks for one."""

CALLS_BY_NAME = "autograph_lite.operators.calls.recursion_guard"  # runs what the user's own line calls
_SUBSCRIPTS = frozenset({"BINARY_SUBSCR", "BINARY_OP"})


def by() -> str | None:
    """The method of the user's that has been asked for the next item of an iteration, if one runs."""
    for frame, _ in traceback.walk_stack(sys._getframe()):
        name = frame.f_code.co_name
        is_users = name in ENDING and not _is_ours(frame.f_globals.get("__name__"))
        if is_users and not _is_part(frame) and (name == "__next__" or _iterates(frame.f_back)):
            return name
    return None


def _is_part(frame: types.FrameType) -> bool:
    """Whether a frame is that of a statement of a function that is called further out."""
    outer = source_places.outer_frame(frame)
    return outer is not None and source_places.is_piece(frame.f_code, outer.f_code)


def _iterates(caller: types.FrameType | None) -> bool:
    """Whether a frame calls `__getitem__` for all items in turn: not by a subscript, and not by its name."""
    if caller is None or caller.f_globals.get("__name__") == CALLS_BY_NAME:
        return False
    code, at = caller.f_code.co_code, caller.f_lasti
    while dis.opname[code[at]] == "CACHE":  # Python 3.11 is at the end of what it has sped up
        at -= 2
    return dis.opname[code[at]] not in _SUBSCRIPTS and "__getitem__" not in caller.f_code.co_names


def _is_ours(module: Any) -> bool:
    return isinstance(module, str) and module.partition(".")[0] == __name__.partition(".")[0]
