"""Where does a row of the table differ from TensorFlow on purpose, and why?

The rows are the tests `test_R<number>_<behaviour>` of this directory: each makes the calls of one measured case of
`tf.function`, and asserts how many traces there are, and how often Python has run, after each of them.
"""

from __future__ import annotations

import importlib
import inspect
import pathlib
import re
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

HERE = pathlib.Path(__file__).parent
NUMBERS = [*(str(n) for n in range(1, 156) if n != 117), "97b"]  # of the cases; nobody has measured an R117


LIVE = "a program that goes on with what has changed since gives wrong values in silence"


def deviates(here: str, *, why: str) -> Callable[[F], F]:
    """Marks a row in which we do something else than TensorFlow: what happens here, and the reason."""

    def mark(test: F) -> F:
        test.deviation = Deviation(here, why)  # type: ignore[attr-defined]
        return test

    return mark


class Deviation(NamedTuple):
    """What we do instead, and why."""

    here: str
    why: str


class Row(NamedTuple):
    """A row of the table.

    Attributes:
      number: of the measured case: "12", "97b".
      test: which asserts it.
      deviation: None where the counts are those of TensorFlow.
    """

    number: str
    test: str
    deviation: Deviation | None


def rows() -> list[Row]:
    """All rows, by their numbers."""
    found = []
    for path in sorted(HERE.glob("test_*.py")):
        module = importlib.import_module(f"{__package__}.{path.stem}")
        for name, test in inspect.getmembers(module, inspect.isfunction):
            number = re.match(r"test_R(\d+b?)_", name)
            if number is not None:
                found.append(Row(number[1], name, getattr(test, "deviation", None)))
    return sorted(found, key=lambda row: (int(row.number.rstrip("b")), row.number))
