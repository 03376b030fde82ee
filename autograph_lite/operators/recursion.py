"""Does a function call itself while it is staged, with nothing known that could end it?"""

from __future__ import annotations

import functools
import threading
import types
from typing import Any

import jax

from autograph_lite.errors import TracedRecursionError
from autograph_lite.operators import journal, trees, where
from autograph_lite.operators.values import traced


class _Local(threading.local):
    def __init__(self) -> None:
        self.calls: list[tuple[types.CodeType, Any, int, str]] = []


_local = _Local()


def guarded(fn: Any) -> Any:
    """`fn`, called inside a staged statement: an endless recursion is refused at its first round.

    Raises:
      TracedRecursionError: the function is running already, was called with arguments of the same types, and a staged
        statement lies between: the statement's condition is what would end the recursion, and tracing follows both sides.
    """

    @functools.wraps(fn)
    def run(*args: Any, **kwargs: Any) -> Any:
        code, depth = fn.__code__, journal.depth()
        signature = None
        if any(entry[0] is code for entry in _local.calls):
            signature = _signature(args, kwargs)
            for known, earlier, at, _ in _local.calls:
                if known is code and at < depth and earlier == signature:
                    raise _endless(code, _short(fn))
        _local.calls.append((code, signature or _signature(args, kwargs), depth, _short(fn)))
        try:
            now = journal.active()
            if now is not None:
                now.called(fn)
            journal.record_variables(fn)
            return fn(*args, **kwargs)
        finally:
            _local.calls.pop()

    return run


def _short(fn: Any) -> str:
    """A function's name as the user would write it: without the functions around it."""
    name: str = fn.__qualname__
    return name.rpartition("<locals>.")[2]


def _signature(args: Any, kwargs: Any) -> Any:
    leaves, tree = trees.flatten((args, kwargs))
    return tree, tuple(
        (jax.typeof(leaf).shape, jax.typeof(leaf).dtype) if traced(leaf) else _known(leaf) for leaf in leaves
    )


def _known(leaf: Any) -> Any:
    return (type(leaf), leaf) if isinstance(leaf, (int, float, str, bool)) else id(leaf)


def _endless(code: types.CodeType, name: str) -> TracedRecursionError:
    names = [entry[3] for entry in _local.calls]
    start = next(i for i, entry in enumerate(_local.calls) if entry[0] is code)
    cycle = " -> ".join([*names[start:], name])
    return TracedRecursionError(
        f"'{name}' calls itself on traced values: {cycle}.",
        where=tuple(p for p in (where.here(),) if p),
        why="Whether the recursion ends depends on a traced value, so tracing it would never end.",
        fix="write it as a loop, or recurse on a Python value.",
    )
