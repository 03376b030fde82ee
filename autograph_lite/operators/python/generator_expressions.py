"""Generator expressions: what does one give that a staged loop consumes, or whose filter is traced?

Nobody has to see its items one by one: `sum`, `any`, `min`, `for` and the like run one loop over what it
iterates over. Where Python itself asks for an item, it gets one as long as Python knows which.
"""

from __future__ import annotations

import functools
import itertools
import types
from collections.abc import Callable, Iterator
from typing import Any

from autograph_lite.errors import IterationError
from autograph_lite.operators.branches.branch_paths import enter_generated
from autograph_lite.operators.branches.if_stmt import if_part
from autograph_lite.operators.branches.truth import python_truth
from autograph_lite.operators.effects import journal
from autograph_lite.operators.iteration import iterables
from autograph_lite.operators.iteration.iterables import Staged
from autograph_lite.operators.loops.for_stmt import for_stmt
from autograph_lite.operators.loops.loop_updates import place_at
from autograph_lite.operators.object_graph import python_iterators
from autograph_lite.operators.trace_context import loop_options
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values.values import describe, traced

Fun = Callable[..., Any]

State = tuple[Any, ...]


class Generated(iterables.Looped):
    """A generator expression whose items only a staged loop sees, or whose filter may be traced.

    Attributes:
      items: what it iterates over: staged, another of this class, or Python's.
      owns: whether that is an iterator of Python's that nobody else takes items from.
      elt, keep, flat: as in `list_of`.
      eager: whether all items are computed before any is looked at, as those of a list are.
    """

    def __init__(
        self,
        source: Any,
        elt: Callable[[Any], Any],
        keep: Callable[[Any], Any] | None,
        flat: bool,
        eager: bool,
        maker: Any = None,
    ) -> None:
        self.items: Any = source
        self.elt, self.keep, self.flat, self.eager = elt, keep, flat, eager
        self.owns = python_iterators.is_own_of(maker, source)
        self._depth = journal.depth()
        self._spent = False
        self._iterator: Iterator[Any] | None = None

    @property
    def is_fresh(self) -> bool:
        """Whether no item was taken yet, but for those that were `known`."""
        return not self._spent and self._iterator is None

    def kept(self, item: Any) -> Any:
        """Whether an item of the source counts."""
        if isinstance(item, _Seen):
            return item.kept
        return self.keep is None or python_truth(self.keep(item))

    def value(self, item: Any) -> Any:
        """What an item of the source that counts gives."""
        if isinstance(item, _Seen):
            return self.elt(item.item) if item.values is None else item.values
        return self.elt(item)

    def known(self) -> tuple[Any, ...] | None:
        """The next item, which is taken, in a tuple; an empty one where there is none.

        None where only the running program knows: all items that may count are left, and what was asked
        of one is not asked again.
        """
        if isinstance(self.items, (Staged, iterables.Looped)) or self._depth != journal.depth():
            return None
        items = iter(self.items)
        owns = self.owns or items is not self.items
        for item in items:
            seen = item if isinstance(item, _Seen) else _Seen(item, self.kept(item))
            found = None if traced(seen.kept) else self._first(seen) if seen.kept else ()
            if found is None or (found and self.flat):
                self.items = (seen, *items) if owns else itertools.chain((seen,), items)
                return found
            if found:
                self.items, self.owns = items, owns
                return found
        self.items = ()
        return ()

    def _first(self, seen: _Seen) -> tuple[Any, ...] | None:
        """`known` for what one item of the source gives."""
        if not self.flat:
            return (self.elt(seen.item),)
        if seen.values is None:
            values = self.elt(seen.item)
            seen.values = iter(values) if iterables.looped(values) is None else values
        if isinstance(seen.values, Generated):
            return seen.values.known()
        return tuple(itertools.islice(seen.values, 1)) if isinstance(seen.values, Iterator) else None

    def room(self) -> int | None:
        """For how many items a list has to have room; None where that is not known while tracing."""
        return self.items.room() if isinstance(self.items, Staged) and not self.flat else None

    def take(self) -> None:
        """To be called when the items are used up.

        Raises:
          IterationError: they were before, or a staged statement would use them up at each execution.
        """
        if not self.is_fresh or self._depth != journal.depth():
            raise IterationError(
                "A generator expression is used up twice, or inside a staged statement.",
                why="A generator gives its items once, and a staged statement is traced once.",
                fix="write the generator expression where its items are used, or make a list of them.",
            )
        self._spent = True

    def loop(self, body_fun: Fun, init: State, names: tuple[str, ...], until: Fun | None) -> State:
        """A loop over the source: the filter becomes an `if` around the body, an inner `for` a loop in it."""
        if self._iterator is not None:
            return operator_loop(self._iterator, body_fun, init, names, until)
        self.take()
        source = tuple(self.items) if self.owns else self.items
        body = _Around(self, body_fun, names, until)
        result = operator_loop(source, body.run, init, names, until, counts=self.keep is None)
        left = until is not None and until(*result)
        if traced(left) or isinstance(source, (Staged, iterables.Looped)):
            return result
        if not left:
            self.items, self._spent = (), False
        elif not self.flat and not body.rolled:
            if not isinstance(source, Iterator):
                self.items = itertools.islice(source, body.rounds, None)
            self._spent = False
        return result

    def __iter__(self) -> Iterator[Any]:
        if self._iterator is None:
            self.take()
            self._iterator = self._items()
        return self._iterator

    def __next__(self) -> Any:
        return next(iter(self))

    def _items(self) -> Iterator[Any]:
        for x in self.items:
            if filter_test(self.kept(x)):
                if self.flat:
                    yield from self.value(x)
                else:
                    yield self.value(x)


class _Seen:
    """An item of a source of Python's that was looked at, and then left.

    Attributes:
      kept: whether it counts.
      values: the values of the inner `for` that are not taken yet; None where they were not asked for.
    """

    __slots__ = ("item", "kept", "values")

    def __init__(self, item: Any, kept: Any) -> None:
        self.item, self.kept = item, kept
        self.values: Any = None


class Mapping(Generated, iterables.Around):
    """A generator expression with one item for each of a staged source: `zip` can put it beside others."""

    def item(self, row: Any) -> Any:
        return self.elt(self.items.item(row))

    def at(self, index: Any) -> Any:
        return self.elt(self.items.at(index))


class Numbered(iterables.Looped):
    """`enumerate(items, start)`: a loop counts the items, or Python, where it takes them."""

    def __init__(self, items: Generated, start: Any) -> None:
        self.items, self.start = items, start

    @property
    def is_fresh(self) -> bool:
        """Whether Python has taken no item."""
        return self.items.is_fresh

    def loop(self, body_fun: Fun, init: State, names: tuple[str, ...], until: Fun | None) -> State:
        """A loop over the items that counts them."""

        def body(item: Any, number: Any, *values: Any) -> State:
            return number + 1, *run_users_body(body_fun, (number, item), *values)

        left = None if until is None else lambda _, *values: until(*values)
        self.start, *result = operator_loop(
            self.items, body, (self.start, *init), ("the number", *names), left
        )
        return tuple(result)

    def __iter__(self) -> Numbered:
        return self

    def __next__(self) -> Any:
        item = next(self.items)
        self.start += 1
        return self.start - 1, item


def make_generated(
    source: Any, elt: Callable[[Any], Any], keep: Callable[[Any], Any] | None = None, *,
    flat: bool = False, eager: bool = False, maker: Any = None,
) -> Generated:  # fmt: skip
    """A `Generated`; a `Mapping` where that is possible."""
    items = iterables.as_staged(source)
    iterables.leave(source)
    kind = Mapping if items is not None and keep is None and not flat else Generated
    return kind(source if items is None else items, elt, keep, flat, eager, maker)


def operator_loop(
    iterable: Any, body_fun: Fun, init: State, names: tuple[str, ...],
    until: Fun | None = None, *, counts: bool = True,
) -> State:  # fmt: skip
    """`for_stmt` with a body that an operator has made, and so is shown at the user's line that runs.

    Args:
      iterable: staged, `Generated` or Python's.
      body_fun: item, variables -> variables.
      init: the variables before the loop.
      names: of the variables, for messages.
      until: variables -> whether to stop.
      counts: whether each iteration is one of the user's loop.
    """

    def body(item: Any, *values: Any) -> State:
        if not counts:
            loop_options.leave_uncounted()
        result: State = body_fun(item, *values)
        return result

    body.names = names  # type: ignore[attr-defined]
    place = source_places.user_frame()
    if place is not None:
        place_at(body, place.f_code.co_filename, place.f_lineno, place.f_code.co_name)
    return for_stmt(iterable, body, init, until)


class _Around:
    """A body of a loop over what a `Generated` iterates over, from a body for its own items."""

    def __init__(self, items: Generated, body_fun: Fun, names: tuple[str, ...], until: Fun | None) -> None:
        self.items, self.body_fun, self.names, self.until = items, body_fun, names, until
        self.rounds = 0
        self.rolled = False  # or there was an attempt to do so

    def run(self, item: Any, *values: Any) -> State:
        """One iteration over the source."""
        self.rounds += 1
        self.rolled = self.rolled or journal.depth() != self.items._depth
        kept = self.items.kept(item)
        if not traced(kept):
            return self.inner(item, *values) if kept else values
        single = len(self.names) == 1

        def skip(*operands: Any) -> Any:
            return operands[0] if single else operands

        def run(*operands: Any) -> Any:
            if isinstance(self.items.elt, types.FunctionType):
                enter_generated(self.items.elt, ())
            new = self.inner(item, *operands)
            return new[0] if single else new

        result = if_part(kept, run, skip, values, self.names)
        return (result,) if single else tuple(result)

    def inner(self, item: Any, *values: Any) -> State:
        value = self.items.value(item)
        if not self.items.flat:
            return run_users_body(self.body_fun, value, *values)
        body = functools.partial(run_users_body, self.body_fun)
        return operator_loop(value, body, values, self.names, self.until, counts=False)


def run_users_body(body_fun: Fun, item: Any, *values: Any) -> State:
    """An iteration of a loop that an operator goes through for the user's, which may write variables of functions around."""
    if isinstance(body_fun, types.FunctionType):
        enter_generated(body_fun, (item, *values))
    result: State = body_fun(item, *values)
    return result


def filter_test(value: Any) -> Any:
    """The condition of a comprehension, where only Python can decide. Raises IterationError if it is traced."""
    value = python_truth(value)
    if value is not True and value is not False and traced(value):
        raise dynamic_iteration_error(f"a traced condition, {describe(value)}")
    return value


def dynamic_iteration_error(reason: str) -> IterationError:
    """A list or a sequence of items whose number only the running program knows."""
    return IterationError(
        f"The number of items depends on {reason}.",
        why="A compiled program has no list whose length depends on its data.",
        fix="reduce the items with sum, any, all, min or max, or use a mask: jnp.where(condition, x, 0).",
    )
