"""Loops in which only the first iteration, or none, is another: None before it, an array without items, a second way out."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al


def agree(f, *inputs):
    """Compares `f` of each of the inputs in all forms with plain Python."""
    for values in inputs:
        plain = f(*map(np.array, values))
        arrays = [jnp.asarray(value) for value in values]
        for run in (al.convert(f), jax.jit(al.to_graph(f)), al.to_graph(f)):
            jax.tree.map(np.testing.assert_allclose, run(*arrays), plain)


class Last:
    seen = None


def test_an_attribute_that_is_none_before_a_loop_with_a_break():
    def f(xs):
        last, total = Last(), 0.0
        for x in xs:
            if last.seen is not None:
                total += x - last.seen
            last.seen = x
            if total > 10:
                break
        return total, last.seen

    agree(f, (np.arange(3.0),), (np.arange(30.0),))


def test_an_attribute_that_is_none_before_a_loop_that_returns():
    def f(xs):
        last = Last()
        for i, x in enumerate(xs):
            if last.seen is not None and x < last.seen:
                return i, last.seen
            last.seen = x
        return -1, last.seen

    agree(f, (np.array([1.0, 2, 5, 3]),), (np.array([1.0, 2]),))


def test_a_dict_that_is_returned_from_a_loop_and_from_its_else():
    def f(items, *, bonus=10):
        found = {"a": 0}
        for item in items:
            if item == 3:
                found["a"] = 50
                break
            if item != 1:
                return found
            found["a"] += 1
        else:
            found["a"] += bonus
            return found
        return found

    agree(f, ([1, 1, 0, 1],), ([1, 1],), ([1, 3, 0],))


def of_no_items(x, y):
    i, total = 0, 0.0
    n = (y > 0).sum()
    while i < n:
        total += x[i]
        x[i] = x[i] + 1
        i += 1
    return total


def test_an_array_without_items_in_a_loop_that_does_not_run():
    agree(of_no_items, (np.zeros(0), np.zeros(2)), (np.zeros(3), np.ones(2)))
    with pytest.raises(IndexError, match="out of bounds for axis 0 with size 0"):
        al.convert(of_no_items)(jnp.zeros(0), jnp.ones(2))


def test_an_array_without_items_under_a_condition():
    def f(x, k):
        if k > 0:
            return x[k] + x[0]
        return x.sum()

    agree(f, (np.zeros(0), 0), (np.arange(3.0), 2))


def test_the_values_of_two_iterations_before():
    def names(xs):
        older = old = None
        total = 0.0
        for x in xs:
            if older is not None:
                total += x - older
            older, old = old, x
            if total > 5:
                break
        return total

    class Two:
        def __init__(self):
            self.older = self.old = None

        def push(self, x):
            step = 0.0 if self.older is None else x - self.older
            self.older, self.old = self.old, x
            return step

    def attributes(xs):
        two, total = Two(), 0.0
        for x in xs:
            total += two.push(x)
            if total > 5:
                break
        return total

    for f in (names, attributes):
        agree(f, (np.arange(9.0),), (np.arange(2.0),), (np.arange(1.0),), (np.zeros(0),))


def test_loops_over_parts_of_an_array_without_items():
    def f(xs, a):
        total = 0.0
        for x in xs[:0][:a]:
            total += x
        for i, x in enumerate(xs[:0][:a]):
            total += x * i
        for x, y in zip(xs[:0][:a], xs, strict=False):
            if x > 3:
                break
            total += x * y
        return total

    agree(f, (np.arange(3.0), 2), (np.zeros(0), 0))
