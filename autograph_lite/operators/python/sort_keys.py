"""Sort keys: in which order do items come whose keys are compared when the program runs?

sorted([x, y])                        one sort of an array
sorted([(x, 1), (y, 2)])              one sort by several arrays, the first of them first
sorted([("b", x), ("a", y)])          by Python, which looks at the second members only where the first ones are equal
sorted([P(x), P(y)])                  by the answers of `__lt__`
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autograph_lite.jax_internals import tracing_state
from autograph_lite.operators.branches.truth import python_truth, truth
from autograph_lite.operators.joins.literal_types import stacked
from autograph_lite.operators.lists import sort_order
from autograph_lite.operators.python.logical import asks_for_order, compared
from autograph_lite.operators.values.values import any_traced, is_arraylike, traced

Answers = dict[tuple[int, int], Any]


def sorted_positions(keys: Any, *, reverse: bool) -> Any:
    """Where the items of these keys (an array, too) are, in their order: a list where Python knows, else a traced array."""
    answers: Answers = {}
    is_known = not any_traced(keys)
    if is_known or _begin_with_known(keys):
        asks = not is_known or (tracing_state.is_tracing() and any(map(asks_for_order, keys)))
        compare = [_Asked(keys, number, answers) for number in range(len(keys))] if asks else keys
        try:
            return sorted(range(len(keys)), key=compare.__getitem__, reverse=reverse)
        except _UndecidedError:
            if is_known:
                return _by_answers(keys, answers, reverse)
    members = _members(keys)
    if members is None:
        return _by_answers(keys, answers, reverse)
    columns = [column if isinstance(column, jax.Array) else stacked(column) for column in members]
    same = [
        _same(m) if m is not keys and jnp.issubdtype(c.dtype, jnp.inexact) else None
        for m, c in zip(members, columns, strict=True)
    ]
    return sort_order.by_columns(columns, same, len(keys), reverse=reverse)


def _begin_with_known(keys: Any) -> bool:
    """Whether keys are tuples or lists whose first members Python can compare: no other counts where these differ."""
    return isinstance(keys, list) and all(
        isinstance(key, (tuple, list)) and len(key) > 0 and not traced(key[0]) for key in keys
    )


def are_number_keys(keys: Sequence[Any]) -> bool:
    """Whether keys are numbers, or tuples of as many numbers each."""
    return _members(keys) is not None


def _members(keys: Any) -> list[Any] | None:
    """The numbers by which keys of one structure are compared, one after the other; None of other keys."""
    if isinstance(keys, jax.Array) or all(is_arraylike(key) and jnp.ndim(key) == 0 for key in keys):
        return [keys]
    kinds, lengths = {*map(type, keys)}, {len(key) for key in keys if isinstance(key, (tuple, list))}
    if len(kinds) != 1 or not issubclass(kinds.pop(), (tuple, list)) or len(lengths) != 1 or 0 in lengths:
        return None
    columns = [_members(members) for members in zip(*keys, strict=True)]
    return None if None in columns else [*itertools.chain.from_iterable(filter(None, columns))]


def _same(members: Sequence[Any]) -> Any:
    """Which members of tuples are one object, which is equal to itself, nan or not; None where all are different ones."""
    numbers = [*map(id, members)]
    return np.equal.outer(numbers, numbers) if len(set(numbers)) < len(numbers) else None


class _UndecidedError(Exception):
    """Which of two items comes first is known when the program runs."""


class _Asked:
    """A key that Python compares by a method of the user's, which may answer with a traced value."""

    def __init__(self, keys: Sequence[Any], number: int, answers: Answers) -> None:
        self.keys, self.number, self.answers = keys, number, answers

    def __lt__(self, other: _Asked) -> Any:
        answer = python_truth(compared("<", self.keys[self.number], self.keys[other.number]))
        if traced(answer):
            self.answers[self.number, other.number] = answer
            raise _UndecidedError
        return answer


def _by_answers(keys: Sequence[Any], answers: Answers, reverse: bool) -> Any:
    """The order that follows from which of each two items is less."""
    pairs = [*itertools.permutations(range(len(keys)), 2)]
    for first, second in pairs:
        if (first, second) not in answers:
            answers[first, second] = python_truth(compared("<", keys[first], keys[second]))
    which = jnp.stack([jnp.asarray(truth(answers[pair])) for pair in pairs])
    square = jnp.zeros((len(keys), len(keys)), bool).at[tuple(np.transpose(pairs))].set(which)
    return sort_order.by_answers(square, reverse=reverse)


def first_best(keys: Sequence[Any], better: Callable[[Any, Any], Any]) -> Any:
    """Where the item is that Python's `max` takes, if `better` is "greater": each is compared with the best one so far."""
    best: Any = 0
    candidates = [0]
    for number in range(1, len(keys)):
        if len(candidates) == 1:
            beats = truth(better(keys[number], keys[candidates[0]]))
        else:
            answers = [truth(better(keys[number], keys[place])) for place in candidates]
            beats = jnp.stack(list(map(jnp.asarray, answers)))[jnp.searchsorted(np.asarray(candidates), best)]
        if traced(beats):
            best = jnp.where(beats, number, best)
            candidates.append(number)
        elif beats:
            best, candidates = number, [number]
    return best
