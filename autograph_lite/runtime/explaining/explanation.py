"""Retraces: why did a function retrace, what did each trace cost, and what would have avoided it? For programs, and as a table.

step: 2 traces, 12.3 ms tracing, 30.1 ms compiling
  trace  signature             tracing  compiling  called from        what differs
      1  (x: float32[3], n=1)   8.2 ms    20.0 ms  train.py:8 main
      2  (x: float32[3], n=2)   4.1 ms    10.1 ms  train.py:8 main    n: 1 -> 2, as of trace 1
  2: pass an array, jnp.asarray(n): each Python number is a trace of its own.
"""

from __future__ import annotations

import dataclasses
import pathlib
import textwrap
from collections.abc import Collection, Iterator, Sequence
from typing import Any, overload

from autograph_lite.errors import Location
from autograph_lite.runtime.explaining.trace_differences import Change, TraceRecord, changes

# Each trace is compared with those before it, which is quadratic: the newest are the likeliest to resemble it.
COMPARED = 64
_HEADS = ("trace", "signature", "tracing", "compiling", "called from", "what differs")
_RIGHT = (0, 2, 3)  # columns of numbers
_WIDTH = 60  # of a column of text


@dataclasses.dataclass(frozen=True)
class Retrace:
    """One trace of a function.

    Attributes:
      index: its number, from 1.
      signature: the types of its arguments.
      nearest: the number of the earlier trace that it differs least from; None of the first.
      differences: what differs from that one, each as `n: 1 -> 2`.
      called_from: the user's line that called the function; empty where none did.
      trace_seconds: the time that running the Python code and making the program took.
      compile_seconds: the time that XLA took; None where it has not compiled yet.
      changed: what the function reads from outside that Python had changed since the trace before.
      advice: what would have avoided it, one sentence a line; may be empty.
    """

    index: int
    signature: str
    nearest: int | None
    differences: tuple[str, ...]
    called_from: Location | tuple[()]
    trace_seconds: float
    compile_seconds: float | None
    changed: tuple[str, ...]
    advice: str


def as_printed(self: Any, printer: Any, cycle: bool) -> None:
    """What a notebook shows, where the value of a cell is to look as `print` shows it.

    To be the `_repr_pretty_` of a class itself: IPython takes the `__repr__` of a dataclass before the method of a base.
    """
    printer.text(str(self))


@dataclasses.dataclass(frozen=True)
class Explanation(Sequence[Retrace]):
    """All traces of a function, the first one first; `print` shows a table.

    Attributes:
      name: the function's.
      retraces: the traces.
    """

    name: str
    retraces: tuple[Retrace, ...]
    _repr_pretty_ = as_printed

    @overload
    def __getitem__(self, index: int) -> Retrace: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Retrace, ...]: ...
    def __getitem__(self, index: int | slice) -> Retrace | tuple[Retrace, ...]:
        """A trace, or several; the first has the index 0."""
        return self.retraces[index]

    def __len__(self) -> int:
        """How many traces there are."""
        return len(self.retraces)

    def __str__(self) -> str:
        return "\n".join([self.summary(), *_table(self.retraces), *_advice(self.retraces)])

    def summary(self) -> str:
        """How many traces there are, and what they cost."""
        traces = "1 trace" if len(self) == 1 else f"{len(self)} traces"
        if not self.retraces:
            return f"{self.name}: no traces"
        tracing = sum(each.trace_seconds for each in self)
        compiling = [each.compile_seconds for each in self if each.compile_seconds is not None]
        costs = [f"{duration(tracing)} tracing"] + (
            [f"{duration(sum(compiling))} compiling"] if compiling else []
        )
        return f"{self.name}: {traces}, {', '.join(costs)}"


def explain_retraces(name: str, records: Sequence[TraceRecord]) -> Explanation:
    """Compares each trace with the nearest before it."""
    return Explanation(name, tuple(_explained(records, i) for i in range(len(records))))


def _explained(records: Sequence[TraceRecord], at: int) -> Retrace:
    record = records[at]
    nearest, found = _nearest(records, at)
    return Retrace(
        at + 1,
        str(record.function_type),
        nearest,
        tuple(map(str, found)),
        record.called_from,
        record.trace_seconds,
        record.compile_seconds,
        record.changed,
        "\n".join(_avoiding(record, nearest, found)),
    )


def _nearest(records: Sequence[TraceRecord], at: int) -> tuple[int | None, tuple[Change, ...]]:
    """Of the traces before, the number of the one that differs least, the newest of several; and the differences."""
    earlier = range(at - 1, max(-1, at - 1 - COMPARED), -1)
    compared = [(i + 1, changes(records[at], records[i])) for i in earlier]
    return min(compared, key=lambda pair: sum(change.distance() for change in pair[1]), default=(None, ()))


def _avoiding(record: TraceRecord, nearest: int | None, found: tuple[Change, ...]) -> Iterator[str]:
    yield from dict.fromkeys(sentence for change in found for sentence in change.advice())
    if nearest is not None and not (found or record.changed):
        yield "the arguments are those of an earlier trace: keep what the function changes or captures the same."
    for name in record.changed:
        yield f"pass '{name}' as an argument or keep it in a Variable: Python has changed what the trace had read."


def _table(retraces: Sequence[Retrace]) -> list[str]:
    return text_table([_HEADS, *map(_row, retraces)], _RIGHT) if retraces else []


def _row(each: Retrace) -> tuple[str, ...]:
    place = each.called_from
    return (
        str(each.index),
        textwrap.shorten(each.signature, _WIDTH, placeholder=" ..."),
        duration(each.trace_seconds),
        "" if each.compile_seconds is None else duration(each.compile_seconds),
        f"{pathlib.Path(place.path).name}:{place.line} {place.function}" if place else "",
        _differing(each),
    )


def _differing(each: Retrace) -> str:
    if each.nearest is None:
        return ""
    changed = [f"'{name}' has changed" for name in each.changed]
    return f"{', '.join([*each.differences, *changed]) or 'nothing in the arguments'}, as of trace {each.nearest}"


def _advice(retraces: Sequence[Retrace]) -> Iterator[str]:
    """Each sentence once, after the numbers of the traces that it would have avoided."""
    numbers: dict[str, list[str]] = {}
    for each in retraces:
        for sentence in each.advice.splitlines():
            numbers.setdefault(sentence, []).append(str(each.index))
    return (f"  {', '.join(of)}: {sentence}" for sentence, of in numbers.items())


def duration(seconds: float) -> str:
    """A time, for people."""
    return f"{seconds:.1f} s" if seconds >= 1 else f"{1e3 * seconds:.1f} ms"


def text_table(rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> list[str]:
    """The lines of a table of cells, heads first; the columns in `right` end at one place, as numbers do."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [f"  {_line(row, widths, right)}".rstrip() for row in rows]


def _line(row: Sequence[str], widths: Sequence[int], right: Collection[int]) -> str:
    cells = zip(row, widths, strict=True)
    return "  ".join(
        cell.rjust(width) if column in right else cell.ljust(width)
        for column, (cell, width) in enumerate(cells)
    )
