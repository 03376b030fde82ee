"""What do errors say where a variable may have no value?"""

from __future__ import annotations

import jax.numpy as jnp

from .messages import message


def test_a_variable_assigned_in_one_branch() -> None:
    def f(x):
        if x > 0:
            y = x
        return y

    assert message(f, jnp.float32(2)) == (
        "UndefinedVariableError: 'y' may be used before it is assigned.\n"
        "  test.py:3 in f\n"
        "      return y\n"
        "  test.py:1 in f\n"
        "      if x > 0:\n"
        "  Only one of the paths of the second line assigns it, and a traced value decides which is taken.\n"
        "  Fix: assign 'y' before that statement, or on its other paths too."
    )


def test_a_variable_assigned_in_some_cases() -> None:
    def f(k):
        if k == 0:
            y = 10
        elif k == 1:
            y = 20
        return y + 1

    assert message(f, jnp.int32(2)) == (
        "UndefinedVariableError: 'y' may be used before it is assigned.\n"
        "  test.py:5 in f\n"
        "      return y + 1\n"
        "  test.py:1 in f\n"
        "      if k == 0:\n"
        "  Only one of the paths of the second line assigns it, and a traced value decides which is taken.\n"
        "  Fix: assign 'y' before that statement, or on its other paths too."
    )


def test_a_variable_assigned_in_a_loop_that_does_not_run() -> None:
    def f(n):
        for i in range(n):
            last = i
        return last

    assert message(f, jnp.int32(0)) == (
        "UndefinedVariableError: 'last' was not assigned: the loop must run at least once.\n"
        "  test.py:3 in f\n"
        "      return last\n"
        "  Fix: assign 'last' before the loop."
    )


def test_a_variable_assigned_in_a_while_that_does_not_run() -> None:
    def f(x):
        while x < 5:
            x = x + 1
            last = x
        return last

    assert message(f, jnp.float32(9)) == (
        "UndefinedVariableError: 'last' was not assigned: the loop must run at least once.\n"
        "  test.py:4 in f\n"
        "      return last\n"
        "  Fix: assign 'last' before the loop."
    )
