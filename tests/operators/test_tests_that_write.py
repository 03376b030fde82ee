"""The test of a `while` changes what it alone sees: it is state of the loop all the same."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest

import autograph_lite as al


def of_a_list(a):
    held = [a]

    def step():
        held[0] = held[0] - 1
        return held[0]

    count = 0
    while step() > 3:
        count += 1
    return held[0], count


def of_an_enclosing_variable(a):
    def step(v):
        nonlocal a
        a = (a + v) % 17
        return a

    count = 0
    for _ in range(2):
        while count < step(-2) % 5:
            count += 1
    return a, count


class Counter:
    def __init__(self, value):
        self.value = value

    def step(self):
        self.value -= 2
        return self.value


def of_an_object(a):
    counter, count = Counter(a), 0
    while counter.step() > 0 and count < 3:
        count += 1
    return counter.value, count


@pytest.mark.parametrize("way", [al.convert, lambda f: jax.jit(al.to_graph(f))], ids=["convert", "jit"])
@pytest.mark.parametrize("f", [of_a_list, of_an_enclosing_variable, of_an_object])
@pytest.mark.parametrize("a", [2, 5, 9, 12])
def test_the_state_of_the_test_alone_is_carried(f, a, way) -> None:
    assert tuple(map(int, way(f)(jnp.int32(a)))) == f(a)
