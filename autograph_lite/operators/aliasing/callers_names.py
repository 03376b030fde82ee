"""Callers' names: does a function that waits for another one read an array later to whose items that one writes?

    def sift(a, i):                       def main(x):
        a[i] = a[2 * i]                       sift(x, 0)          in NumPy, this changes `x`
        return a                              return x

The text of the function that waits says what it reads; its variables say what the array is there.
"""

from __future__ import annotations

import collections
import dataclasses
import itertools
import types
from collections.abc import Sequence
from typing import Any

import gast

from autograph_lite.analysis import read_after
from autograph_lite.analysis.views import seen_by
from autograph_lite.errors import MutationError
from autograph_lite.operators.aliasing import access_paths, user_frames
from autograph_lite.operators.aliasing.access_paths import Path, is_one
from autograph_lite.operators.aliasing.user_frames import Run, Variables
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values.values import describe
from autograph_lite.syntax import trees


def check_callers_names(runs: Sequence[Run], same: Sequence[Any], slots: set[Any], shared: str = "") -> None:
    """Refuses a write to an array if a function that waits reads it later.

    What the objects in `slots` have got has been looked at, and is theirs to read; so is the variable that is `shared` with
    the functions around.
    """
    for called, caller in itertools.pairwise(runs):
        if not user_frames.was_handed(called, same):
            return
        waits = user_frames.place_of_run(caller)
        if waits is None:
            return
        variables = user_frames.run_variables(caller)
        arguments: list[gast.expr] = []
        if waits.call is not None:
            found = arguments_meant(called, waits.call, same)
            arguments = [each for each in found if _may_be(each, variables, same)]
        path = caller[0].f_code.co_filename
        put = replaced(called, waits, variables, same, ())
        call = _Call(source_places.function_name(called[-1].f_code), f"{path}:{waits.line}", waits, put)
        others = [
            each
            for each in access_paths.leading_to(variables, same)
            if (each.slot is None or each.slot not in slots) and not _is_shared(each, shared, caller)
        ]
        _check_caller(variables, call, arguments, others, same)
        slots |= {each.slot for each in others}


def _is_shared(path: Path, name: str, run: Run) -> bool:
    """Whether a path is the variable of that name which functions share."""
    return (
        path.is_variable
        and path.name == name
        and any(name in (*frame.f_code.co_cellvars, *frame.f_code.co_freevars) for frame in run)
    )


def replaced(
    called: Run, place: read_after.Place, variables: Variables, same: Sequence[Any], whole: Sequence[Any]
) -> frozenset[str]:
    """The variables and attributes in which the statement replaces the item that the call gets: `m[i] = f(m[i])`.

    Not where they lead to the array, to parts of it, or to what it is a part of, in further ways: `rows = [x, x]`.
    """
    given = [] if place.call is None else arguments_meant(called, place.call, same)
    handed = {(view.path, view.index) for each in given for view in seen_by(each) if view.index}
    found = handed & place.stored
    if not found or place.assigned:  # `m[i] = row = f(m[i])`
        return frozenset()
    ways = [*access_paths.leading_to(variables, same, parts=True), *access_paths.leading_to(variables, whole)]
    shown = {(path.attributes, path.shown) for path in ways}
    counts = collections.Counter(attributes for attributes, _ in shown)
    return frozenset(path for path, _ in found if counts[path] == 1)


def arguments_meant(called: Run, call: gast.Call, same: Sequence[Any]) -> list[gast.expr]:
    """What stands in a call for those parameters that mean the array in the function that is called."""
    known, code = called[-1].f_locals, called[-1].f_code
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return [each for name in names if is_one(known.get(name), same) for each in _arguments(call, code, name)]


@dataclasses.dataclass(frozen=True)
class _Call:
    """A call that waits: of the function `name`, at a line, `at`, and the place there; with what `replaced` says."""

    name: str
    at: str
    place: read_after.Place
    replaced: frozenset[str]


def _check_caller(
    variables: Variables,
    call: _Call,
    arguments: Sequence[gast.expr],
    others: Sequence[Path],
    same: Sequence[Any],
) -> None:
    """Refuses a write to an array that a function reads when a call that writes to it is over."""
    place = call.place
    paths = [path for argument in arguments if (path := trees.dotted(argument))]
    stale = {each.attributes: each.shown for each in reversed(others) if each.name in place.names}
    read, kept = read_after.read_after(place, frozenset([*paths, *stale]), call.replaced)
    wanted = {*paths, *stale}
    for path in (*sorted(read & wanted), *sorted(kept & wanted)):
        shown = stale.get(path, path)
        raise _refusal(same[0], call, shown, f"and '{shown}' {access_paths.LATER[path in read]}")
    for argument in arguments:
        if place.drops_result and isinstance(argument, gast.Subscript):
            text = gast.unparse(argument).strip()
            raise _refusal(same[0], call, text, "and nothing takes what it is then")


def _refusal(array: Any, call: _Call, path: str, found: str) -> MutationError:
    name = call.name
    stay = f"where '{path}' is to stay as it is, hand over {path}.copy()."
    if name == "__init__":  # which returns nothing
        fix = f"read the array from the object afterwards, and not '{path}'; {stay}"
    elif call.place.drops_result:
        fix = f"let '{name}' return the array, and take it where it is called: {path} = {name}(...); {stay}"
    else:
        fix = f"let '{name}' return the array among its results, and read that one afterwards in place of '{path}'; {stay}"
    return MutationError(
        f"'{name}' writes an item of an array, {describe(array)}, which is '{path}' where it is called "
        f"({call.at}), {found}.",
        why="An array is a value to a compiled program: what is written makes a new one, which the caller does not get.",
        fix=fix,
    )


def _may_be(argument: gast.expr, variables: Variables, same: Sequence[Any]) -> bool:
    """Whether what is handed over may be the array: an item of something is a part of it."""
    match argument:
        case gast.Name(id=name):
            return is_one(variables.get(name), same)
        case gast.Attribute(value=gast.Name(id=name), attr=attr):
            return is_one(access_paths.held_attribute(variables.get(name), attr), same)
    return isinstance(argument, gast.Subscript)


def _arguments(call: gast.Call, called: types.CodeType, name: str) -> list[gast.expr]:
    """What stands in a call for a parameter, or may be it."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return _options(keyword.value)
    if any(isinstance(each, gast.Starred) for each in call.args):
        return []
    known = called.co_varnames[: called.co_argcount]
    if name not in known:
        return []
    number = known.index(name)
    bound = known[0] in ("self", "cls")  # it is not among the arguments, unless a class's function is called
    numbers = [each for each in (number - bound, number) if 0 <= each < len(call.args)]
    return [option for each in dict.fromkeys(numbers) for option in _options(call.args[each])]


def _options(value: gast.expr) -> list[gast.expr]:
    """The expressions that a value may be."""
    match value:
        case gast.IfExp(body=body, orelse=orelse):
            return [*_options(body), *_options(orelse)]
        case gast.BoolOp(values=values):
            return [option for each in values for option in _options(each)]
        case gast.NamedExpr(target=target, value=inner):
            return [target, *_options(inner)]
    return [value]
