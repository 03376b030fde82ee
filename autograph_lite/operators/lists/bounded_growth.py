"""Bounded growth: how many items can a list get in a loop? What it holds before, and what an iteration adds, each time.

    for x in xs:                          at most len(xs) items:  a buffer of that size and a length, carried
        if x > 0:
            ys.append(x)
    while ys and ys[-1] > t:              at most as many as before: no iteration adds one
        ys.pop()

Reading and writing the items of such a list, and taking one off, is here too.
"""

from __future__ import annotations

import collections
import dataclasses
import itertools
import operator
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
from jax import lax

from autograph_lite.jax_internals.references import numpys_arrays
from autograph_lite.operators.checks import carried_checks, catching, exception_templates, traced_text
from autograph_lite.operators.effects import journal
from autograph_lite.operators.joins.join_types import Captured, Template, capture, fill, rebuild, zeros
from autograph_lite.operators.lists import capacity, growing_lists, list_errors
from autograph_lite.operators.lists.dynamic_length import (
    KINDS,
    Item,
    Part,
    Stretch,
    arrays_of,
    is_dynamic,
    length_error,
    most_of,
)
from autograph_lite.operators.lists.packing import (
    as_stretch,
    item_of,
    join_lists,
    leaves_of,
    note_left,
    packed,
    room_for,
    stretch_template,
    stretched,
    without_gaps,
)
from autograph_lite.operators.object_graph.places import object_places
from autograph_lite.operators.ragged import affine_bounds
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values.place import Place
from autograph_lite.operators.values.values import traced


def is_length_unknown(change: journal.Change) -> bool:
    """Whether only the data knows the length of a list, before an iteration or after it, or it gets shorter."""
    if not (change.place.holds_items and growing_lists.has_lengths(change.place.owner)):
        return False
    return len(change.new) < len(change.old) or is_dynamic([*change.old.values(), *change.new.values()])


@dataclasses.dataclass(frozen=True, eq=False)
class Bound:
    """A list in a loop, with room for all items that the iterations may add."""

    place: Place  # the list
    before: list[Captured]  # what it holds before the loop
    item: Item | None  # the type of an item
    start: int  # how many items it holds before the loop, at most
    count: int | None  # the number of iterations, at most, where it is known
    step: int = 0  # how many items one iteration adds, at most
    spare: int = 0  # for how many more there is room, where the number of iterations is not known

    @classmethod
    def of(cls, place: Place, count: int | None, grown: Sequence[Template] = ()) -> Bound:
        """The list as it is before the loop; `grown` are the types of what each iteration is known to append."""
        before = without_gaps(list(map(capture, place.read().values())))
        examples = [rebuild(template, map(zeros, arrays_of(template)), "an item") for template in grown]
        known = [*before, *map(capture, examples)]
        item = item_of(known, place) if known else None
        return cls(place, before, item, most_of(v.value for v in before), count, len(grown))

    @property
    def most(self) -> int:
        """How many items it holds after the loop, at most."""
        return self.start + self.step * (1 if self.spare else self.count or 0) + self.spare

    @property
    def entry(self) -> int:
        """How many items it holds before an iteration, at most."""
        return self.start + self.step * max((self.count or 0) - 1, 0) + self.spare

    def known_length(self) -> int | None:
        """How many items it holds before the loop, where Python knows: it may know that after the loop, too."""
        is_known = not any(isinstance(each.value, Stretch) for each in self.before)
        return len(self.before) if is_known else None

    def after(self, values: Sequence[Captured]) -> Bound:
        """The same object, unless an iteration that leaves such items in the list shows something new.

        Raises:
          MutationError: it adds items, and the number of iterations is not known.
        """
        item = item_of(values, self.place, self.item, self.before)
        step = max(self.step, most_of(v.value for v in values) - self.entry)
        if item == self.item and step == self.step:
            return self
        spare = self.spare
        if step and self.count is None:
            spare = spare or capacity.room(of_list=True)
            if not spare:
                raise list_errors.unbounded(self.place, source_places.here())
        return dataclasses.replace(self, item=item, step=step, spare=spare)

    def check(self) -> None:
        """Called where an iteration begins: the program fails where the list has no room for what that may add."""
        now = next(iter(self.place.read().values()), None)
        if self.spare and isinstance(now, Stretch):
            carried_checks.fail_if(
                now.length > self.entry,
                list_errors.outgrown_list_error(self.place, self.entry, source_places.here()),
            )

    def start_value(self) -> tuple[Captured, Template]:
        """What enters the loop, and its type."""
        assert self.item is not None
        room = room_for(self.before, self.most)
        template = stretch_template(self.item, self.entry, room, self.before, self.place)
        return stretched(self.before, template, self.item), template

    def left(self, values: Sequence[Captured], template: Template) -> Captured:
        """What leaves an iteration, to be brought to the type that the loop carries."""
        assert self.item is not None
        return stretched(values, template, self.item)


# Items


def list_item(values: Sequence[Any], index: Any) -> Any:
    """`values[index]`. Raises MutationError: the index is a slice whose step is traced."""
    if isinstance(index, slice):
        if isinstance(values, collections.deque):
            raise TypeError("sequence index must be integer, not 'slice'")
        return _sliced(values, index)
    known = _known(values, index)
    if known is not None:
        return values[known]
    stretch = packed(values)
    kind = next(kind.__name__ for kind in KINDS if isinstance(values, kind))
    return stretch.at(_position(stretch, index, f"{kind} index out of range"))


def unpack(values: Any, count: int) -> Any:
    """`values` for `a, b = values`, so many names: the items, after a check that there are as many."""
    if not is_dynamic(values):
        return growing_lists.readable(values, "an unpacking")
    stretch = packed(values)
    text = "not enough values to unpack (expected {}, got {})"
    few = ValueError(traced_text.format(text, count, stretch.length))
    if stretch.most < count:
        exception_templates.explicit(few)
        raise few
    carried_checks.fail_if(stretch.length < count, few)
    many = ValueError(f"too many values to unpack (expected {count})")
    carried_checks.fail_if(stretch.length > count, many)
    return tuple(stretch.at(place) for place in range(count))


def chosen_list(lists: Sequence[list[Any]], index: Any) -> list[Any]:
    """A new list with the items of the one that a traced index chooses."""
    captured = [list(map(capture, items)) for items in lists]
    options, template, leaves = join_lists(list_place(next(filter(is_dynamic, lists))), captured)
    rows = [fill(option, template) for option in options if option is not None]
    columns = [jnp.stack(list(map(jnp.asarray, column)))[index] for column in zip(*rows, strict=True)]
    chosen: Stretch = rebuild(template, columns, "a list")
    numpys_arrays.note_buffers(leaves, chosen.columns)
    return list(chosen.contents().values())


def _sliced(values: Sequence[Any], index: slice) -> Any:
    step = 1 if index.step is None else index.step
    if traced(step):
        raise length_error(values)
    if operator.index(step) == 0:
        raise ValueError("slice step cannot be zero")
    stretch = packed(values)
    low, high = (0, stretch.length) if step > 0 else (-1, stretch.length - 1)

    def bound(end: Any, default: Any) -> Any:
        if end is None:
            return default
        affine_bounds.require_integer(end)
        return jnp.clip(jnp.where(end < 0, end + stretch.length, end), low, high)

    start, stop = bound(index.start, low if step > 0 else high), bound(index.stop, high if step > 0 else low)
    count = jnp.maximum((stop - start + step - (1 if step > 0 else -1)) // step, 0).astype(jnp.int32)
    order = jnp.maximum(jnp.arange(stretch.room) * step + start, 0)
    columns = [jnp.take(column, order, axis=0, mode="clip") for column in stretch.columns]
    part = stretch.having([count, *columns], stretch.most)
    return type(values)(part.contents().values())  # type: ignore[call-arg]


def _known(values: Sequence[Any], index: Any) -> int | None:
    """The index for Python, where no stretch lies before the item."""
    if isinstance(index, slice):
        raise length_error(values)
    if traced(index):
        return None
    number = operator.index(index)
    ahead = (
        itertools.islice(values, number + 1) if number >= 0 else itertools.islice(reversed(values), -number)
    )
    inside = -len(values) <= number < len(values)
    return number if inside and not any(isinstance(part, Part) for part in ahead) else None


def _position(stretch: Stretch, index: Any, message: str) -> Any:
    """The place of an item in the buffers."""
    place = jnp.where(index < 0, index + stretch.length, index)
    carried_checks.fail_if((place < 0) | (place >= stretch.length), IndexError(message))
    return place


def set_list_item(values: list[Any], index: Any, value: Any) -> None:
    """`values[index] = value`."""
    if isinstance(value, Stretch):  # Python has taken it for an item
        raise value.misused()
    if isinstance(index, slice) and index == slice(None):
        values[index] = value
        return
    known = _known(values, index)
    if known is not None:
        values[known] = value
        return
    place, stretch, new = list_place(values), packed(values), capture(value)
    message = "list assignment index out of range" if isinstance(values, list) else "deque index out of range"
    at = _position(stretch, index, message)
    old = capture(stretch)
    joint = item_of([old, new], place)
    both = as_stretch([old], stretch_template(joint, stretch.most, stretch.room, [old], place), joint)
    columns = [
        lax.dynamic_update_index_in_dim(column, row, at, 0)
        for column, row in zip(both.columns, fill(new, joint), strict=True)
    ]
    _write(values, both, [both.length, *columns], both.most, IndexError, leaves_of([new]))


def pop(values: list[Any], index: Any = -1, *, fails: type[Exception] = IndexError) -> Any:
    """`values.pop(index)`."""
    kind = "empty list" if isinstance(values, list) else "an empty deque"
    return pop_item(values, index, "pop index out of range", f"pop from {kind}", fails)


def pop_item(values: Any, index: Any, message: str, empty: str, fails: type[Exception] = IndexError) -> Any:
    """Takes an item off, and gives it; the texts are those of the IndexErrors where there is none, or none at all."""
    known = _known(values, index)
    if known is not None:
        taken = values[known]
        del values[known]  # a deque has no `pop(0)`
        return taken
    stretch = packed(values)
    is_empty = stretch.length == 0
    carried_checks.fail_if(is_empty, IndexError(empty))
    at = jnp.where(is_empty, 0, _position(stretch, index, message))
    taken, columns = stretch.at(at), stretch.columns
    if traced(index) or index != -1:
        order = jnp.arange(stretch.room)
        order = jnp.where(order >= at, order + 1, order)
        columns = [jnp.take(column, order, axis=0, mode="clip") for column in columns]
    rest = [jnp.maximum(stretch.length - 1, 0), *columns]
    _write(values, stretch, rest, max(stretch.most - 1, 0), fails)
    return taken


def _write(
    values: list[Any], before: Stretch, after: Sequence[Any], most: int, fails: type[Exception], added: Sequence[Any] = ()
) -> None:  # fmt: skip
    """Leaves a length and columns in a list, so many items at most; where a `try` catches what `fails`, those before.

    The columns hold arrays that are `added`, too.
    """
    alive = catching.unraised() if catching.is_caught(fails) else True
    if alive is not True:
        old, most = [before.length, *before.columns], before.most
        after = [jnp.where(alive, *pair) for pair in zip(after, old, strict=True)]
    place = list_place(values)
    note_left(place, added)
    place.write(before.having(after, most, added).contents())


def list_place(values: list[Any]) -> Place:
    """The items of a list."""
    place = object_places(values)[0]
    assert place is not None
    return place
