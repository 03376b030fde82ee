"""How does a program run, and when are two runs the same?

A run is its value or its exception, the log of its `note` calls in order, and its arguments afterwards.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import linecache
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import numpy as np

Values = tuple[Any, ...]
_numbers = itertools.count()


@dataclasses.dataclass(frozen=True)
class Run:
    """What one call did."""

    value: Any
    error: BaseException | None
    log: tuple[str, ...] = ()
    arguments: Values = ()

    def __str__(self) -> str:
        outcome = f"raised {self.error!r}" if self.error else f"returned {self.value!r}"
        return f"{outcome}; arguments afterwards {self.arguments!r}; log {' '.join(self.log)}"


class TookTooLong(Exception):
    """A call did not end: plain Python would have."""


@contextlib.contextmanager
def loaded(source: str, **names: Any) -> Iterator[dict[str, Any]]:
    """The namespace of the module `source`, which sees `names`; its text is found while the context lasts."""
    path = f"random_program_{next(_numbers)}.py"
    linecache.cache[path] = (len(source), None, source.splitlines(keepends=True), path)
    namespace: dict[str, Any] = {"__name__": path.removesuffix(".py"), **names}
    exec(compile(source, path, "exec"), namespace)
    try:
        yield namespace
    finally:
        linecache.cache.pop(path, None)


def copied(values: Values) -> Values:
    """The arguments of one call, which may write into their arrays."""
    return tuple(value.copy() if isinstance(value, np.ndarray) else value for value in values)


def run(function: Callable[..., Any], inputs: Values, log: list[str], seconds: float = 20.0) -> Run:
    """Calls `function` on copies of `inputs`; `log` is where the program's `note` writes."""
    log.clear()
    arguments = copied(inputs)
    try:
        with _limited(seconds):
            value = function(*arguments)
    except Exception as error:
        return Run(None, error, tuple(log), arguments)
    return Run(value, None, tuple(log), arguments)


@contextlib.contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raises `TookTooLong` in the main thread if the body does not end within so many seconds of computing."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise TookTooLong(f"no end after {seconds} s")

    # Of the process's own time: beside other work, a program that ends may take many times longer.
    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def same_run(ours: Run, python: Run) -> bool:
    """Whether nobody can tell the two runs apart: value, types, exception, side effects in order."""
    return (
        same_error(ours.error, python.error)
        and ours.log == python.log
        and same(ours.value, python.value)
        and same(ours.arguments, python.arguments)
    )


def same_error(ours: BaseException | None, python: BaseException | None) -> bool:
    """Whether the exceptions have the same type and message.

    Python's message for a missing variable tells a local from an enclosing variable; which of the two a
    name is may change in generated code, so only the type and the name are compared there.
    """
    if ours is None or python is None:
        return ours is python
    if isinstance(python, NameError):
        return isinstance(ours, NameError)
    return type(ours) is type(python) and ours.args == python.args


def same(ours: Any, python: Any) -> bool:
    """Whether two values have the same types all through, and are equal."""
    if type(ours) is not type(python):
        return False
    if isinstance(python, tuple | list):
        return len(ours) == len(python) and all(map(same, ours, python))
    if isinstance(python, dict):
        return list(ours) == list(python) and all(same(ours[key], python[key]) for key in python)
    if isinstance(python, np.ndarray):
        return ours.dtype == python.dtype and np.array_equal(ours, python)
    return bool(ours == python)


def same_numbers(staged: Any, python: Any, *, promotes: bool) -> bool:
    """Whether arrays that a compiled program returned are what Python computed.

    Args:
      staged: the compiled program's result.
      python: Python's result.
      promotes: whether paths assign numbers of different kinds to one variable: the compiled program has one
        dtype for all paths, and may return a wider kind than Python's path did.
    """
    if isinstance(python, tuple | list):
        return (
            type(staged) is type(python)
            and len(staged) == len(python)
            and all(same_numbers(a, b, promotes=promotes) for a, b in zip(staged, python, strict=True))
        )
    if isinstance(python, dict):
        return (
            isinstance(staged, dict)
            and staged.keys() == python.keys()
            and all(same_numbers(staged[key], python[key], promotes=promotes) for key in python)
        )
    if python is None or isinstance(python, str):
        return bool(staged == python)
    ours, wanted = np.asarray(staged), np.asarray(python)
    kinds = "biuf"
    if kinds.find(ours.dtype.kind) < kinds.find(wanted.dtype.kind):
        return False
    return (promotes or ours.dtype.kind == wanted.dtype.kind) and np.array_equal(ours, wanted)
