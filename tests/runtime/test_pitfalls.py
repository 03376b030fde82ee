"""What becomes of the mistakes that the guides to tf.function warn of? Each is right here, or an error at the user's line."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest

import autograph_lite
from autograph_lite import Variable
from tests.errors.messages import message

FOUND = None
COUNTER = 0


def test_what_python_does_happens_while_tracing(capsys: pytest.CaptureFixture[str]) -> None:
    external_list = []

    @autograph_lite.convert
    def side_effect(x):
        print("Python side effect")
        external_list.append(x)

    for _ in range(3):
        side_effect(1)
    assert external_list == [1]
    assert capsys.readouterr().out == "Python side effect\n"


def test_a_traced_value_appended_to_an_outer_list_is_appended_at_each_call_as_an_array() -> None:
    external_list: list[jax.Array] = []

    @autograph_lite.convert
    def leaky(x):
        external_list.append(x + 1)
        return x

    for k in range(3):
        leaky(jnp.float32(k))
    assert [float(value) for value in external_list] == [1, 2, 3]


def test_a_list_that_grows_in_a_loop_grows_at_each_execution() -> None:
    @autograph_lite.convert
    def f(xs):
        found = []
        for x in xs:
            if x > 0:
                found.append(x)
        return found

    assert [float(x) for x in f(jnp.array([1.0, -1.0, 2.0]))] == [1, 2]
    assert [float(x) for x in f(jnp.array([-1.0, -1.0, 3.0]))] == [3]


def test_a_traced_value_stored_in_an_object_and_in_a_global_comes_out_as_an_array() -> None:
    class MyClass:
        field = None

    external_object = MyClass()

    @autograph_lite.convert
    def leaky(a):
        global FOUND
        FOUND = a + 1
        external_object.field = 2 * a
        return a + 2

    for a in (1.0, 4.0):
        assert leaky(jnp.float32(a)) == a + 2
        assert FOUND is not None
        assert float(FOUND) == a + 1
        assert float(external_object.field) == 2 * a


def test_a_value_left_in_a_global_is_an_input_of_another_function() -> None:
    @autograph_lite.convert
    def leaky(a):
        global FOUND
        FOUND = a + 1
        return FOUND

    @autograph_lite.convert
    def uses(b):
        return b + FOUND

    leaky(jnp.float32(1))
    assert uses(jnp.float32(2)) == 4


def test_a_traced_value_hidden_in_a_new_object_is_an_error() -> None:
    class Holder:
        def __init__(self, value):
            self.value = value

    def leaky(a):
        return Holder(a + 1)

    assert message(leaky, jnp.float32(1)).startswith(
        "MutationError: The result holds a traced value inside a Holder object.\n"
    )


def test_a_python_counter_counts_traces() -> None:
    @autograph_lite.convert
    def count(x):
        global COUNTER
        COUNTER += 1
        return x

    for _ in range(3):
        count(jnp.float32(1))
    assert COUNTER == 1
    count(jnp.ones(2))
    assert COUNTER == 2


def test_a_python_counter_guards_an_update() -> None:
    class Model:
        def __init__(self):
            self.v = Variable(0)
            self.counter = 0

        @autograph_lite.convert
        def __call__(self):
            if self.counter == 0:
                self.counter += 1
                self.v.assign_add(1)
            return self.v.value

    m = Model()
    assert [int(m()) for _ in range(3)] == [1, 1, 1]


def test_init_scope_lifts_the_guarded_update_out_of_the_program() -> None:
    class Model:
        def __init__(self):
            self.v = Variable(0)
            self.counter = 0

        @autograph_lite.convert
        def __call__(self):
            if self.counter == 0:
                with autograph_lite.init_scope():
                    self.counter += 1
                    self.v.assign_add(1)
            return self.v.value

    m = Model()
    assert [int(m()) for _ in range(3)] == [1, 1, 1]


def test_recursion_that_a_traced_value_ends_is_a_loop_where_the_call_comes_last() -> None:
    @autograph_lite.convert
    def recursive_fn(n):
        if n > 0:
            return recursive_fn(n - 1)
        return 1

    assert recursive_fn(jnp.int32(5)) == 1


def test_other_recursion_that_a_traced_value_ends_runs_on_a_stack() -> None:
    @autograph_lite.convert
    def recursive_fn(n):
        if n > 0:
            return 1 + recursive_fn(n - 1)
        return 1

    assert recursive_fn(jnp.int32(5)) == 6


def test_recursion_that_changes_objects_is_an_error() -> None:
    seen = []

    def recursive_fn(n):
        seen.append(n)
        if n > 0:
            return 1 + recursive_fn(n - 1)
        return 1

    assert message(recursive_fn, jnp.int32(5)) == (
        "TracedRecursionError: 'recursive_fn' calls itself on traced values: recursive_fn -> recursive_fn.\n"
        "  test.py:3 in recursive_fn\n"
        "      return 1 + recursive_fn(n - 1)\n"
        "  Whether the recursion ends depends on a traced value, so tracing it would never end, and no stack is made for it: a call "
        'changes "a list\'s item 1".\n'
        "  Fix: write it as a loop, or recurse on a Python value."
    )


def test_recursion_on_a_python_value_ends() -> None:
    traced = []

    @autograph_lite.convert
    def recursive_fn(n):
        if n > 0:
            traced.append(n)
            return recursive_fn(n - 1)
        return 1

    assert recursive_fn(5) == 1
    assert traced == [5, 4, 3, 2, 1]


def test_a_python_variable_from_outside_is_read_at_each_call() -> None:
    foo = 1

    @autograph_lite.convert
    def buggy_add(x):
        return x + foo

    @autograph_lite.convert
    def recommended_add(x, foo):
        return x + foo

    x = jnp.int32(1)
    assert (buggy_add(x), recommended_add(x, foo)) == (2, 2)
    foo = 100
    assert (buggy_add(x), recommended_add(x, foo)) == (101, 101)


def test_a_variable_from_outside_is_read_at_each_execution() -> None:
    foo = Variable(1)
    variable_add = autograph_lite.convert(lambda: 1 + foo.value)
    assert variable_add() == 2
    foo.assign(100)
    assert variable_add() == 101


def test_attributes_that_are_variables_are_read_at_each_execution() -> None:
    class BetterModel:
        def __init__(self):
            self.bias = Variable(0.0)
            self.weight = Variable(2.0)

    @autograph_lite.convert
    def evaluate(model, x):
        return model.weight * x + model.bias

    model = BetterModel()
    assert evaluate(model, jnp.float32(10)) == 20
    model.bias.assign_add(5.0)
    assert evaluate(model, jnp.float32(10)) == 25


def test_a_list_among_the_arguments_is_changed_as_in_python() -> None:
    @autograph_lite.convert
    def f(xs):
        xs.append(xs[0] + 1)
        return xs[-1]

    xs = [jnp.float32(2)]
    assert f(xs) == 3
    assert xs == [2, 3]


def test_a_variable_that_each_call_creates_is_an_error() -> None:
    def f(x):
        v = Variable(1.0)
        return v + x

    assert message(f, jnp.float32(1)).startswith(
        "VariableError: A Variable is created on a call that is not the first.\n"
        "  test.py:1 in f\n"
        "      v = Variable(1.0)\n"
    )


def test_a_variable_that_is_created_once_and_kept() -> None:
    class Count:
        def __init__(self):
            self.count = None

        @autograph_lite.convert
        def __call__(self):
            if self.count is None:
                self.count = Variable(0)
            return self.count.assign_add(1).value

    c = Count()
    assert [int(c()) for _ in range(3)] == [1, 2, 3]


def test_a_variable_created_in_a_loop_is_an_error() -> None:
    def python_loop(x):
        for _ in range(3):
            x = x + Variable(1.0)
        return x

    def staged_loop(n):
        total = 0.0
        for _ in range(n):
            total = total + Variable(1.0)
        return total

    for f in (python_loop, staged_loop):
        with pytest.raises(autograph_lite.VariableError):
            autograph_lite.convert(f)(jnp.int32(3))


def test_a_loop_that_starts_with_a_variable_says_to_start_with_its_value() -> None:
    v = Variable(1.0)

    def f(n):
        x = v
        for _ in range(n):
            x = x * 2
        return x

    assert message(f, jnp.int32(3)) == (
        "CarryMismatchError: 'x' is a Variable object before an iteration of the loop and float32[] after it.\n"
        "  test.py:2 in f\n"
        "      for _ in range(n):\n"
        "  The loop is staged: one body is compiled for all iterations, so a variable has the same type in all of them.\n"
        "  Fix: start with the Variable's value, which is an array: x = x.value before the loop."
    )
