"""How did the user write the place that a staged statement changes: `self.count`, `table['k']`, `log`?

    o.value = x                           'o.value'
    d['k'] = x                            "d['k']"
    log.append(x)                         'log'

Only errors ask. The lines that write to an object are kept while a trace goes on, and the source there is read.
"""

from __future__ import annotations

import ast
import functools
import linecache
import sys
import threading
import types
from collections.abc import Hashable, Iterator
from typing import Any

from autograph_lite.errors import Location
from autograph_lite.operators import where

Line = tuple[types.CodeType, int]


class _Local(threading.local):
    def __init__(self) -> None:
        self.writes: dict[int, dict[Line, None]] = {}  # the last one comes last


_local = _Local()


def wrote(owner: Any) -> None:
    """Keeps the user's line that is about to change `owner`."""
    frame: types.FrameType | None = sys._getframe(2)
    while frame is not None and where.is_hidden(frame.f_code):
        frame = frame.f_back
    if frame is not None:
        lines = _local.writes.setdefault(id(owner), {})
        line = frame.f_code, frame.f_lineno
        lines.pop(line, None)
        lines[line] = None


def forget() -> None:
    """Lets go of the lines of a trace that is over."""
    _local.writes.clear()


def written_at(owner: Any) -> Location | None:
    """The user's line that changed `owner` last."""
    return next(map(_location, _lines(owner)), None)


def _location(line: Line) -> Location:
    code, number = line
    return where.at(code.co_filename, number, where.function_name(code))


def _lines(owner: Any) -> list[Line]:
    """The user's lines that have written to `owner`, the last one first; of a container, that one only."""
    lines = list(_local.writes.get(id(owner), ()))[::-1]
    return lines if _has_attributes(owner) else lines[:1]


class Label(str):
    """What an object's attribute or item is called; the user's own spelling where a message asks for it.

    Attributes:
      owner: the object.
      key: attribute's name, index, or key.
    """

    owner: Any
    key: Hashable

    def __format__(self, spec: str) -> str:
        return format(spelled(self.owner, self.key) or str(self), spec)

    @property
    def whole(self) -> str:
        """What the object itself is called."""
        return base(self.owner) or str(self)

    @property
    def line(self) -> Location | None:
        """The user's line that wrote there; where it is not clear which, the last that wrote to the object."""
        for line in _lines(self.owner):
            if _spelled_on(line, self.owner, self.key):
                return _location(line)
        return written_at(self.owner)


def label(owner: Any, key: Hashable, otherwise: str) -> Label:
    """A label for what `owner` holds under `key`, shown as `otherwise` where the source does not tell."""
    made = Label(otherwise)
    made.owner, made.key = owner, key
    return made


def spelled(owner: Any, key: Hashable) -> str | None:
    """The user's spelling of what `owner` holds under `key`, from the line that wrote it last."""
    for line in _lines(owner):
        text = _spelled_on(line, owner, key)
        if text:
            return text
    if _has_attributes(owner):
        return None  # the name of the object alone would mislead
    text = base(owner)
    return f"{text}[{key!r}]" if text and isinstance(owner, dict) else text


def _spelled_on(line: Line, owner: Any, key: Hashable) -> str | None:
    for node in _writes_on_line(line, owner):
        match node:
            case ast.Attribute(attr=name) if name == key:
                return ast.unparse(node)
            case ast.Subscript(value=value):
                return f"{ast.unparse(value)}[{key!r}]" if _is_item(owner) else ast.unparse(value)
            case ast.Call(func=ast.Name(id="setattr" | "delattr"), args=[first, *_]):
                return f"{ast.unparse(first)}.{key}"
    return None


def base(owner: Any) -> str | None:
    """The user's spelling of the object `owner`, from the line that wrote to it last."""
    lines = _lines(owner)
    for node in _writes_on_line(lines[0], owner) if lines else ():
        match node:
            case (
                ast.Attribute(value=value)
                | ast.Subscript(value=value)
                | ast.Call(func=ast.Attribute(value=value))
            ):
                return ast.unparse(value)
            case ast.Name(id=name):
                return name
    return None


def _is_item(owner: Any) -> bool:
    return isinstance(owner, (list, dict))


def _has_attributes(owner: Any) -> bool:
    """Whether `owner` is changed by `owner.name = value`, and not by `owner[key] = value`."""
    return not isinstance(owner, (list, dict, set, bytearray)) and hasattr(owner, "__dict__")


def _writes_on_line(line: Line, owner: Any) -> list[ast.expr]:
    """The expressions that change an object on a line that wrote to `owner`; none where it is not clear which."""
    code, number = line
    found = [
        node
        for node in _changes(_parsed(code.co_filename, len(linecache.getlines(code.co_filename))))
        if node.lineno == number
    ]
    if not _has_attributes(owner):
        found = [node for node in found if not isinstance(node, ast.Attribute)]
    else:
        found = [node for node in found if not isinstance(node, ast.Subscript)]
    bases = {ast.unparse(getattr(node, "value", getattr(node, "func", node))) for node in found}
    return found if len(bases) == 1 else []


@functools.lru_cache(maxsize=64)
def _parsed(path: str, lines: int) -> ast.Module | None:
    try:
        return ast.parse("".join(linecache.getlines(path)))
    except SyntaxError:
        return None


def _changes(tree: ast.Module | None) -> Iterator[ast.expr]:
    """The expressions of a module that change an object: targets, and calls of methods."""
    for node in ast.walk(tree) if tree is not None else ():
        match node:
            case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()):
                yield node
            case ast.AugAssign(target=ast.Name() as name):
                yield name
            case ast.Call(func=ast.Attribute()) | ast.Call(func=ast.Name(id="setattr" | "delattr")):
                yield node
