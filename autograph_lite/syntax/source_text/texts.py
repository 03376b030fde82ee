"""Texts: which may a function have been made of?

That of its file as it is now, or as it was when it was read before: files are edited while a process lives. The text of a
cell has a name that is its own, that of a block at the prompt belongs to the code; others are registered with
`linecache`, one after another under one name.
"""

from __future__ import annotations

import ast
import linecache
import os
import types
from collections.abc import Iterator
from pathlib import Path

from autograph_lite.syntax import codes
from autograph_lite.syntax.source_text import compiling

_Lines = list[str]

_MOST = 4  # of one file: as many edits, between which it was read
_kept: dict[str, list[_Lines]] = {}
_made_of = codes.ByCode[_Lines]()


def texts_of(fn: types.FunctionType) -> Iterator[_Lines]:
    """The lines of the texts, the present one first."""
    path = fn.__code__.co_filename
    if path == "<string>":  # of `exec`; since 3.13 linecache may hold the text of `python -c` under this name
        return
    if typed := _typed(fn.__code__):
        yield typed
        return
    is_file = Path(path).exists()  # otherwise the text was registered, and the check would discard it
    if is_file:
        entry = linecache.cache.get(path, ())
        if len(entry) == 4:
            _keep(path, entry[2])
        linecache.checkcache(path)
    now = linecache.getlines(path, fn.__globals__)
    if now and is_file:
        _keep(path, now)
    if now:
        # Text that was registered may come without the ends of its lines, as `timeit` registers it.
        yield [each if each.endswith("\n") else f"{each}\n" for each in now] if path[:1] == "<" else now
    yield from (each for each in reversed(_kept.get(path, ())) if each is not now)
    if not now:
        yield from _bodies(path)


def is_its_own(code: types.CodeType) -> bool:
    """Whether the text that there is for the name of the code's file is its text for sure: a cell's, or one of the prompt's."""
    path = code.co_filename
    return path.startswith("<ipython-input-") or f"ipykernel_{os.getpid()}" in path or bool(_typed(code))


def is_known(path: str) -> bool:
    """Whether there is text for a name that is not that of a file, such as `<made>`."""
    return path != "<string>" and (path in linecache.cache or bool(next(_bodies(path), None)))


def remember_file(path: str) -> None:
    """Reads a file, in case that it is edited before one of its functions is asked for."""
    if path not in _kept and path[:1] != "<":
        _keep(path, linecache.getlines(path))


def _keep(path: str, lines: _Lines) -> None:
    """Notes that a file was read, and with which text."""
    known = _kept.setdefault(path, [])
    if not known or known[-1] is not lines:
        others = [each for each in known if each != lines]
        known[:] = [*others[1 - _MOST :], lines]


def note_text(code: types.CodeType, lines: _Lines) -> None:
    """Says which text the code of a converted function, and what is in it, was made of."""
    for each in codes.nested_codes(code):
        _made_of[each] = lines


def text_of_converted(code: types.CodeType) -> _Lines | None:
    """The text that the code of a converted function, or of one in it, was made of; None for any other."""
    return _made_of.get(code)


def text_of_code(code: types.CodeType) -> _Lines:
    """The text that a function which is running was made of; of another one than a converted one, that of its file."""
    return _made_of.get(code) or linecache.getlines(code.co_filename)


def _typed(code: types.CodeType) -> _Lines:
    """What was typed at the prompt of Python 3.13.1 or later."""
    from_code = getattr(linecache, "_getlines_from_code", None)
    return list(from_code(code)) if from_code is not None else []


def line(code: types.CodeType, number: int) -> str:
    """A line of that text; nothing where there is none."""
    known = text_of_code(code)
    return known[number - 1] if 0 < number <= len(known) else ""


_OF_MAGICS = ("<timed exec>", "<timed eval>", "<magic-timeit>")


def _bodies(path: str) -> Iterator[_Lines]:
    """The texts below `%%time` and behind `%time`, and the like, which IPython compiles under names that have no text."""
    if path not in _OF_MAGICS:
        return
    for entry in reversed([*linecache.cache.values()]):
        text = "".join(entry[2]) if len(entry) == 4 else ""
        if "_magic(" not in text:
            continue
        try:
            tree = compiling.parse(text)
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            match node:
                case ast.Call(
                    func=ast.Attribute(attr="run_cell_magic" | "run_line_magic"),
                    args=[*_, ast.Constant(value=str(body))],
                ):
                    yield f"{body.rstrip()}\n".splitlines(keepends=True)
