"""How does a list grow in a staged loop? Each iteration's new items become outputs of the loop, and a row each after it.

    for x in xs:                          ys, as the body sees it:  [*before, <gap>]
        ys.append(f(x))                   after the body:           [*before, <gap>, f(x)]

The loop is compiled once for all its iterations, so what earlier iterations appended is not there to be read. In its
place the body sees a gap: what reads it asks for a window, which carries the last items from one iteration to the next.

    for x in xs:                          ys, as the body sees it:  [*before[:-1], <gap>, last]
        ys.append(f(ys[-1], x))           after the body:           [*before[:-1], <gap>, last, f(last, x)]

What leaves the window at its left end is an output. So the list stays one Python object with an item for each append,
it can be differentiated as `lax.scan` can, and `len` of it is a number that counts the iterations.
"""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import threading
import types
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph_lite.errors import Location, MutationError
from autograph_lite.operators import where
from autograph_lite.operators.places import Contents, Place
from autograph_lite.operators.templates import (
    Array,
    Captured,
    Fixed,
    Mismatch,
    Template,
    as_array,
    describe,
    join,
    rebuild,
    structural,
)

GAP = 64  # wider than any index that is written as a number, so that none of them jumps over it
PEELED = 4  # iterations run before the loop, until the list is as long as the body's reads need
REMEMBERED = 256  # lists whose last mutation is known, for messages


class Wanted(BaseException):
    """The body asks for something that the loop does not carry yet: traces it again.

    Attributes:
      token: of the growth that is concerned.
      window: how many of the last items it reads; None where it asks for the length.
    """

    def __init__(self, token: object, window: int | None) -> None:
        super().__init__(token, window)
        self.token, self.window = token, window


class TooShort(Exception):
    """The list is shorter before the loop than what the body reads: an iteration has to run first."""


class Unstackable(Exception):
    """An item that is made anew in each iteration can't be an output of a program."""

    def __init__(self, found: str) -> None:
        super().__init__(found)
        self.found = found


@dataclasses.dataclass(frozen=True)
class Last:
    """The key of the item at the distance `distance` from the end: 1 for the last one."""

    distance: int


class Earlier:
    """Stands in the body for an item that an earlier iteration may have appended; whatever uses it asks for it."""

    __slots__ = ("_distance", "_token")

    def __init__(self, token: object, distance: int) -> None:
        self._token, self._distance = token, distance

    def __getattr__(self, name: str) -> Any:
        raise Wanted(self._token, self._distance)

    def wanted(self) -> Wanted:
        """What a use of the item raises."""
        return Wanted(self._token, self._distance)


def _used(self: Earlier, *_: Any) -> Any:
    raise self.wanted()


_SYMBOLS = (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift", "rshift", "divmod",
)  # fmt: skip
_OTHERS = (
    "eq", "ne", "lt", "le", "gt", "ge", "bool", "int", "float", "complex", "index", "neg", "pos", "abs", "invert",
    "len", "iter", "next", "getitem", "setitem", "delitem", "contains", "call", "round", "hash", "str", "repr", "format",
    "enter", "exit",
)  # fmt: skip
for _name in (*_SYMBOLS, *(f"r{name}" for name in _SYMBOLS), *(f"i{name}" for name in _SYMBOLS[:-1]), *_OTHERS):
    setattr(Earlier, f"__{_name}__", _used)


@dataclasses.dataclass(frozen=True, eq=False)
class Growth:
    """A list that each iteration of a loop makes longer.

    Attributes:
      place: the list.
      length: its Python length before the loop.
      templates: types of the items that leave the window in each iteration.
      window: how many of its last items are carried.
      indexed: whether the body asks for the length.
      token: the same for all passes over the loop.
      """

    place: Place
    length: int
    templates: tuple[Template, ...]
    window: int = 0
    indexed: bool = False
    token: object = dataclasses.field(default_factory=object)

    @property
    def head(self) -> int:
        """How many items at the start are known to the body."""
        return self.length - self.window

    def gap(self) -> list[Earlier]:
        """The gap, each item of which knows how far it is from the end."""
        return [Earlier(self.token, self.window + GAP - i) for i in range(GAP)]

    def wants(self, wanted: Wanted) -> Growth:
        """The growth with what a body has asked for.

        Raises:
          TooShort: the list has not as many items before the loop.
        """
        if wanted.window is None:
            return dataclasses.replace(self, indexed=True)
        if wanted.window > self.length:
            raise TooShort
        return dataclasses.replace(self, window=wanted.window)

    def shown(self, contents: Contents) -> Contents:
        """What the body sees, from the list's items at the start and those of the window."""
        window = [contents[Last(j)] for j in range(self.window, 0, -1)]
        return dict(enumerate([*(contents[i] for i in range(self.head)), *self.gap(), *window]))

    def tail(self, values: Sequence[Any], location: Any) -> int:
        """Where in the list, as the body leaves it, the window and the new items start.

        Raises:
          Wanted: the body has taken items of earlier iterations off the end.
          MutationError: it has changed the list elsewhere.
        """
        found = [value for value in values if isinstance(value, Earlier) and value._token is self.token]
        distances = [value._distance for value in found]
        in_place = all(a is b for a, b in zip(values[self.head :], found, strict=False))
        if not in_place or distances != [self.window + GAP - i for i in range(len(found))]:
            raise misused(self.place, location)
        if len(found) < GAP:
            raise Wanted(self.token, self.window + GAP - len(found))
        return self.head + GAP

    def finished(self, contents: Contents, rows: Sequence[Any]) -> Contents:
        """The list after the loop."""
        window = [contents[Last(j)] for j in range(self.window, 0, -1)]
        return dict(enumerate([*(contents[i] for i in range(self.head)), *rows, *window]))

    def rows(self, arrays: Iterator[Any], count: int, *, reverse: bool) -> list[Any]:
        """The items that the iterations have put out, in the order of the iterations.

        Args:
          arrays: outputs of the loop, each with a leading axis of `count`; takes as many as it needs.
          count: the number of iterations.
          reverse: whether the last iteration is at index 0.
        """
        columns: list[list[Any]] = []
        for template in self.templates:
            kinds = [leaf for leaf in template.leaves if isinstance(leaf, Array)]
            stacked = [unstacked(next(arrays)) for _ in kinds]
            columns.append([rebuild(template, [leaf[i] for leaf in stacked], "an item") for i in range(count)])
        order = range(count - 1, -1, -1) if reverse else range(count)
        return [column[i] for i in order for column in columns]


def unstacked(array: jax.Array) -> list[jax.Array]:
    """The rows of an array. One equation takes them apart, so that their cotangents come together in one, too."""
    if jax.dtypes.issubdtype(array.dtype, jax.dtypes.extended):
        return [array[i] for i in range(array.shape[0])]
    return [lax.squeeze(row, (0,)) for row in lax.split(array, [1] * array.shape[0])]


def grows(place: Place) -> bool:
    """Whether a place is a sequence that may get longer at its end."""
    owner = place.owner
    return isinstance(owner, list) or (isinstance(owner, deque) and owner.maxlen is None)


def stacked_type(item: Captured, reachable: Callable[[Any], bool]) -> Template:
    """The type of an item that each iteration appends: arrays become outputs, Python values are the same each time.

    Args:
      item: the item as the body leaves it.
      reachable: whether an object was there before the loop.

    Raises:
      Unstackable: it holds an object that each iteration makes anew.
      Wanted: it is an item of an earlier iteration.
    """
    template = item.template
    shared = template.leaves[0].value if template is not structural(template) and isinstance(template.leaves[0], Fixed) else None
    if shared is not None:
        if reachable(shared):
            return template
        template = structural(template)
    return dataclasses.replace(template, leaves=tuple(_stacked_leaf(leaf, reachable) for leaf in template.leaves))


_IMMUTABLE = (str, bytes, bool, int, float, complex, type(None), type, enum.Enum, np.dtype, np.generic, range, slice)


def _stacked_leaf(leaf: Any, reachable: Callable[[Any], bool]) -> Any:
    if isinstance(leaf, Array):
        return leaf
    value = leaf.value
    if isinstance(value, Earlier):
        raise value.wanted()
    if isinstance(value, (jax.Array, np.ndarray)):
        return as_array(leaf) or leaf
    if isinstance(value, (*_IMMUTABLE, types.BuiltinFunctionType, types.ModuleType)) or reachable(value):
        return leaf
    raise Unstackable(f"a {type(value).__name__} object")


def joined(known: Template, new: Template) -> Template:
    """The type of an item on all passes over a body.

    Raises:
      Mismatch: there is none.
    """
    return known if known == new else join(known, new)


# The length of a list, asked in the body


@dataclasses.dataclass(frozen=True)
class _Live:
    """A list as a body that is being traced sees it."""

    growth: Growth
    index: Any


class _Local(threading.local):
    def __init__(self) -> None:
        self.live: list[_Live] = []
        self.touched: OrderedDict[int, types.FrameType | tuple[str, int, str]] = OrderedDict()


_local = _Local()


@contextlib.contextmanager
def growing(growths: Sequence[Growth], index: Any) -> Iterator[None]:
    """While the body of a loop is traced: these lists grow, and this is the number of the iteration, if it is known."""
    before = _local.live
    _local.live = [*before, *(_Live(growth, index) for growth in growths)]
    try:
        yield
    finally:
        _local.live = before


def length(owner: list[Any]) -> Any:
    """`len(owner)`: an int, or a traced one where earlier iterations of a staged loop have appended to it."""
    return _length(_local.live, owner, len(owner)) if _local.live else len(owner)


def _length(live: Sequence[_Live], owner: Any, shown: int) -> Any:
    for number in range(len(live) - 1, -1, -1):
        growth, index = live[number].growth, live[number].index
        if growth.place.owner is owner:
            if not growth.indexed:
                raise Wanted(growth.token, None)
            before = _length(live[:number], owner, growth.length)
            return before + index * len(growth.templates) + (shown - growth.length - GAP)
    return shown


def is_growing(owner: Any) -> bool:
    """Whether `owner` is a list of which the running code sees a part only."""
    return any(live.growth.place.owner is owner for live in _local.live)


def readable(owner: Any, what: str) -> Any:
    """`owner`, unless it grows in the loop that runs.

    Raises:
      MutationError: it does.
    """
    if _local.live and is_growing(owner):
        raise MutationError(
            f"A list that grows in a staged loop is read as a whole inside the loop, by {what}.",
            where=tuple(p for p in (where.here(), touched_at(owner)) if p),
            why="The loop is compiled once for all its iterations, so the length of the list is no constant in it.",
            fix="read single items from its end, such as ys[-1], or keep what is needed in a variable.",
        )
    return owner


# Where a list is changed, for messages


def touched(owner: Any) -> None:
    """Notes the user's line that is about to change `owner`."""
    frame = where.user_frame()
    if frame is not None:
        _local.touched[id(owner)] = frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name
        if len(_local.touched) > REMEMBERED:
            _local.touched.popitem(last=False)


def touched_at(owner: Any) -> Location | tuple[()]:
    """The last line that has changed `owner`, as far as it is known."""
    found = _local.touched.get(id(owner))
    return where.at(*found) if isinstance(found, tuple) else ()


def uneven(place: Place, location: Any) -> MutationError:
    """The length of a list depends on a traced value."""
    kind = type(place.owner).__name__
    return MutationError(
        f"The length of a {kind} depends on a traced value.",
        where=tuple(p for p in (touched_at(place.owner), location) if p),
        why=f"A {kind} can grow in a staged loop where the number of iterations is known and each appends as many items.",
        fix="write to an array of fixed size by index, ys[k] = v, and count the items in k.",
    )


def shrinks(place: Place, location: Any) -> MutationError:
    """A list that each iteration makes shorter."""
    kind = type(place.owner).__name__
    return MutationError(
        f"A {kind} gets shorter with each iteration of a staged loop.",
        where=tuple(p for p in (touched_at(place.owner), location) if p),
        why="The loop is compiled once for all its iterations, so each must find as many items as the one before.",
        fix="read the items of an array by index, or loop over a Python range so that the loop is unrolled.",
    )


def too_short(location: Any) -> MutationError:
    """The body reads items that not even a few iterations have appended."""
    return MutationError(
        "An item of a list that grows in a staged loop is read by its place from the start, or far from the end.",
        where=location,
        why="The loop is compiled once for all its iterations: it knows the items from before the loop, and the last ones.",
        fix="keep the item in a variable, or read it after the loop.",
    )


def misused(place: Place, location: Any) -> MutationError:
    """A list that grows in a loop and is changed elsewhere than at its end."""
    kind = type(place.owner).__name__
    return MutationError(
        f"A {kind} that grows in a staged loop is changed elsewhere than at its end.",
        where=tuple(p for p in (touched_at(place.owner), location) if p),
        why="Each iteration may append items, take off the last ones, and write to those that were there before the loop.",
        fix="append in the loop and rearrange the list after it, or use an array.",
    )


class UnstackableError(MutationError):
    """An item that each iteration makes anew is no array."""


def unstackable(place: Place, found: str, location: Any) -> UnstackableError:
    """The error for such an item."""
    return UnstackableError(
        f"{found[:1].upper()}{found[1:]} that is made in a staged loop is put into a {type(place.owner).__name__}.",
        where=tuple(p for p in (touched_at(place.owner), location) if p),
        why="The loop is compiled once, so that its items have to be arrays, numbers, or trees of such.",
        fix="append a tuple, a dict or a registered pytree of its arrays.",
    )


def changing(place: Place, found: Mismatch, location: Any) -> MutationError:
    """Items of one position have types that can't be joined."""
    return MutationError(
        f"An item of a {type(place.owner).__name__} is {found.left} in one iteration of a staged loop and {found.right} in another.",
        where=tuple(p for p in (touched_at(place.owner), location) if p),
        why="The loop is compiled once for all its iterations, so each must append items of the same types.",
        fix="give the items the same structure and shape in every iteration.",
    )


__all__ = ["Growth", "Last", "describe", "growing", "grows", "length", "readable", "touched"]
