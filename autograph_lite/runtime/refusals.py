"""Which changes may a function not make, that no later call of the compiled program could make again?"""

from __future__ import annotations

from typing import Any

from autograph_lite import _jax
from autograph_lite.errors import MutatedArgumentError
from autograph_lite.operators import aliases, journal, mismatch, spelling, stretches, trees, where
from autograph_lite.operators.values import Tracer


def foreign(changes: dict[Any, journal.Change], *, owned: bool) -> None:
    """Refuses what would leave a tracer of somebody else's trace in an object.

    Raises:
      MutationError: it does.
    """
    for change in changes.values():
        for key, value in change.new.items():
            if isinstance(value, list) and stretches.holds(value):
                continue  # see `cutting`
            tracers = [leaf for leaf in trees.leaves(value) if isinstance(leaf, Tracer)]
            if value is change.old.get(key) or not tracers:
                continue
            if not (owned and all(map(_jax.is_of_this_trace, tracers))):
                raise mismatch.foreign(change.place.label(key), change.place.owner, owned=owned)


def mutated_arguments(arguments: Any, changes: dict[Any, Any]) -> None:
    """Refuses to change a container of the call's.

    Raises:
      MutatedArgumentError: one is changed.
    """
    containers = {id(container) for container in aliases.containers(arguments)}
    for change in changes.values():
        if id(change.place.owner) in containers:
            kind = type(change.place.owner).__name__
            name = spelling.base(change.place.owner)
            what = (
                f"'{name}', a {kind} that was passed as an argument,"
                if name
                else f"A {kind} that was passed as an argument"
            )
            raise MutatedArgumentError(
                f"{what} is changed inside the function.",
                where=spelling.written_at(change.place.owner) or where.here(),
                why="The caller would not see the change: a compiled function gets the values of its arguments.",
                fix=f"make a new {kind} and return it.",
            )
