"""Variables in arguments: may a function create some in the objects that it is given? Once in each, which keeps them.

if self.v is None: self.v = Variable(0.0)       each object gets one of its own, and the call is one of another type
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograph_lite.operators.effects.journal import Change
from autograph_lite.operators.values import pytrees
from autograph_lite.runtime.results.argument_mutations import kind_in, numbers_of, place_in
from autograph_lite.runtime.state.carried_state import Retyped
from autograph_lite.runtime.state.creations import Creations
from autograph_lite.runtime.state.variable_frames import Frame


def bring_out(
    frame: Frame,
    creations: Creations,
    changes: Sequence[Change],
    given: Sequence[Any],
    callers: Sequence[Any],
) -> None:
    """Puts Variables that a trace has created into objects of the call, where these are to keep them.

    Raises:
      Retyped: it has.
      VariableError: they do not keep all of them, and the function may create no more.
    """
    created, numbers = {*map(id, frame.created)}, numbers_of(given)
    found: set[int] = set()
    rows = []
    for change in changes:
        held = {
            key: created.intersection(map(id, pytrees.leaves(value))) for key, value in change.new.items()
        }
        found.update(*held.values())
        number = numbers[id(change.place.owner)]
        if any(held.values()) and len(callers) == len(given):
            place = place_in(callers[number], kind_in(change.place, given[number]))
            rows.append((place, {**place.read(), **{key: change.new[key] for key in held if held[key]}}))
    if created == found and len(callers) == len(given):
        creations.keep(rows)
        raise Retyped(frame.refused)
    if frame.refused is not None:
        raise frame.refused
