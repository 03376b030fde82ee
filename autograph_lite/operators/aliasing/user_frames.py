"""User frames: which of the user's converted functions run, where are they, and what do their variables mean?"""

from __future__ import annotations

import dis
import functools
import inspect
import itertools
import sys
import types
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import gast

from autograph_lite.analysis import read_after, scopes
from autograph_lite.converters.python_ops import Maybe, held
from autograph_lite.operators.aliasing import access_paths
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.user_code.conversion import is_converted_code
from autograph_lite.syntax import trees
from autograph_lite.syntax.source_text import source

Variables = dict[str, Any]
# The frames of one run of a user's function, with those of its pieces, inner ones first.
Run = list[types.FrameType]


def runs() -> list[Run]:
    """The converted functions that run, inner ones first, for whoever is called by one of ours.

    The innermost may have no operator, `def add(v, n): v += n`, and is what the user wrote.
    """
    found: list[Run] = []
    frame: types.FrameType | None = sys._getframe(2)
    while frame is not None:
        if frame.f_code.co_freevars and is_converted_code(frame.f_code):
            if found and source_places.is_piece(found[-1][-1].f_code, frame.f_code):
                found[-1].append(frame)
            else:
                found.append([frame])
        elif not found and not source_places.is_hidden_file(frame.f_code.co_filename):
            found.append([frame])
        frame = frame.f_back
    return found


def without_generators(runs: list[Run], same: Sequence[Any]) -> list[Run]:
    """The runs, with a function and the body of its loop as one, where a generator between them has called that.

    A generator stays whose own variables lead to the array.
    """
    for number, run in enumerate(runs[2:], 2):
        for inner, body in enumerate(runs[: number - 1]):
            if not source_places.is_piece(body[-1].f_code, run[0].f_code):
                continue
            if not any(_has_itself(each, same) for each in runs[inner + 1 : number]):
                return without_generators([*runs[:inner], [*body, *run], *runs[number + 1 :]], same)
    return runs


def _has_itself(run: Run, same: Sequence[Any]) -> bool:
    return any(_is_users(path.name, run) for path in access_paths.leading_to(run_variables(run), same))


def run_variables(run: Run) -> Variables:
    """The variables of a run, as its innermost piece has them, and the globals that it names."""
    module = run[0].f_globals
    found: Variables = {
        name: module[name] for frame in run for name in frame.f_code.co_names if name in module
    }
    for frame in reversed(run):
        found.update({name: held(value) for name, value in frame.f_locals.items()})
    return found


def are_held_twice(arrays: Sequence[Any]) -> bool:
    """Whether variables of the functions that run lead to one of these arrays, or a part of them, in more than one way."""
    found = (
        path
        for run in runs()
        for path in access_paths.leading_to(run_variables(run), arrays, parts=True)
        if _is_users(path.name, run) and not _is_bound_again(path, run)
    )
    return len([*itertools.islice(found, 2)]) > 1


def _is_bound_again(path: access_paths.Path, run: Run) -> bool:
    """Whether a variable that a loop binds first holds what an iteration before has bound it to, and nobody reads that."""
    if type(run[0].f_locals.get(path.name)) is not Maybe:
        return False
    place = place_of_run(run)
    return place is not None and not any(
        read_after.read_after(place, access_paths.readers(path, run_variables(run)))
    )


def lead_elsewhere(arrays: Sequence[Any], owner: Any) -> bool:
    """Whether variables of the functions that run lead to one of these arrays, or a part of them, but by items of `owner`."""
    return any(
        path.owner is not owner and _is_users(path.name, run)
        for run in runs()
        for path in access_paths.leading_to(run_variables(run), arrays, parts=True)
    )


def _is_users(name: str, run: Run) -> bool:
    """Whether a variable has its name from the user, and not from us, who keep a value until a statement is over."""
    place = place_of_run(run)
    return place is None or name in _names_in(place.function)


def is_done(path: access_paths.Path, run: Run) -> bool:
    """Whether a variable is one of ours, as those that hold what a statement stores, and no code loads it afterwards."""
    return (
        place_of_run(run) is not None
        and not _is_users(path.name, run)
        and not any(_is_loaded(f.f_code, f.f_lasti, path.name) for f in run)
    )


@functools.lru_cache(maxsize=1024)
def _is_loaded(code: types.CodeType, offset: int, name: str) -> bool:
    """Whether a code object may load a variable after an instruction, before it stores another value there."""
    steps = [*dis.get_instructions(code)]
    numbers = {each.offset: number for number, each in enumerate(steps)}
    todo, seen = [sum(each.offset <= offset for each in steps)], set[int]()
    while todo:
        number = todo.pop()
        if number in seen or number >= len(steps):
            continue
        seen.add(number)
        step, names = steps[number], steps[number].argval
        kinds = [kind for kind in step.opname.split("_") if kind in ("LOAD", "STORE")]
        found = {n: kind for kind, n in zip(kinds, names if type(names) is tuple else (names,), strict=False)}
        if found.get(name) == "LOAD":
            return True
        if name in found:
            continue
        if step.opcode in dis.hasjrel or step.opcode in dis.hasjabs:
            todo.append(numbers[step.argval])
        if not step.opname.startswith(("RETURN", "RAISE", "RERAISE", "JUMP")):
            todo.append(number + 1)
    return False


@functools.lru_cache(maxsize=256)
def _names_in(function: gast.FunctionDef) -> frozenset[str]:
    names = {node.id for node in trees.walk(function) if isinstance(node, gast.Name)}
    return frozenset(names)


def lead_to(arrays: Sequence[Any]) -> bool:
    """Whether variables of the functions that run lead to one of these arrays, or a part of them."""
    return any(access_paths.leading_to(run_variables(run), arrays, parts=True, first=True) for run in runs())


def read_later(
    arrays: Sequence[Any], but: Any = None, without: Collection[str] = (),
    slots: Collection[access_paths.Slot] = (),
) -> bool:  # fmt: skip
    """Whether the functions that run read later what leads to one of these arrays, or a part, and not to `but`.

    The names `without` of the innermost function, and the `slots` of objects, lead to something else by then.
    """
    return next(paths_read_later(arrays, but, without, slots), None) is not None


def paths_read_later(
    arrays: Sequence[Any], but: Any = None, without: Collection[str] = (),
    slots: Collection[access_paths.Slot] = (),
) -> Iterator[access_paths.Path]:  # fmt: skip
    """By which ways they do: those that `read_later` asks for."""
    for run in without_generators(runs(), arrays):
        variables = run_variables(run)
        variables = {name: value for name, value in variables.items() if name not in without}
        if without:  # a generator's loop binds those of the loop over it, too
            is_generator = _is_generator(run)
            without = [name for name in without if is_generator and not _is_users(name, run)]
        found = access_paths.leading_to(variables, arrays, parts=True, but=but)
        found = [path for path in found if path.slot is None or path.slot not in slots]
        place = place_of_run(run) if found else None
        for path in found:
            readers = access_paths.readers(path, variables)
            if not is_done(path, run) and (place is None or any(read_after.read_after(place, readers))):
                yield path


def _is_generator(run: Run) -> bool:
    place = place_of_run(run)
    return place is not None and _yields(place.function)


@functools.lru_cache(maxsize=256)
def _yields(function: gast.FunctionDef) -> bool:
    return any(isinstance(node, (gast.Yield, gast.YieldFrom)) for node in scopes.own_nodes(function.body))


def may_be_read(arrays: Sequence[Any]) -> bool:
    """The same, also by a variable of ours, which keeps a value until a statement is over."""
    return read_later(arrays) or any(
        not _is_users(path.name, run)
        for run in runs()
        for path in access_paths.leading_to(run_variables(run), arrays, parts=True)
    )


def read_or_kept(memories: Sequence[Any]) -> bool:
    """Whether the functions that run read later a part that has one of these memories, or an object has such a part."""
    return bool(memories) and (
        read_later(memories)
        or any(
            path.owner is not None
            for run in runs()
            for path in access_paths.leading_to(run_variables(run), memories, parts=True)
        )
    )


def was_handed(run: Run, same: Sequence[Any]) -> bool:
    """Whether a parameter, or a variable of a function around, leads to the array."""
    code, known = run[-1].f_code, run[-1].f_locals
    number = (
        code.co_argcount
        + code.co_kwonlyargcount
        + _has(code, inspect.CO_VARARGS)
        + _has(code, inspect.CO_VARKEYWORDS)
    )
    names = [name for name in (*code.co_varnames[:number], *code.co_freevars) if name in known]
    given = {name: known[name] for name in names}
    return bool(access_paths.leading_to(given, same, first=True))


def _has(code: types.CodeType, flag: int) -> bool:
    return bool(code.co_flags & flag)


def place_of_run(run: Run) -> read_after.Place | None:
    """Where a run is in its function's text; None where there is no such text."""
    frame = run[0]
    if frame.f_lasti < 0:
        return None
    span = _span(frame.f_code.co_filename, frame.f_code, frame.f_lasti // 2)
    function = None if span is None else source.function_around(frame.f_code, span)
    return None if function is None or span is None else read_after.place_of_span(function, span)


@functools.lru_cache(maxsize=1024)
def _span(_path: str, code: types.CodeType, number: int) -> source.Span | None:
    """The place that an instruction of a code object stands for, in the file `_path`."""
    return source.span(*next(itertools.islice(code.co_positions(), number, None)))
