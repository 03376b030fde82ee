"""What became of each statement of control flow in a function, and why? For programs, and as a table.

step: 3 statements
  where       statement           became            why                                              equations
  model.py:3  for x in xs:        scan of 3 steps   it runs over an array: float32[3]                        6
  model.py:4  if x > 0:           cond              the condition is traced                                  4
  model.py:6  while n < 10:       unrolled 2 times  the condition is a bool                                  0
"""

from __future__ import annotations

import dataclasses
import inspect
import pathlib
import textwrap
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar, overload

import jax
import numpy as np

from autograph_lite.operators.trace_context import decision_log
from autograph_lite.operators.values import pytrees
from autograph_lite.runtime.explaining import executed_statements, explanation
from autograph_lite.runtime.explaining.function_names import name_of
from autograph_lite.runtime.functions.function_protocol import Converted
from autograph_lite.runtime.types.array_spec import ArraySpec
from autograph_lite.syntax import statements

_HEADS = ("where", "statement", "became", "why", "equations")
_NUMBERS = (4,)
_WIDTH = 44  # of a statement


@dataclasses.dataclass(frozen=True)
class Decision:
    """What became of one statement.

    Attributes:
      path: the file.
      line: where the statement begins in it, from 1.
      column: likewise, from 0.
      function: the name of the function that it stands in.
      statement: "if", "ternary", "and", "or", "match", "for", "while", "comprehension", "append" or "recursion".
      source: the first line of it.
      became: "Python", "unrolled 3 times", "cond", "scan of 128 steps", "vmap of 128 steps", "while_loop" and the like.
      why: the reason, as a clause.
      trips: how often its body runs, where that is known and always the same; else None.
      equations: how many its executions have added to the program, those in branches and bodies included; None where
        nobody knows.
      count: how many times it was executed while the function was traced; once in a loop that is staged.
    """

    path: str
    line: int
    column: int
    function: str
    statement: str
    source: str
    became: str
    why: str
    trips: int | None
    equations: int | None
    count: int


@dataclasses.dataclass(frozen=True)
class Decisions(Sequence[Decision]):
    """All statements of control flow that ran, in the order in which they were met; `print` shows a table.

    Attributes:
      name: the function's.
      decisions: one for each statement and each thing that it became.
    """

    name: str
    decisions: tuple[Decision, ...]
    _repr_pretty_ = explanation.as_printed

    @overload
    def __getitem__(self, index: int) -> Decision: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Decision, ...]: ...
    def __getitem__(self, index: int | slice) -> Decision | tuple[Decision, ...]:
        """A decision, or several."""
        return self.decisions[index]

    def __len__(self) -> int:
        """How many there are."""
        return len(self.decisions)

    def __str__(self) -> str:
        counted = "1 statement" if len(self) == 1 else f"{len(self) or 'no'} statements"
        rows = [_HEADS, *map(_row, self)] if self.decisions else []
        return "\n".join([f"{self.name}: {counted} of control flow", *explanation.text_table(rows, _NUMBERS)])


def trace_decisions(fn: Converted, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Decisions:
    """Traces a function again, and tells what became of its statements."""
    return followed(fn, lambda function: _traced(function, args, kwargs))[0]


def _traced(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Traces for arguments or types: for arrays of NumPy's as a call does, since the function may write to them."""
    given = pytrees.leaves((args, kwargs))
    table = getattr(function, "_traces", None)
    as_called = (
        table is not None and not table.of_instances and any(isinstance(each, np.ndarray) for each in given)
    )
    if not as_called or any(isinstance(each, (ArraySpec, jax.ShapeDtypeStruct)) for each in given):
        return function.get_concrete_function(*args, **kwargs)
    assert table is not None
    return table.resolve(args, kwargs)


Traced = TypeVar("Traced")


def followed(fn: Converted, trace: Callable[[Converted], Traced]) -> tuple[Decisions, Converted, Traced]:
    """What became of the statements of a function while a new one in its place was traced; that one, and its trace."""
    function = fn.of(fn.python_function, reduce_retracing=False)
    with decision_log.collecting_decisions() as log, executed_statements.executed_lines() as run:
        concrete = trace(function)
    known = list(_merged(log))
    code = getattr(inspect.unwrap(function.python_function), "__code__", None)
    paths = {each.path for each in known} | ({code.co_filename} if code else set())
    for path, name, found, why in executed_statements.pythons(
        run, {(d.path, d.line, d.column) for d in known}, paths
    ):
        own = Decision(
            path, found.line, found.column, name, found.kind, found.text, "Python", why, None, None, 1
        )
        known.insert(_position(known, own), own)
    return Decisions(name_of(function.python_function), tuple(known)), function, concrete


def _position(known: Sequence[Decision], new: Decision) -> int:
    """Where to put a statement among others: before the next one of its function, else after the last one."""
    own = [n for n, each in enumerate(known) if (each.path, each.function) == (new.path, new.function)]
    later = [n for n in own if (known[n].line, known[n].column) > (new.line, new.column)]
    return later[0] if later else own[-1] + 1 if own else len(known)


def _merged(log: Sequence[decision_log.Decision]) -> Iterator[Decision]:
    """One for each statement and what it became, in the order in which they were met."""
    groups: dict[Any, list[decision_log.Decision]] = {}
    for each in log:
        found = statements.find_statement(each.path, each.statement, each.line, each.column)
        if found is not None:
            cases = found.kind == "match" and each.statement == "if" and each.became == "Python"
            why = "Python knows which case it is" if cases else each.why
            key = each.path, each.function, found, each.became, why
            groups.setdefault(key, []).append(each)
    met = list(dict.fromkeys(key[:3] for key in groups))
    for (path, function, found, became, why), group in sorted(
        groups.items(), key=lambda of: met.index(of[0][:3])
    ):
        trips = {each.trips for each in group}
        counts = [each.equations for each in group if each.equations is not None]
        yield Decision(
            path, found.line, found.column, function, found.kind, found.text,
            _with_trips(became, sorted(trip for trip in trips if trip is not None)), why,
            trips.pop() if len(trips) == 1 else None, sum(counts) if counts else None, len(group),
        )  # fmt: skip


def _with_trips(became: str, trips: Sequence[int]) -> str:
    """What a statement became, with how often its body runs."""
    if not trips:
        return became
    few, many = trips[0], trips[-1]
    number = str(many) if few == many else f"{few} to {many}"
    if became == "unrolled":
        return f"unrolled {number} {'time' if many == 1 else 'times'}"
    if became == "scan":
        return f"scan of {number} {'step' if many == 1 else 'steps'}"
    if became == "vmap":
        return f"vmap of {number} steps"
    return f"unrolled {number} {'time' if many == 1 else 'times'}, then {became}" if many else became


def _row(each: Decision) -> tuple[str, ...]:
    times = f" ({each.count} times)" if each.count > 1 else ""
    return (
        f"{pathlib.Path(each.path).name}:{each.line}",
        textwrap.shorten(each.source, _WIDTH, placeholder=" ..."),
        each.became + times,
        each.why,
        "" if each.equations is None else str(each.equations),
    )
