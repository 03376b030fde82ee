"""By which other names do the functions that run know an array whose item is written? They would not see the change.

    def sift(a, i):                       def main(x):
        a[i] = a[2 * i]                       sift(x, 0)          in NumPy, this changes `x`
        return a                              return x

What one function alone shows is found before it runs (see `analysis.item_stores`). Here an array is written that is
a value already, so that whoever has the same one can be told: a variable of a function that is waiting for this one, or
an attribute of an object. Whether it is read later, the text of its function says.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import itertools
import sys
import threading
import types
from collections.abc import Iterator, Sequence
from typing import Any

import gast
import jax

from autograph_lite.analysis import read_after
from autograph_lite.errors import MutationError
from autograph_lite.operators import places, views, where
from autograph_lite.operators.converting import is_converted_code
from autograph_lite.operators.values import describe
from autograph_lite.syntax import source, trees

Variables = dict[str, Any]
_MOST_ITEMS = 64  # of a list that is looked into


class _Local(threading.local):
    def __init__(self) -> None:
        # For each loop whose body is traced: the arrays that its variables are there, and were before it.
        self.carried: list[list[tuple[Any, Any]]] = []


_local = _Local()


@contextlib.contextmanager
def carried(inside: Sequence[Any], before: Sequence[Any]) -> Iterator[None]:
    """Around the trace of a loop's body: the variables are new arrays, which were these before the loop."""
    pairs = zip(inside, before, strict=True)
    _local.carried.append([(new, old) for new, old in pairs if isinstance(new, jax.Array)])
    try:
        yield
    finally:
        _local.carried.pop()


def check(array: jax.Array) -> None:
    """To be called before an item of `array` is written.

    Raises:
      MutationError: another variable, or an attribute of an object, is this array, and is read later.
    """
    same, runs = _same(array), _runs()
    if not runs:
        return
    owned = _attributes(_variables(runs[0]), same)
    handed = len(runs) > 1 and _was_handed(runs[0][-1], same)
    place = _place(runs[0][0]) if owned or handed else None  # which takes its time
    if place is None:
        return
    _check_objects(owned, place, same)
    if handed:
        _check_callers(runs, place, place.stores, same)


def view(
    value: Any, source: Any, name: str, path: str, made: str, drops: int | None, *, read: bool = True
) -> None:
    """As `views.view`; where nobody but a caller can see the change of what `path` names, it is asked, too."""
    views.view(value, source, name, path, made, drops, read=read)
    if read or not isinstance(source, jax.Array) or not views.is_view(value, source, path, drops):
        return
    same, runs = _same(source), _runs()
    place = _place(runs[0][0]) if len(runs) > 1 and _was_handed(runs[0][-1], same) else None
    if place is not None:
        _check_callers(runs, place, frozenset({path}), same)


def _same(array: jax.Array) -> list[Any]:
    """An array, and what it was before the loops whose bodies are traced."""
    same = [array]
    for pairs in reversed(_local.carried):
        same += [old for new, old in pairs if new is same[-1]][:1]
    return same


def _check_callers(
    runs: Sequence[_Run], place: read_after.Place, paths: frozenset[str], same: Sequence[Any]
) -> None:
    """Refuses a write at `place`, to what the variables `paths` mean, if a function that waits reads the array later."""
    for called, caller in itertools.pairwise(runs):
        variables = called[-1].f_locals
        parameters = [name for name in read_after.given(place, paths) if _is(variables.get(name), same)]
        waits = _place(caller[0]) if parameters else None
        if waits is None or waits.call is None:
            return
        variables = _variables(caller)
        found = [each for name in parameters for each in _arguments(waits.call, called[-1].f_code, name)]
        arguments = [each for each in found if _may_be(each, variables, same)]
        path = caller[0].f_code.co_filename
        call = _Call(where.function_name(called[-1].f_code), f"{path}:{waits.call.lineno}", waits)
        _check_caller(variables, call, arguments, same)
        place, paths = waits, frozenset(map(trees.dotted, arguments))


# The frames of one run of a user's function, with those of its pieces, inner ones first.
_Run = list[types.FrameType]


def _runs() -> list[_Run]:
    """The converted functions that run, inner ones first."""
    runs: list[_Run] = []
    frame: types.FrameType | None = sys._getframe(2)
    while frame is not None:
        if frame.f_code.co_freevars and is_converted_code(frame.f_code):
            if runs and where.is_part(runs[-1][-1].f_code, frame.f_code):
                runs[-1].append(frame)
            else:
                runs.append([frame])
        frame = frame.f_back
    return runs


def _was_handed(frame: types.FrameType, same: Sequence[Any]) -> bool:
    """Whether a parameter is the array."""
    code, variables = frame.f_code, frame.f_locals
    parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return any(_is(variables.get(name), same) for name in parameters)


def _check_objects(paths: Sequence[str], place: read_after.Place, same: Sequence[Any]) -> None:
    """Refuses a write to an array that an object has got, too, under these `paths`."""
    if not paths or not place.stores or any("." in path for path in place.stores):
        return
    read, kept = read_after.read_after(place, frozenset(paths))
    for path in (*sorted(read), *sorted(kept)):
        written = min(place.stores)
        raise MutationError(
            f"An item of '{written}', {describe(same[0])}, is written, which in NumPy is the array of '{path}', too, and "
            f"'{path}' {_LATER[path in read]}.",
            where=where.here(),
            why=views.WHY,
            fix=f"write the item of '{path}', or store '{written}' there afterwards; where '{path}' is to stay as it is, "
            f"let it have a copy: {written}.copy().",
        )


_LATER = {True: "is read later", False: "outlives the call"}


@dataclasses.dataclass(frozen=True)
class _Call:
    """A call that waits: of the function `name`, at a line, `at`, and the place there."""

    name: str
    at: str
    place: read_after.Place


def _check_caller(
    variables: Variables, call: _Call, arguments: Sequence[gast.expr], same: Sequence[Any]
) -> None:
    """Refuses a write to an array that a function reads when a call that writes to it is over."""
    place = call.place
    paths = [path for argument in arguments if (path := trees.dotted(argument))]
    others = _attributes(variables, same)
    if place.drops_result:
        others += [each for each, value in variables.items() if _has_item(value, same)]
    read, kept = read_after.read_after(place, frozenset([*paths, *others]))
    for path in (*sorted(read), *sorted(kept)):
        raise _refusal(same[0], call, path, f"and '{path}' {_LATER[path in read]}")
    for path in paths:
        for conflict in read_after.shared(place, path):
            view = conflict.view
            other = view.path if conflict.to_view else view.name
            source_, value = variables.get(view.root), variables.get(view.name)
            if conflict.read and views.is_view(value, source_, view.path, view.drops):
                found = f"and '{other}', which shares its memory (`{view.made}`), is read later"
                raise _refusal(same[0], call, path, found)
    for argument in arguments:
        if place.drops_result and isinstance(argument, gast.Subscript):
            text = gast.unparse(argument).strip()
            raise _refusal(same[0], call, text, "and nothing takes what it is then")


def _refusal(array: Any, call: _Call, path: str, found: str) -> MutationError:
    name = call.name
    return MutationError(
        f"'{name}' writes an item of an array, {describe(array)}, which is '{path}' where it is called "
        f"({call.at}), {found}.",
        where=where.here(),
        why="An array is a value to a compiled program: what is written makes a new one, which the caller does not get.",
        fix=f"let '{name}' return the array, and take it where it is called: {path} = {name}(...); where '{path}' is to stay "
        f"as it is, hand over {path}.copy().",
    )


def _variables(run: _Run) -> Variables:
    found: Variables = {}
    for frame in reversed(run):
        found.update(frame.f_locals)
    return found


def _attributes(variables: Variables, same: Sequence[Any]) -> list[str]:
    """The attributes of objects in variables that are the array."""
    owners = [(name, places.attributes_of(value)) for name, value in variables.items() if _is_object(value)]
    return [
        f"{name}.{key}" for name, held in owners for key, value in (held or {}).items() if _is(value, same)
    ]


def _may_be(argument: gast.expr, variables: Variables, same: Sequence[Any]) -> bool:
    """Whether what is handed over may be the array: an item of something is a part of it."""
    match argument:
        case gast.Name(id=name):
            return _is(variables.get(name), same)
        case gast.Attribute(value=gast.Name(id=name), attr=attr):
            return _is(views.held(variables.get(name), attr), same)
    return isinstance(argument, gast.Subscript)


def _is(value: Any, same: Sequence[Any]) -> bool:
    return any(value is each for each in same)


def _is_object(value: Any) -> bool:
    """Whether a value is an object of a class that is not Python's, nor ours; looked at without its own methods."""
    kind = type(value)
    return not issubclass(kind, type) and str(kind.__module__).partition(".")[0] not in _PLAIN


_PLAIN = frozenset({"builtins", "autograph_lite", "jax", "jaxlib", "numpy"})  # of modules and functions, too


def _has_item(value: Any, same: Sequence[Any]) -> bool:
    """Whether a list, a tuple or a dict has got the array."""
    kind = type(value)
    if kind not in (list, tuple, dict) or len(value) > _MOST_ITEMS:
        return False
    return any(_is(each, same) for each in (value.values() if kind is dict else value))


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
    """The expressions of which a value is one."""
    match value:
        case gast.IfExp(body=body, orelse=orelse):
            return [*_options(body), *_options(orelse)]
        case gast.BoolOp(values=values):
            return [option for each in values for option in _options(each)]
        case gast.NamedExpr(target=target, value=inner):
            return [target, *_options(inner)]
    return [value]


def _place(frame: types.FrameType) -> read_after.Place | None:
    """Where a function of the user's is."""
    if frame.f_lasti < 0:
        return None
    span = _span(frame.f_code.co_filename, frame.f_code, frame.f_lasti // 2)
    function = None if span is None else source.around(frame.f_code, span)
    return None if function is None or span is None else read_after.place(function, span)


@functools.lru_cache(maxsize=1024)
def _span(_path: str, code: types.CodeType, number: int) -> source.Span | None:
    """The place that an instruction of a code object stands for, in the file `_path`."""
    return source.span(*next(itertools.islice(code.co_positions(), number, None)))
