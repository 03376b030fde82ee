"""List errors: which changes of a list can a staged loop not carry, and where does the user make them?"""

from __future__ import annotations

from typing import Any

from autograph_lite.errors import MutationError
from autograph_lite.operators.checks.traced_text import Text
from autograph_lite.operators.joins import join_errors
from autograph_lite.operators.joins.join_types import Mismatch
from autograph_lite.operators.lists.capacity import OutgrownError
from autograph_lite.operators.trace_context import loop_options
from autograph_lite.operators.user_code import place_names
from autograph_lite.operators.values.place import Place


def of_items(error: MutationError) -> MutationError:
    """The error about items without a common type, which a loop may do without whose iterations have bodies of their own."""
    error.of_items = True
    return error


def unbounded(place: Place, location: Any) -> MutationError:
    """A list that grows in a loop whose number of iterations is not known while tracing."""
    name = place_names.owner_spelling(place.owner)
    error = MutationError(
        f"{_called(name)} grows in a loop that may run any number of times.",
        where=(place_names.written_at(place.owner), location),
        why="A compiled program needs room for all items before it starts, so the number of iterations must have a bound.",
        fix="loop over a range with a known bound and leave it with `break`: for _ in autograph_lite.range(1000). What "
        "`autograph_lite.convert` makes needs no bound where the call is no part of another program.",
    )
    error.lacks_room = loop_options.current().code
    return error


def outgrown_list_error(place: Place, items: int, location: Any) -> OutgrownError:
    """A list that gets more items than the program has room for."""
    name = place_names.owner_spelling(place.owner)
    return OutgrownError(
        f"{_called(name)} gets more than {items} items in a loop that may run any number of times.",
        where=(place_names.written_at(place.owner), location),
        why="The program has room for so many. It can't be run again with more: it calls Python, or it is far too many.",
        fix="loop over a range with a known bound and leave it with `break`: for _ in autograph_lite.range(100_000).",
    )


def dynamic_list_error(name: str, changed: Any, location: Any) -> MutationError:
    """A list whose length only the data knows, where Python or a library would have to know it."""
    fix = "use these, or fill an array of fixed size by index, ys[k] = v, and count the items in k."
    if new := place_names.list_bound_anew(name, changed):
        fix += f" If only some paths run '{name} = {new}', change the list that there is: {name}.clear() or {name}[:] = [...]."
    return MutationError(
        f"{_called(name)} has a length that only the data knows, and is used where it has to be known.",
        where=(location, changed),
        why="In a compiled program the list is a buffer and a traced length. It can be asked for its len() and its items, "
        "changed by its methods, iterated over, sorted, given to sum(), min(), max(), any() and all(), made an array "
        "by np.array(), and returned from a function that went through `convert`.",
        fix=fix,
    )


def unlike(place: Place, found: Mismatch, location: Any) -> MutationError:
    """Items that can't stand in one buffer."""
    name = place_names.owner_spelling(place.owner)
    if found.many:
        what = f"An item of {_called(name, start=False)}"
        return MutationError(
            join_errors.many_variants(what, found),
            where=(place_names.written_at(place.owner), location),
            why=join_errors.LIMITED,
            fix="append a number that says which it is, and look it up after the call.",
        )
    return MutationError(
        f"An item of {_called(name, start=False)} is {found.left}, and another one {found.right}.",
        where=(place_names.written_at(place.owner), location),
        why="The length of the list depends on a traced value, so that its items are kept in one array.",
        fix="give all items the same structure and shape.",
    )


def iterated_list_error(owner: Any, location: Any) -> MutationError:
    """A list that changes while a loop goes over it."""
    name = place_names.owner_spelling(owner)
    return MutationError(
        f"{_called(name)} is changed in a loop over its own items, and a traced value decides how.",
        where=(location, place_names.written_at(owner)),
        why="How often such a loop runs depends on what it does.",
        fix="loop over a copy, list(ys), or over a range with a known bound.",
    )


def outer_list_error(place: Place, location: Any, *, given: bool) -> MutationError:
    """A list that was there before the function was called; it is `given` where it is one of the call."""
    name = place_names.owner_spelling(place.owner)
    fix = "make the list in the function, and return it" + (
        "." if given else "; or pass it, if it is one of numbers and texts."
    )
    if name and "." in name and all(map(str.isidentifier, name.split("."))):
        fix = f"let the object have a list of its own first: {name} = list({name})."
    return MutationError(
        f"{_called(name)}, a list from outside of the function, gets a length that only the data knows.",
        where=(place_names.written_at(place.owner), location),
        why="A compiled function reads and writes such a list item by item, and so needs to know how many there are.",
        fix=fix,
    )


def returned_deque_error(owner: Any, location: Any) -> MutationError:
    """A deque whose length only the data knows, in what a function returns."""
    name = place_names.owner_spelling(owner)
    return MutationError(
        f"{_called(name) if name else 'A deque'} is returned, a deque whose length only the data knows.",
        where=(place_names.written_at(owner), location),
        why="What a program gives is put together again as lists, tuples, dicts and objects of known structure.",
        fix=f"return a list of its items: list({name or 'q'}).",
    )


def unkept(place: Place, item: Any, location: Any) -> MutationError:
    """An item that is no value that a program computes."""
    name = place_names.owner_spelling(place.owner)
    if isinstance(item, Text):
        return MutationError(
            f"{_called(name)} has a length that only the data knows, and gets text with a traced value in it, "
            f"{str.__str__(item)!r}.",
            where=(place_names.written_at(place.owner), location),
            why="The items of such a list are kept in arrays, and the text is made when the program has run.",
            fix='append what the text is made of, ("negative", i), and make the text after the call.',
        )
    kind = type(item).__name__
    return MutationError(
        f"{_called(name)} has a length that only the data knows, and one of its items is a {kind}.",
        where=(place_names.written_at(place.owner), location),
        why="The items of such a list are kept in arrays.",
        fix="append arrays, numbers, texts, or tuples of them.",
    )


def _called(name: str | None, *, start: bool = True) -> str:
    if name:
        return f"'{name}'"
    return "A list" if start else "a list"


def shrinks(place: Place, location: Any) -> MutationError:
    """A list that each iteration makes shorter."""
    kind = type(place.owner).__name__
    return MutationError(
        f"A {kind} gets shorter with each iteration of a staged loop.",
        where=(place_names.written_at(place.owner), location),
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
        where=(place_names.written_at(place.owner), location),
        why="Each iteration may append items, take off the last ones, and write to earlier ones.",
        fix="append in the loop and rearrange the list after it, or use an array.",
    )


class UnstackableError(MutationError):
    """An item that each iteration makes again is no array."""


def unstackable(place: Place, found: str, location: Any) -> UnstackableError:
    """The error for such an item."""
    return UnstackableError(
        f"A{found[1:]} that is made in a staged loop is put into a {type(place.owner).__name__}.",
        where=(place_names.written_at(place.owner), location),
        why="The loop is compiled once, so that its items have to be arrays, numbers, or trees of such.",
        fix="append a tuple, a dict or a registered pytree of its arrays.",
    )


def changing(place: Place, found: Mismatch, location: Any) -> MutationError:
    """Items of one position have types that can't be joined."""
    kind = type(place.owner).__name__
    return MutationError(
        f"An item of a {kind} is {found.left} in one iteration of a loop and {found.right} in another.",
        where=(place_names.written_at(place.owner), location),
        why="The loop is compiled once for all iterations, so each must append items of the same types.",
        fix="give the items the same structure and shape in every iteration.",
    )
