"""Sorting: in which order does Python put numbers? That of a sort of arrays, and an error where one of them is nan.

sorted([2.0, 1.0, 3.0, nan])          Python leaves them in the order that its own sort comes to, which nobody means

The orders of two and of three items are in a table, by all answers that their comparisons may give: nan among these has
its place as in Python.
"""

from __future__ import annotations

import functools
import itertools
import operator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph_lite.errors import ConditionError
from autograph_lite.operators.checks import carried_checks
from autograph_lite.operators.values.values import traced

_FEW = 3  # items with so few possible answers that Python's order of each is in a table


def by_columns(columns: list[jax.Array], same: list[Any], length: Any, *, reverse: bool) -> Any:
    """The places of so many items in the order of these numbers, by the first that differ; then all other places."""
    count = columns[0].shape[0]
    if count <= _FEW and not traced(length):
        rows, others = ([column[at] for column in columns] for at in (np.s_[:, None], np.s_[None, :]))
        return by_answers(_less(rows, others, same), reverse=reverse)
    if len(columns) == 1:
        order = jnp.argsort(columns[0], stable=True, descending=reverse)
    else:
        way = -1 if reverse else 1  # equal items keep their places, backwards too
        places = lax.iota(int, count)[::way]
        order = lax.sort((*(column[::way] for column in columns), places), num_keys=len(columns))[-1][::way]
    if traced(length):
        order = order[jnp.argsort(order >= length, stable=True)]
    nans = [jnp.isnan(column) for column in columns if jnp.issubdtype(column.dtype, jnp.inexact)]
    if nans:
        counts = (lax.iota(int, count) < length) & (length > 1) if traced(length) else True
        _refuse(jnp.any(functools.reduce(operator.or_, nans) & counts))
    return order


def _less(left: list[Any], right: list[Any], same: list[Any]) -> Any:
    answer = left[-1] < right[-1]
    for a, b, known in reversed([*zip(left, right, same, strict=True)][:-1]):
        equal = a == b
        answer = jnp.where(equal if known is None else equal | known, answer, a < b)
    return answer


def by_answers(square: Any, *, reverse: bool) -> Any:
    """The places of items in their order, by whether the item of a row is less than that of a column."""
    count = square.shape[0]
    if count <= _FEW:
        table, digits = _orders(count, reverse)
        return jnp.asarray(table)[jnp.sum(jnp.where(square, digits, 0))]
    ranks = jnp.sum(square, 0)  # how many are less
    _refuse(jnp.any(square != (ranks[:, None] < ranks[None, :])))
    return jnp.argsort(ranks, stable=True, descending=reverse)


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


def _refuse(unordered: Any) -> None:
    error = ConditionError(
        f"More than {_FEW} items are put in order by keys that have none: one of them is nan.",
        why="Python compares nan as neither less nor greater, so that its result depends on how its sort goes about it.",
        fix="leave those items out, or sort an array: jnp.sort(x) puts nan last.",
    )
    carried_checks.fail_if(unordered, error)
