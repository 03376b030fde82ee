"""Comprehensions: what do `[f(x) for x in xs]` and `(f(x) for x in xs)` give where `xs` is traced?

A generator expression over a traced array or range is something that `sum`, `any`, `min`, `for` and the
like stage as one loop; nobody has to see its items one by one. A list has an item for each row: few are
computed one after the other, many in one loop, whose body is traced once, and then taken apart.
"""

from __future__ import annotations

import collections
import itertools
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from autograph_lite.jax_internals import tracing_state
from autograph_lite.operators.branches.if_stmt import if_part
from autograph_lite.operators.effects import journal
from autograph_lite.operators.iteration import iterables
from autograph_lite.operators.iteration.iterables import Staged
from autograph_lite.operators.lists import capacity, growing_lists, list_errors
from autograph_lite.operators.purity import trial
from autograph_lite.operators.python.generator_expressions import (
    Generated,
    Numbered,
    dynamic_iteration_error,
    filter_test,
    make_generated,
    operator_loop,
)
from autograph_lite.operators.python.generator_functions import Given
from autograph_lite.operators.trace_context import decision_log
from autograph_lite.operators.values.pytrees import VIEWS
from autograph_lite.operators.values.values import describe, is_symbolic, traced

UNROLLED = 8  # a list of at most so many items is computed without a loop
# Of Python's, whose items a filter may leave out.
ITEMS = (list, tuple, range, dict, set, frozenset, collections.deque, np.ndarray, *VIEWS)
_SOURCES: tuple[type, ...] = (
    *ITEMS,
    zip,
    enumerate,
    map,
    filter,
    reversed,
    type(reversed([])),
    type(iter([])),
    type(iter(())),
    itertools.chain,
    itertools.combinations,
    itertools.combinations_with_replacement,
    itertools.pairwise,
    itertools.permutations,
    itertools.product,
    itertools.zip_longest,
)  # of an expression


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
    items = iterables.as_staged(iterable)
    if reduced and tracing_state.is_tracing() and (items is not None or keep is not None or flat):
        return make_generated(iterable if items is None else items, elt, keep, flat=flat, eager=True)
    if isinstance(iterable, (Given, Numbered)):
        return gathered(make_generated(iterable, elt, keep, flat=flat))
    if items is None and isinstance(iterable, Generated) and iterable.is_fresh:
        return _of_generated(iterable, elt, keep, flat=flat)
    if items is None:
        found = _python_list(iterable, elt, keep, flat=flat)
        decision_log.note_decision("for", "unrolled", decision_log.python_iterable(iterable), len(found))
        return found
    if keep is not None and (items.room() is not None or _has_room(items.length())):
        return gathered(make_generated(items, elt, keep, flat=flat))
    return collected(make_generated(items, elt, keep, flat=flat), items.length())


def _of_generated(
    source: Generated, elt: Callable[[Any], Any], keep: Callable[[Any], Any] | None, *, flat: bool
) -> list[Any]:
    """`[elt(x) for x in filter(...)]`: Python's list as far as Python knows the conditions, then one that a loop appends to."""
    found: list[Any] = []
    while item := source.known():
        found = _python_list(item, elt, keep, flat=flat, found=found)
    if item is None:
        return gathered(make_generated(source, elt, keep, flat=flat), found)
    decision_log.note_decision("for", "unrolled", decision_log.python_iterable(source), len(found))
    return found


def _python_list(
    iterable: Any, elt: Callable[[Any], Any], keep: Callable[[Any], Any] | None, *, flat: bool,
    found: list[Any] | None = None,
) -> list[Any]:  # fmt: skip
    """The list of all values, behind those that were `found` before."""
    iterable = growing_lists.readable(iterable, "a comprehension")
    journal.consume_all(iterable)
    found = [] if found is None else found
    if flat:
        found += [value for x in iterable if keep is None or filter_test(keep(x)) for value in elt(x)]
        return found
    if keep is None:
        found += [elt(x) for x in iterable]
        return found
    for x in iterable:
        if_part(keep(x), lambda x=x: journal.note_change(found).append(elt(x)), lambda: None)
    return found


def generator(
    iterable: Any, elt: Callable[..., Any], keep: Callable[..., Any] | None = None, *,
    flat: bool = False, maker: Any = None,
) -> Any:  # fmt: skip
    """`(elt(x) for x in iterable if keep(x))`; the arguments are those of `list_of`.

    Of an iterator that the expression itself has made by `maker`, `enumerate` or the like, nobody else takes items.
    """
    elt, keep = unpacking(elt), keep and unpacking(keep)
    iterable = growing_lists.readable(iterable, "a generator expression")
    journal.consume_all(iterable)
    traced_filter = (
        tracing_state.is_tracing() and (keep is not None or flat) and isinstance(iterable, _SOURCES)
    )
    if traced_filter or isinstance(iterable, (Generated, Numbered)) or iterables.is_staged(iterable):
        return make_generated(iterable, elt, keep, flat=flat, maker=maker)
    if flat:
        return trial.note_created(
            value for x in iterable if keep is None or filter_test(keep(x)) for value in elt(x)
        )
    if keep is None:
        return trial.note_created(elt(x) for x in iterable)
    return trial.note_created(elt(x) for x in iterable if filter_test(keep(x)))


def unpacking(fun: Callable[..., Any]) -> Callable[[Any], Any]:
    """`fun` as a function of one item, which is unpacked where `fun` has several parameters."""
    code = getattr(fun, "__code__", None)
    if code is None or code.co_argcount < 2:
        return fun
    count = code.co_argcount

    def run(item: Any) -> Any:
        return fun(*item) if type(item) is tuple and len(item) == count else fun(*unpacked(item, count))

    return run


def unpacked(item: Any, count: int) -> tuple[Any, ...]:
    """The `count` values of `item`, with Python's errors for too many and too few."""
    values = tuple(itertools.islice(iter(item), count + 1))
    if len(values) > count:
        raise ValueError(f"too many values to unpack (expected {count})")
    if len(values) < count:
        raise ValueError(f"not enough values to unpack (expected {count}, got {len(values)})")
    return values


def collected(items: Any, length: Any) -> list[Any]:
    """The items of a staged iterable as a list; of many the body is traced once. Raises IterationError: how many?"""
    if traced(length) and (is_symbolic(length) or (items.room() is None and not _has_room(length))):
        raise dynamic_iteration_error(
            describe(length) if is_symbolic(length) else "the traced bound of a range"
        )
    if traced(length) or length > UNROLLED:
        try:
            return gathered(items)
        except list_errors.UnstackableError:
            if isinstance(items, Generated):
                items._spent = False
    found = list(items)
    decision_log.note_decision("for", "unrolled", "it makes a list of few items", len(found))
    return found


def _has_room(length: Any) -> bool:
    """Whether a list may get as many items as the program finds out."""
    return not is_symbolic(length) and capacity.room() > 0


def gathered(items: Staged | iterables.Looped, known: Iterable[Any] = ()) -> list[Any]:
    """The items as a list that one loop appends them to, behind those that are known."""
    found = [*known]

    def append(item: Any) -> tuple[()]:
        journal.note_change(found).append(item)
        return ()

    operator_loop(items, append, (), ())
    return found
