"""`xs += ys` changes a list, a deque, a set itself: is that undone and carried, whoever else has the object?"""

from __future__ import annotations

import array
import collections
import types

import numpy as np
import pytest

import autograph_lite as al
from autograph_lite import AutographError
from tests.operators.agreement import agree

shared = [1.0]


def lengthen(items, v):
    items += [v]


def twice(items):
    items *= 2


def a_function_augments_its_parameter(x):
    items = [1.0]
    if x > 0:
        lengthen(items, x)
    return sum(items)


def a_method_augments_its_parameter(x):
    class Own:
        def lengthen(self, items):
            items += [2.0]

        def __call__(self, items):
            items += [3.0]

    items = [1.0]
    if x > 0:
        Own().lengthen(items)
        Own()(items)
    return sum(items)


def a_function_augments_a_variable_around_it(x):
    items = [1.0]

    def add():
        nonlocal items
        items += [x]

    if x > 0:
        add()
    return sum(items)


def a_function_augments_a_global(x):
    global shared
    shared = [1.0]
    known = shared
    if x > 0:
        shared += [x]
    return sum(shared), sum(known)


def an_attribute(x):
    owner = types.SimpleNamespace(items=[1.0])
    known = owner.items
    if x > 0:
        owner.items += [x]
    return sum(owner.items), sum(known)


def an_attribute_by_a_method_that_python_calls(x):
    class Own:
        def __init__(self):
            self.items = [1.0]

        def __add__(self, other):
            self.items += [other]
            return other

        def __enter__(self):
            self.items += [x]

        def __exit__(self, *error):
            self.items *= 2

    owner = Own()
    if x > 0:
        with owner:
            x = owner + x
    return sum(owner.items)


def items_that_a_loop_walks_over(x):
    rows = [[1.0], [2.0]]
    if x > 0:
        for row in rows:
            row += [x]
    return [sum(row) for row in rows]


def items_that_map_walks_over(x):
    rows = [[1.0], [2.0]]
    if x > 0:
        list(map(twice, rows))
    return [sum(row) for row in rows]


def what_a_function_gives(x):
    items = [1.0]

    def own():
        return items

    if x > 0:
        found = own()
        found += [x]
    return sum(items)


def a_deque(x):
    items = collections.deque([1.0, 2.0])
    known = items
    if x > 0:
        items.rotate()
        items[0] *= x
    return list(items), list(known)


def a_dict(x):
    table = {"a": 1.0}
    known = table
    if x > 0:
        table |= {"a": x}
    return table["a"], known["a"]


def a_dict_of_a_library(x):
    table = collections.ChainMap({"a": 1.0})
    if x > 0:
        table |= {"a": x}
    return table["a"]


def a_loop_that_ends_by_the_data(x):
    owner = types.SimpleNamespace(items=[0.0])
    for i in range(4):
        x -= 1
        if x < i:
            owner.items += [x]
            break
    return sum(owner.items)


RIGHT = [
    a_function_augments_its_parameter, a_method_augments_its_parameter, a_function_augments_a_variable_around_it,
    a_function_augments_a_global, an_attribute, an_attribute_by_a_method_that_python_calls, items_that_a_loop_walks_over,
    items_that_map_walks_over, what_a_function_gives, a_deque, a_dict, a_dict_of_a_library, a_loop_that_ends_by_the_data,
]  # fmt: skip


@pytest.mark.parametrize("f", RIGHT, ids=[f.__name__ for f in RIGHT])
def test_a_change_on_one_path_is_that_paths_alone(f):
    agree(f, 3.0, -2.0)


def a_longer_deque(items):
    items += [2.0]


REFUSED = {
    "deque": collections.deque([1.0]),
    "set": {1},
    "bytes": bytearray(b"a"),
    "array": array.array("d", [1.0]),
    "list of a library": collections.UserList([1.0]),
}
MORE = {
    "deque": [2.0],
    "set": {2},
    "bytes": b"b",
    "array": array.array("d", [2.0]),
    "list of a library": [2.0],
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_change_that_no_program_can_carry_is_refused_and_undone(name):
    first, more = REFUSED[name], MORE[name]

    def augment(items):
        if name == "set":
            items |= more
        else:
            items += more

    def f(x):
        items = first
        if x > 0:
            augment(items)
        return len(items)

    before = len(first)
    for run in (al.convert(f), al.convert(f)):
        with pytest.raises(AutographError):
            run(np.float32(-1))
    assert len(first) == before


@pytest.mark.parametrize("first", [np.zeros(2), [np.zeros(2)]], ids=["numpy", "numpy in a list"])
def test_arrays_of_numpys_are_changed_at_each_call(first):
    def augment(items):
        items += 1

    def f(x):
        items = first[0] if type(first) is list else first
        if x > 0:
            augment(items)
        return items * 2

    run, found = al.convert(f), []
    for x in (-1, 1, 2):
        run(np.float32(x))
        found.append(float(first[0][0] if type(first) is list else first[0]))
    assert found == [0, 1, 2]


def a_method_that_adds_a_number_and_is_called(x):
    class Own:
        def __init__(self):
            self.count = 0.0
            self.a = [1.0]

        def more(self):
            self.count += 1
            return self

        def __next__(self):
            self.count += 1
            if self.count > 3:
                raise StopIteration
            return self.count

        def __iter__(self):
            return self

    owner, other = Own(), Own()
    if x > 0:
        owner.more().more()
    for k in other:
        if x > k:
            x = x - k
    return owner.count, other.count, x


def test_methods_that_add_numbers_are_called_and_iterated():
    agree(a_method_that_adds_a_number_and_is_called, 3.0, -2.0)
