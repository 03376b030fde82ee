"""Source places: where in the user's source is a piece of generated code, or the line that is running?"""

from __future__ import annotations

import dis
import functools
import itertools
import linecache
import pathlib
import re
import sys
import traceback
import types
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

import jax

from autograph_lite.errors import Location, running
from autograph_lite.jax_internals import configuration

F = TypeVar("F", bound=Callable[..., Any])

PACKAGE = str(pathlib.Path(__file__).resolve().parents[2])
JAX = f"{pathlib.Path(jax.__file__).parent}/"
FOLDERS = (f"{PACKAGE}/", JAX)


def line_of_function(fn: Callable[..., Any]) -> Location | tuple[()]:
    """The user's line that the generated function `fn` stands for; where `fn` is ours, the line that is running."""
    code = fn.__code__
    if is_hidden_file(code.co_filename):
        return here()
    return at(code.co_filename, code.co_firstlineno, function_name(code))


def lines_that_bring(code: types.CodeType, name: str) -> list[Location]:
    """The user's lines from which a generated function has the value of `name` that it returns, the outer ones first."""
    if is_hidden_file(code.co_filename):
        return []
    inside = [c for c in code.co_consts if isinstance(c, types.CodeType) and c.co_name == code.co_name]
    starts = {inner.co_firstlineno for inner in inside}
    steps = [*dis.get_instructions(code)]
    found = [each for each in steps if each.opname.startswith("STORE_") and each.argval == name]
    found = found or [each for each in steps if each.opname.startswith("RETURN_")]
    lines = dict.fromkeys(each.positions.lineno for each in found if each.positions and each.positions.lineno)
    places = [at(code.co_filename, line, function_name(code)) for line in lines if line not in starts]
    return places + [
        place for inner in inside if inner.co_firstlineno in lines for place in lines_that_bring(inner, name)
    ]


def of_frame(frame: types.FrameType) -> Location:
    """The line that a frame of the user's is at."""
    return at(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)


def at(path: str, line: int, function: str) -> Location:
    """A line of a file, with its text."""
    return Location(path, line, function, linecache.getline(path, line).strip())


def here() -> Location | tuple[()]:
    """The user's line that is running on this thread."""
    frame = user_frame()
    if frame is None:
        return ()
    return at(frame.f_code.co_filename, frame.f_lineno, function_name(frame.f_code))


running.append(here)


def calling_libraries(is_library: Callable[[str], bool]) -> Location | tuple[()]:
    """The user's line that is running, where a library may have been called by it."""
    frame = user_frame()
    while frame is not None and (is_hidden(frame.f_code) or is_library(frame.f_code.co_filename)):
        frame = frame.f_back
    return () if frame is None else of_frame(frame)


def expression() -> str:
    """The user's expression that is being computed on this thread; its whole line where Python does not tell."""
    frame = user_frame()
    if frame is None:
        return ""
    return (
        segment(frame.f_code, frame.f_lasti)
        or linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
    )


def segment(code: types.CodeType, lasti: int) -> str:
    """The text of the expression that an instruction belongs to; nothing where Python does not tell."""
    first, last, column, end = list(code.co_positions())[lasti // 2] if lasti >= 0 else (None,) * 4
    if first is None or last is None or column is None or end is None:
        return ""
    lines = [linecache.getline(code.co_filename, line).encode() for line in range(first, last + 1)]
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][column:]
    return " ".join(line.decode(errors="replace").strip() for line in lines)


def raised_at(
    error: BaseException, is_library: Callable[[str], bool] = lambda _: False
) -> Location | tuple[()]:
    """The user's line that has raised `error`, or called a file that `is_library`; the one that is running, if not raised."""
    if error.__traceback__ is None:
        return here()
    entry = raising_entry(error, is_library)
    return at_entry(entry) if entry else ()


def at_entry(entry: types.TracebackType) -> Location:
    """The line of an entry of a traceback."""
    code = entry.tb_frame.f_code
    return at(code.co_filename, entry.tb_lineno, function_name(code))


def raising_entry(
    error: BaseException, is_library: Callable[[str], bool] = lambda _: False
) -> types.TracebackType | None:
    """The entry of the traceback of `error` that `raised_at` names."""
    codes = [(entry, entry.tb_frame.f_code) for entry in reversed(entries(error.__traceback__))]
    return next((e for e, code in codes if not is_hidden(code) and not is_library(code.co_filename)), None)


def entries(tb: types.TracebackType | None) -> list[types.TracebackType]:
    """The entries of a traceback, that of the line which has raised the exception last."""
    found = []
    while tb is not None:
        found.append(tb)
        tb = tb.tb_next
    return found


def user_frame() -> types.FrameType | None:
    """The innermost frame that is not ours, nor JAX's."""
    return outer_frame(sys._getframe(0))


def is_running(path: str, line: int) -> bool:
    """Whether a function that begins on that line is running on this thread, and has not begun again to be recorded."""
    codes = [frame.f_code for frame, _ in traceback.walk_stack(sys._getframe(1))]
    return any(
        code.co_filename == path and code.co_firstlineno == line and inner.co_name != "begun_again"
        for inner, code in itertools.pairwise(codes)
    )


def outer_frame(frame: types.FrameType) -> types.FrameType | None:
    """The next frame outwards from `frame` that is not ours, nor JAX's."""
    outer = frame.f_back
    while outer is not None and is_hidden(outer.f_code):
        outer = outer.f_back
    return outer


_TREES = frozenset({
    *(fn.__code__.co_filename for fn in (jax.tree.flatten, jax.tree_util.tree_flatten)),
    f"{PACKAGE}/operators/values/pytrees.py", f"{PACKAGE}/operators/values/dataclass_objects.py",
    f"{PACKAGE}/operators/values/one_of.py",
})  # fmt: skip
_TAKERS = tuple(
    f"{PACKAGE}/{name}.py"
    for name in (
        "operators/checks/exception_templates",
        "operators/checks/traced_text",
        "operators/checks/held_containers",
        "operators/effects/container_identity",
        "operators/lists/packing",
        "operators/calls/recursion_guard",
        "operators/joins/join_types",
        "operators/aliasing/iteration_ends",
        "operators/loops/carry",
        "operators/loops/owned_containers",
        "runtime/results/argument_mutations",
        "runtime/results/list_trimming",
        "runtime/results/refusals",
        "runtime/results/result_objects",
        "runtime/types/leaf_partition",
        "runtime/state/carried_state",
        "runtime/state/other_values",
    )
)


def asked_by_us() -> bool:
    """Whether it is this package, and not a library, that takes a tree apart; called by what flattens a node of ours."""
    return _taker(sys._getframe(2)) in _TAKERS


def asked_by_any_of_us() -> bool:
    """As `asked_by_us`, of any file of this package but the one that calls libraries for the user."""
    path = _taker(sys._getframe(2))
    return path.startswith(f"{PACKAGE}/") and path != _CALLER


_CALLER = f"{PACKAGE}/operators/calls/library_calls.py"


def _taker(frame: types.FrameType | None) -> str:
    """The file that takes a tree apart."""
    while frame is not None and frame.f_code.co_filename in _TREES:
        frame = frame.f_back
    return "" if frame is None else frame.f_code.co_filename


def between(make: F) -> F:
    """`make`, whose inner functions run between the user's frame and a library's: `warnings` skips them.

    It skips the frames of an import, by the names of their files; `stacklevel=2` in a library then names the user's line.
    """
    code: types.CodeType = make.__code__
    path = f"{code.co_filename} (skipped as importlib._bootstrap is)"
    consts = [c.replace(co_filename=path) if isinstance(c, types.CodeType) else c for c in code.co_consts]
    make.__code__ = code.replace(co_consts=tuple(consts))
    return make


def without_frame(error: BaseException) -> None:
    """Takes the frame that has caught `error` out of its traceback, unless the user wants to see all frames."""
    if error.__traceback__ is not None and not configuration.shows_all_frames():
        error.__traceback__ = error.__traceback__.tb_next


PLACED = "<autograph_lite>"


def relocate(code: types.CodeType, path: str, line: int, name: str) -> types.CodeType:
    """`code` of ours, as if all of it stood on that line of the user's file."""
    units = len(code.co_code) // 2
    # An entry for eight units: no columns, and no step to another line.
    table = b"".join(bytes((0xE8 | min(8, units - at) - 1, 0)) for at in range(0, units, 8))
    return code.replace(
        co_filename=path, co_firstlineno=line, co_name=name, co_qualname=PLACED, co_linetable=table
    )


def is_hidden(code: types.CodeType) -> bool:
    """Whether frames of `code` are not shown to users."""
    return code.co_qualname == PLACED or is_hidden_file(code.co_filename)


def is_hidden_file(path: str) -> bool:
    """Whether a file belongs to this package or to JAX: its frames are not shown to users."""
    return path.startswith(FOLDERS)


def function_name(code: types.CodeType) -> str:
    """The name of the function that `code` stands in: operands that are lambdas to Python belong to the one around."""
    names = [n for n in code.co_qualname.split(".") if n not in ("<locals>", "<lambda>")]
    return names[-1] if code.co_name == "<lambda>" and names else code.co_name


def is_piece(inner: types.CodeType, outer: types.CodeType) -> bool:
    """Whether `inner` is a piece of the user's function `outer`: to Python a function in it, to the user a line."""
    if inner.co_name == "<lambda>" and inner in outer.co_consts:
        return not _is_users_lambda(inner)
    return inner.co_qualname == outer.co_qualname and inner in outer.co_consts


_LAMBDA = re.compile(r"lambda\b[^:]*:[\s(]*$")


@functools.lru_cache(maxsize=1024)
def _is_users_lambda(code: types.CodeType) -> bool:
    """Whether `lambda` stands in the source before the body of `code`."""
    starts = [(line, column) for line, _, column, end in code.co_positions() if line and end]
    line, column = min((start for start in starts if start[1] is not None), default=(code.co_firstlineno, 0))
    before = linecache.getline(code.co_filename, line).encode()[: column or 0].decode(errors="replace")
    if not before.strip(" ("):
        before = linecache.getline(code.co_filename, line - 1).rstrip() + before
    return bool(_LAMBDA.search(before))


def warn_(message: Any, category: Any = None, stacklevel: int = 1, *args: Any, **kwargs: Any) -> None:
    """`warnings.warn(...)`, where `stacklevel` counts functions of the user's."""
    frame = user_frame()
    for _ in range(stacklevel - 1):
        frame = frame and _caller(frame)
    kind = type(message) if isinstance(message, Warning) else UserWarning if category is None else category
    if frame is None or args or kwargs or not (isinstance(kind, type) and issubclass(kind, Warning)):
        warnings.warn(message, category, stacklevel + 1, *args, **kwargs)
        return
    registry = frame.f_globals.setdefault("__warningregistry__", {})
    name = frame.f_globals.get("__name__", "<string>")
    warnings.warn_explicit(message, kind, frame.f_code.co_filename, frame.f_lineno, name, registry)


def _caller(frame: types.FrameType) -> types.FrameType | None:
    """The frame that called the user's function, where `frame` runs a piece of it."""
    outer = outer_frame(frame)
    while outer is not None and is_piece(frame.f_code, outer.f_code):
        frame, outer = outer, outer_frame(outer)
    return outer
