"""Attributes and items of the user's objects that a converted function writes traced values to.

They become inputs and outputs of the compiled program: read from the objects at each call, written back after it. So a
call leaves the objects as plain Python would have left them, and no tracer stays behind.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Sequence
from typing import Any

from autograph_lite.operators import journal, trees
from autograph_lite.operators.places import MISSING, Contents, Place
from autograph_lite.operators.values import Tracer
from autograph_lite.runtime import leaks
from autograph_lite.runtime.signature import Split


@dataclasses.dataclass
class State:
    """The places that a function carries from call to call, in the order in which they were found."""

    slots: dict[tuple[Hashable, Hashable], tuple[Place, Hashable]] = dataclasses.field(default_factory=dict)

    def read(self) -> Split:
        """What the places hold now."""
        return Split.of([_widened(place.read().get(key, MISSING)) for place, key in self.slots.values()])

    def enter(self, values: Sequence[Any]) -> None:
        """Puts traced values into the places, for the time of a trace."""
        for place, contents in self._merged(values):
            journal.commit(place, contents)

    def write(self, values: Sequence[Any]) -> None:
        """Puts the values of a finished call into the places."""
        for place, contents in self._merged(values):
            place.write(contents)

    def _merged(self, values: Sequence[Any]) -> list[tuple[Place, Contents]]:
        merged: dict[Hashable, tuple[Place, Contents]] = {}
        for (place, key), value in zip(self.slots.values(), values, strict=True):
            _, contents = merged.setdefault(journal.key_of(place), (place, place.read()))
            if value is MISSING:
                contents.pop(key, None)
            else:
                contents[key] = value
        return list(merged.values())

    def owners(self) -> list[Any]:
        """The objects that the places are in."""
        return [place.owner for place, _ in self.slots.values()]

    def after(self, changes: dict[Hashable, journal.Change]) -> list[Any]:
        """The values of the places after a trace; changes that nothing traced is in are made for good.

        Raises:
          Restart: there are more places with traced values than were known; they are known now.
        """
        known = dict(self.slots)
        kept: list[tuple[Place, Contents]] = []
        for owner, change in changes.items():
            place, old, new = change.place, change.old, change.new
            python: Contents = {}
            for key in dict.fromkeys([*new, *old]):
                value = new.get(key, MISSING)
                if holds_tracer(value):
                    self.slots.setdefault((owner, key), (place, key))
                python[key] = old.get(key, MISSING) if (owner, key) in self.slots else value
            kept.append((place, {k: v for k, v in python.items() if v is not MISSING}))
        if self.slots.keys() != known.keys():
            raise Restart
        for (_, contents), change in zip(kept, changes.values(), strict=True):
            fresh = [value for key, value in contents.items() if value is not change.old.get(key)]
            leaks.refuse_hidden(trees.leaves(fresh), "An object from outside of the function")
        for place, contents in kept:
            place.write(contents)
        values = []
        for (owner, key), (place, _) in self.slots.items():
            contents = changes[owner].new if owner in changes else place.read()
            values.append(contents.get(key, MISSING))
        return values


class Restart(Exception):
    """More state was found: the function is to be traced again with it as an input."""


def holds_tracer(value: Any) -> bool:
    """Whether a traced value stands anywhere in `value`."""
    return any(isinstance(leaf, Tracer) for leaf in trees.leaves(value))


def _widened(value: Any) -> Any:
    """Numbers that an object holds become inputs like arrays: the next call will find an array there."""
    import jax.numpy as jnp

    if isinstance(value, (bool, int, float, complex)):
        return jnp.asarray(value)
    return value
