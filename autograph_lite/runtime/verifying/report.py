"""What does a comparison of a compiled program with the user's Python say? For programs, and to be read.

factorial(n: int32[]): the compiled program does not do what Python does.
  result           Python 6227020800    converted 1932053504 int32[]
  model.py:5 in factorial is the first statement after which a variable differs:
      result = result * i
  result           Python 6227020800    converted 1932053504 int32[]
"""

from __future__ import annotations

import dataclasses
import pathlib
from typing import Any

from autograph_lite.errors import AutographError, Location, VerificationError
from autograph_lite.runtime.explaining.explanation import as_printed

_WIDTH = 90  # of a value
_FIX = (
    "give the variable a dtype that holds its values, and keep what is not computed out of the function; "
    "if nothing of that is it, report it with this message."
)


@dataclasses.dataclass(frozen=True)
class Difference:
    """Where Python and the compiled program part.

    Attributes:
      place: "result", "result['w'][0]", "counter.total", "exception" or "printed text"; or a variable.
      python: what is there in Python.
      converted: what the compiled program has made of it.
    """

    place: str
    python: str
    converted: str

    def __str__(self) -> str:
        return f"{self.place}: Python {_shortened(self.python)}, converted {_shortened(self.converted)}"


@dataclasses.dataclass(frozen=True)
class FirstStatement:
    """The first statement after which a variable differs, or that only one of the two has run.

    Attributes:
      where: its line.
      differences: the variables.
      path: where the other goes on, where the two take different ways.
    """

    where: Location
    differences: tuple[Difference, ...]
    path: str = ""

    def __str__(self) -> str:
        told = self.path or "the first statement after which a variable differs"
        return "\n".join([f"{told}:", str(self.where), *(f"      {found}" for found in self.differences)])


@dataclasses.dataclass(frozen=True)
class Verification:
    """What a comparison of a compiled program with the user's Python has found.

    Attributes:
      call: the function, and the types of the arguments.
      differences: where results, exceptions, printed text, or what the call has changed, are not the same.
      first: the first statement that differs; None where there is none, or where it could not be told.
      notes: what else there is to know: how Python was run, why no statement could be told, what only Python prints.
      where: the function's line.
      result: what the compiled program returned; None where it raised.
      raised: what the compiled program raised, if it did.
    """

    call: str
    differences: tuple[Difference, ...]
    first: FirstStatement | None
    notes: tuple[str, ...]
    where: Location | tuple[()]
    result: Any = dataclasses.field(default=None, compare=False, repr=False)
    raised: Exception | None = dataclasses.field(default=None, compare=False, repr=False)
    _repr_pretty_ = as_printed

    @property
    def ok(self) -> bool:
        """Whether the compiled program does what Python does."""
        return not self.differences

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        told = "does what Python does" if self.ok else "does not do what Python does"
        lines = [f"{self.call}: the compiled program {told}.", *map(str, self.differences)]
        lines += str(self.first).splitlines() if self.first is not None else []
        lines += [f"Note: {note}" for note in self.notes]
        return "\n".join([lines[0], *(f"  {line}" for line in lines[1:])])

    def error(self) -> VerificationError:
        """What says it as an exception."""
        first = self.first
        lines = [*map(str, self.differences)]
        if first is not None:
            lines += [f"{first.path or 'the first statement after which a variable differs'}:",
                      *(f"  {found}" for found in first.differences)]  # fmt: skip
        return VerificationError(
            f"The compiled program of {self.call} does not do what Python does.",
            where=first.where if first is not None else self.where,
            why="\n".join([*lines, *self.notes]),
            fix=self.raised.fix or _FIX if isinstance(self.raised, AutographError) else _FIX,
        )


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 4]} ..."


def line_of(place: Location) -> str:
    """A line of the user's, in short."""
    return f"{pathlib.PurePath(place.path).name}:{place.line}"
