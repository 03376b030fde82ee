"""Live variables of the functions that run: which objects will be read where something was raised?

    try:
        d = {}
        d["a"] = check(x)             where it raises, `d` has no key, and nobody reads it there
        d["b"] = 1

The textbook analysis on the code that runs: a variable that no instruction loads from here on is dead (Aho, Lam, Sethi and
Ullman, "Compilers" (2006), 9.2.5). Generated code jumps back in Python's own loops alone, whose code counts as a whole.
"""

from __future__ import annotations

import dis
import inspect
import itertools
import sys
import traceback
import types
from typing import Any

from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.user_code.conversion import is_converted_code


def live_values(last: types.FrameType, *, unwound: bool) -> list[Any]:
    """What running functions will still read where something is raised which that of the frame `last` catches.

    Args:
      last: of the functions that wait for this one, whatever they hold counts.
      unwound: whether the functions that this one has called do nothing more.
    """
    frames = [frame for frame, _ in traceback.walk_stack(sys._getframe(1))]
    ours = [is_converted_code(frame.f_code) for frame in frames]
    inner, outer = frames.index(last), len(frames) - ours[::-1].index(True)
    while outer < len(frames) and source_places.is_hidden(frames[outer].f_code):
        outer += 1  # what has called a function holds its arguments
    found: list[Any] = []
    around = last
    for frame in reversed([*itertools.compress(frames[: inner + 1], ours)]):
        if unwound and frame is not last and not source_places.is_piece(frame.f_code, around.f_code):
            break
        around = frame
        names = loaded_after(frame.f_code, frame.f_lasti)
        if frame is last:
            names |= {*inspect.getargs(frame.f_code).args}
        found += [value for name, value in frame.f_locals.items() if name in names]
    for frame in frames[inner + 1 : outer]:
        found += frame.f_locals.values()
    return found


def loaded_after(code: types.CodeType, offset: int) -> frozenset[str]:
    """The variables that instructions may load which run after the one at `offset`."""
    steps = [*dis.get_instructions(code)]
    later = [step for step in steps if step.offset > offset]
    start = min((step.argval for step in later if "JUMP_BACKWARD" in step.opname), default=offset + 1)
    names = (
        step.argval if isinstance(step.argval, tuple) else (step.argval,)
        for step in steps
        if step.offset >= min(start, offset + 1)
        and step.opname not in _STORES
        and any(kind in step.opname for kind in ("FAST", "DEREF", "CLOSURE"))
    )
    return frozenset().union(*names)


_STORES = ("STORE_FAST", "STORE_FAST_STORE_FAST", "STORE_DEREF", "DELETE_FAST")
