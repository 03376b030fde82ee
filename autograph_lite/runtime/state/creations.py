"""Variable creation: may a function do it? On its first call only: a program can't make new ones at each call.

The first trace creates them; what it has done to Python objects is kept (`self.v = Variable(0.)`), and the function is
traced again, without creating any. Where that fails, the objects become what they were.
"""

from __future__ import annotations

from typing import Any

from autograph_lite.errors import VariableError
from autograph_lite.operators.values.place import Contents, Place


class Creations:
    """What one function has created; shared by all its signatures."""

    def __init__(self) -> None:
        self.closed = False
        self._before: list[tuple[Place, Contents]] = []

    def refusal(self, name: str | None) -> VariableError | None:
        """The error for a Variable that is created now, if the function has been traced before; else None."""
        if not self.closed:
            return None
        return VariableError(
            f"{f'Variable {name!r}' if name else 'A Variable'} is created on a call that is not the first.",
            why="A function creates its Variables on its first call; later calls run the compiled program with them.",
            fix="create it once: if self.v is None: self.v = autograph_lite.Variable(...), or outside of the function.",
        )

    def keep(self, changed: list[tuple[Place, Contents]]) -> None:
        """Makes what a trace that has created Variables did to Python objects last."""
        for place, contents in changed:
            self._before.append((place, place.read()))
            place.write(contents)
        self.closed = True

    def done(self) -> None:
        """To be called when a trace has succeeded."""
        self._before.clear()
        self.closed = True

    def undo(self) -> None:
        """To be called when a trace has failed: what the ones before it have created is forgotten."""
        if self._before:
            for place, contents in reversed(self._before):
                place.write(contents)
            self._before.clear()
            self.closed = False


def refuse_traced(name: str | None, found: Any) -> VariableError:
    """The error for an initial value that only the running program knows."""
    return VariableError(
        f"The initial value of {f'Variable {name!r}' if name else 'a Variable'} is traced: {found}.",
        why="A Variable is created while the function is traced, when the value is not known.",
        fix="give a function that computes it, which runs at once: Variable(lambda: jnp.zeros(3)).",
    )
