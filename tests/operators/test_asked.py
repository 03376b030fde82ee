"""Do objects and ranges answer with traced numbers where Python asks a method for an int, a float or a bool?"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest

import autograph_lite
from autograph_lite import TracedIndexError


class Amount:
    def __init__(self, number):
        self.number = number

    def __int__(self):
        return self.number if self.number > 0 else 0

    def __float__(self):
        return self.number / 2

    def __complex__(self):
        return self.number * 1j

    def __len__(self):
        return abs(self.number)


class Word:
    """Answers that no traced value is part of, wrong ones among them."""

    def __init__(self, answer):
        self.answer, self.asked = answer, 0

    def __int__(self):
        self.asked += 1
        return self.answer

    def __len__(self):
        self.asked += 1
        return self.answer


def converted(number):
    amount = Amount(number)
    return int(amount), float(amount), complex(amount), len(amount)


def truths(number):
    amount = Amount(number)
    if amount:
        return 1 if bool(Amount(number - 3)) else 2
    return 3 if not Amount(number) else 4


def of_range(number):
    span = range(2, number + 9, 3)
    return span[0], span[-1], span[number % 2], 1 if span else 2, 3 if not range(number) else 4


@pytest.mark.parametrize("program", [converted, truths, of_range], ids=lambda program: program.__name__)
@pytest.mark.parametrize("number", [-3, 0, 3, 4])
def test_answers_are_pythons(program, number):
    expected = program(number)
    assert jax.jit(autograph_lite.to_graph(program))(jnp.int32(number)) == expected
    assert autograph_lite.to_graph(program)(number) == expected


@pytest.mark.parametrize("answer", [3, "three", -1])
@pytest.mark.parametrize("fn", [lambda word: int(word), lambda word: 1 if word else 2], ids=["int", "if"])
def test_python_asks_once_and_raises_its_own_errors(fn, answer):
    def outcome(fn):
        word = Word(answer)
        try:
            return fn(word), word.asked
        except (TypeError, ValueError) as error:
            return type(error), str(error), word.asked

    @jax.jit
    def staged(x):
        outcomes.append(outcome(autograph_lite.to_graph(fn)))
        return x

    outcomes: list[object] = []
    staged(1.0)
    assert outcomes == [outcome(fn)]


def test_an_item_outside_of_a_range_raises():
    def last(n):
        return range(n)[-1]

    with pytest.raises(IndexError, match="range object index out of range"):
        autograph_lite.convert(last)(jnp.int32(-2))


def test_items_of_a_range_that_is_to_be_staged():
    span = autograph_lite.range(2, 9, 3)
    assert (span[1], list(span[1:])) == (5, [5, 8])


def test_a_slice_of_a_range_is_refused():
    def sliced(n):
        return sum(range(n)[1:])

    with pytest.raises(TracedIndexError) as caught:
        autograph_lite.convert(sliced)(jnp.int32(4))
    assert caught.value.what == "A range with a traced bound is indexed with something else than an integer."
