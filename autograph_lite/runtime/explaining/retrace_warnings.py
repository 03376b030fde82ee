"""Retrace warnings: what is a user told whose function retraces too often? Which argument is guilty, and what to pass.

4 of the last 4 calls of 'step' retraced it: each ran its Python code and compiled it once more.
  model.py:14 in step
      def step(x, n):
  'n' changed in 4 of them: 1, 2, 3, 4, 5.
  Fix: pass an array, jnp.asarray(n): each Python number is a trace of its own.
"""

from __future__ import annotations

import itertools
import linecache
import re
import types
import warnings
from collections.abc import Callable
from typing import Any

from autograph_lite.errors import AutographError, Location, RetraceWarning
from autograph_lite.operators.user_code import source_places
from autograph_lite.runtime.explaining.detector import Frequent
from autograph_lite.runtime.explaining.trace_differences import Change, Kind, changes, type_text

MOST_GUILTY = 3  # arguments that one warning names
MOST_VALUES = 6  # of one argument
_DEF = re.compile(r"\s*(async\s+)?def\b")


def warn_of_retraces(fn: Callable[..., Any], frequent: Frequent, *, method: bool = False) -> None:
    """Warns that `fn`, of the user's, retraces often, as `RetraceDetector.traced` has found, at the line that called it last.

    Of a `method`, each instance has traces of its own.
    """
    place = frequent.records[-1].called_from or _definition(fn)
    if place:
        warnings.warn_explicit(
            retrace_message(fn, frequent, method=method), RetraceWarning, place.path, place.line
        )


def retrace_message(fn: Callable[..., Any], frequent: Frequent, *, method: bool = False) -> str:
    """The text of the warning; the arguments are those of `warn_of_retraces`."""
    why, fix = _recreated(frequent, method) or _guilt(frequent)
    what = (
        f"{frequent.retraces} of the last {frequent.calls} calls of '{_name(fn)}' retraced it: each ran its Python "
        "code and compiled it once more."
    )
    place = _definition(fn) or frequent.records[-1].called_from
    return str(AutographError(what, where=place, why=why, fix=fix))


def _name(fn: Callable[..., Any]) -> str:
    return str(getattr(fn, "__name__", type(fn).__name__))


def _definition(fn: Callable[..., Any]) -> Location | tuple[()]:
    """The line of the `def` or `lambda`, below its decorators; none of what is not written in Python."""
    code = getattr(fn, "__code__", None)
    if not isinstance(code, types.CodeType):
        return ()
    first = code.co_firstlineno
    # Decorators may be long; past the first line of the body there is no `def` of this function.
    last = min((line for _, _, line in code.co_lines() if line and line > first), default=first)
    texts = ((line, linecache.getline(code.co_filename, line)) for line in range(first, last + 1))
    line = next((line for line, text in texts if _DEF.match(text)), first)
    return source_places.at(code.co_filename, line, source_places.function_name(code))


def _recreated(frequent: Frequent, method: bool) -> tuple[str, str] | None:
    if frequent.functions <= len(frequent.records) // 2:
        return None
    if method:
        why = f"It was called on {frequent.functions} instances, and each has traces of its own."
        return (
            why,
            "keep the instances and call them again, or convert a function whose argument is a pytree of their arrays.",
        )
    why = f"{frequent.functions} functions were made from it, and each has traces of its own."
    return why, "convert the function once, outside of the loop or function that calls it."


def _guilt(frequent: Frequent) -> tuple[str, str]:
    once = frequent.records[-1].served.once
    if once is not None:
        line = "" if once.line is None else f" ({once.line.path}:{once.line.line})"
        return f"It {once.said()[:-1]}{line}.", once.fix()
    guilty = _guilty(frequent)
    if not guilty:
        why = "The arguments were of the same types: what the function changes or captures has not stayed the same."
        fix = (
            "make the lists and arrays that it changes once, and keep their lengths, shapes and dtypes; pass what changes "
            "between calls as an argument."
        )
        return why, fix
    why = "\n".join(map(_story, guilty))
    return why, "\n  Fix: ".join(dict.fromkeys(map(_advice, guilty)))


def _guilty(frequent: Frequent) -> list[list[Change]]:
    """The changes between each trace and the next, by argument: of those that change in at least half of the cases."""
    by_place: dict[str, list[Change]] = {}
    for old, new in itertools.pairwise(frequent.records):
        by_name = {_name_of(change): change for change in changes(new, old)}
        for name, change in by_name.items():
            by_place.setdefault(name, []).append(change)
    found = sorted(by_place.values(), key=len, reverse=True)[:MOST_GUILTY]
    often = [each for each in found if 2 * len(each) >= frequent.retraces]
    return often or found[:1]


def _name_of(change: Change) -> str:
    return "The number of arguments" if change.kind is Kind.ABSENT else f"'{change.place}'"


def _story(found: list[Change]) -> str:
    story = f"{_name_of(found[0])} changed in {len(found)} of them"
    return f"{story}." if found[0].kind is Kind.ABSENT else f"{story}: {_values(found)}."


def _advice(found: list[Change]) -> str:
    kinds = [change.kind for change in found]
    return max(found, key=lambda change: kinds.count(change.kind)).advice()[0]


def _values(found: list[Change]) -> str:
    """The types that an argument had, in order, each once."""
    texts = list(dict.fromkeys(type_text(each) for change in found for each in (change.before, change.after)))
    return ", ".join(texts[:MOST_VALUES]) + (", and more" if len(texts) > MOST_VALUES else "")
