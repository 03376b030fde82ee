"""In which order does Python put numbers? That of a sort of arrays; where one is nan, that in which its comparisons leave them.

sorted([2.0, nan, 1.0])               [2.0, nan, 1.0]: 1 is not less than nan, so that it is not moved past it

Fewer than 64 items are one run, made longer by binary insertion (count_run and binarysort in CPython's Objects/listobject.c,
explained in listsort.txt beside it). That is done here where the program finds a nan, and takes no step where it doesn't.
"""

from __future__ import annotations

import functools
import itertools
import operator
import sys
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph_lite.errors import ConditionError
from autograph_lite.operators import checks, where
from autograph_lite.operators.values import traced

LIMIT = 64  # items that Python sorts in several runs, which it merges
_FEW = 3  # items with so few possible answers that Python's order of each is in a table


def by_columns(columns: list[jax.Array], same: list[Any], length: Any, *, reverse: bool) -> Any:
    """The places of so many items in the order of these numbers, by the first that differ; then all other places."""
    count = columns[0].shape[0]

    def square() -> Any:
        """For each two places, whether the numbers at that of the row come before those at that of the column."""
        return _less([column[:, None] for column in columns], [column[None, :] for column in columns], same)

    if count <= _FEW and not traced(length):
        return by_answers(square(), reverse=reverse)
    if len(columns) == 1:
        order = jnp.argsort(columns[0], stable=True, descending=reverse)
    else:
        way = -1 if reverse else 1  # equal items keep their places, backwards too
        places = lax.iota(int, count)[::way]
        order = lax.sort((*(column[::way] for column in columns), places), num_keys=len(columns))[-1][::way]
    if traced(length):
        order = order[jnp.argsort(order >= length, stable=True)]
    columns = list(map(lax.stop_gradient, columns))
    nans = [jnp.isnan(column) for column in columns if jnp.issubdtype(column.dtype, jnp.inexact)]
    if not nans:
        return order
    unordered = functools.reduce(operator.or_, nans)
    unordered = jnp.any(unordered & (lax.iota(int, count) < length) if traced(length) else unordered)
    return _settled(order, unordered, square, length, reverse)


def _less(left: list[Any], right: list[Any], same: list[Any]) -> Any:
    answer = left[-1] < right[-1]
    for a, b, known in reversed([*zip(left, right, same, strict=True)][:-1]):
        equal = a == b
        answer = jnp.where(equal if known is None else equal | known, answer, a < b)
    return answer


def by_answers(square: Any, *, reverse: bool) -> Any:
    """The places of items in their order, by the answers of each two of them.

    Args:
      square: whether the item of the row is less than that of the column; False where Python does not ask.
      reverse: as of `sorted`.
    """
    count = square.shape[0]
    if count <= _FEW:
        table, digits = _orders(count, reverse)
        return jnp.asarray(table)[jnp.sum(jnp.where(square, digits, 0))]
    rows = square[::-1, ::-1] if reverse else square
    ranks = jnp.sum(jnp.tril(~rows, -1), 1) + jnp.sum(jnp.tril(rows, -1), 0)
    order = jnp.argsort(ranks, stable=True)
    unordered = jnp.any(ranks[order] != jnp.arange(count))
    for first, second in asked_forwards(count):
        unordered |= ~(rows[first, second] | rows[second, first])
    order = count - 1 - order[::-1] if reverse else order
    return _settled(order, unordered, lambda: square, count, reverse)


@functools.cache
def _orders(count: int, reverse: bool) -> tuple[np.ndarray, np.ndarray]:
    """Python's order of few items for all answers that each two of them may give, and the digit that each answer is."""
    pairs = [*itertools.permutations(range(count), 2)]
    digits = np.zeros((count, count), np.int32)
    digits[tuple(np.transpose(pairs))] = 1 << np.arange(len(pairs))

    class Item:
        def __init__(self, answers: int, place: int) -> None:
            self.answers, self.place = answers, place

        def __lt__(self, other: Item) -> bool:
            return bool(self.answers & digits[self.place, other.place])

    cases = (functools.partial(Item, answers) for answers in range(1 << len(pairs)))
    table = [sorted(range(count), key=item, reverse=reverse) for item in cases]
    return np.asarray(table, np.int32), digits


def asked_forwards(count: int) -> list[tuple[int, int]]:
    """Of which two places Python may also ask whether the earlier one is less, for so many items."""
    if sys.version_info < (3, 13) or count >= LIMIT:
        return []
    return sorted({(start, number) for number in range(1, count) for start in (0, number - 1)})


def _settled(order: Any, unordered: Any, square: Callable[[], Any], length: Any, reverse: bool) -> Any:
    """`order`, or where `unordered`, that in which Python leaves the items."""
    count = order.shape[0]
    if count >= LIMIT:
        checks.fail_if(jnp.logical_and(unordered, length >= LIMIT), _too_many())
        unordered = jnp.logical_and(unordered, length < LIMIT)

    def sort(state: tuple[Any, Any]) -> tuple[Any, Any]:
        todo, order = state
        most = min(count, LIMIT)
        found = _sorted(square()[:most, :most], jnp.minimum(length, most), reverse=reverse).astype(
            order.dtype
        )
        return ~todo, found if most == count else jnp.concatenate([found, order[most:]])

    # A loop of one iteration or none: under `jax.vmap`, a `cond` would sort all lanes twice.
    return lax.while_loop(lambda state: state[0], sort, (unordered, order))[1]


@functools.partial(jax.jit, static_argnames="reverse")
def _sorted(square: Any, length: Any, *, reverse: bool) -> Any:
    """Python's order: each item goes where its comparisons with those before it put it."""
    count = square.shape[0]
    back = here = lax.iota(jnp.int32, count)
    if reverse:  # as Python: the items backwards, sorted, and backwards again
        back = lax.select(here < length, length.astype(jnp.int32) - 1 - here, here)
        square = square[back][:, back]

    def insert(state: tuple[Any, ...], given: tuple[Any, ...]) -> tuple[Any, None]:
        order, phase, equal = state
        number, answers, *others = given
        less = answers[order]
        phase, equal, at = _in_run(number, phase, equal, jnp.any(less & (here == number - 1)), *others)

        def halve(_: Any, ends: tuple[Any, Any]) -> tuple[Any, Any]:
            left, right = ends
            middle = (left + right) >> 1
            lower = less[middle] | (left == right)
            return lax.select(lower, left, middle + 1), lax.select(lower, middle, right)

        left, _ = lax.fori_loop(0, (count - 1).bit_length(), halve, (0 * at, 0 * at + number))
        at = lax.select(phase == _INSERTING, left, at)
        at = lax.select(number < length, at, number)
        moved = lax.select((here > at) & (here <= number), jnp.roll(order, 1), order)
        return (lax.select(here == at, 0 * here + number, moved), phase, equal), None

    flat = square.reshape(-1)
    backwards, forwards = flat[count :: count + 1], flat[1 :: count + 1][: count - 1]
    zero = flat[0].astype(jnp.int32)  # no item is less than itself
    given = (here[1:], square[1:], backwards, forwards, square[0, : count - 1])
    (order, *_), _ = lax.scan(insert, (here + zero, zero, zero), given)
    return back[order[back]] if reverse else order


# What Python is at: a run that does not descend, one that does, one that has been turned round; and insertion.
_UP, _DOWN, _ON, _INSERTING = range(4)


def _in_run(
    number: Any, phase: Any, equal: Any, last: Any, smaller: Any, larger: Any, beyond: Any
) -> tuple[Any, Any, Any]:
    """Goes on with the run that the items begin with.

    Args:
      number: of the item.
      phase: what Python was at with the one before it.
      equal: how many before that one were equal to it, in a run that descends.
      last: whether the item is less than the last one of those that have been sorted.
      smaller: whether it is less than the one before it.
      larger: whether the one before it is less.
      beyond: whether the first one is less than the one before it.

    Returns:
      What Python is at, how many before the item are equal to it, and its place if it belongs to the run.
    """
    if sys.version_info < (3, 13):
        going = lax.select(smaller & (number == 1), _DOWN + 0 * phase, phase)
        phase = lax.select((number > 1) & (smaller != (phase == _DOWN)), _INSERTING + 0 * phase, going)
        return phase, equal, lax.select(phase == _DOWN, 0 * number, number)
    # Items in a row of which none is less than another count as equal, and keep their order in a run that descends.
    turned = lax.select((number > 1) & beyond, _INSERTING + 0 * phase, _DOWN + 0 * phase)
    phase = lax.select(smaller & (phase == _UP), turned, phase)
    phase = lax.select((phase == _DOWN) & larger & ~smaller, _ON + 0 * phase, phase)
    phase = lax.select((phase == _ON) & last, _INSERTING + 0 * phase, phase)
    equal = lax.select(smaller, 0 * equal, equal + 1)
    return phase, equal, lax.select(phase == _DOWN, equal, number)


def _too_many() -> ConditionError:
    return ConditionError(
        f"{LIMIT} items or more are put in order by keys that have none: one of them is nan.",
        where=where.here(),
        why="Python compares nan as neither less nor greater, so that its result depends on how its sort goes about it.",
        fix="leave those items out, or sort an array: jnp.sort(x) puts nan last.",
    )
