"""What do errors say where two paths, or two iterations, leave a variable with different types?"""

from __future__ import annotations

import contextlib

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
        "  The loop is staged: one body is compiled for all iterations, so a variable has the same type in all of them.\n"
        "  Fix: start with a value of the type float32[], such as math.inf, in place of None, and a flag that says whether 'best' was set."
    )


def test_none_before_an_if_and_a_value_in_it() -> None:
    def f(xs):
        best = None
        for x in xs:
            if x > 2 and (best is None or x < best):
                best = x
        return best

    assert message(f, jnp.arange(4)) == (
        "BranchMismatchError: 'best' is int32[] on one path and None on another.\n"
        "  test.py:3 in f\n"
        "      if x > 2 and (best is None or x < best):\n"
        "  The condition depends on a traced value, so both paths are compiled, and their results must be of one type.\n"
        "  Fix: start with a value of the type int32[] in place of None, and a flag that says whether 'best' was set."
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


def test_different_return_values_of_which_one_leaves_a_loop() -> None:
    def f(x, n):
        with contextlib.nullcontext():
            if x > 0:
                for i in range(n):
                    return x, i
            else:
                return None
        return x, n

    assert message(f, jnp.float32(2), jnp.int32(3)) == (
        "BranchMismatchError: The return value is (float32[], int32[]) on one path and None on another.\n"
        "  test.py:2 in f\n"
        "      if x > 0:\n"
        "  The condition depends on a traced value, so both paths are compiled, and their results must be of one type.\n"
        "  Fix: give a value of the type (float32[], int32[]) in place of None, and beside it a flag that says whether there "
        "is one."
    )


def test_different_return_values_of_two_statements_in_a_loop() -> None:
    def f(x, n):
        for i in range(n):
            if i == 3:
                return None
            if i == 4:
                return x, i
        return x, n

    assert message(f, jnp.float32(2), jnp.int32(3)) == (
        "BranchMismatchError: The return value is None on one path and (float32[], int32[]) on another.\n"
        "  test.py:2 in f\n"
        "      if i == 3:\n"
        "  The condition depends on a traced value, so both paths are compiled, and their results must be of one type.\n"
        "  Fix: give a value of the type (float32[], int32[]) in place of None, and beside it a flag that says whether there "
        "is one."
    )


def test_different_strings_in_a_variable_that_a_function_inside_reads() -> None:
    def f(x):
        sign = "plus"

        def shown():
            return sign

        if x < 0:
            sign = "minus"
        return shown()

    assert message(f, jnp.float32(2)) == (
        "BranchMismatchError: 'sign' is str 'minus' on one path and str 'plus' on another.\n"
        "  test.py:6 in f\n"
        "      if x < 0:\n"
        "  The condition depends on a traced value, so both paths are compiled, and their results must be of one type.\n"
        "  Fix: use numbers in place of the strings, for example 0 and 1."
    )


def test_different_functions() -> None:
    def f(x):
        if x > 0:
            g = jnp.sin
        else:
            g = jnp.cos
        return g(x)

    assert message(f, jnp.float32(2)) == (
        "BranchMismatchError: 'g' is the function 'sin' on one path and the function 'cos' on another.\n"
        "  test.py:1 in f\n"
        "      if x > 0:\n"
        "  The condition depends on a traced value, so both paths are compiled, and their results must be of one type.\n"
        "  Fix: call the function on each path, and keep what it gives."
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
        "  Fix: use numbers in place of the strings, for example 0 and 1."
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


def test_two_objects_of_a_class() -> None:
    def f(x):
        point = Point(x)
        if x > 0:
            point = Point(-x)
        return point.x

    assert message(f, jnp.float32(2)) == (
        "BranchMismatchError: 'point' is a Point object on one path and a different Point object on another.\n"
        "  test.py:2 in f\n"
        "      if x > 0:\n"
        "  The condition depends on a traced value, so both paths are compiled, and their results must be of one type.\n"
        "  Fix: register Point as a pytree, for example with jax.tree_util.register_dataclass, "
        "or make one object before the statement, and set its attributes in it."
    )


def test_two_objects_of_a_class_in_a_conditional_expression() -> None:
    def f(x):
        low, high = Point(x), Point(x + 1)
        point = low if x > 0 else high
        return point.x

    assert message(f, jnp.float32(2)) == (
        "BranchMismatchError: The value of the expression is a Point object on one path "
        "and a different Point object on another.\n"
        "  test.py:2 in f\n"
        "      point = low if x > 0 else high\n"
        "  The condition depends on a traced value, so both paths are compiled, and their results must be of one type.\n"
        "  Fix: register Point as a pytree, for example with jax.tree_util.register_dataclass, "
        "or make one object before the statement, and set its attributes in it."
    )


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


def test_two_functions_of_one_name() -> None:
    def f(x):
        def times(k):
            return lambda v: v * k

        g = times(2)
        if x > 0:
            g = times(3)
        return g(x)

    name = "test_two_functions_of_one_name.<locals>.f.<locals>.times.<locals>.<lambda>"
    assert message(f, jnp.float32(2)) == (
        f"BranchMismatchError: 'g' is the function '{name}' on one path and a different function '{name}' on another.\n"
        "  test.py:5 in f\n"
        "      if x > 0:\n"
        "  The condition depends on a traced value, so both paths are compiled, and their results must be of one type.\n"
        "  Fix: call the function on each path, and keep what it gives."
    )


def test_a_tuple_that_grows_in_a_loop() -> None:
    def f(xs):
        found = ()
        for x in xs:
            found = found + (x,)
        return found

    assert message(f, jnp.ones(5)) == (
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


def test_a_tuple_of_other_items_in_a_loop() -> None:
    def f(n):
        pair = (1, (2, 3))
        while n > 0:
            pair = (pair[1], n)
            n = n - 1
        return pair

    assert message(f, jnp.int32(5)) == (
        "CarryMismatchError: 'pair' is (int32[], (int32[], int32[])) before an iteration of the loop "
        "and ((int32[], int32[]), int32[]) after it.\n"
        "  test.py:2 in f\n"
        "      while n > 0:\n"
        "  The loop is staged: one body is compiled for all iterations, so a variable has the same type in all of them.\n"
        "  Fix: start with 'pair' of the structure and shape that it has later."
    )
