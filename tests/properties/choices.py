"""Where do a random program's decisions come from: a seed, or hypothesis?

The generator asks one question only, "a number below n". With a seed it is fast enough for long runs; with
hypothesis every answer is drawn as an integer, so a failing program shrinks towards the answers 0, which the
generator keeps for its simplest forms.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from hypothesis import strategies as st

T = TypeVar("T")


class Choices:
    """The decisions of one program, in order."""

    def __init__(self, below: Callable[[int], int]) -> None:
        self.below = below

    def pick(self, options: Sequence[T]) -> T:
        """One of `options`, the first being the simplest."""
        return options[self.below(len(options))]

    def chance(self, percent: int) -> bool:
        """True in about `percent` of 100 cases; the simplest answer is False."""
        return percent > 0 and self.below(100) >= 100 - percent

    def weighted(self, weights: Mapping[str, int]) -> str:
        """One of the keys, as often as its weight says."""
        left = self.below(sum(weights.values()))
        for name, weight in weights.items():
            left -= weight
            if left < 0:
                return name
        raise AssertionError("a number below the sum of the weights lies below one of the partial sums")


def from_seed(seed: int | str) -> Choices:
    """Decisions that depend on `seed` alone."""
    return Choices(random.Random(seed).randrange)


def from_draw(draw: Callable[[st.SearchStrategy[int]], int]) -> Choices:
    """Decisions that hypothesis makes and shrinks."""
    return Choices(lambda n: draw(st.integers(0, n - 1)))
