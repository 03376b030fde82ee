"""Is state found that no name in the function leads to: what methods close over, what their class and module hold?"""

from __future__ import annotations

import contextvars

import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al
from tests.operators import hidden
from tests.operators.agreement import agree

entered = [0.0]


class Gate:
    """Counts in a global list, by methods that Python calls."""

    def __enter__(self):
        entered[0] += 1
        return self

    def __exit__(self, *error):
        entered[0] += 10

    def __add__(self, other):
        entered[0] += 100
        return other


class Single:
    """One object, however often it is asked for."""

    known = None

    def __new__(cls):
        if cls.known is None:
            cls.known = object.__new__(cls)
            cls.known.count = 0.0
        return cls.known


def test_a_context_manager_that_counts_in_a_global_list():
    def f(x):
        entered[0] = 0.0
        gate = Gate()
        while x > 0:
            with gate:
                x = x - 1
        return entered[0], x

    agree(f, 3.0, -2.0)


def test_an_operator_that_counts_in_a_global_list():
    def f(x):
        entered[0] = 0.0
        gate = Gate()
        if x > 0:
            x = gate + x
        return entered[0], x

    agree(f, 3.0, -2.0)


def test_methods_of_a_local_class_that_write_to_a_variable_around_them():
    def f(x):
        log, count = [0.0], 0

        class Local:
            def step(self):
                log[0] += 1
                return 1.0

            @property
            def half(self):
                log[0] += 10
                return 0.5

            @staticmethod
            def nothing():
                log[0] += 100
                return 0.0

            def __neg__(self):
                nonlocal count
                count += 1
                return 0.0

        local = Local()
        while x > 0:
            x = x - local.step() + local.half + local.nothing() + -local
        return log[0], count, x

    agree(f, 3.0, -2.0)


def test_a_descriptor_and_a_metaclass_that_count():
    def f(x):
        log = [0.0, 0.0, 0.0]

        class Counted:
            def __get__(self, instance, owner=None):
                log[0] += 1
                return 1.0

            def __set__(self, instance, value):
                log[1] += value

        class Meta(type):
            def __call__(cls):
                log[2] += 1
                return super().__call__()

        class Local(metaclass=Meta):
            field = Counted()

        while x > 0:
            local = Local()
            x = x - local.field
            local.field = 2.0
        return log, x

    agree(f, 3.0, -2.0)


def test_a_class_that_hands_out_one_object():
    def f(x):
        Single.known = None
        Single()
        while x > 0:
            Single().count += 1
            x = x - 1
        count, Single.known = Single().count, None
        return count, x

    agree(f, 3.0, -2.0)


def test_a_list_in_a_context_variable():
    variable = contextvars.ContextVar("variable")

    def f(x):
        log = [0.0]
        token = variable.set(log)
        while x > 0:
            variable.get()[0] += 1
            x = x - 1
        variable.reset(token)
        return log[0], x

    agree(f, 3.0, -2.0)


@pytest.mark.parametrize("name", ["decorated", "with_a_default", "with_an_attribute"])
def test_a_function_of_another_module_that_counts_its_calls(name):
    function = getattr(hidden, name)

    def f(x):
        function.calls[0] = 0.0
        while x > 0:
            x = x - getattr(hidden, name)()
        return function.calls[0], x

    def by_import(x):
        function.calls[0] = 0.0
        if x > 0:
            from tests.operators import hidden as again

            x = x - getattr(again, name)()
        return function.calls[0], x

    agree(f, 3.0, -2.0)
    agree(by_import, 3.0, -2.0)


def test_a_local_function_with_a_list_as_an_attribute():
    def f(x):
        def step():
            step.calls[0] += 1
            return 1.0

        step.calls = [0.0]
        steps = [step]
        while x > 0:
            x = x - steps[0]()
        return step.calls[0], x

    agree(f, 3.0, -2.0)


class Window:
    def __init__(self):
        self.values, self.total = [1.0, 2.0], 0.0

    def push(self, x):
        if x > 0:
            self.values[0] = x
            self.total += x
        else:
            self.values = [self.values[1], self.total]
        return self.total


def test_a_list_that_one_path_changes_and_the_other_replaces():
    def f(x):
        window = Window()
        window.push(x)
        window.push(x - 2)
        return window.values, window.total

    agree(f, 3.0, 1.0, -2.0)


def test_it_stays_so_from_call_to_call():
    window, plain = Window(), Window()
    push = al.convert(window.push)
    for x in (3.0, -2.0, 1.0, -1.0, -4.0, 5.0):
        np.testing.assert_allclose(push(jnp.float32(x)), plain.push(x))
        np.testing.assert_allclose(window.values, plain.values)


def test_a_list_in_a_dict_in_a_list_that_one_path_replaces():
    def f(x):
        grid = [{"row": [1.0, 2.0]}]
        for i in range(3):
            if x > i:
                grid[0]["row"][1] += x
            elif x > -1:
                grid[0]["row"] = [x, grid[0]["row"][1]]
            else:
                grid[0] = {"row": [x * 2, grid[0]["row"][0]]}
        return grid

    agree(f, 3.0, 0.5, -2.0)


def test_an_object_that_one_path_changes_and_the_other_replaces():
    def f(x):
        window = Window()
        window.values = Window()
        if x > 0:
            window.values.total = x
        else:
            window.values = Window()
        return window.values.total

    agree(f, 1.0, -1.0)
