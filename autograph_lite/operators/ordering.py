"""In which order do items come whose keys are compared when the program runs?

sorted([x, y])                        one sort of an array
sorted([(x, 1), (y, 2)])              one sort by several arrays, the first of them first
sorted([P(x), P(y)])                  by the answers of `__lt__`, asked once of each two items
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from autograph_lite import _jax
from autograph_lite.operators.conditions import truth
from autograph_lite.operators.holding import stacked
from autograph_lite.operators.logical import asks_for_order, compared
from autograph_lite.operators.values import any_traced, is_arraylike, traced

Answers = dict[tuple[int, int], Any]


def positions(keys: Sequence[Any], *, reverse: bool) -> Any:
    """Where the items of these keys are, in their order: a list where Python knows, else a traced array."""
    answers: Answers = {}
    if not any_traced(keys):
        asks = _jax.tracing() and any(map(asks_for_order, keys))
        compare = [_Asked(keys, number, answers) for number in range(len(keys))] if asks else keys
        try:
            return sorted(range(len(keys)), key=compare.__getitem__, reverse=reverse)
        except _UndecidedError:
            return _by_answers(keys, answers, reverse)
    columns = _columns(keys)
    if columns is None:
        return _by_answers(keys, answers, reverse)
    if len(columns) == 1:
        return jnp.argsort(columns[0], stable=True, descending=reverse)
    way = -1 if reverse else 1  # equal items keep their places, backwards too
    places = lax.iota(int, len(keys))[::way]
    return lax.sort((*(column[::way] for column in columns), places), num_keys=len(columns))[-1][::way]


def _columns(keys: Sequence[Any]) -> list[jax.Array] | None:
    """The numbers by which keys of one structure are compared, one after the other; None of other keys."""
    if all(is_arraylike(key) and jnp.ndim(key) == 0 for key in keys):
        return [stacked(keys)]
    kinds, lengths = {*map(type, keys)}, {len(key) for key in keys if isinstance(key, (tuple, list))}
    if len(kinds) != 1 or not issubclass(kinds.pop(), (tuple, list)) or len(lengths) != 1 or 0 in lengths:
        return None
    columns = [_columns(members) for members in zip(*keys, strict=True)]
    return None if None in columns else [*itertools.chain.from_iterable(filter(None, columns))]


class _UndecidedError(Exception):
    """Which of two items comes first is known when the program runs."""


class _Asked:
    """A key that Python compares by a method of the user's, which may answer with a traced value."""

    def __init__(self, keys: Sequence[Any], number: int, answers: Answers) -> None:
        self.keys, self.number, self.answers = keys, number, answers

    def __lt__(self, other: _Asked) -> Any:
        answer = compared("<", self.keys[self.number], self.keys[other.number])
        if traced(answer):
            self.answers[self.number, other.number] = answer
            raise _UndecidedError
        return answer


def _by_answers(keys: Sequence[Any], answers: Answers, reverse: bool) -> Any:
    """The order that follows from which of each two items is less; a later one is asked whether it is."""
    ranks: list[Any] = [0] * len(keys)
    for pair in itertools.combinations(range(len(keys)), 2):
        first, second = pair if reverse else pair[::-1]
        if (first, second) not in answers:
            answers[first, second] = compared("<", keys[first], keys[second])
        moves = jnp.where(truth(answers[first, second]), 1, 0)  # past the other, which is before it
        ranks[pair[0]] += moves
        ranks[pair[1]] += 1 - moves
    return jnp.argsort(jnp.stack(ranks), stable=True)
