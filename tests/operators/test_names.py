"""Are the user's names taken for ours where they begin alike, `agent`, `again`, `age`?"""

from __future__ import annotations

import jax.numpy as jnp
import pytest

import autograph_lite as al
from tests.operators.agreement import agree


class Agent:
    """Keeps the function that one of its methods is handed."""

    rule = None

    def step(self, rule):
        self.rule = rule
        return self

    until = update_item = step


def test_methods_of_an_agent_that_keep_functions_over_variables_that_change():
    def f(x):
        agent, rules, y = Agent(), [], 0.0
        for k in range(3):
            agent.step(lambda v: v + k + y)
            rules.append(agent.rule)
            agent.until(lambda: k * y)
            rules.append(lambda v, rule=agent.rule: v * rule())
            if x > k:
                y += 1
        return [rule(1.0) for rule in rules], y

    agree(f, 3.0, 1.0, -2.0)


def test_variables_called_as_ours_are():
    def f(x):
        ag, again, ag_known, age = 2.0, 3.0, 1.0, 0

        class Ages:
            def __init__(self):
                self.left = 3

            def __iter__(self):
                return self

            def __next__(self):
                nonlocal age
                age += 1
                self.left -= 1
                if self.left < 0:
                    raise StopIteration
                return self.left

        def more(v):
            nonlocal ag, again
            if v > again:
                ag += v
            again += 1
            return ag * ag_known

        while x > 0:
            x -= more(x)
        if x < -1:
            for k in Ages():
                x += k
        return x, ag, again, age

    agree(f, 30.0, 2.0, -2.0)


def test_an_array_that_a_loop_with_a_test_that_writes_walks_over():
    def f(x):
        xs = (x + 1) * 1.0
        rows, i = [xs], 0

        def again():
            nonlocal i
            i += 1
            return i < x

        while again():
            rows[0] = rows[0] + i
        return rows[0], i

    agree(f, 3.0, -2.0)


TOTAL = 0


def declared_in_a_loop(x, n):
    rank = x

    def inner():
        k = 0
        while k < n:
            k += 1
            nonlocal rank
        rank = rank + k

    inner()
    return rank


def declared_in_branches(x, n):
    def inner():
        if x > 0:
            global TOTAL
            TOTAL = x
        else:
            TOTAL = x - n
        TOTAL = TOTAL + 1

    inner()
    return TOTAL


@pytest.mark.parametrize("f", [declared_in_a_loop, declared_in_branches])
@pytest.mark.parametrize("x", [2.0, -2.0])
def test_a_declaration_counts_for_all_of_the_function(f, x):
    wanted = f(x, 3)
    assert al.convert(f)(x, 3) == wanted
    assert float(al.convert(f)(jnp.float32(x), jnp.int32(3))) == wanted
