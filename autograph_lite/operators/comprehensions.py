"""What do `[f(x) for x in xs]` and `(f(x) for x in xs)` give where `xs` is traced?

A generator expression over a traced array or range is something that `sum`, `any`, `min`, `for` and the
like stage as one loop; nobody has to see its items one by one. A list has an item for each row: few are
computed one after the other, many in one loop, whose body is traced once, and then taken apart.
"""

from __future__ import annotations

import collections
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograph_lite import _jax
from autograph_lite.errors import IterationError
from autograph_lite.operators import capacity, decisions, iterables, journal, list_errors, lists, where
from autograph_lite.operators.for_stmt import for_stmt, place_at
from autograph_lite.operators.if_stmt import if_part
from autograph_lite.operators.iterables import Staged
from autograph_lite.operators.values import describe, is_symbolic, traced

UNROLLED = 8  # a list of at most so many items is computed without a loop
_VIEWS = tuple(map(type, ({}.keys(), {}.values(), {}.items())))
# Of Python's, which a filter may leave out.
ITEMS = (list, tuple, range, dict, set, frozenset, collections.deque, np.ndarray, *_VIEWS)
State = tuple[Any, ...]


def list_of(
    iterable: Any, elt: Callable[..., Any], keep: Callable[..., Any] | None = None, *,
    flat: bool = False, reduced: bool = False,
) -> Any:  # fmt: skip
    """`[elt(x) for x in iterable if keep(x)]`.

    Args:
      iterable: what Python iterates over, or a staged iterable of static length.
      elt: item -> value; several parameters stand for a tuple as target.
      keep: item -> whether the item counts; None for all.
      flat: whether `elt` gives an iterable of values, as an inner `for` of the comprehension does.
      reduced: whether the list is only the argument of `sum`, `any`, `all`, `min` or `max`.

    Raises:
      IterationError: the number of items depends on a traced value.
    """
    elt, keep = unpacking(elt), keep and unpacking(keep)
    items = iterables.staged(iterable)
    if reduced and _jax.tracing() and (items is not None or keep is not None or flat):
        return generated(iterable, elt, keep, flat=flat, eager=True)
    if items is None:
        found = _python_list(iterable, elt, keep, flat=flat)
        decisions.note("for", "unrolled", decisions.python_iterable(iterable), len(found))
        return found
    if keep is not None and (items.most() is not None or _has_room(items.length())):
        return gathered(generated(items, elt, keep, flat=flat))
    return collected(generated(items, elt, keep, flat=flat), items.length())


def _python_list(
    iterable: Any, elt: Callable[[Any], Any], keep: Callable[[Any], Any] | None, *, flat: bool
) -> list[Any]:
    iterable = lists.readable(iterable, "a comprehension")
    if flat:
        return [value for x in iterable if keep is None or filter_test(keep(x)) for value in elt(x)]
    if keep is None:
        return [elt(x) for x in iterable]
    found: list[Any] = []
    for x in iterable:
        if_part(keep(x), lambda x=x: journal.record(found).append(elt(x)), lambda: None)
    return found


def generator(
    iterable: Any, elt: Callable[..., Any], keep: Callable[..., Any] | None = None, *, flat: bool = False
) -> Any:
    """`(elt(x) for x in iterable if keep(x))`; the arguments are those of `list_of`."""
    elt, keep = unpacking(elt), keep and unpacking(keep)
    iterable = lists.readable(iterable, "a generator expression")
    traced_filter = _jax.tracing() and (keep is not None or flat) and isinstance(iterable, ITEMS)
    if traced_filter or isinstance(iterable, Generated) or iterables.staged(iterable) is not None:
        return generated(iterable, elt, keep, flat=flat)
    if flat:
        return (value for x in iterable if keep is None or filter_test(keep(x)) for value in elt(x))
    if keep is None:
        return (elt(x) for x in iterable)
    return (elt(x) for x in iterable if filter_test(keep(x)))


def filter_test(value: Any) -> Any:
    """The condition of a comprehension, where only Python can decide whether there is an item.

    Raises:
      IterationError: the value is traced.
    """
    if value is not True and value is not False and traced(value):
        raise dynamic(f"a traced condition, {describe(value)}")
    return value


def dynamic(reason: str) -> IterationError:
    """A list or a sequence of items whose number only the running program knows."""
    return IterationError(
        f"The number of items depends on {reason}.",
        where=where.here(),
        why="A compiled program has no list whose length depends on its data.",
        fix="reduce the items with sum, any, all, min or max, or use a mask: jnp.where(condition, x, 0).",
    )


def unpacking(fun: Callable[..., Any]) -> Callable[[Any], Any]:
    """`fun` as a function of one item, which is unpacked where `fun` has several parameters."""
    code = getattr(fun, "__code__", None)
    if code is None or code.co_argcount < 2:
        return fun
    count = code.co_argcount

    def run(item: Any) -> Any:
        if type(item) is tuple and len(item) == count:
            return fun(*item)
        return fun(*unpacked(item, count))

    return run


def unpacked(item: Any, count: int) -> tuple[Any, ...]:
    """The `count` values of `item`, with Python's errors for too many and too few."""
    values = tuple(itertools.islice(iter(item), count + 1))
    if len(values) > count:
        raise ValueError(f"too many values to unpack (expected {count})")
    if len(values) < count:
        raise ValueError(f"not enough values to unpack (expected {count}, got {len(values)})")
    return values


class Generated(iterables.Looped):
    """A generator expression whose items only a staged loop sees, or whose filter may be traced.

    Attributes:
      source: what it iterates over: staged, another of this class, or Python's.
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
    ) -> None:
        self.source, self.elt, self.keep, self.flat, self.eager = source, elt, keep, flat, eager
        self._depth = journal.depth()
        self._spent = False
        self._iterator: Iterator[Any] | None = None

    @property
    def is_fresh(self) -> bool:
        """Whether no item was taken yet."""
        return not self._spent and self._iterator is None

    def most(self) -> int | None:
        """How many items there are at most; None where that is not known while tracing."""
        return self.source.most() if isinstance(self.source, Staged) and not self.flat else None

    def take(self) -> None:
        """To be called when the items are used up.

        Raises:
          IterationError: they were before, or a staged statement would use them up at each execution.
        """
        if not self.is_fresh or self._depth != journal.depth():
            raise IterationError(
                "A generator expression is used up twice, or inside a staged statement.",
                where=where.here(),
                why="A generator gives its items once, and a staged statement is traced once.",
                fix="write the generator expression where its items are used, or make a list of them.",
            )
        self._spent = True

    def loop(
        self,
        body_fun: Callable[..., Any],
        init: State,
        names: tuple[str, ...],
        until: Callable[..., Any] | None,
    ) -> State:
        """A loop over the source: the filter becomes an `if` around the body, an inner `for` a loop in it."""
        self.take()
        return loop(self.source, _Around(self, body_fun, names, until).run, init, names, until)

    def __iter__(self) -> Iterator[Any]:
        if self._iterator is None:
            self.take()
            self._iterator = self._items()
        return self._iterator

    def __next__(self) -> Any:
        return next(iter(self))

    def _items(self) -> Iterator[Any]:
        for x in self.source:
            if self.keep is None or filter_test(self.keep(x)):
                if self.flat:
                    yield from self.elt(x)
                else:
                    yield self.elt(x)


class Mapping(Generated, Staged):
    """A generator expression with one item for each of a staged source: `zip` can put it beside others."""

    def length(self) -> Any:
        return self.source.length()

    def most(self) -> int | None:
        found: int | None = self.source.most()
        return found

    def rows(self) -> Any:
        return self.source.rows()

    def item(self, row: Any) -> Any:
        return self.elt(self.source.item(row))

    def at(self, index: Any) -> Any:
        return self.elt(self.source.at(index))


def generated(
    source: Any, elt: Callable[[Any], Any], keep: Callable[[Any], Any] | None = None, *,
    flat: bool = False, eager: bool = False,
) -> Generated:  # fmt: skip
    """A `Generated`; a `Mapping` where that is possible."""
    items = iterables.staged(source)
    kind = Mapping if items is not None and keep is None and not flat else Generated
    return kind(source if items is None else items, elt, keep, flat, eager)


def loop(
    iterable: Any, body_fun: Callable[..., Any], init: State, names: tuple[str, ...],
    until: Callable[..., Any] | None = None,
) -> State:  # fmt: skip
    """`for_stmt` with a body that an operator has made, and so is shown at the user's line that runs.

    Args:
      iterable: staged, `Generated` or Python's.
      body_fun: item, variables -> variables.
      init: the variables before the loop.
      names: of the variables, for messages.
      until: variables -> whether to stop.
    """

    def body(item: Any, *values: Any) -> State:
        result: State = body_fun(item, *values)
        return result

    body.names = names  # type: ignore[attr-defined]
    place = where.user_frame()
    if place is not None:
        place_at(body, place.f_code.co_filename, place.f_lineno, place.f_code.co_name)
    return for_stmt(iterable, body, init, until)


class _Around:
    """A body of a loop over what a `Generated` iterates over, from a body for its own items."""

    def __init__(
        self,
        items: Generated,
        body_fun: Callable[..., Any],
        names: tuple[str, ...],
        until: Callable[..., Any] | None,
    ) -> None:
        self.items, self.body_fun, self.names, self.until = items, body_fun, names, until

    def run(self, item: Any, *values: Any) -> State:
        """One iteration over the source."""
        if self.items.keep is None:
            return self.inner(item, *values)
        kept = self.items.keep(item)
        if not traced(kept):
            return self.inner(item, *values) if kept else values
        single = len(self.names) == 1

        def skip(*operands: Any) -> Any:
            return operands[0] if single else operands

        def run(*operands: Any) -> Any:
            new = self.inner(item, *operands)
            return new[0] if single else new

        result = if_part(kept, run, skip, values, self.names)
        return (result,) if single else tuple(result)

    def inner(self, item: Any, *values: Any) -> State:
        value = self.items.elt(item)
        if not self.items.flat:
            result: State = self.body_fun(value, *values)
            return result
        return loop(value, self.body_fun, values, self.names, self.until)


def collected(items: Any, length: Any) -> list[Any]:
    """The items of a staged iterable as a list; the body is traced once where there are many.

    Args:
      items: staged, or `Generated` from what is staged.
      length: how many items the loop takes.

    Raises:
      IterationError: their number is not known.
    """
    if traced(length) and (is_symbolic(length) or (items.most() is None and not _has_room(length))):
        raise dynamic(describe(length) if is_symbolic(length) else "the traced bound of a range")
    if traced(length) or length > UNROLLED:
        try:
            return gathered(items)
        except list_errors.UnstackableError:
            if isinstance(items, Generated):
                items._spent = False
    found = list(items)
    decisions.note("for", "unrolled", "it makes a list of few items", len(found))
    return found


def _has_room(length: Any) -> bool:
    """Whether a list may get as many items as the program finds out."""
    return not is_symbolic(length) and capacity.room() > 0


def gathered(items: Staged | Generated) -> list[Any]:
    """The items as a list that one loop appends them to."""
    found: list[Any] = []

    def append(item: Any) -> State:
        journal.record(found).append(item)
        return ()

    loop(items, append, (), ())
    return found
