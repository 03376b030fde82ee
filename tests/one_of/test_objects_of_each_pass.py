"""An object that the body of a loop makes is one object in a loop inside, however often the bodies are traced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import pytest

import autograph_lite

tally = [0]


class Box:
    def __init__(self, count):
        self.count = count

    def __iadd__(self, v):
        tally[0] = (tally[0] + v) % 11
        return self

    def add(self, v):
        tally[0] = (tally[0] + v) % 11
        self.count = self.count + 1
        return self


def added_in_place(a, b):
    tally[0] = 0
    for i in range(a):
        box = Box(i)
        for j in range(b):
            box += j
        box.last = b
        a = a + box.count + box.last
    return a


def given_back(a, b):
    tally[0] = 0
    for i in range(a):
        box = Box(i)
        for j in range(b):
            box = box.add(j)
        box.last = tally[0]
        a = a + box.count + box.last
    return a


def change(box, v):
    for j in range(v):
        box += j
    box.count = v


def in_a_callee(a, b):
    tally[0] = 0
    for _ in range(a):
        box = Box(b)
        change(box, b % 5)
        a = a + box.count
    return a


@pytest.mark.parametrize("function", [added_in_place, given_back, in_a_callee])
def test_it_is_one_object(function: Callable[..., Any]) -> None:
    for a, b in ((3, 4), (0, 2), (2, 0)):
        expected = function(a, b)
        assert autograph_lite.convert(function)(np.int32(a), np.int32(b)) == expected
        assert jax.jit(autograph_lite.to_graph(function))(a, b) == expected
        tally[0] = 0
