"""Weak references: which places does a trace carry from call to call without keeping their objects alive?

account.deposit(x)       the trace writes to 'account', which is held weakly: it goes when its user lets go of it
deposit(x)               the trace writes to a global's object, as of trace time, and keeps it
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from autograph_lite.operators.object_graph.places import object_places
from autograph_lite.operators.values.place import Place


class HeldPlace:
    """Gives a place when it is called.

    Attributes:
      ours: as of the place.
    """

    def __init__(self, place: Place) -> None:
        self.ours = place.ours
        self._place: Place | None = place
        self._owner: Callable[[], Any] = lambda: place.owner
        self._kind = kind_of(place)

    def loosen(self) -> None:
        """Holds the object weakly from now on, where Python can."""
        if self._place is None or not any(
            kind_of(place) == self._kind for place in object_places(self._place.owner)
        ):
            return
        try:
            self._owner = weakref.ref(self._place.owner)
        except TypeError:
            return
        self._place = None

    @property
    def owner(self) -> Any:
        """The object; None when it is gone."""
        return self._owner()

    def __call__(self) -> Place:
        """The place. Raises ReferenceError: its object is gone."""
        if self._place is not None:
            return self._place
        owner = self._owner()
        if owner is None:
            raise ReferenceError("An object that a compiled function writes to is gone.")
        return next(place for place in object_places(owner) if kind_of(place) == self._kind)


def kind_of(place: Place) -> tuple[bool, str]:
    """Which place of its object it is."""
    return place.attributes is not None, place.part
