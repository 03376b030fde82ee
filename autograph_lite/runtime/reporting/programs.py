"""Which lines of the user's does each line of a jaxpr, or of optimised HLO, stand for? Both tell in their text.

c:f32[] = sin b                                  # model.py:8:15 (step)
%sin.0 = f32[] sine(%p), metadata={... stack_frame_id=17}
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from autograph_lite.runtime.explaining.line_links import Line, Place

LONGEST = 600  # characters of a line: constants may be large
_COMMENT = re.compile(r"(.*\S)\s+# (?:(.+?):(\d+)\b.*)?")
_METADATA = re.compile(r',? metadata=\{((?:[^"{}]|"(?:[^"\\]|\\.)*")*)\}')
_TABLE = re.compile(r"(FileNames|FunctionNames|FileLocations|StackFrames)$")


def of_jaxpr(jaxpr: Any) -> list[Line]:
    """The lines of a jaxpr; one that continues an equation, or stands in it, has the places of this one."""
    text = jaxpr.pretty_print(source_info=True, use_color=False)
    around: list[tuple[int, frozenset[Place]]] = [(-1, frozenset())]  # indentation and places
    found = []
    for written in text.splitlines():
        commented = _COMMENT.fullmatch(written)
        shown = commented[1] if commented else written
        indent = len(shown) - len(shown.lstrip())
        closes = shown.lstrip()[:1] in {"]", ")", "}"}
        while around[-1][0] > indent or (around[-1][0] == indent and not closes):
            around.pop()
        places = around[-1][1]
        if commented and commented[2]:
            places = frozenset({(commented[2], int(commented[3]))})
        if commented:
            around.append((indent, places))
        found.append(Line(_shortened(shown), places))
    return found


def of_hlo(text: str, shown: set[Place]) -> list[Line]:
    """The lines of a program that XLA has compiled, without the tables of places and without `metadata`.

    Args:
      text: of the program.
      shown: the places that count: where the innermost of an instruction is another one, as in a library, it is that of the
        innermost frame around it which is one of them.
    """
    lines = text.splitlines()
    frames, found = _Frames(lines), []
    for written in _without_tables(lines):
        metadata = _METADATA.search(written)
        places = frames.places(metadata[1], shown) if metadata else frozenset[Place]()
        found.append(Line(_shortened(_METADATA.sub("", written)), places))
    return found


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} ..."


def _without_tables(lines: list[str]) -> Iterator[str]:
    """All lines but those of tables, and one empty line where several follow each other."""
    inside, before = False, ""
    for line in lines:
        inside = bool(_TABLE.match(line)) or (inside and bool(line))
        if not inside and (line or before):
            yield line
            before = line


class _Frames:
    """The stack frames that a program's instructions name by number."""

    def __init__(self, lines: list[str]) -> None:
        tables: dict[str, dict[int, str]] = {}
        table: dict[int, str] | None = None
        for line in lines:
            if _TABLE.match(line):
                table = tables[line] = {}
            elif not line:
                table = None
            elif table is not None and (row := re.match(r"(\d+) (.*)", line)):
                table[int(row[1])] = row[2]
        files = {n: _unquoted(text) for n, text in tables.get("FileNames", {}).items()}
        self._places = {
            n: (files.get(_number(text, "file_name_id"), ""), _number(text, "line"))
            for n, text in tables.get("FileLocations", {}).items()
        }
        rows = tables.get("StackFrames", {}).items()
        self._frames = {
            n: (_number(text, "file_location_id"), _number(text, "parent_frame_id")) for n, text in rows
        }
        # XLA numbers frames from 1, and some versions write the number of the frame around one too high.
        self._shift = int(any(parent == n for n, (_, parent) in self._frames.items()))

    def places(self, metadata: str, shown: set[Place]) -> frozenset[Place]:
        """The place of an instruction."""
        frame = _number(metadata, "stack_frame_id")
        if not frame:
            file = re.search(r'source_file="((?:[^"\\]|\\.)*)"', metadata)
            return frozenset({(_unquoted(file[0][12:]), _number(metadata, "source_line"))} if file else ())
        seen: set[int] = set()
        while frame in self._frames and frame not in seen:
            seen.add(frame)
            location, parent = self._frames[frame]
            place = self._places.get(location, ("", 0))
            if place in shown:
                return frozenset({place})
            frame = parent - self._shift
        return frozenset()


def _number(text: str, name: str) -> int:
    found = re.search(rf"(?<![a-z_]){name}=(\d+)", text)
    return int(found[1]) if found else 0


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text.strip().removeprefix('"').removesuffix('"'))
