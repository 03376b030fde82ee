"""How does text reach the user? As code, as a diff, with colours on a terminal and none in a pipe."""

from __future__ import annotations

import difflib
import inspect
import io
import linecache
import os
import sys
import textwrap
from collections.abc import Iterable

from rich.console import Console
from rich.syntax import Syntax
from rich.text import Text

from autograph_lite.cli.named_functions import Found


def use_color(choice: str) -> bool:
    """Whether to write colours: for "auto", on a terminal, unless NO_COLOR is set (no-color.org)."""
    if choice != "auto":
        return choice == "always"
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def write_colored(text: str, language: str, *, color: bool) -> None:
    """Writes `text` and a newline to stdout.

    Args:
      text: what to write; lines are never wrapped, so that it can be copied from a terminal.
      language: the Pygments name of the language to colour it as; "table" for what became of statements.
      color: whether to colour it at all.
    """
    text = text.rstrip("\n")
    if isinstance(sys.stdout, io.TextIOWrapper):  # a pipe may know fewer characters than Python's names have
        sys.stdout.reconfigure(errors="backslashreplace")
    if not color or not text:
        print(text, end="\n" if text else "")
        return
    # The sixteen colours of the terminal's own theme: readable on dark and on light ground.
    highlighted = _table(text) if language == "table" else _code(text, language)
    highlighted.rstrip()
    console = Console(force_terminal=True, color_system="standard", no_color=False, legacy_windows=False)
    console.print(highlighted, soft_wrap=True)


def _code(text: str, language: str) -> Text:
    return Syntax("", language, theme="ansi_dark", background_color="default").highlight(text)


def _table(text: str) -> Text:
    """A table of `explain` in which one sees at a glance what is staged, green, and what is unrolled, yellow."""
    title, *rows = text.splitlines()
    found = Text(title, style="bold")
    start, end = (rows[0].find(head) for head in ("became", "why")) if rows else (0, 0)
    for row in rows:
        line = Text(f"\n{row}", style="not bold")
        became = row[start:end].strip()
        color = "yellow" if became.startswith("unrolled") else "" if became.startswith("Python") else "green"
        line.stylize("bold" if row is rows[0] else color, 1 + start, 1 + end)
        found.append(line)
    return found


def diff(converted: Iterable[tuple[Found, str]], shown_path: str) -> str:
    """The unified diff from the source to the generated code, as a patch of the file; "" without differences.

    Args:
      converted: functions of one file, in the file's order, each with its generated code.
      shown_path: the file's path in the diff's header.
    """
    before: list[str] = []
    after: list[str] = []
    done = 0  # lines of the file that `after` has already
    for found, code in converted:
        lines, first = inspect.getsourcelines(found.function)
        before = before or linecache.getlines(found.code.co_filename)
        if first - 1 < done:  # a second lambda on one line
            continue
        indent = lines[0][: len(lines[0]) - len(lines[0].lstrip())]
        after += before[done : first - 1]
        after += textwrap.indent(code.strip("\n") + "\n", indent).splitlines(keepends=True)
        done = first - 1 + len(lines)
    after += before[done:]
    return "".join(difflib.unified_diff(before, after, shown_path, f"{shown_path} (converted)"))
