"""Do those who hold an array see what is written to it around the end of a block: managers, and what a `return` gives back?"""

from __future__ import annotations

import contextlib
from typing import Any

import jax
import numpy as np
import pytest

import autograph_lite
from autograph_lite import MutationError


class Restoring:
    def __init__(self, array: Any) -> None:
        self.array = array

    def __enter__(self) -> Any:
        self.saved = self.array.copy()
        return self

    def __exit__(self, *_: Any) -> None:
        if self.array.sum() > 5:
            self.array[:] = self.saved
        self.array[2] -= 0.5


@contextlib.contextmanager
def counting(array: Any) -> Any:
    array[0] += 1
    yield
    array[2] += array[1]


class Owner:
    def __init__(self) -> None:
        self.array, self.depth = np.zeros(3), 0

    def __enter__(self) -> Any:
        self.depth += 1
        return self

    def __exit__(self, *_: Any) -> None:
        self.array[2] += 1

    def add(self, x: Any) -> Any:
        with self:
            self.array[0] += x
            if x > 5:
                return self.array[0]
            self.array[1] += 1
        return self.array[1]


def by_a_class(x):
    a = np.zeros(3)
    with Restoring(a):
        a[1] = x
    return a


def by_a_generator(x):
    a = np.zeros(3)
    with counting(a):
        a[1] = x
    return a


def of_an_attribute(x):
    owner = Owner()
    with Restoring(owner.array):
        owner.array[0] += x
    return owner.array


def of_all(x):
    a = np.zeros(3)
    with Restoring(a):
        a += x
    return a


def of_a_row(x):
    a = np.zeros((3, 2))
    with Restoring(a):
        a[0][1] = x
        a[1] += 2
    return a


def of_an_argument(x):
    def put(b):
        b[1] = x

    a = np.ones(3)
    with counting(a), Restoring(a) as manager:
        put(a)
    return a, manager.saved


def in_a_loop(x):
    a, n = np.zeros(3), 0
    for k in range(3):
        with Restoring(a):
            a[0] += x + k
            n += 1
    return a, n


def of_what_manages_itself(x):
    owner, total = Owner(), 0
    for k in range(3):
        total += owner.add(x + k)
    return owner.array, total, owner.depth


def given_back_by_a_with(x):
    a = np.zeros(3)
    with counting(a):
        a[1] = x
        return a, a[1:]


def given_back_by_a_finally(x):
    a = np.zeros(3)
    try:
        a[1] = x
        return {"a": a}
    finally:
        a[0] -= 1
        a += 1


def copies_given_back(x):
    a, b = np.zeros(3), np.ones(3)
    try:
        if x > 0:
            return a.copy(), b[0]
    finally:
        a[0] -= 1
    return a, b[1]


RIGHT = [
    by_a_class, by_a_generator, of_an_attribute, of_all, of_a_row, of_an_argument, in_a_loop, of_what_manages_itself,
    given_back_by_a_with, given_back_by_a_finally, copies_given_back,
]  # fmt: skip


@pytest.mark.parametrize("x", [7, -1])
@pytest.mark.parametrize("function", RIGHT, ids=lambda function: function.__name__)
def test_what_is_written_is_seen(function, x) -> None:
    found, expected = autograph_lite.convert(function)(np.float32(x)), function(np.float32(x))
    jax.tree.map(lambda one, other: np.testing.assert_allclose(one, other), found, expected)


def chosen_by_a_test(x):
    a = np.zeros(3)
    try:
        if x > 0:
            return a
    finally:
        a[0] -= 1
    return a + 1


def chosen_in_a_loop(x):
    a = np.zeros(3)
    for k in range(3):
        with counting(a):
            if x > k:
                return a, k
    return a, 3


@pytest.mark.parametrize("function", [chosen_by_a_test, chosen_in_a_loop])
def test_what_may_be_given_back_is_not_written(function) -> None:
    with pytest.raises(MutationError, match="a `return` before that has evaluated"):
        autograph_lite.convert(function)(np.float32(2))


@pytest.mark.parametrize("function", [by_a_class, of_all])
def test_what_numpy_has_made_in_somebody_elses_program_is_refused(function) -> None:
    with pytest.raises(MutationError):
        jax.jit(autograph_lite.to_graph(function))(np.float32(2))
