"""Lists of the caller's get, or lose, items under traced conditions, as in plain Python."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from tests.one_of.agreement import same


@dataclasses.dataclass
class Simulation:
    events: list[Any]
    total: Any = 0.0

    def step(self, x):
        self.total += x
        if x > 1:
            self.events.append(("large", x))


def texts_and_numbers(x, log):
    if x < 0:
        log.append("negative")
    if x > 1:
        log.append(x)
    return len(log)


def items_taken_off(x, log):
    if x < 0:
        log.pop()
    log.append("end")


def in_a_loop(x, log):
    while x > 1:
        log.append(x)
        x = x / 2
    return x


def the_list_itself(x, log):
    if x > 1:
        log.append(x)
    return log, x


def list_in_a_dict(x, table):
    if x > 1:
        table["log"].append(x)
    table["count"] += 1


def list_of_an_object(x, simulation):
    for k in (0.5, 1.0, 2.0):
        simulation.step(x * k)
    return simulation.total


def lists_at_a_traced_index(x, rows):
    rows[(x > 1).astype(int)].append(x)
    return len(rows[0])


def raised_afterwards(x, log):
    if x > 0:
        log.append(x)
    if x > 1:
        raise ValueError("large")


@pytest.mark.parametrize(
    ("function", "owner"),
    [
        (texts_and_numbers, ["begun"]),
        (texts_and_numbers, []),
        (items_taken_off, ["a", "b", 1.5]),
        (in_a_loop, [1.0]),
        (the_list_itself, [1.0, None]),
        (list_in_a_dict, {"log": [], "count": 0}),
        (list_of_an_object, Simulation([])),
        (lists_at_a_traced_index, [[], [7.0]]),
        (raised_afterwards, ["begun"]),
    ],
)
def test_each_call_changes_the_list(function, owner) -> None:
    converted = autograph_lite.convert(function)
    given, expected = copy.deepcopy(owner), copy.deepcopy(owner)
    for x in (-1.0, 5.0, 2.0):
        try:
            wanted = function(np.float32(x), expected)
        except ValueError:  # what Python has left until then is put back
            expected.pop()
            with pytest.raises(ValueError, match="large"):
                converted(jnp.float32(x), given)
        else:
            assert same(converted(jnp.float32(x), given), wanted)
        state = [vars(each) if isinstance(each, Simulation) else each for each in (given, expected)]
        assert same(*state)


def test_what_stays_in_the_list_keeps_its_type() -> None:
    log = [1.0, 2, "text", None]
    autograph_lite.convert(texts_and_numbers)(jnp.float32(-1), log)
    assert log == [1.0, 2, "text", None, "negative"]
    assert [type(item) for item in log[:2]] == [float, int]


def test_arrays_in_a_list_of_the_caller_and_calls_under_jit_are_refused() -> None:
    def f(x, log):
        if x.sum() > 0:
            log.append(x)
        return x

    with pytest.raises(autograph_lite.MutationError, match="a list from outside of the function"):
        autograph_lite.convert(f)(jnp.ones(2), [np.ones(2)])
    with pytest.raises(autograph_lite.AutographError):
        jax.jit(lambda x: autograph_lite.convert(texts_and_numbers)(x, []))(jnp.float32(1))
