"""Growing lists: how does a list grow in a staged loop? The items of each iteration become outputs of the loop, then rows.

    for x in xs:                          ys, as the body sees it:  [*before, <gap>]
        ys.append(f(x))                   after the body:           [*before, <gap>, f(x)]

The loop is compiled once for all its iterations, so what earlier ones appended is not there to be read. In
its place the body sees a gap: what reads it asks for a window, which carries the last items from one
iteration to the next.

    for x in xs:                          ys, as the body sees it:  [*before[:-1], <gap>, last]
        ys.append(f(ys[-1], x))           after the body:           [*before[:-1], <gap>, last, f(last, x)]

What leaves the window at its left end is an output. So the list stays one Python object with an item for
each append, it can be differentiated as `lax.scan` can, and `len` of it is a number that counts the
iterations.
"""

from __future__ import annotations

import dataclasses
import enum
import types
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph_lite.errors import MutationError
from autograph_lite.operators.joins.join_types import (
    Array,
    Captured,
    Fixed,
    Template,
    as_array_type,
    join_templates,
    rebuild,
    structural,
)
from autograph_lite.operators.lists import list_errors
from autograph_lite.operators.purity import trial
from autograph_lite.operators.user_code import place_names, source_places
from autograph_lite.operators.values.place import Contents, Place
from autograph_lite.tracing import thread

GAP = 64  # wider than any index that is written as a number, so that none of them jumps over it
PEELED = 4  # iterations run before the loop, until the list is as long as the body's reads need


class Wanted(BaseException):
    """The body asks for something that the loop does not carry yet: traces it again.

    Attributes:
      token: of the growth that is concerned.
      window: how many of the last items it reads; None where it asks for the length.
    """

    def __init__(self, token: object, window: int | None) -> None:
        super().__init__(token, window)
        self.token, self.window = token, window


class TooShortError(Exception):
    """The list is shorter before the loop than what the body reads: an iteration has to run first."""


class UnstackableItemError(Exception):
    """An item that is made again in each iteration can't be an output of a program."""

    def __init__(self, found: str) -> None:
        super().__init__(found)
        self.found = found


class Uneven(Wanted):
    """The body changes the length of a growing list in a way that only the data knows."""

    def __init__(self, token: object) -> None:
        super().__init__(token, None)


@dataclasses.dataclass(frozen=True)
class Last:
    """The key of the item at the distance `distance` from the end: 1 for the last one."""

    distance: int


class Earlier:
    """Stands in the body for an item that an earlier iteration may have appended; its use asks for it."""

    __slots__ = ("_distance", "_token")
    __wrapped__ = None  # what searches for a function ask of every object is no use of the item

    def __init__(self, token: object, distance: int) -> None:
        self._token, self._distance = token, distance

    def __getattr__(self, name: str) -> Any:
        raise Wanted(self._token, self._distance)

    def wanted(self) -> Wanted:
        """What a use of the item raises."""
        return Wanted(self._token, self._distance)

    def uneven(self) -> Uneven:
        """What is raised where the list, with the item in it, gets a length that only the data knows."""
        return Uneven(self._token)


def _used(self: Earlier, *_: Any) -> Any:
    raise self.wanted()


SYMBOLS = (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift",
    "rshift", "divmod",
)  # fmt: skip
OTHERS = (
    "eq", "ne", "lt", "le", "gt", "ge", "bool", "int", "float", "complex", "index", "neg", "pos", "abs",
    "invert", "len", "iter", "next", "getitem", "setitem", "delitem", "contains", "call", "round", "hash",
    "str", "repr", "format", "enter", "exit",
)  # fmt: skip
for _name in (*SYMBOLS, *OTHERS):
    setattr(Earlier, f"__{_name}__", _used)
for _name in SYMBOLS:
    setattr(Earlier, f"__r{_name}__", _used)
    setattr(Earlier, f"__i{_name}__", _used)


@dataclasses.dataclass(frozen=True, eq=False)
class Growth:
    """A list that each iteration of a loop makes longer."""

    place: Place  # the list
    length: int  # its Python length before the loop
    templates: tuple[Template, ...]  # types of the items that leave the window in each iteration
    window: int = 0  # how many of its last items are carried
    indexed: bool = False  # whether the body asks for the length
    token: object = dataclasses.field(default_factory=object)  # the same for all passes over the loop

    @property
    def head(self) -> int:
        """How many items at the start are known to the body."""
        return self.length - self.window

    def gap(self) -> list[Earlier]:
        """The gap; each of its items knows how far it is from the end."""
        return [Earlier(self.token, self.window + GAP - i) for i in range(GAP)]

    def wants(self, wanted: Wanted) -> Growth:
        """The growth with what a body has asked for. Raises TooShortError: the list has not as many items before the loop."""
        if wanted.window is None:
            return dataclasses.replace(self, indexed=True)
        if wanted.window > self.length:
            raise TooShortError
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
        known = [v if isinstance(v, Earlier) and v._token is self.token else None for v in values]
        gap = known[self.head : self.head + GAP]
        intact = 0
        for item in gap:
            if item is None or item._distance != self.window + GAP - intact:
                break
            intact += 1
        others = [item for item in (*known[: self.head], *known[self.head + intact :]) if item is not None]
        if intact < GAP and others:
            if has_lengths(self.place.owner):
                raise Uneven(self.token)
            raise list_errors.misused(self.place, location)
        if intact < GAP:
            raise Wanted(self.token, self.window + GAP - intact)
        if others:  # a copy of an earlier item
            raise others[0].wanted()
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
            rows = [[leaf[i] for leaf in stacked] for i in range(count)]
            columns.append([rebuild(template, row, "an item") for row in rows])
        order = range(count - 1, -1, -1) if reverse else range(count)
        return [column[i] for i in order for column in columns]


def unstacked(array: jax.Array) -> list[jax.Array]:
    """The rows of an array, taken apart by one equation: one brings their cotangents together, too."""
    if jnp.issubdtype(array.dtype, jax.dtypes.extended):
        return [array[i] for i in range(array.shape[0])]
    return [lax.squeeze(row, (0,)) for row in lax.split(array, [1] * array.shape[0])]


def grows(place: Place) -> bool:
    """Whether a place is a sequence that may get longer at its end."""
    return place.holds_items and has_lengths(place.owner)


def has_lengths(owner: Any) -> bool:
    """Whether a container is a list, or a deque without a bound, which may get a length that only the data knows."""
    return isinstance(owner, list) or (isinstance(owner, deque) and owner.maxlen is None)


def stacked_type(item: Captured, reachable: Callable[[Any], bool]) -> Template:
    """The type of an item that each iteration appends: arrays become outputs, Python values stay.

    Args:
      item: the item as the body leaves it.
      reachable: whether an object was there before the loop.

    Raises:
      UnstackableItemError: it holds an object that each iteration makes again.
      Wanted: it is an item of an earlier iteration.
    """
    template = item.template
    inner = structural(template)
    if inner is not template:  # a list, dict or set: the same object each time, or a new one
        held = template.leaves[0]
        if isinstance(held, Fixed) and reachable(held.value):
            return template
    leaves = tuple(_stacked_leaf(leaf, reachable) for leaf in inner.leaves)
    return dataclasses.replace(inner, leaves=leaves)


IMMUTABLE = (
    str, bytes, bool, int, float, complex, type(None), type, enum.Enum, np.dtype, np.generic, range, slice,
    types.BuiltinFunctionType, types.ModuleType,
)  # fmt: skip


def _stacked_leaf(leaf: Any, reachable: Callable[[Any], bool]) -> Any:
    if isinstance(leaf, Array):
        return leaf
    value = leaf.value
    if isinstance(value, Earlier):
        raise value.wanted()
    if isinstance(value, (jax.Array, np.ndarray)):
        return as_array_type(leaf) or leaf
    if isinstance(value, IMMUTABLE) or reachable(value):
        return leaf
    raise UnstackableItemError(f"a {type(value).__name__} object")


def join_item_types(known: Template, new: Template) -> Template:
    """The type of an item on all passes over a body."""
    return known if known == new else join_templates(known, new, outlives=None)


# The length of a list, asked in the body


@dataclasses.dataclass(frozen=True)
class _Live:
    """A list as a body that is being traced sees it."""

    growth: Growth
    index: Any


def growing(growths: Sequence[Growth], index: Any) -> tuple[_Live, ...]:
    """The lists that grow in the body of a loop, these and those of the loops around; `index` counts the iterations."""
    return (*thread.now.growing, *(_Live(growth, index) for growth in growths))


def _refuse_copied(values: Any) -> None:
    """Asks for another form of a growing list if `values` is another one with some of its items."""
    if thread.now.growing and isinstance(values, (list, tuple)):
        for item in values:
            if isinstance(item, Earlier):
                raise item.uneven()


def growing_len(owner: Sequence[Any]) -> Any:
    """`len(owner)`: an int, or a traced one where earlier iterations of a staged loop have appended to it."""
    return _length(thread.now.growing, owner, len(owner)) if thread.now.growing else len(owner)


def _length(live: Sequence[_Live], owner: Any, shown: int) -> Any:
    for number in range(len(live) - 1, -1, -1):
        growth, index = live[number].growth, live[number].index
        if growth.place.owner is owner:
            if not growth.indexed:
                raise Wanted(growth.token, None)
            before = _length(live[:number], owner, growth.length)
            return before + index * len(growth.templates) + (shown - growth.length - GAP)
    if len(live) == len(thread.now.growing):
        _refuse_copied(owner)
    return shown


def growing_truth(owner: list[Any]) -> bool:
    """`bool(owner)`: where the list grows in the loop that runs, it is made to hold an item first."""
    for live in reversed(thread.now.growing):
        if live.growth.place.owner is owner and live.growth.length == 0 and len(owner) == GAP:
            raise Wanted(live.growth.token, 1)
    return bool(owner)


def readable(owner: Any, what: str) -> Any:
    """`owner`, unless it grows in the loop that runs.

    Raises:
      Uneven: it is a list that does: what earlier iterations have appended has to be carried.
      MutationError: it is something else that does.
    """
    growth = next(
        (live.growth for live in reversed(thread.now.growing) if live.growth.place.owner is owner), None
    )
    if growth is None:
        _refuse_copied(owner)
        trial.refuse_items(owner)
        return owner
    if has_lengths(owner):
        raise Uneven(growth.token)
    raise MutationError(
        f"A {type(owner).__name__} that grows in a staged loop is read as a whole inside the loop, by {what}.",
        where=(source_places.here(), place_names.written_at(owner)),
        why="The loop is compiled once for all its iterations, so its length is no constant.",
        fix="use a list, or keep what is needed in a variable.",
    )
