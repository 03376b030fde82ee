"""Which changes of a list can a staged loop not carry, and where does the user make them?"""

from __future__ import annotations

from typing import Any

from autograph_lite.errors import Location, MutationError
from autograph_lite.operators import spelling
from autograph_lite.operators.places import Place
from autograph_lite.operators.templates import Mismatch


def uneven(place: Place, location: Any) -> MutationError:
    """The length of a list depends on a traced value."""
    kind = type(place.owner).__name__
    return MutationError(
        f"The length of a {kind} depends on a traced value.",
        where=_places(place, location),
        why=f"A {kind} can grow where the number of iterations is known and each appends as many items.",
        fix="write to an array of fixed size by index, ys[k] = v, and count the items in k.",
    )


def shrinks(place: Place, location: Any) -> MutationError:
    """A list that each iteration makes shorter."""
    kind = type(place.owner).__name__
    return MutationError(
        f"A {kind} gets shorter with each iteration of a staged loop.",
        where=_places(place, location),
        why="The loop is compiled once for all iterations, so each must find as many items as the first.",
        fix="read the items of an array by index, or loop over a Python range so that the loop is unrolled.",
    )


def too_short(location: Any) -> MutationError:
    """The body reads items that not even a few iterations have appended."""
    return MutationError(
        "An item of a list that grows in a staged loop is read by its place from the start.",
        where=location,
        why="The loop is compiled once: it knows the items from before the loop, and the last ones.",
        fix="keep the item in a variable, or read it after the loop.",
    )


def misused(place: Place, location: Any) -> MutationError:
    """A list that grows in a loop and is changed elsewhere than at its end."""
    kind = type(place.owner).__name__
    return MutationError(
        f"A {kind} that grows in a staged loop is changed elsewhere than at its end.",
        where=_places(place, location),
        why="Each iteration may append items, take off the last ones, and write to earlier ones.",
        fix="append in the loop and rearrange the list after it, or use an array.",
    )


class UnstackableError(MutationError):
    """An item that each iteration makes anew is no array."""


def unstackable(place: Place, found: str, location: Any) -> UnstackableError:
    """The error for such an item."""
    return UnstackableError(
        f"A{found[1:]} that is made in a staged loop is put into a {type(place.owner).__name__}.",
        where=_places(place, location),
        why="The loop is compiled once, so that its items have to be arrays, numbers, or trees of such.",
        fix="append a tuple, a dict or a registered pytree of its arrays.",
    )


def changing(place: Place, found: Mismatch, location: Any) -> MutationError:
    """Items of one position have types that can't be joined."""
    kind = type(place.owner).__name__
    return MutationError(
        f"An item of a {kind} is {found.left} in one iteration of a loop and {found.right} in another.",
        where=_places(place, location),
        why="The loop is compiled once for all iterations, so each must append items of the same types.",
        fix="give the items the same structure and shape in every iteration.",
    )


def _places(place: Place, location: Any) -> tuple[Location, ...]:
    return tuple(found for found in (spelling.written_at(place.owner), location) if found)
