"""Tail recursion: how does a function become a loop that ends with a call of itself, on traced values?

    def gcd(a, b):                        again, arguments = True, (a, b)
        if b == 0:                        while again:
            return a                          again = False
        return gcd(b, a % b)                  result = body of gcd, where a call of gcd is:
                                                  again, arguments = True, (b, a % b)

The first round of the function runs as it stands; the call of itself in it is the loop. Its rounds are traced once, and
what they hand to the next one is state like any other that a branch writes to.
"""

from __future__ import annotations

import contextlib
import inspect
import itertools
import types
from collections.abc import Callable
from typing import Any

from autograph_lite.converters.python_ops import Maybe, Undefined
from autograph_lite.errors import AutographError
from autograph_lite.operators.branches import branch_paths
from autograph_lite.operators.effects import journal
from autograph_lite.operators.loops.carry import run_body
from autograph_lite.operators.loops.while_stmt import stage_while
from autograph_lite.operators.object_graph.reachability import by_code
from autograph_lite.operators.trace_context import decision_log
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values.place import Contents, Place
from autograph_lite.syntax import codes, signatures, tail_calls
from autograph_lite.tracing import entered, thread

NO_LOOP: Any = object()
_STAGED = frozenset({branch_paths.Path._run.__code__, run_body.__code__})


class _Round:
    """One round of a loop, while it is traced: what it hands to the next one, if there is one."""

    def __init__(self, fn: Callable[..., Any], arguments: Contents) -> None:
        self.fn = fn
        self.contents: Contents = {"again": False, **arguments}
        self.place = Place(self, lambda: dict(self.contents), self._write, self._shown, ours=True)

    def _write(self, new: Contents) -> None:
        self.contents = dict(new)

    @staticmethod
    def _shown(key: Any) -> str:
        return f"the argument {key!r}"

    def go_on(self, arguments: Contents) -> Any:
        """Stands for the call of the function: gives no value, which the next round has."""
        now = journal.active()
        assert now is not None
        now.note(self.place)
        self.contents = {"again": True, **arguments}
        return Undefined("the return value")

    def ended(self) -> Contents:
        """What it has handed on: with the round, that is no state any more."""
        now = journal.active()
        assert now is not None
        now.places.pop(self.place.key, None)
        return dict(self.contents)


def call_as_loop(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What `fn(*args, **kwargs)` gives, where that is a tail call of `fn` in `fn` itself, on a path that is staged.

    Returns:
      `NO_LOOP` where it is no such call, or its rounds are not the same program.
    """
    frame = source_places.user_frame()
    if frame is None or fn.__code__ in thread.now.unrolled or not _is_tail_call(frame, fn):
        return NO_LOOP
    try:
        arguments = bound_arguments(fn, args, kwargs)
    except TypeError:
        return NO_LOOP  # Python says what is wrong
    if arguments is None:
        return NO_LOOP
    around: _Round | None = thread.now.round
    if around is not None and around.fn.__code__ is fn.__code__:
        return around.go_on(arguments)
    with decision_log.deciding("recursion", "while_loop", "it is a tail call, and a traced value ends it"):
        with contextlib.suppress(AutographError, TypeError, ValueError, IndexError):
            return _loop(fn, arguments)
        # It is traced as Python would run it then, and fails there if it must. Not in an `except`: what the function raises on a
        # path would have the refusal as its context, and be taken for what a `finally` of the user's made of it.
        with entered(unrolled=thread.now.unrolled | {fn.__code__}):
            decision_log.refine_decision(decision_log.OTHERS, "Python", "its rounds are not one program")
            return fn(*args, **kwargs)


def _loop(fn: Any, arguments: Contents) -> Any:
    names = tuple(arguments)

    def again(again: Any, result: Any, arguments: Any) -> Any:
        return again

    def body(again: Any, result: Any, arguments: Any) -> Any:
        this = _Round(fn, dict(zip(names, arguments, strict=True)))
        with entered(round=this):
            result = called_with(fn, this.contents)
        now = this.ended()
        return now.pop("again"), result, tuple(now.values())

    for part in (again, body):
        _place_at(part, fn.__code__)
    start = (True, Undefined("the return value"), tuple(arguments.values()))
    _, result, _ = stage_while(again, body, start)
    return result.value if isinstance(result, Maybe) else result


def _place_at(part: Any, code: types.CodeType) -> None:
    part.__code__ = source_places.relocate(part.__code__, code.co_filename, code.co_firstlineno, code.co_name)


# What is called, and with what


def bound_arguments(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Contents | None:
    """The arguments by parameter, defaults included; None where some have no parameter of their own."""
    signature = _signature(fn)
    kinds = {parameter.kind for parameter in signature.parameters.values()}
    if inspect.Parameter.VAR_KEYWORD in kinds or inspect.Parameter.VAR_POSITIONAL in kinds:
        return None
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    found: Contents = {}
    found.update(bound.arguments)
    return found


def called_with(fn: Any, arguments: Contents) -> Any:
    """What `fn` gives for arguments by parameter."""
    parameters = _signature(fn).parameters.values()
    plain = [arguments[p.name] for p in parameters if p.kind is not p.KEYWORD_ONLY]
    named = {p.name: arguments[p.name] for p in parameters if p.kind is p.KEYWORD_ONLY}
    return fn(*plain, **named)


def _signature(fn: Any) -> inspect.Signature:
    return signatures.signature(fn, follow_wrapped=False)


# Where it is called


def _is_tail_call(frame: types.FrameType, fn: Any) -> bool:
    """Whether the call that runs in `frame` is the last thing that `fn` does, on a path that is staged."""
    if frame.f_code.co_filename != fn.__code__.co_filename:
        return False
    spans = itertools.islice(frame.f_code.co_positions(), frame.f_lasti // 2, None)
    line, _, column, _ = next(spans, (None,) * 4)
    if line is None or column is None:
        return False
    first = tail_calls.function_of(frame.f_code.co_filename, (line, column))
    return first == fn.__code__.co_firstlineno and _runs_inside(frame, fn)


def _runs_inside(frame: types.FrameType | None, fn: Any) -> bool:
    """Whether a frame is a part of a call of `fn`, and a statement that is staged lies between."""
    parts, staged = _parts(fn.__code__), False
    while frame is not None and frame.f_code is not fn.__code__:
        if id(frame.f_code) not in parts and not source_places.is_hidden(frame.f_code):
            return False
        staged = staged or frame.f_code in _STAGED
        frame = frame.f_back
    return staged and frame is not None and _has_cells(frame, fn)


def _has_cells(frame: types.FrameType, fn: Any) -> bool:
    """Whether the call that runs in `frame` has the variables around it that `fn` has."""
    cells = zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True)
    known = frame.f_locals
    return all(cell.cell_contents is known.get(name) for name, cell in cells)


@by_code
def _parts(code: types.CodeType) -> frozenset[int]:
    """The ids of the code of what is defined inside: to compare codes takes long."""
    return frozenset(map(id, codes.nested_codes(code))) - {id(code)}
