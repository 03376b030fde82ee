"""What do errors say where two paths, or two iterations, leave a variable with different types?"""

from __future__ import annotations

import jax
import jax.numpy as jnp

import autograph_lite

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
        "  The loop is staged: one body is compiled for all iterations, so a variable has the same type in all of them.\n"
        "  Fix: give 'x' its final shape before the loop, and write its items in the body."
    )


def test_an_array_of_another_shape_after_an_iteration() -> None:
    def f(v):
        total = jnp.float32(0)
        while jnp.sum(total) < 10:
            total = total + v
        return total

    assert message(f, jnp.ones(3)) == (
        "CarryMismatchError: 'total' is float32[] before an iteration of the loop and float32[3] after it.\n"
        "  test.py:2 in f\n"
        "      while jnp.sum(total) < 10:\n"
        "  The loop is staged: one body is compiled for all iterations, so a variable has the same type in all of them.\n"
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
        "  The loop is staged: one body is compiled for all iterations, so a variable has the same type in all of them.\n"
        "  Fix: start with 'state' of the structure and shape that it has later."
    )


def test_a_dict_whose_keys_come_in_another_order_each_time() -> None:
    def f(x, n):
        params = {"w": x, "b": x}
        for _ in range(n):
            params = {key: params[key] * 2 for key in reversed(list(params))}
        return params

    assert message(f, jnp.float32(1), jnp.int32(2)).endswith(
        "  Fix: make 'params' with its keys in one order in every iteration: {key: params[key] for key in sorted(params)}."
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
        "  test.py:3 in f\n"
        "      y = v\n"
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
        "  test.py:2 in f\n"
        "      return v\n"
        "  test.py:3 in f\n"
        "      return x\n"
        "  The condition depends on a traced value, so both paths are compiled, and their results must be of one type.\n"
        "  Fix: give the return value the same structure and shape on every path."
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


class Point:
    def __init__(self, x):
        self.x = x

    def __setattr__(self, name, value):  # which an object that is made of its values would not run
        object.__setattr__(self, name, value)


def test_a_new_object_in_each_iteration() -> None:
    def f(x):
        point = Point(x)
        while point.x < 10:
            point = Point(point.x * 2)
        return point.x

    assert message(f, jnp.float32(2)) == (
        "CarryMismatchError: 'point' is a Point object before an iteration of the loop "
        "and a different Point object after it.\n"
        "  test.py:2 in f\n"
        "      while point.x < 10:\n"
        "  The loop is staged: one body is compiled for all iterations, so a variable has the same type in all of them.\n"
        "  Fix: register Point as a pytree, for example with jax.tree_util.register_dataclass, "
        "or make one object before the loop, and set its attributes in it."
    )


def test_the_remedies_for_two_objects_help() -> None:
    class Registered(Point):
        pass

    jax.tree_util.register_dataclass(Registered, data_fields=["x"], meta_fields=[])

    def registered(x):
        point = Registered(x)
        while point.x < 10:
            point = Registered(point.x * 2)
        return point.x

    def one_object(x):
        point = Point(x)
        while point.x < 10:
            point.x = point.x * 2
        return point.x

    assert autograph_lite.convert(registered)(jnp.float32(3)) == 12
    assert autograph_lite.convert(one_object)(jnp.float32(3)) == 12


def test_a_tuple_that_grows_in_a_loop() -> None:
    def f(xs):
        found = ()
        for x in xs:
            found = found + (x,)
        return found

    assert message(f, jnp.ones(100)) == (
        "CarryMismatchError: 'found' is (float32[],) before an iteration of the loop and (float32[], float32[]) after it.\n"
        "  test.py:2 in f\n"
        "      for x in xs:\n"
        "  The loop is staged: one body is compiled for all iterations, so a variable has the same type in all of them.\n"
        "  Fix: 'found' may not get longer: append to a list, in a loop with a known bound, "
        "or write to the items of an array that has the final length from the start."
    )


def test_a_tuple_that_gets_shorter_in_a_loop() -> None:
    def f(n):
        left = ((1, 2), 3)
        while n > 0:
            left = left[1:]
            n = n - 1
        return left

    assert message(f, jnp.int32(5)) == (
        "CarryMismatchError: 'left' is ((int32[], int32[]), int32[]) before an iteration of the loop "
        "and (int32[],) after it.\n"
        "  test.py:2 in f\n"
        "      while n > 0:\n"
        "  The loop is staged: one body is compiled for all iterations, so a variable has the same type in all of them.\n"
        "  Fix: 'left' may not get shorter: keep its items in an array, and count how many are left."
    )
