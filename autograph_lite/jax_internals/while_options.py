"""Reverse mode of `while`: how is a loop differentiated, and what is known of it for that?"""

from __future__ import annotations

import dataclasses

from autograph_lite.errors import Location
from autograph_lite.jax_internals import while_lanes


@dataclasses.dataclass(frozen=True)
class Options:
    """How a loop is differentiated in reverse.

    Attributes:
      bound: iterations that it has at most.
      kept: states that it keeps; None where their size decides.
      reverse: whether it can be.
      place: the user's line of a loop that can't be.
      lanes: of `vmap`s that end it lane by lane; None where there are none, or where they are not known.
    """

    bound: int | None = None
    kept: int | None = None
    reverse: bool = True
    place: Location | tuple[()] = ()
    lanes: while_lanes.Lanes | None = None
