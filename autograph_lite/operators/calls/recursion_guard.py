"""Recursion: does a function call itself while it is staged, with nothing known that could end it?"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import jax

from autograph_lite.errors import TracedRecursionError
from autograph_lite.operators.effects import journal
from autograph_lite.operators.loops import tail_recursion
from autograph_lite.operators.values import pytrees
from autograph_lite.operators.values.values import Tracer, traced
from autograph_lite.tracing import thread


class _Call(NamedTuple):
    """A call of a converted function that is running."""

    fn: Any
    signature: Any  # of its arguments; None where they are kept, because nothing can change them
    arguments: tuple[Any, ...]
    depth: int  # of the journals
    name: str

    def like(self, signature: Any) -> bool:
        """Whether the arguments were of these types."""
        return bool((self.signature or _signature(self.arguments, {})) == signature)


def guarded(fn: Any) -> Any:
    """`fn`, called inside a staged statement: an endless recursion is refused at its first round.

    Raises:
      TracedRecursionError: the function is running already, was called with arguments of the same types, and a staged
        statement lies between: the statement's condition is what would end the recursion, and tracing follows both sides.
    """
    return functools.partial(_run, fn)


def _run(fn: Any, /, *args: Any, **kwargs: Any) -> Any:
    if (result := tail_recursion.call_as_loop(fn, args, kwargs)) is not tail_recursion.NO_LOOP:
        return result
    return call_once(fn, args, kwargs)


def call_once(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], before: tuple[Any, ...] = ()) -> Any:
    """`fn(*before, *args, **kwargs)`, where `args` and `kwargs` are those of the user's call, which `guarded` compares."""
    depth, running = journal.depth(), thread.now.calls
    kept = not kwargs and all(isinstance(value, _UNCHANGING) for value in args)
    signature = None if kept else _signature(args, kwargs)
    for call in running:
        if call.depth < depth and _is_same(call.fn, fn) and call.like(signature or _signature(args, kwargs)):
            raise _endless(fn, _short(fn))
    running.append(_Call(fn, signature, args if kept else (), depth, _short(fn)))
    try:
        now = journal.active()
        if now is not None:
            now.called(fn)
        journal.record_variables(fn)
        journal.record_augmented(fn, (*args, *kwargs.values()))
        return fn(*before, *args, **kwargs)
    except RecursionError:  # Python's numbers among the arguments are others at each round
        if any(call.depth < depth and _is_same(call.fn, fn) for call in running[:-1]):
            raise _endless(fn, _short(fn)) from None
        raise
    finally:
        running.pop()


_UNCHANGING = (Tracer, int, float, str)


def _is_same(a: Any, b: Any) -> bool:
    """Whether two functions have the same code and the same variables around them."""
    if a.__code__ is not b.__code__:
        return False
    pairs = zip(a.__closure__ or (), b.__closure__ or (), strict=True)
    return all(x is y or (x.cell_contents is y.cell_contents) for x, y in pairs)


def _short(fn: Any) -> str:
    """A function's name as the user would write it: without the functions around it."""
    name: str = fn.__qualname__
    return name.rpartition("<locals>.")[2]


def _signature(args: Any, kwargs: Any) -> Any:
    leaves, tree = pytrees.flatten((args, kwargs))
    return tree, tuple(
        (jax.typeof(leaf).shape, jax.typeof(leaf).dtype) if traced(leaf) else _known(leaf) for leaf in leaves
    )


def _known(leaf: Any) -> Any:
    return (type(leaf), leaf) if isinstance(leaf, (int, float, str, bool)) else id(leaf)


def _endless(fn: Any, name: str) -> TracedRecursionError:
    names = [call.name for call in thread.now.calls]
    start = next(i for i, call in enumerate(thread.now.calls) if _is_same(call.fn, fn))
    rounds = [*names[start:], name]
    cycle = " -> ".join(rounds[: rounds.index(name, 1) + 1])
    return TracedRecursionError(
        f"'{name}' calls itself on traced values: {cycle}.",
        why="Whether the recursion ends depends on a traced value, so tracing it would never end.",
        fix="write it as a loop, or recurse on a Python value.",
    )
