"""What do errors say where two paths, or two iterations, leave a variable with different types?"""

from __future__ import annotations

import jax.numpy as jnp

from .messages import message


def test_an_array_that_grows_in_a_loop() -> None:
    def f(x, n):
        while x.sum() < n:
            x = jnp.concatenate([x, x])
        return x

    assert message(f, jnp.ones(3), jnp.float32(10)) == (
        "CarryMismatchError: 'x' is float32[3] before an iteration of the loop and float32[6] after it.\n"
        "  test.py:1 in f\n"
        "      while x.sum() < n:\n"
        "  The number of iterations depends on a traced value, so one body is compiled for all of them.\n"
        "  Fix: give 'x' its final shape before the loop, and write its items in the body."
    )


def test_a_number_that_becomes_an_array_in_a_loop() -> None:
    def f(v):
        total = 0.0
        while jnp.sum(total) < 10:
            total = total + v
        return total

    assert message(f, jnp.ones(3)) == (
        "CarryMismatchError: 'total' is float32[] before an iteration of the loop and float32[3] after it.\n"
        "  test.py:2 in f\n"
        "      while jnp.sum(total) < 10:\n"
        "  The number of iterations depends on a traced value, so one body is compiled for all of them.\n"
        "  Fix: start with 'total' of its final shape: jnp.zeros((3,), jnp.float32)."
    )


def test_a_dict_that_gets_a_key_in_a_loop() -> None:
    def f(x):
        state = {"a": x}
        while x < 10:
            state = {"a": x, "b": x}
            x = x + 1
        return state

    assert message(f, jnp.float32(2)) == (
        "CarryMismatchError: 'state' is {'a': float32[]} before an iteration of the loop and {'a': float32[], 'b': float32[]} after it.\n"
        "  test.py:2 in f\n"
        "      while x < 10:\n"
        "  The number of iterations depends on a traced value, so one body is compiled for all of them.\n"
        "  Fix: start with 'state' of the structure and shape that it has later."
    )


def test_none_before_a_while_and_an_array_inside() -> None:
    def f(x):
        best = None
        while x < 10:
            best = x
            x = x + 1
        return best

    assert message(f, jnp.float32(2)) == (
        "CarryMismatchError: 'best' is None before an iteration of the loop and float32[] after it.\n"
        "  test.py:2 in f\n"
        "      while x < 10:\n"
        "  The number of iterations depends on a traced value, so one body is compiled for all of them.\n"
        "  Fix: start with a value of the type float32[], and a flag that says whether 'best' was set."
    )


def test_a_tuple_on_one_path_and_an_array_on_the_other() -> None:
    def f(x):
        if x > 0:
            y = (x, x)
        else:
            y = x
        return y

    assert message(f, jnp.float32(2)) == (
        "BranchMismatchError: 'y' is (float32[], float32[]) on one path and float32[] on another.\n"
        "  test.py:1 in f\n"
        "      if x > 0:\n"
        "  The condition depends on a traced value, so both paths are compiled, and their results must be of one type.\n"
        "  Fix: give 'y' the same structure and shape on every path."
    )


def test_a_number_on_one_path_and_an_array_on_the_other() -> None:
    def f(x, v):
        y = 0.0
        if x > 0:
            y = v
        return y

    assert message(f, jnp.float32(2), jnp.ones(3)) == (
        "BranchMismatchError: 'y' is float32[3] on one path and float 0.0 on another.\n"
        "  test.py:2 in f\n"
        "      if x > 0:\n"
        "  The condition depends on a traced value, so both paths are compiled, and their results must be of one type.\n"
        "  Fix: give 'y' the same structure and shape on every path."
    )


def test_different_return_values() -> None:
    def f(x, v):
        if x > 0:
            return v
        return x

    assert message(f, jnp.float32(2), jnp.ones(3)) == (
        "BranchMismatchError: The return value is float32[3] on one path and float32[] on another.\n"
        "  test.py:1 in f\n"
        "      if x > 0:\n"
        "  The condition depends on a traced value, so both paths are compiled, and their results must be of one type.\n"
        "  Fix: give the return value the same structure and shape on every path."
    )


def test_different_strings() -> None:
    def f(x):
        if x > 0:
            sign = "plus"
        else:
            sign = "minus"
        return sign

    assert message(f, jnp.float32(2)) == (
        "BranchMismatchError: 'sign' is str 'plus' on one path and str 'minus' on another.\n"
        "  test.py:1 in f\n"
        "      if x > 0:\n"
        "  The condition depends on a traced value, so both paths are compiled, and their results must be of one type.\n"
        "  Fix: give 'sign' the same structure and shape on every path."
    )


def test_different_operands_of_a_conditional_expression() -> None:
    def f(x, v):
        return v if x > 0 else x

    assert message(f, jnp.float32(2), jnp.ones(3)) == (
        "BranchMismatchError: The value of the expression is float32[3] on one path and float32[] on another.\n"
        "  test.py:1 in f\n"
        "      return v if x > 0 else x\n"
        "  The condition depends on a traced value, so both paths are compiled, and their results must be of one type.\n"
        "  Fix: give the value of the expression the same structure and shape on every path."
    )


def test_different_operands_of_and() -> None:
    def f(x, v):
        return x and v

    assert message(f, jnp.float32(2), jnp.ones(3)) == (
        "BranchMismatchError: The value of the expression is float32[3] on one path and float32[] on another.\n"
        "  test.py:1 in f\n"
        "      return x and v\n"
        "  The condition depends on a traced value, so both paths are compiled, and their results must be of one type.\n"
        "  Fix: give the value of the expression the same structure and shape on every path."
    )
