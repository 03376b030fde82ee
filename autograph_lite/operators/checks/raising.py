"""Raising: how does a check that has failed become the user's exception, with a traceback that shows the user's lines?"""

from __future__ import annotations

import ast
import dataclasses
import itertools
import operator
import sys
import threading
import traceback
import types
from collections.abc import Callable, Hashable, Sequence
from typing import Any, NoReturn, cast

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import checkify

from autograph_lite.operators.checks import failed_lanes
from autograph_lite.operators.checks.exception_templates import Outline
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.user_code.conversion import is_converted_code
from autograph_lite.operators.values.place import Contents
from autograph_lite.operators.values.values import Tracer

CODE = (0, 0)  # the other keys are (number of the check, position in its payload)
LANES = (0, 1)
"""The key of the lanes in which a check has failed, where the check is handed over in the running program."""
MARK = "autograph_lite check "
_idents = itertools.count(1)
_marked: dict[int, Site] = {}


@dataclasses.dataclass(frozen=True)
class Entry:
    """A line of a traceback: the code's place in the user's file."""

    path: str
    function: str
    span: tuple[int, int, int, int]  # first line, last line, first column, last column


@dataclasses.dataclass(frozen=True)
class Site:
    """One check in the program."""

    number: int
    make: Callable[[Sequence[Any]], BaseException]  # makes the exception from the values of its payload
    trace: tuple[Entry, ...]  # the user's frames, outermost first
    outside: int  # how many of these are outside of a function that the user handed to jax.vmap and the like
    text: str  # the message for checkify
    program: object  # the trace that it was made in
    outline: Outline | None  # the exception as a file can hold it; None of a check that comes from a file
    limit: bool = False  # whether Python would raise nothing there


def all_passed(code: Any) -> bool:
    """Whether the `CODE` of a program that has run says that no check has failed; not where it runs inside of another."""
    # NumPy reads an array on the CPU by Python's protocol of buffers, in a third of the time that `int` takes.
    return not isinstance(code, Tracer) and not np.asarray(code)


def raise_failed(contents: Contents, sites: dict[int, Site], *, on_host: bool = False) -> None:
    """Raises the first failed check of a program that has run, if there is one.

    Args:
      contents: number of the failed check, and the payloads.
      sites: by number.
      on_host: whether this runs inside a host callback, where values are NumPy's.
    """
    number = int(contents.get(CODE, 0))
    if not number:
        return
    values = [
        np.asarray(value) if on_host else jnp.asarray(value) for _, value in sorted_payload(contents, number)
    ]
    error = sites[number].make(values)
    _raise_in_chain(with_trace(_with_lanes(error, contents.get(LANES)), sites[number].trace))


def _raise_in_chain(error: BaseException) -> NoReturn:
    """Raises `error`. What is handled around the call was, for Python, when the first one of its contexts was raised."""
    context = first = error.__context__
    while first is not None and first.__context__ is not None:
        first = first.__context__
    if first is not None and sys.exception() is not error:
        first.__context__ = sys.exception()
    try:
        raise error
    finally:
        if context is not None:
            error.__context__ = context


def sorted_payload(contents: Contents, number: int) -> list[tuple[Hashable, Any]]:
    """The payload of one check, in order."""
    keys = sorted(key for key in contents if key[0] == number)  # type: ignore[index,type-var]
    return [(key, contents[key]) for key in keys]


def raise_inner(error: checkify.Error, program: object) -> None:
    """Raises what checkify found in `program`, if it found anything."""
    found = error.get_exception()
    if found is not None:
        _raise_in_chain(_from_checkify(found, program))


_recording = threading.RLock()  # one program at a time, so that each finds its own records
_records: list[tuple[int, Contents, dict[int, Site]]] = []


def recorder(sites: dict[int, Site]) -> Callable[[Contents], None]:
    """What a host callback calls with the state of a frame's checks, to have it raised after the program has run."""
    order = next(_idents)

    def record(contents: Contents) -> None:
        if np.any(contents[CODE]):
            _records.append((order, contents, sites))

    return record


def run_recorded(run: Callable[[], Any]) -> Any:
    """The result of a program whose checks are recorded; raises the first that failed."""
    with _recording:
        _records.clear()
        result = jax.block_until_ready(run())
        jax.effects_barrier()
        failed = min(_records, key=operator.itemgetter(0), default=None)
        _records.clear()
    if failed is not None:
        raise_failed(failed[1], failed[2])
    return result


def marker_of(site: Site) -> str:
    """A text for checkify by which the check is found again, also where JAX has kept the trace that it is in."""
    ident = next(_idents)
    _marked[ident] = site
    return f"{MARK}{ident}"


def _from_checkify(found: Any, program: object) -> BaseException:
    devices = getattr(found, "error_mapping", None)  # of a `shard_map`: what failed on each of them
    if devices:
        found = devices[min(devices)]
    text = str(found.fmt_string)
    if not text.startswith(MARK):
        return cast(BaseException, found)  # a check of the user's own
    site = _marked[int(text.removeprefix(MARK))]
    # JAX may have kept the trace of the inner function from another program, whose lines would mislead.
    trace = site.trace if site.program is program else site.trace[site.outside :]
    *values, lanes = map(jax.device_get, found.args)
    return with_trace(_with_lanes(site.make(list(map(jnp.asarray, values))), lanes), trace)


def _with_lanes(error: BaseException, lanes: Any) -> BaseException:
    """`error` with a note of the lanes of `jax.vmap` in which it was raised, where there are some."""
    text = failed_lanes.failed_lanes_text(lanes) if lanes is not None else ""
    if text and text not in getattr(error, "__notes__", ()):
        error.add_note(text)
    return error


def user_trace(error: BaseException) -> tuple[tuple[Entry, ...], int]:
    """The user's frames at the check, from the converted function on: those that run, and those that raised `error`.

    With them, how many lie outside of the innermost function that JAX has called.
    """
    running = [(frame.f_code, frame.f_lasti) for frame, _ in traceback.walk_stack(None)][::-1]
    raised = [(tb.tb_frame.f_code, tb.tb_lasti) for tb in source_places.entries(error.__traceback__)]
    if raised and raised[0][0] in [code for code, _ in running]:  # the statement that caught it runs as well
        running = running[: [code for code, _ in running].index(raised[0][0])]
    frames = [*running, *raised]
    boundary = max(
        (n for n, (code, _) in enumerate(frames) if code.co_filename.startswith(source_places.JAX)), default=0
    )
    shown = [(n, code, at) for n, (code, at) in enumerate(frames) if not source_places.is_hidden(code)]
    # Frames around the outermost converted function are its caller's: the real traceback shows them.
    start = next(
        (i for i, (_, code, _) in enumerate(shown) if is_converted_code(code)), max(len(shown) - 1, 0)
    )
    chosen = _one_per_function(shown[start:])
    return tuple(entry(code, at) for _, code, at in chosen), sum(n < boundary for n, _, _ in chosen)


def _one_per_function(
    shown: Sequence[tuple[int, types.CodeType, int]],
) -> list[tuple[int, types.CodeType, int]]:
    merged: list[tuple[int, types.CodeType, int]] = []
    for number, code, at in shown:
        if merged and source_places.is_piece(code, merged[-1][1]):
            merged.pop()
        merged.append((number, code, at))
    return merged


def entry(code: types.CodeType, at: int) -> Entry:
    """The traceback's line for the instruction `at` of `code`."""
    positions = list(code.co_positions())
    first, last, column, end = positions[at // 2] if 0 <= at // 2 < len(positions) else (None,) * 4
    line = first or code.co_firstlineno
    return Entry(
        code.co_filename, source_places.function_name(code), (line, last or line, column or 0, end or 0)
    )


def with_trace(error: BaseException, trace: Sequence[Entry]) -> BaseException:
    """`error` with a traceback that shows these places."""
    tb: types.TracebackType | None = None
    for line in reversed(trace):
        tb = traceback_entry(line, tb)
    return error.with_traceback(tb)


def traceback_entry(shown: Entry, rest: types.TracebackType | None) -> types.TracebackType:
    """A traceback entry at a place in the user's file, made by running a `raise` that stands there."""
    line, last, column, end = shown.span
    place = {"lineno": line, "end_lineno": last, "col_offset": column, "end_col_offset": end}
    statement = ast.Raise(ast.Name("error", ast.Load(), **place), None, **place)
    code = compile(ast.Module([statement], []), shown.path, "exec").replace(co_name=shown.function)
    made: types.TracebackType | None = None
    try:
        exec(code, {"error": _Marker()})
    except _Marker as marker:
        assert marker.__traceback__ is not None
        made = marker.__traceback__.tb_next
    assert made is not None
    return types.TracebackType(rest, made.tb_frame, made.tb_lasti, line)


class _Marker(Exception):
    pass
