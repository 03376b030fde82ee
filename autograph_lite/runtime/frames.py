"""What does a Variable hold on this thread, while a program that uses it is traced or differentiated?

Outside of traces a Variable holds a plain array, which every thread sees. A thread that traces a program has a frame
with the values that the Variables have in it: tracers, which no other thread and no later call ever sees.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from autograph_lite.runtime.creations import Creations

if TYPE_CHECKING:
    from autograph_lite.runtime.variables import Variable


class Frame:
    """The values of Variables in one trace.

    Attributes:
      creations: what the function that is traced has created; None for a gradient inside of a trace.
      values: the Variables with their values, by id.
      found: Variables that the trace came across and that are no inputs of its program.
      created: Variables that the trace has made.
    """

    def __init__(self, creations: Creations | None = None) -> None:
        self.creations = creations
        self.values: dict[int, tuple[Variable, Any]] = {}
        self.found: dict[int, Variable] = {}
        self.created: list[Variable] = []

    @property
    def is_program(self) -> bool:
        """Whether it is that of a whole program."""
        return self.creations is not None


class _Local(threading.local):
    def __init__(self) -> None:
        self.frames: list[Frame] = []


_local = _Local()


def program() -> Frame | None:
    """The frame of the program that is being traced on this thread."""
    return next((frame for frame in reversed(_local.frames) if frame.is_program), None)


@contextlib.contextmanager
def entered(frame: Frame) -> Iterator[Frame]:
    """Inside, Variables have their values in `frame`."""
    _local.frames.append(frame)
    try:
        yield frame
    finally:
        _local.frames.pop()


@contextlib.contextmanager
def outside() -> Iterator[None]:
    """Inside, Variables have the values that they have outside of any trace."""
    before, _local.frames = _local.frames, []
    try:
        yield
    finally:
        _local.frames = before


def value_of(variable: Variable) -> Any:
    """What `variable` holds on this thread."""
    for frame in reversed(_local.frames):
        held = frame.values.get(id(variable))
        if held is not None:
            return held[1]
        if frame.is_program:
            frame.found[id(variable)] = variable
            break
    return variable._value


def hold(variable: Variable, value: Any) -> None:
    """Makes `variable` hold `value` on this thread: in the innermost frame, or for good where there is none."""
    if _local.frames:
        _local.frames[-1].values[id(variable)] = variable, value
    else:
        variable._settle(value)
