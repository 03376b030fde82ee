"""Decisions of Python's: which statements ran while a function was traced, though no operator tells of them?

match point:                          looks at the structure of Python values
    case (x, y): ...
{k: f(k) for k in names}              runs over Python values
flag and len(names) > 1               has no operand that is traced
"""

from __future__ import annotations

import contextlib
import sys
import types
from collections.abc import Collection, Iterator
from typing import Any

from autograph_lite.operators.user_code import source_places
from autograph_lite.syntax import statements
from autograph_lite.syntax.statements import Statement

_COMBINED = "no operand that is traced decides on it"
_DECIDED = "nothing that is traced decides on it"
_REASONS = {
    "and": _COMBINED, "or": _COMBINED, "match": "Python knows which case it is",
    "comprehension": "it runs over Python values",
}  # fmt: skip


@contextlib.contextmanager
def executed_lines() -> Iterator[set[tuple[str, int]]]:
    """Gives the set of all lines of the user's, as (path, number), that this thread runs inside."""
    found: set[tuple[str, int]] = set()

    def step(frame: types.FrameType, event: str, argument: Any) -> Any:
        found.add((frame.f_code.co_filename, frame.f_lineno))
        return step

    def enter(frame: types.FrameType, event: str, argument: Any) -> Any:
        return None if source_places.is_hidden(frame.f_code) else step(frame, event, argument)

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        yield found
    finally:
        sys.settrace(before)


def pythons(
    run: Collection[tuple[str, int]], told: Collection[tuple[str, int, int]], paths: Collection[str]
) -> Iterator[tuple[str, str, Statement, str]]:
    """The statements that ran, and that nobody has told of: path, function, statement and reason.

    Args:
      run: the lines that ran.
      told: path, line and column of the statements that are known already.
      paths: the files to look at.
    """
    for path in sorted(paths):
        numbers = {line for file, line in run if file == path}
        for function, found in statements.statements_on_lines(path, numbers):
            # An `elif` that nobody tells of is a branch of a switch.
            if (path, found.line, found.column) not in told and not found.text.startswith("elif"):
                yield path, function, found, _REASONS.get(found.kind, _DECIDED)
