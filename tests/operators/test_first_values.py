"""Loops in which only the first iteration, or none, is another: None before it, an array without items, a second way out."""

from __future__ import annotations

import functools

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
            jax.tree.map(
                functools.partial(np.testing.assert_allclose, rtol=1e-5, atol=1e-6), run(*arrays), plain
            )


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


def total_from_the_first(rows):
    for i, row in enumerate(rows):
        if i == 0:
            total = np.zeros(2)
        total += row
    return total


def total_by_a_flag(rows):
    first = True
    for row in rows:
        if first:
            total = row * 0
            first = False
        total = total + row * row
    return total


def differences(rows):
    found = []
    for i, row in enumerate(rows):
        if i == 0:
            before = row
        found.append(row - before)
        before = row
    return np.array(found)


def peaks(rows):
    count = 0
    for i, row in enumerate(rows):
        if i == 0:
            least = row[0] * 1
        if row[0] < 0:
            break
        for j, value in enumerate(row):
            if j == 0:
                top = value * 1
            if value > top:
                top = value
            least = min(least, top)
        count += 1
    return count, least, top


@pytest.mark.parametrize("f", [total_from_the_first, total_by_a_flag, differences, peaks])
def test_what_the_first_iteration_alone_assigns(f):
    rows = np.random.default_rng(3).normal(size=(20, 2)) + 4
    agree(f, (rows,), (rows[:1],), (rows[:3],))


def test_gradients_of_what_the_first_iteration_alone_assigns():
    rows = jnp.arange(12.0).reshape(6, 2)
    f = al.to_graph(total_by_a_flag)
    np.testing.assert_allclose(jax.grad(lambda x: f(x).sum())(rows), 2 * rows)
    np.testing.assert_allclose(jax.vmap(f)(jnp.stack([rows, rows + 1]))[1], ((rows + 1) ** 2).sum(0))


def test_the_loop_behind_the_first_iteration_is_one_of_the_program():
    rows = jnp.ones((50, 2))
    jaxpr = jax.make_jaxpr(al.to_graph(total_by_a_flag))(rows)
    (scan,) = (eqn for eqn in jaxpr.eqns if eqn.primitive.name == "scan")
    assert scan.params["length"] == 49


def test_what_no_iteration_need_assign_is_missed():
    def f(rows):
        for row in rows:
            if row[0] > 2:
                last = row
            last = last + row
        return last

    with pytest.raises(al.errors.UndefinedVariableError, match="'last'"):
        al.convert(f)(jnp.ones((5, 2)))
