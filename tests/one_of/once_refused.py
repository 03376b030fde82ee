"""Programs that were refused before variables could be one of several."""

from __future__ import annotations

import contextlib

import jax.numpy as jnp
import numpy as np

from tests.one_of.agreement import program


class Point:
    def __init__(self, x):
        self.x = x

    def __repr__(self):
        return "Point"


class Model:
    pass


@program((2.0,), (20.0,))
def none_before_a_while(x):
    best = None
    while x < 10:
        best = x
        x = x + 1
    return best


@program((np.arange(4),), (np.arange(2),))
def none_before_an_if(xs):
    best = None
    for x in xs:
        if x > 2 and (best is None or x < best):
            best = x
    return best


@program((2.0,), (-2.0,))
def tuple_or_number(x):
    if x > 0:
        y = (x, x)
    else:
        y = x
    return y


@program((2.0, 3), (2.0, 0), (-2.0, 3))
def return_values_of_which_one_leaves_a_loop(x, n):
    with contextlib.nullcontext():
        if x > 0:
            for i in range(n):
                return x, i
        else:
            return None
    return x, n


@program((2.0, 2), (2.0, 4), (2.0, 9))
def return_values_of_two_statements_in_a_loop(x, n):
    for i in range(n):
        if i == 3 and x > 2:
            return None
        if i == 4:
            return x, i
    return x, n


@program((2.0,), (-2.0,))
def text_that_a_function_inside_reads(x):
    sign = "plus"

    def shown():
        return sign

    if x < 0:
        sign = "minus"
    return shown()


@program((2.0,), (-2.0,))
def functions_of_a_library(x):
    if x > 0:
        g = jnp.sin
    else:
        g = jnp.cos
    return g(x)


@program((2.0,), (-2.0,))
def texts_of_two_branches(x):
    if x > 0:
        sign = "plus"
    else:
        sign = "minus"
    return sign


@program((2.0,), (-2.0,))
def object_made_in_a_branch(x):
    point = Point(x)
    if x > 0:
        point = Point(-x)
    return point.x


@program((2.0,), (-2.0,))
def objects_in_an_expression(x):
    low, high = Point(x), Point(x + 1)
    point = low if x > 0 else high
    return point.x


@program((2.0,), (-2.0,))
def two_functions_of_one_name(x):
    def times(k):
        return lambda v: v * k

    g = times(2)
    if x > 0:
        g = times(3)
    return g(x)


@program((5,), (1,), (0,))
def tuple_of_other_items_in_a_loop(n):
    pair = (1, (2, 3))
    while n > 0:
        pair = (pair[1], n)
        n = n - 1
    return pair


@program((2.0,), (-2.0,))
def attribute_of_two_types(x):
    model = Model()
    model.value = 0
    if x > 0:
        model.value = (x, x)
    return model.value


@program((2.0,), (20.0,))
def attribute_that_is_none_before_a_loop(x):
    class Controller:
        def step(self, x):
            self.previous = x
            self.active = True

    controller = Controller()
    controller.previous, controller.active = None, False
    while x < 10:
        controller.step(x)
        x = x + 1
    return controller.previous, controller.active


@program((1,), (0,), (2,))
def key_that_is_a_number(i):
    names = {0: "zero", 1: "one"}
    return names[i]


@program((1,), (0,), (-1,), (2,))
def list_of_unlike_items(i):
    items = [1, "two"]
    return items[i]


@program((np.arange(3.0, dtype=np.float32), False), (np.arange(3.0, dtype=np.float32), True))
def attribute_where_the_loop_may_not_run(xs, stop):
    last = Model()
    last.seen = None
    for x in xs:
        if stop:
            break
        last.seen = x
    return last.seen
