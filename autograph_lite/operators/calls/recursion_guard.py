"""Recursion: does a function call itself while it is staged, with nothing known that could end it?"""

from __future__ import annotations

import contextlib
import functools
import math
import sys
from typing import Any, NamedTuple

import jax

from autograph_lite.errors import TracedRecursionError
from autograph_lite.operators.effects import journal
from autograph_lite.operators.loops import recursion, tail_recursion
from autograph_lite.operators.trace_context import decision_log
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
    recurs: bool  # whether it was running already, and a staged statement lies between
    left: list[float]  # how many calls of it may still be recorded inside of this one, in a list

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
    if thread.now.recursions and _is_same(thread.now.recursions[-1].fn, fn):
        return thread.now.recursions[-1].call(args, kwargs)
    if (result := tail_recursion.call_as_loop(fn, args, kwargs)) is not tail_recursion.NO_LOOP:
        return result
    return call_once(fn, args, kwargs)


def call_once(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], before: tuple[Any, ...] = ()) -> Any:
    """`fn(*before, *args, **kwargs)`, where `args` and `kwargs` are those of the user's call, which `guarded` compares."""
    depth, running = journal.depth(), thread.now.calls
    kept = not kwargs and all(isinstance(value, _UNCHANGING) for value in args)
    signature = None if kept else _signature(args, kwargs)
    around = [call for call in running if call.depth < depth and _is_same(call.fn, fn)]
    outermost = next((call for call in around if call.recurs), None)
    if any(call.like(signature or _signature(args, kwargs)) for call in around):
        if before:
            raise _endless(fn, _short(fn))
        if outermost is not None:
            raise _TooDeep
        return _on_stack(fn, args, kwargs)
    if outermost is not None and not before:
        outermost.left[0] -= 1
        if outermost.left[0] < math.inf and _is_deep():
            outermost.left[0] = -1
        if outermost.left[0] < 0:
            raise _TooDeep
    return _recorded(fn, args, kwargs, before, signature, around, _MOST)


_MOST = 500  # calls, which Python's numbers in the arguments tell from each other
_ROOM = 300  # frames, for what JAX does where a call is recorded


def _is_deep() -> bool:
    """Whether Python's limit is near: a RecursionError that comes anywhere may be lost where it comes."""
    try:
        sys._getframe(max(0, sys.getrecursionlimit() - _ROOM))
    except ValueError:
        return False
    return True


def _recorded(
    fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], before: tuple[Any, ...], signature: Any,
    around: list[_Call], most: float,
) -> Any:  # fmt: skip
    """What the function gives, recorded where it is called; on a stack where that has no end."""
    depth, running = journal.depth(), thread.now.calls
    now, told = journal.active(), decision_log.decision_count()
    first = bool(around) and not before and not any(call.recurs for call in around)
    noted = now.contents_now() if now is not None and first else {}
    kept = args if signature is None else ()
    running.append(_Call(fn, signature, kept, depth, _short(fn), bool(around), left := [most]))
    try:
        if now is not None:
            now.called(fn)
        journal.record_variables(fn)
        journal.record_augmented(fn, (*args, *kwargs.values()))
        return fn(*before, *args, **kwargs)
    except (_TooDeep, RecursionError) as error:
        if not around or isinstance(error, TracedRecursionError):
            raise
        if before:
            raise _endless(fn, _short(fn)) from None
        if not first or now is None:
            raise _TooDeep from None
        if now.contents_now() != noted:
            raise _endless(fn, _short(fn), "it changes Python's objects") from None
    finally:
        running.pop()
    decision_log.forget_since(told)
    if left[0] >= 0:
        return _on_stack(fn, args, kwargs)
    with contextlib.suppress(recursion.Refusal):
        return recursion.call_on_stack(fn, args, kwargs)
    # Python's numbers may end it. Not in an `except`, as in `tail_recursion.call_as_loop`.
    return _recorded(fn, args, kwargs, before, signature, around, math.inf)


class _TooDeep(BaseException):
    """Python's numbers among the arguments of a function are others in each call, and it is recorded again and again."""


def _on_stack(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    try:
        return recursion.call_on_stack(fn, args, kwargs)
    except recursion.Refusal as refusal:
        raise _endless(fn, _short(fn), str(refusal)) from None


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


def _endless(fn: Any, name: str, refused: str = "") -> TracedRecursionError:
    names = [call.name for call in thread.now.calls]
    start = next(i for i, call in enumerate(thread.now.calls) if _is_same(call.fn, fn))
    rounds = [*names[start:], name]
    cycle = " -> ".join(rounds[: rounds.index(name, 1) + 1])
    return TracedRecursionError(
        f"'{name}' calls itself on traced values: {cycle}.",
        why="Whether the recursion ends depends on a traced value, so tracing it would never end"
        + (f", and no stack is made for it: {refused}." if refused else "."),
        fix="write it as a loop, or recurse on a Python value.",
    )
