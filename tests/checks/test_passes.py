"""Do checks tell what they tell in Python where the first pass over a loop's body has others than the next one?"""

from __future__ import annotations

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite

from .outcomes import outcome

SHAPES = np.arange(3)


class Counter:
    def __init__(self):
        self.n = 0


def raising_on_every_path(a):
    hits = 0
    for i in range(a, 4, -2):
        try:
            if i:
                raise ArithmeticError("one")
            j = 0
            while j < 4:
                j += 1
            else:
                raise KeyError("two")
            raise RuntimeError("three")
        except Exception:
            raise AssertionError("four")
        if not hits:
            raise AssertionError(f"five {a}")
    return a


def an_int_beside_a_float(n):
    counter = Counter()
    for i in range(n):
        if counter.n > 2:
            raise ValueError(f"{counter.n} are too many")
        if n >= 10 - i:
            raise LookupError(f"{n / 2}")
        counter.n += 1
    return counter.n


def a_number_beside_an_array(n):
    found = {"n": 0}
    for i in range(n):
        if found["n"] > 2:
            raise ValueError(f"{found['n']} are too many")
        if n >= 10 - i:
            raise LookupError(f"{SHAPES * n}")
        found["n"] += 1
    return found["n"]


def one_value_beside_two(n):
    found = {"n": 0}
    for i in range(n):
        if found["n"] > 2:
            raise ValueError(f"{found['n']} are too many")
        if n > 6:
            raise LookupError(f"{n} at {i}")
        found["n"] += 1
    return found["n"]


def caught_and_used(n):
    counter, total = Counter(), 0
    for i in range(n):
        try:
            if counter.n > 2:
                raise ValueError(counter.n)
            if n > 6 + i:
                raise KeyError(SHAPES * n)
            counter.n += 1
        except ValueError as error:
            total += 100 * error.args[0]
        except KeyError as error:
            total += error.args[0].sum()
    return total


def after_the_call_of_itself(n):
    if n > 6:
        raise LookupError(f"{n / 2}")
    if n <= 0:
        return 0
    below = after_the_call_of_itself(n - 1)
    if below > 3:
        raise ValueError(f"{below} are too many")
    return below + 1


@pytest.mark.parametrize(
    ("fn", "inputs"),
    [
        (raising_on_every_path, (2, 6)),
        (an_int_beside_a_float, (2, 5, 9)),
        (a_number_beside_an_array, (2, 5, 9)),
        (one_value_beside_two, (2, 5, 9)),
        (caught_and_used, (2, 5, 9)),
        (after_the_call_of_itself, (2, 5, 9)),
    ],
)
def test_what_a_check_tells_is_its_own(fn, inputs) -> None:
    converted, inside = autograph_lite.convert(fn), jax.jit(autograph_lite.to_graph(fn))
    for n in inputs:
        expected = outcome(fn, n)
        assert outcome(converted, jnp.int32(n)) == expected
        if expected[0] == "value":
            assert float(inside(n)) == expected[1]
            continue
        text = re.escape(f"{expected[0].__name__}: {expected[1]}")
        with pytest.raises(jax.errors.JaxRuntimeError, match=rf"(?m)\b{text}$"):
            jax.block_until_ready(inside(n))
