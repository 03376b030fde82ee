"""How does a program run, and when are two runs the same?

A run is its value or its exception, the log of its `note` calls in order, and its arguments afterwards.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import io
import itertools
import linecache
import re
import signal
import sys
import threading
import types
import warnings
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import numpy as np

from autograph_lite import UnrolledLoopWarning

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


class SlowAsWarned(TookTooLong):
    """The same of one whose loops have been unrolled, as a warning has said."""


@contextlib.contextmanager
def loaded(source: str, **names: Any) -> Iterator[dict[str, Any]]:
    """The namespace of the module `source`, which sees `names`; its text is found while the context lasts."""
    path = f"random_program_{next(_numbers)}.py"
    linecache.cache[path] = (len(source), None, source.splitlines(keepends=True), path)
    module = types.ModuleType(path.removesuffix(".py"))
    namespace: dict[str, Any] = vars(module)
    namespace.update(names)
    sys.modules[module.__name__] = module  # where enums and dataclasses look for the names of their module
    try:
        exec(compile(source, path, "exec"), namespace)
        yield namespace
    finally:
        del sys.modules[module.__name__]
        linecache.cache.pop(path, None)


def copied(values: Values) -> Values:
    """The arguments of one call, which may write into their arrays and lists."""
    kinds = (np.ndarray, list, dict)
    return tuple(copy.deepcopy(value) if isinstance(value, kinds) else value for value in values)


def run(function: Callable[..., Any], inputs: Values, log: list[str], seconds: float = 20.0) -> Run:
    """Calls `function` on copies of `inputs`; `log` is where the program's `note` writes."""
    log.clear()
    arguments, printed = copied(inputs), io.StringIO()
    value, failure = None, None
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", UnrolledLoopWarning)
        try:
            with limited(seconds), contextlib.redirect_stdout(printed):
                value = function(*arguments)
        except Exception as error:
            failure = error
    if isinstance(failure, TookTooLong) and any(each.category is UnrolledLoopWarning for each in told):
        failure = SlowAsWarned(*failure.args)
    return Run(value, failure, tuple(log) + tuple(printed.getvalue().splitlines()), arguments)


@contextlib.contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raises `TookTooLong` in the main thread if the body does not end within so many seconds of computing."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise TookTooLong(f"no end after {seconds} s")

    # Of the process's own time: beside other work, a program that ends may take many times longer.
    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds, 0.1)  # again, where the program has caught it
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def same_run(ours: Run, python: Run) -> bool:
    """Whether nobody can tell the two runs apart: value, types, exception, side effects in order."""
    return (
        same_error(ours.error, python.error)
        and [*map(_anywhere, ours.log)] == [*map(_anywhere, python.log)]
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
    if not _same_type(ours, python):
        return False
    return ours.args == python.args or _anywhere(repr(ours.args)) == _anywhere(repr(python.args))


def _same_type(ours: object, python: object) -> bool:
    """Whether the types are the same, or the same class of the program, which each run defines anew."""
    return _anywhere(repr(type(ours))) == _anywhere(repr(type(python)))


def _anywhere(text: str) -> str:
    """The text without the addresses of objects and the number of the module that was made for a run."""
    return re.sub(r" at 0x[0-9a-f]+|\brandom_program_\d+", "", text)


def same(ours: Any, python: Any) -> bool:
    """Whether two values have the same types all through, and are equal."""
    if not _same_type(ours, python):
        return False
    if type(ours) is not type(python):  # of a class of the program's own
        return _anywhere(repr(ours)) == _anywhere(repr(python))
    if isinstance(python, str):
        return _anywhere(ours) == _anywhere(python)
    if isinstance(python, tuple | list):
        return len(ours) == len(python) and all(map(same, ours, python))
    if isinstance(python, dict):
        return list(ours) == list(python) and all(same(ours[key], python[key]) for key in python)
    if isinstance(python, np.ndarray):
        missing = python.dtype.kind in "fc"
        return ours.dtype == python.dtype and np.array_equal(ours, python, equal_nan=missing)
    return bool(ours == python) or bool(ours != ours and python != python)  # NaN


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
