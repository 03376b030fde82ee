"""Captured names: which of those that a trace has read are bound to something else by now? The trace keeps what it has read.

RATE = 0.1

@convert
def step(x):
    return RATE * x        # 0.1 is part of the program

RATE = 0.2                 # has no effect on it: reported as 'RATE'
"""

from __future__ import annotations

import dis
import itertools
import types
from collections.abc import Callable, Hashable, Iterator
from typing import Any

from autograph_lite.operators.object_graph import reachability
from autograph_lite.operators.user_code import ownership
from autograph_lite.operators.values import instances
from autograph_lite.runtime.types.leaf_partition import VALUES, literal_key
from autograph_lite.syntax import codes

_READS = ("LOAD_GLOBAL", "LOAD_NAME")
_ABSENT = object()


class Captures:
    """The globals and closure variables that a function read when it was traced, and functions of the user's that it calls.

    Numbers, strings and the like are compared by type and value, everything else by identity: a list that has grown is
    the same list. Functions count, those of a module too, `steps.step`: a trace contains the body of the one that it called.
    Names that methods read, and other attributes, are not looked at.
    """

    def __init__(self, fn: Callable[..., Any]) -> None:
        """Remembers what the names of `fn`, as the user wrote it, are bound to now."""
        self._fn = fn
        read = dict(_read(fn))
        self._kept = {label: _kept(value) for label, value in read.items()}
        self._code = {
            label: _code(value)
            for label, value in read.items()
            if isinstance(value, type) or _plain_function(value)
        }

    def rebound(self) -> tuple[str, ...]:
        """The names that are bound to something else now, or no longer, in the order in which they were found."""
        now = dict(_read(self._fn))
        return tuple(
            label for label, kept in self._kept.items() if not _is_same(kept, now.get(label, _ABSENT))
        )

    def redefined(self) -> tuple[str, ...]:
        """Those of them that were functions or classes, and functions that have got other code, as by `%autoreload`."""
        now = dict(_read(self._fn))
        return tuple(
            label
            for label, code in self._code.items()
            if not _is_same(self._kept[label], found := now.get(label, _ABSENT)) or _code(found) is not code
        )


def _read(fn: Callable[..., Any]) -> Iterator[tuple[str, Any]]:
    """The names, each with its value; of functions that are called, too."""
    start = _plain_function(fn)
    stack = [start] if start else []
    home = start.__module__ if start else ""
    seen: set[int] = set()
    while stack:
        current = stack.pop()
        seen.add(id(current))
        prefix = "" if current.__module__ == home else f"{current.__module__}."
        for name, value in _names(current):
            yield prefix + name, value
            called = _plain_function(value)
            if (
                called
                and id(called) not in seen
                and not ownership.is_library_file(called.__code__.co_filename)
            ):
                stack.append(called)


def _names(fn: types.FunctionType) -> Iterator[tuple[str, Any]]:
    for name in sorted(globals_read(fn.__code__)):
        yield name, fn.__globals__.get(name, _ABSENT)
    for name, attribute in sorted(attributes_read(fn.__code__)):
        module = fn.__globals__.get(name)
        value = vars(module).get(attribute) if isinstance(module, types.ModuleType) else None
        called = _plain_function(value)
        if called and not ownership.is_library_file(called.__code__.co_filename):
            yield f"{name}.{attribute}", value
    for name, cell in zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True):
        yield name, codes.content(cell, _ABSENT)


@reachability.by_code
def globals_read(code: types.CodeType) -> frozenset[str]:
    """The names of global variables, and of builtins, that a function's code reads, and the functions in it."""
    steps = (step for each in codes.nested_codes(code) for step in dis.get_instructions(each))
    return frozenset(step.argval for step in steps if step.opname in _READS)


@reachability.by_code
def attributes_read(code: types.CodeType) -> frozenset[tuple[str, str]]:
    """The attributes that a function's code, and the functions in it, read of global variables: their names, `("np", "sin")`."""
    return frozenset(
        (first.argval, second.argval)
        for each in codes.nested_codes(code)
        for first, second in itertools.pairwise(dis.get_instructions(each))
        if first.opname in _READS and second.opname in ("LOAD_ATTR", "LOAD_METHOD")
    )


def _plain_function(value: Any) -> types.FunctionType | None:
    """The user's own function in a method, a converted function or another wrapper."""
    if isinstance(value, types.MethodType):
        value = value.__func__
    if not isinstance(value, types.FunctionType):
        value = getattr(value, "__wrapped__", None) if callable(value) else None
    return value if isinstance(value, types.FunctionType) else None


def _code(value: Any) -> types.CodeType | None:
    called = _plain_function(value)
    return called.__code__ if called else None


def _kept(value: Any) -> Hashable | Callable[[], Any]:
    """What tells later whether a name is bound to the same."""
    return literal_key(value) if isinstance(value, VALUES) else instances.reference_to(value)


def _is_same(kept: Any, now: Any) -> bool:
    if isinstance(kept, tuple):
        return isinstance(now, VALUES) and kept == literal_key(now)
    return kept() is now
