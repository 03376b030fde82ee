"""Live variables of the functions that run: which objects will be read after a statement, or where something was raised?

    acc = [0, 1]
    if x > 0:
        acc = [acc[1], acc[0]]        nobody reads the first list any more: writing to the joined one changes no other
    acc[0] += 1

The textbook analysis on the code that runs, backwards from its returns (Aho, Lam, Sethi and Ullman, "Compilers" (2006),
9.2.5). A piece of a function, such as a branch, ends where the one around goes on, with whose variables it shares cells.
"""

from __future__ import annotations

import dis
import inspect
import itertools
import sys
import traceback
import types
from collections.abc import Sequence
from typing import Any, NamedTuple

from autograph_lite.operators.object_graph.reachability import by_code, globals_named, names_used
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.user_code.conversion import is_converted_code
from autograph_lite.tracing import thread

Names = frozenset[str]


def live_values() -> list[Any] | None:
    """What the functions that run may read after the statement that runs; None where nobody knows.

    Of the innermost function, what its variables hold that are live; of those that wait for it, all that they hold.
    """
    frames, ours, outer = _running()
    if not outer:
        return None
    first = ours.index(True)
    found: list[Any] = []
    pieces, last = [first], first
    for at in range(first + 1, outer):
        if ours[at] and not source_places.is_piece(frames[last].f_code, frames[at].f_code):
            break
        if ours[at]:
            pieces.append(at)
            last = at
    found += [kinds for kinds, *_ in thread.now.handlers]  # which lead to the managers that were entered
    after: Names = frozenset()
    for number, at in reversed([*enumerate(pieces)]):
        frame, code = frames[at], frames[at].f_code
        between = frames[pieces[number - 1] + 1 : at] if number else frames[:at]
        if not _is_followed(between) or not _takes_the_result(code, frame.f_lasti):
            return None
        found += [held_by_frame(each)["iterable"] for each in between if each.f_code.co_name == "for_stmt"]
        is_repeated = number + 1 < len(pieces) and any(
            _LOOPS in each.f_code.co_filename for each in frames[at : pieces[number + 1]]
        )
        after = live_after(
            code,
            frame.f_lasti,
            frozenset(code.co_freevars) if is_repeated else after & frozenset(code.co_freevars),
        )
        shared = {*frames[pieces[number - 1]].f_code.co_freevars} if number else set()
        found += [value for name, value in held_by_frame(frame).items() if name in after - shared]
    for frame in frames[last + 1 : outer]:
        found += held_by_frame(frame).values()
    for frame in itertools.compress(frames, ours):
        found += globals_named(frame.f_globals, names_used(frame.f_code))
    return found


def live_where_raised(catcher: types.FrameType, *, unwound: bool) -> list[Any]:
    """What running functions will still read where something is raised that the one of a frame catches.

    Args:
      catcher: the frame; of those that wait for it, whatever they hold counts.
      unwound: whether the functions that this one has called do nothing more.
    """
    frames, ours, outer = _running()
    inner = frames.index(catcher)
    found: list[Any] = []
    held: dict[str, Any] = {}
    around, after = None, frozenset[str]()
    for frame in reversed([*itertools.compress(frames[: inner + 1], ours)]):
        code = frame.f_code
        is_piece = around is not None and source_places.is_piece(code, around.f_code)
        if unwound and around is not None and not is_piece:
            break
        if is_piece:  # it tells of the variables that it shares
            held = {name: value for name, value in held.items() if name not in code.co_freevars}
        found += held.values()
        free = frozenset(code.co_freevars)
        around, after = frame, live_after(code, frame.f_lasti, after & free if is_piece else free)
        if frame is catcher:
            after |= {*inspect.getargs(code).args}
        held = {name: value for name, value in held_by_frame(frame).items() if name in after}
    found += held.values()
    for frame in frames[inner + 1 : outer]:
        found += held_by_frame(frame).values()
    return found


def held_by_frame(frame: types.FrameType) -> dict[str, Any]:
    """What the variables of a running function hold.

    Before Python 3.13 a frame keeps the dict that it gives, and an exception that has gone through it keeps the frame. It is
    the user's, too, where `locals()` was called.
    """
    held = frame.f_locals
    found = {**held}
    is_function = frame.f_code.co_flags & inspect.CO_OPTIMIZED
    if sys.version_info < (3, 13) and is_function and sys.getrefcount(held) <= _OF_A_FRAME:
        held.clear()
    return found


def _running() -> tuple[list[types.FrameType], list[bool], int]:
    """The frames that run, which of them are of converted code, and how many belong to the outermost function's call."""
    frames = [frame for frame, _ in traceback.walk_stack(sys._getframe(2))]
    ours = [is_converted_code(frame.f_code) for frame in frames]
    outer = max((number for number, is_ours in enumerate(ours, 1) if is_ours), default=0)
    while 0 < outer < len(frames) and source_places.is_hidden(frames[outer].f_code):
        outer += 1  # what has called a function holds its arguments
    return frames, ours, outer


_OF_A_FRAME = 3  # references: the frame's, a variable's, and an argument's
_LOOPS = "/operators/loops/"
_STATEMENTS = (
    _LOOPS,
    "/operators/branches/",
    "/operators/effects/",
    "/operators/joins/",
    "/operators/purity/",
    "/jax_internals/",
)


def _is_followed(frames: Sequence[types.FrameType]) -> bool:
    """Whether frames of ours between two pieces of a function hold nothing that is read later but what a loop goes through."""
    paths = [frame.f_code.co_filename for frame in frames]
    return all(any(part in path for part in _STATEMENTS) for path in paths)


class _Step(NamedTuple):
    """An instruction: the variables that it reads, then those that it binds, and those that may follow."""

    offset: int
    name: str
    uses: Names
    kills: Names
    following: tuple[int, ...]


@by_code
def _steps(code: types.CodeType) -> list[_Step]:
    found: list[_Step] = []
    steps = [*dis.get_instructions(code)]
    for number, step in enumerate(steps):
        name, value = step.opname, step.argval
        uses: Names = frozenset()
        kills: Names = frozenset()
        if any(kind in name for kind in ("FAST", "DEREF", "CLOSURE")):
            names = frozenset(value) if isinstance(value, tuple) else frozenset([value])
            if name == "STORE_FAST_LOAD_FAST":
                kills, uses = frozenset(value[:1]), frozenset(value[1:]) - {value[0]}
            elif name.startswith(("STORE", "DELETE")):
                kills = names
            else:
                uses = names
        following = [number + 1] if name not in _ENDS else []
        if step.opcode in _JUMPS:
            following.append(next(n for n, each in enumerate(steps) if each.offset == value))
        found.append(_Step(step.offset, name, uses, kills, tuple(following)))
    return found


_JUMPS = {*dis.hasjrel, *dis.hasjabs}
_ENDS = {
    *("RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE", "JUMP_FORWARD", "JUMP_BACKWARD"),
    "JUMP_BACKWARD_NO_INTERRUPT",
}
_TAKE = {
    *("STORE_FAST", "STORE_DEREF", "STORE_GLOBAL", "POP_TOP", "RETURN_VALUE", "UNPACK_SEQUENCE"),
    *("STORE_FAST_LOAD_FAST", "STORE_FAST_STORE_FAST"),
}


def _at(steps: Sequence[_Step], offset: int) -> int:
    return max(number for number, step in enumerate(steps) if step.offset <= offset)


def _takes_the_result(code: types.CodeType, offset: int) -> bool:
    """Whether a statement does nothing but call what runs, and bind or return what that gives: Python's stack holds no more.

    But for the managers of the `with` statements around, which `thread.now.handlers` leads to.
    """
    steps = _steps(code)
    at = _at(steps, offset)
    inside = [block.depth for block in _blocks(code) if block.start <= steps[at].offset < block.end]
    loops = any(step.name == "FOR_ITER" and n < at < step.following[-1] for n, step in enumerate(steps))
    held = 0 if loops else max(inside, default=0)
    return _depths(code).get(at + 1) == held + 1 and steps[at + 1].name in _TAKE


@by_code
def _blocks(code: types.CodeType) -> list[Any]:
    """Where Python catches exceptions, and how much its stack holds there."""
    return [*dis.Bytecode(code).exception_entries]  # type: ignore[attr-defined]


@by_code
def _depths(code: types.CodeType) -> dict[int, int]:
    """How many values are on Python's stack before each instruction, by its number, but of handlers."""
    steps = [*dis.get_instructions(code)]
    known, todo = {0: 0}, [0]
    while todo:
        number = todo.pop()
        step = steps[number]
        for place, following in enumerate(_steps(code)[number].following):
            jumps = step.opcode in _JUMPS and (place > 0 or step.opname in _ENDS)
            if following not in known:
                known[following] = known[number] + dis.stack_effect(step.opcode, step.arg, jump=jumps)
                todo.append(following)
    return known


def live_after(code: types.CodeType, offset: int, at_return: Names) -> Names:
    """The variables that are live after the instruction at `offset`, if these are where the function returns."""
    steps = _steps(code)
    known = [frozenset[str]()] * len(steps)  # before each
    changed = True
    while changed:
        changed = False
        for number in range(len(steps) - 1, -1, -1):
            step = steps[number]
            after = (
                at_return
                if not step.following
                else frozenset[str]().union(*(known[n] for n in step.following))
            )
            before = step.uses | (after - step.kills)
            changed = changed or before != known[number]
            known[number] = before
    reached = _depths(code)
    handlers = (step.uses for number, step in enumerate(steps) if number not in reached)
    return frozenset().union(*(known[n] for n in steps[_at(steps, offset)].following), *handlers)
