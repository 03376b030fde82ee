"""How does a check that has failed become the user's exception, with a traceback that shows the user's lines?"""

from __future__ import annotations

import ast
import dataclasses
import traceback
import types
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import checkify

from autograph_lite.operators import where
from autograph_lite.operators.places import Contents

CODE = (0, 0)  # the other keys are (number of the check, position in its payload)
MARK = "autograph_lite check "
SHOWN = 10  # lanes of a batch that a note names


@dataclasses.dataclass(frozen=True)
class Entry:
    """A line of a traceback: the code's place in the user's file."""

    path: str
    function: str
    span: tuple[int, int, int, int]  # first line, last line, first column, last column


@dataclasses.dataclass(frozen=True)
class Site:
    """One check in the program.

    Attributes:
      make: makes the exception from the values of its payload.
      trace: the user's frames, outermost first.
      text: the message for checkify.
    """

    number: int
    make: Callable[[Sequence[Any]], BaseException]
    trace: tuple[Entry, ...]
    text: str


def raise_failed(contents: Contents, sites: dict[int, Site], *, on_host: bool = False) -> None:
    """Raises the first failed check of a program that has run, if there is one.

    A batched program gives an array of codes: the first failing lane is raised, and the lanes are noted.

    Args:
      contents: number of the failed check, and the payloads.
      sites: by number.
      on_host: whether this runs inside a host callback, where values are NumPy's.
    """
    codes = np.asarray(contents.get(CODE, 0))
    if not codes.any():
        return
    lanes = np.argwhere(codes)
    first = tuple(lanes[0])
    number = int(codes[first])
    payload = [value for _, value in sorted_payload(contents, number)]
    if codes.ndim:
        payload = [np.asarray(value)[first] for value in payload]
    error = sites[number].make([np.asarray(value) if on_host else jnp.asarray(value) for value in payload])
    _note_lanes(error, [tuple(map(int, lane)) for lane in lanes])
    raise with_trace(error, sites[number].trace)


def sorted_payload(contents: Contents, number: int) -> list[tuple[Hashable, Any]]:
    """The payload of one check, in order."""
    keys = sorted(key for key in contents if key[0] == number)  # type: ignore[index,type-var]
    return [(key, contents[key]) for key in keys]


def raise_inner(error: checkify.Error, sites: dict[int, Site]) -> None:
    """Raises what checkify found, if it found anything."""
    found = error.get_exception()
    if found is None:
        return
    lanes = getattr(found, "error_mapping", None)
    if not lanes:
        raise _from_checkify(found, sites)
    raised = _from_checkify(lanes[min(lanes)], sites)
    _note_lanes(raised, sorted(lanes))
    raise raised


def _from_checkify(found: Any, sites: dict[int, Site]) -> BaseException:
    site = sites[int(str(found.fmt_string).removeprefix(MARK))]
    return with_trace(site.make([jnp.asarray(jax.device_get(value)) for value in found.args]), site.trace)


def _note_lanes(error: BaseException, lanes: Sequence[tuple[int, ...]]) -> None:
    if lanes == [()]:
        return
    shown = ", ".join(str(lane[0] if len(lane) == 1 else lane) for lane in lanes[:SHOWN])
    more = f" and {len(lanes) - SHOWN} more" if len(lanes) > SHOWN else ""
    error.add_note(f"in lane{'s' if len(lanes) > 1 else ''} {shown}{more} of the batch")


def user_trace(error: BaseException) -> tuple[Entry, ...]:
    """The user's frames at the check, from the converted function on: those that run, and those that raised `error`."""
    running = [(frame.f_code, frame.f_lasti) for frame, _ in traceback.walk_stack(None)][::-1]
    raised = []
    tb = error.__traceback__
    while tb is not None:
        raised.append((tb.tb_frame.f_code, tb.tb_lasti))
        tb = tb.tb_next
    if raised and raised[0][0] in [code for code, _ in running]:  # the statement that caught it runs as well
        running = running[: [code for code, _ in running].index(raised[0][0])]
    shown = [(code, at) for code, at in [*running, *raised] if not where.is_ours(code.co_filename)]
    # Frames around the outermost converted function are its caller's: the real traceback shows them.
    start = next((i for i, (code, _) in enumerate(shown) if _is_converted(code)), len(shown) - 1)
    return tuple(_entry(code, at) for code, at in _one_per_function(shown[max(start, 0) :]))


def _one_per_function(shown: list[tuple[types.CodeType, int]]) -> list[tuple[types.CodeType, int]]:
    merged: list[tuple[types.CodeType, int]] = []
    for code, at in shown:
        if merged and where.is_part(code, merged[-1][0]):
            merged.pop()
        merged.append((code, at))
    return merged


def _is_converted(code: types.CodeType) -> bool:
    from autograph_lite.operators.calls import is_converted_code

    return is_converted_code(code)


def _entry(code: types.CodeType, at: int) -> Entry:
    positions = list(code.co_positions())
    first, last, column, end = positions[at // 2] if 0 <= at // 2 < len(positions) else (None,) * 4
    line = first or code.co_firstlineno
    return Entry(code.co_filename, where.function_name(code), (line, last or line, column or 0, end or 0))


def with_trace(error: BaseException, trace: Sequence[Entry]) -> BaseException:
    """`error` with a traceback that shows these places."""
    tb: types.TracebackType | None = None
    for entry in reversed(trace):
        tb = traceback_entry(entry, tb)
    return error.with_traceback(tb)


def traceback_entry(entry: Entry, rest: types.TracebackType | None) -> types.TracebackType:
    """A traceback entry at a place in the user's file, made by running a `raise` that stands there."""
    line, last, column, end = entry.span
    place = {"lineno": line, "end_lineno": last, "col_offset": column, "end_col_offset": end}
    statement = ast.Raise(ast.Name("error", ast.Load(), **place), None, **place)
    code = compile(ast.Module([statement], []), entry.path, "exec").replace(co_name=entry.function)
    try:
        exec(code, {"error": _Marker()})  # noqa: S102
    except _Marker as marker:
        made = marker.__traceback__
        assert made is not None
        assert made.tb_next is not None
        made = made.tb_next
    return types.TracebackType(rest, made.tb_frame, made.tb_lasti, line)


class _Marker(Exception):  # noqa: N818 (not an error of anybody's)
    pass
