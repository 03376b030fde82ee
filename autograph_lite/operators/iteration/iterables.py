"""Iterables: what can a staged loop go over? Rows of arrays, ranges with traced bounds, and combinations of them.

Each gives its length, the item at a traced index, and, where the length is static, arrays that `lax.scan` can slice.
Outside of staged loops they iterate as in Python, one item after the other.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph_lite.errors import IterationError, TracedIndexError
from autograph_lite.jax_internals import avals, symbolic_comparisons
from autograph_lite.jax_internals.dataflow import python_ints, recorded_ints
from autograph_lite.jax_internals.dataflow.affine_indices import Position
from autograph_lite.operators.checks import carried_checks
from autograph_lite.operators.effects import births, journal
from autograph_lite.operators.joins.literal_types import stacked
from autograph_lite.operators.lists import dynamic_length, list_errors, packing
from autograph_lite.operators.ragged.selection import Selection, having, length_of
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values.boxes import unboxed
from autograph_lite.operators.values.values import (
    Lazy,
    as_index,
    describe,
    is_arraylike,
    is_size,
    is_symbolic,
    traced,
)


class Staged(Lazy):
    """Base of what a staged loop iterates over."""

    def length(self) -> Any:
        """The number of items: an int, or a traced int32 scalar."""
        raise NotImplementedError

    def most(self) -> int | None:
        """How many items there are at most; None where that is not known while tracing."""
        length = self.length()
        return None if traced(length) else int(length)

    def room(self) -> int | None:
        """For how many items a list has to have room that gets one for each; None where that is not known while tracing."""
        return self.most()

    def rows(self) -> Any:
        """A pytree of arrays with a leading axis of that length; only where the length is static."""
        raise NotImplementedError

    def positions(self) -> dict[int, Position]:
        """Which leaves of `rows` are numbers that follow from those of the iterations, and how."""
        return {}

    def item(self, row: Any) -> Any:
        """The item that a row of `rows` stands for."""
        raise NotImplementedError

    def at(self, index: Any) -> Any:
        """The item at a traced index."""
        raise NotImplementedError

    def __len__(self) -> int:
        length = self.length()
        if traced(length):
            raise IterationError(
                "The number of items is traced; len() can only give an int.",
                fix="use the value that the bound was made of.",
            )
        return int(length)

    def __iter__(self) -> Iterator[Any]:
        length = self.length()
        if traced(length):
            raise IterationError(
                "Python iterates over a range with a traced bound.",
                why="The number of items is not known while tracing; only a `for` statement can be staged, in a function "
                "without `yield`, `await` and jumps out of `finally`.",
                fix="write the `for` loop in such a function, or use a static bound.",
            )
        return (self.at(i) for i in range(length))


class Looped(Lazy):
    """Base of what runs a loop over its items in its own way."""

    def loop(
        self,
        body_fun: Callable[..., Any],
        init: tuple[Any, ...],
        names: tuple[str, ...],
        until: Callable[..., Any] | None,
    ) -> tuple[Any, ...]:
        """The variables after a `for` statement over the items."""
        raise NotImplementedError


class Stepping:
    """Base of an iterator whose position is kept from one execution of a program to the next."""

    def step(self, *default: Any) -> Any:
        """The next item; where there is none, the default, or StopIteration."""
        raise NotImplementedError

    def rest(self) -> Staged | None:
        """The items that are left, for a staged loop that takes them; None where Python does."""
        raise NotImplementedError


class Rows(Staged):
    """The rows of an array."""

    def __init__(self, array: jax.Array | np.ndarray[Any, Any]) -> None:
        if array.ndim == 0:
            raise TypeError("iteration over a 0-d array")
        self.array, self.held = jnp.asarray(array), array

    def length(self) -> Any:
        return self.array.shape[0]

    def rows(self) -> Any:
        return self.array

    def item(self, row: Any) -> Any:
        return births.note_part(row, self.held, is_window=True) if isinstance(self.held, np.ndarray) else row

    def at(self, index: Any) -> Any:
        return self.item(_row(self.array, index)) if traced(index) else self.held[index]


def _row(array: Any, index: Any) -> Any:
    """The row at a traced index; zeros of an array without rows, where no iteration takes one."""
    count = array.shape[0]
    if not is_symbolic(count) and count == 0:
        return jnp.zeros(array.shape[1:], array.dtype)
    starts = [index, *([jnp.zeros((), index.dtype)] * (array.ndim - 1))]
    row = lax.dynamic_slice(array, starts, (1, *array.shape[1:]), allow_negative_indices=False)
    return lax.squeeze(row, [0])  # in two operations, as views are seen


class Picked(Staged):
    """The items that are chosen of an array."""

    def __init__(self, selection: Selection) -> None:
        self.selection = selection

    def length(self) -> Any:
        return length_of(self.selection, 0)

    def rows(self) -> Any:
        return self.selection.array  # of an axis whose length is known; others are chosen from

    def item(self, row: Any) -> Any:
        return having(self.selection, row, self.selection.extents[1:], memory=self.selection.memory)

    def at(self, index: Any) -> Any:
        extent = self.selection.extents[0]
        return self.item(_row(self.selection.array, index if extent is None else extent.lane(index)))

    def most(self) -> int | None:
        # None: exactly as many iterations as there are items.
        return self.room() if self.selection.extents[0] is None else None

    def room(self) -> int | None:
        size = self.selection.array.shape[0]
        return None if is_symbolic(size) else size


class Items(Staged):
    """The items of a list whose length only the data knows."""

    def __init__(self, values: list[Any] | tuple[Any, ...]) -> None:
        self.values, self.parts = values, list(values)
        self.stretch = packing.packed(values)

    def length(self) -> Any:
        return dynamic_length.dynamic_len(self.parts)

    def most(self) -> int | None:
        return self.stretch.most

    def at(self, index: Any) -> Any:
        if len(self.values) != len(self.parts) or any(map(operator.is_not, self.values, self.parts)):
            raise list_errors.iterated_list_error(self.values, source_places.here())
        return self.stretch.at(index)


class Range(Staged):
    """`range(start, stop, step)` with a traced bound, or one that is to be staged."""

    def __init__(self, start: Any, stop: Any, step: Any, *, asked: bool = False) -> None:
        self.start, self.stop, self.step = start, stop, step
        self.asked = asked  # whether the user has asked for one loop, by `autograph_lite.range`

    def length(self) -> Any:
        bounds = (self.start, self.stop, self.step)
        if not any(map(traced, bounds)):
            return len(range(*map(int, bounds)))
        if isinstance(self.step, int) and all(map(is_size, bounds)):
            way = 1 if self.step > 0 else -1
            return symbolic_comparisons.larger(
                ((self.stop - self.start) * way + self.step * way - 1) // (self.step * way), 0
            )
        if not traced(self.step) and self.step == 1:
            if not traced(self.start) and self.start == 0:
                return self.stop  # negative: no index is below it
            return self.stop - self.start
        start, stop, step = (jnp.asarray(b) for b in bounds)
        span = jnp.where(step > 0, stop - start, start - stop)
        size = jnp.abs(step)
        return jnp.maximum((span + size - 1) // jnp.maximum(size, 1), 0).astype(jnp.result_type(int))

    def __bool__(self) -> Any:  # asked by `python_truth`, which takes a traced answer
        return self.length() > 0

    def __contains__(self, value: Any) -> Any:
        up = (value >= self.start) & (value < self.stop)
        down = (value <= self.start) & (value > self.stop)
        inside = jnp.where(self.step > 0, up, down)
        return inside & ((value - self.start) % jnp.where(inside, self.step, 1) == 0)

    def __getitem__(self, index: Any) -> Any:
        index = unboxed(index)
        if not any(map(traced, (self.start, self.stop, self.step, index))):
            return range(self.start, self.stop, self.step)[index]
        if isinstance(index, slice) or jnp.ndim(index) or jnp.result_type(index).kind not in "biu":
            raise TracedIndexError(
                "A range with a traced bound is indexed with something else than an integer.",
                why="The number of items is not known while tracing.",
                fix="compute the bounds of the part, and make a range of them.",
            )
        length = self.length()
        size = jnp.maximum(length, 0)
        outside = (index < -size) | (index >= size)
        carried_checks.fail_if(outside, IndexError("range object index out of range"))
        return self.at(as_index(jnp.where(index < 0, index + size, index)))

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, (Range, range)):
            return NotImplemented
        mine, others = (
            jnp.maximum(self.length(), 0),
            len(other) if isinstance(other, range) else other.length(),
        )
        same_steps = (mine == 1) | (jnp.asarray(self.step) == other.step)
        return (mine == jnp.maximum(others, 0)) & ((mine == 0) | ((self.start == other.start) & same_steps))

    def __ne__(self, other: object) -> Any:
        same = self.__eq__(other)
        return same if same is NotImplemented else jnp.logical_not(same)

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"range({', '.join(map(repr, (self.start, self.stop, self.step)))})"

    def rows(self) -> Any:
        if any(map(is_symbolic, (self.start, self.stop))):
            return as_index(jnp.arange(self.length()) * self.step + self.start)
        return as_index(jnp.arange(int(self.start), int(self.stop), int(self.step)))

    def positions(self) -> dict[int, Position]:
        known = not any(map(traced, (self.start, self.stop, self.step)))
        return {0: Position(int(self.step), int(self.start))} if known else {}

    def item(self, row: Any) -> Any:
        return self._noted(as_index(row))

    def at(self, index: Any) -> Any:
        if not traced(index) and not any(map(traced, (self.start, self.step))):
            return self.start + index * self.step
        offset = index if not traced(self.step) and self.step == 1 else index * self.step
        found = as_index(offset if not traced(self.start) and self.start == 0 else self.start + offset)
        return self._noted(found) if traced(found) else found

    def _noted(self, item: Any) -> Any:
        """An item, with the numbers that it lies between."""
        if type(self.step) is not int:
            return item
        ends = [bound if type(bound) is int else None for bound in (self.start, self.stop)]
        first, stop = ends if self.step > 0 else ends[::-1]
        if self.step > 0:
            if (
                first is None
                and (known := recorded_ints.ends_of(self.start, python_ints.LONG.most))
                and known[0] >= 0
            ):
                first = int(known[0])
            return recorded_ints.note_range(item, first, None if stop is None else stop - 1)
        return recorded_ints.note_range(item, None if first is None else first + 1, stop)


Range.__name__ = "range"  # which is what users meet in messages


class Around(Staged):
    """Base of what gives other items than those that it is made of, as many as these."""

    def __init__(self, items: Staged) -> None:
        self.items = items

    def length(self) -> Any:
        return self.items.length()

    def most(self) -> int | None:
        return self.items.most()

    def room(self) -> int | None:
        return self.items.room()

    def rows(self) -> Any:
        return self.items.rows()

    def item(self, row: Any) -> Any:
        return self.items.item(row)


class Enumerated(Around):
    """`enumerate(items, start)`."""

    def __init__(self, items: Staged, start: Any) -> None:
        super().__init__(items)
        self.start = start

    def rows(self) -> Any:
        return as_index(jnp.arange(self.items.length()) + self.start), self.items.rows()

    def positions(self) -> dict[int, Position]:
        own = {0: Position(1, self.start)} if type(self.start) is int else {}
        return own | {number + 1: position for number, position in self.items.positions().items()}

    def item(self, row: Any) -> Any:
        return self._noted(as_index(row[0])), self.items.item(row[1])

    def at(self, index: Any) -> Any:
        return self._noted(index + self.start), self.items.at(index)

    def _noted(self, number: Any) -> Any:
        is_known = traced(number) and type(self.start) is int
        return recorded_ints.note_range(number, self.start, None) if is_known else number


class Counted(enumerate):  # type: ignore[type-arg]
    """`enumerate(items, start)` of Python's items, with a traced start."""

    def __new__(cls, items: Any, start: Any) -> Counted:
        made = super().__new__(cls, items)
        made.start = start
        return made

    start: Any

    def __next__(self) -> Any:
        number, item = super().__next__()
        return self.start + number, item


Counted.__name__ = "enumerate"


class Zipped(Staged):
    """`zip(*items)`; the shortest decides the length."""

    def __init__(self, items: tuple[Staged, ...]) -> None:
        self.items = items

    def length(self) -> Any:
        lengths = [i.length() for i in self.items]
        if all(map(is_size, lengths)):
            return functools.reduce(symbolic_comparisons.smaller, lengths)
        if any(map(traced, lengths)):
            return functools.reduce(jnp.minimum, lengths[1:], jnp.asarray(lengths[0]))
        return min(lengths)

    def most(self) -> int | None:
        return min((most for i in self.items if (most := i.most()) is not None), default=None)

    def room(self) -> int | None:
        return min((room for i in self.items if (room := i.room()) is not None), default=None)

    def rows(self) -> Any:
        length = self.length()
        return tuple(jax.tree.map(lambda a: a[:length], i.rows()) for i in self.items)

    def item(self, row: Any) -> Any:
        return tuple(i.item(r) for i, r in zip(self.items, row, strict=True))

    def at(self, index: Any) -> Any:
        return tuple(i.at(index) for i in self.items)


class Reversed(Around):
    """`reversed(items)`."""

    def rows(self) -> Any:
        return jax.tree.map(lambda a: a[::-1], self.items.rows())

    def at(self, index: Any) -> Any:
        return self.items.at(self.length() - 1 - index)


class Rest(Around):
    """`items` without the first `count`."""

    def __init__(self, items: Staged, count: Any = 1) -> None:
        super().__init__(items)
        self.count = count

    def length(self) -> Any:
        return self.items.length() - self.count

    def most(self) -> int | None:
        most = self.items.most()
        return most if most is None or traced(self.count) else max(most - self.count, 0)

    def rows(self) -> Any:
        return jax.tree.map(lambda a: a[self.count :], self.items.rows())

    def at(self, index: Any) -> Any:
        return self.items.at(index + self.count)


class AtPlaces(Around):
    """`items`; each iteration takes its own as it is then, and what is written to it is written to the array that has it.

    Where they are `seen`, the loop is one who sees what its body writes to the arrays by other names.
    """

    def __init__(self, items: Staged, *, seen: bool) -> None:
        super().__init__(items)
        self.seen = seen

    def rows(self) -> Any:
        return as_index(jnp.arange(self.items.length()))

    def positions(self) -> dict[int, Position]:
        return {0: Position(1, 0)}

    def item(self, row: Any) -> Any:
        return self.items.at(as_index(row))

    def at(self, index: Any) -> Any:
        return self.items.at(index)


def arrays_looped_over(items: Any, *, parts: bool = True) -> Iterator[Any]:
    """The arrays, NumPy's among them, whose items a loop takes.

    Without `parts`, those are left out that it has a part of between traced bounds, `x[n:]`: it reads the array each time.
    """
    for value in vars(items).values():
        for each in value if isinstance(value, tuple) else (value,):
            if isinstance(each, (jax.Array, np.ndarray)):
                yield each
            elif isinstance(each, Selection) and each.memory is None and parts:
                yield each.array  # what a mask chooses is a copy
            elif isinstance(each, Staged):
                yield from arrays_looped_over(each, parts=parts)


class Mapped(Around):
    """`map(fun, *items)`: the function is called when an item is taken, as in Python."""

    def __init__(self, fun: Callable[..., Any], items: Staged) -> None:
        super().__init__(items)
        self.fun = fun

    def item(self, row: Any) -> Any:
        return self.fun(*self.items.item(row))

    def at(self, index: Any) -> Any:
        return self.fun(*self.items.at(index))


class Passing(Stepping, Lazy):
    """What `zip`, `enumerate`, `reversed` and `map` give of staged items: each item once."""

    def __init__(self, items: Staged, kind: type) -> None:
        self.items = items  # all of them
        self.kind = kind  # the type that it has in Python
        self.taken: Any = 0  # how many are gone; None where only the running program knows
        self._bodies = journal.bodies()

    def __iter__(self) -> Passing:
        return self

    def __next__(self) -> Any:
        return self.step()

    def step(self, *default: Any) -> Any:
        """The next item; where there is none, the default, or StopIteration."""
        left = self.left()
        self._take()
        items = iter(left)  # refused where their number is traced
        self.taken += len(left) > 0
        return next(items, *default)

    def rest(self) -> Staged:
        """The items that are left, which are taken."""
        left = self.left()
        self._take()
        self.taken = self.items.length()
        return left

    def left(self) -> Staged:
        """The items that are left, which stay there. Raises IterationError: how many are gone is not known."""
        if self.taken is None:
            raise IterationError(
                f"Items are taken of what {self.kind.__name__}() gave, after something that may have left some of them.",
                why="How many are left is known when the program runs, and not while it is traced; or another iterator takes "
                "them, too.",
                fix=f"call {self.kind.__name__}() again, or make a list of the items.",
            )
        return self.items if type(self.taken) is int and not self.taken else Rest(self.items, self.taken)

    def leave(self) -> None:
        """To be called when some of the items that are left may be taken, and some not."""
        self.taken = None

    def _take(self) -> None:
        if journal.bodies() != self._bodies:
            journal.consume(self)

    def __repr__(self) -> str:
        return f"<{self.kind.__name__} object of staged items>"


def leave(value: Any) -> None:
    """`Passing.leave`, if `value` is such an iterator."""
    if isinstance(value, Passing):
        value.leave()


def as_staged(value: Any) -> Staged | None:
    """`value` as something that a staged loop iterates over; None where Python iterates."""
    if isinstance(value, Staged):
        return value
    if isinstance(value, Stepping):
        return value.rest()
    value = unboxed(value)
    if isinstance(value, Selection):
        return Picked(value)
    if isinstance(value, jax.Array) and traced(value):
        return Rows(value)
    items: Any = value
    return Items(items) if dynamic_length.is_dynamic(items) else None


def is_staged(value: Any) -> bool:
    """Whether `as_staged` gives something; nothing is taken here."""
    return isinstance(value, Passing) or as_staged(value) is not None


def looped(value: Any) -> Any:
    """`value` as something that a loop of ours runs over, staged or not; None where Python iterates."""
    return value if isinstance(value, Looped) else as_staged(value)


def combined(values: tuple[Any, ...]) -> tuple[Staged, ...] | None:
    """All of `values` as staged iterables, where one of them has to be; None where Python combines them."""
    values = tuple(map(unboxed, values))
    found = [value.left() if isinstance(value, Passing) else as_staged(value) for value in values]
    if all(part is None for part in found):
        return None
    unknown = any(part is not None and traced(part.length()) for part in found)
    parts: list[Staged] = []
    for value, part in zip(values, found, strict=True):
        if part is not None:
            parts.append(part)
        elif isinstance(value, range):
            parts.append(Range(value.start, value.stop, value.step))
        elif isinstance(value, (np.ndarray, jax.Array)) and value.ndim:
            parts.append(Rows(value))
        elif unknown and isinstance(value, (list, tuple)) and are_stackable(value):
            parts.append(Rows(stack_numbers(value)))
        elif any(isinstance(other, Items) for other in found):
            raise dynamic_length.length_error(next(filter(dynamic_length.is_dynamic, values)))
        elif unknown:
            raise IterationError(
                f"Items of {describe(value)} go with those of a range whose bound is traced.",
                why="How many of them are wanted is not known while tracing, and only numbers can be chosen from then.",
                fix="make the items an array, or the bound a Python number.",
            )
        else:
            return None
    for value in values:
        if isinstance(value, Passing):
            value.rest()
            value.leave()
    return tuple(parts)


def are_stackable(values: Sequence[Any]) -> bool:
    """Whether `values` are numbers, or arrays of one shape."""
    return all(map(is_arraylike, values)) and len({jnp.shape(value) for value in values}) == 1


def stack_numbers(values: Sequence[Any]) -> jax.Array:
    """The rows of an array; each adds to others as the number in Python does."""
    array = stacked(values)
    weak = all(type(value) in (int, float, complex) for value in values)
    return avals.as_type(array, array.dtype, weak)
