"""What is refused of a value that is one of several: what only Python can decide, and writes to what may be another object."""

from __future__ import annotations

import copy
import dataclasses
import enum
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from autograph_lite import (
    BranchMismatchError,
    CarryMismatchError,
    MutationError,
    PythonOnlyError,
    TracedIndexError,
)


class Circle:
    def __init__(self, r):
        self.r = r

    def __repr__(self):
        return "Circle"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


def member_of_a_traced_value(x):
    try:
        return Level(jnp.where(x > 0, 1, 2)) + 1
    except ValueError:
        return 0


def member_of_ints(x):
    level = jnp.where(x > 0, Level.LOW, Level.HIGH)
    return level is Level.LOW


def array_identity(x):
    best = x if x > 0 else None
    return best is x


def list_that_is_written(x):
    rows, spare = [x], [1.0]
    chosen = rows if x > 0 else None
    if chosen is not None:
        chosen[0] = 2.0
    return rows, spare


def list_that_was_chosen(x):
    rows = [x]
    chosen = rows if x > 0 else None
    rows[0] = 2.0
    return 0.0 if chosen is None else chosen[0]


def two_shapes(x):
    return None if x > 5 else x if x > 0 else jnp.ones(3)


def longer_in_a_loop(x):
    found = ()
    for _ in range(x.astype(int)):
        found = (*found, x) if x > 0 else found
    return found


def items_of_two_lengths(x):
    a, *rest = (x,) if x > 0 else (x, x)
    return a, rest


def new_key(x):
    found = {}
    found["a" if x > 0 else "b"] = x
    return found


def member_of_a_set(x):
    found = {"a" if x > 0 else "b"}
    return len(found)


def object_of_an_iteration(n):
    best = None
    for i in range(n):
        best = Circle(i)
    return 0 if best is None else best.r


def marks_of_each_iteration(n):
    seen, count = None, 0
    while count < n:
        mark = object()
        count = count + 2 if mark is seen else count + 1
        seen = mark
    return count


def texts_of_two_lengths(x):
    count = 0
    for _ in "abc" if x > 0 else "xy":
        count = count + 1
    return count


class Rows:
    def __init__(self, rows):
        self.rows = rows

    def __iter__(self):
        return iter(self.rows)

    def __repr__(self):
        return "Rows"

    def __deepcopy__(self, memo):
        return Rows(self.rows)


def items_of_objects(x):
    total = 0.0
    for v in Rows([x]) if x > 0 else Rows([x, 1.0]):
        total = total + v
    return total


def copied_by_its_own_method(x):
    return copy.deepcopy([Rows([x]) if x > 0 else None])[0] is None


def attribute_taken_away(x):
    a, b = Circle(x), Circle(2 * x)
    t = a if x > 0 else b
    del t.r
    return hasattr(a, "r")


def list_that_gets_longer(x):
    a, b = [x], [2 * x]
    t = a if x > 0 else b
    t += [3.0]
    return len(a), len(t)


def dict_that_gets_items(x):
    a, b = {"k": x}, {"k": 2 * x}
    t = a if x > 0 else b
    t |= {"k": 1.0}
    return a, t


def list_or_none_that_gets_longer(x):
    a = [x]
    t = a if x > 0 else None
    if t is not None:
        t += [3.0]
    return len(a)


def array_or_none_changed_in_place(x):
    a = np.arange(3.0) * x
    t = a if x > 0 else None
    if t is not None:
        t += 1.0
    return a, 0.0 if t is None else t.sum()


def shape_of_members(x):
    return jnp.zeros(Level.LOW if x > 0 else Level.HIGH)


def derivative_of_none(x):
    return jax.grad(lambda x: x * 2 if x > 0 else None)(x)


@pytest.mark.parametrize(
    ("function", "kind", "what"),
    [
        (
            marks_of_each_iteration,
            CarryMismatchError,
            "'seen' is None before an iteration of the loop and an object object after it.",
        ),
        (
            texts_of_two_lengths,
            PythonOnlyError,
            "The items are taken of a value that is one of 'abc', 'xy'.",
        ),
        (
            items_of_objects,
            PythonOnlyError,
            "The items are taken of a value that is one of several, Rows among them.",
        ),
        (
            copied_by_its_own_method,
            PythonOnlyError,
            "A value that is one of None, Rows is copied by `copy.deepcopy`, with a method of its own.",
        ),
        (
            attribute_taken_away,
            MutationError,
            "'t.r' exists on one path of a staged statement and not on another.",
        ),
        (
            list_that_gets_longer,
            MutationError,
            "A list is written to that is one object on one path of a staged statement and another on another path.",
        ),
        (
            dict_that_gets_items,
            MutationError,
            "A dict is written to that is one object on one path of a staged statement and another on another path.",
        ),
        (
            list_or_none_that_gets_longer,
            MutationError,
            "A list, 't', is written to that is one object on one path of a staged statement and another on another path.",
        ),
        (
            array_or_none_changed_in_place,
            MutationError,
            "An array, float32[3], is changed in place, which is one of several, and 'a', which is read later, is another.",
        ),
        (
            shape_of_members,
            PythonOnlyError,
            "NumPy asks for the items of a value that is one of <Level.LOW: 1>, <Level.HIGH: 2>.",
        ),
        (
            derivative_of_none,
            PythonOnlyError,
            "JAX is given a value that is one of None, float32[] where it takes an array.",
        ),
        (
            member_of_ints,
            PythonOnlyError,
            "'level is Level.LOW' asks whether a traced number is a member of an enum of ints.",
        ),
        (
            member_of_a_traced_value,
            PythonOnlyError,
            "A member of Level is looked up by a traced value, int32[].",
        ),
        (
            array_identity,
            PythonOnlyError,
            "'best is x' asks for the identity of float32[], which a traced value has chosen.",
        ),
        (
            list_that_is_written,
            MutationError,
            "A list, 'chosen', is written to that is one object on one path of a staged statement and another on another path.",
        ),
        (
            list_that_was_chosen,
            MutationError,
            "A list, 'rows', is written to that is one object on one path of a staged statement and another on another path.",
        ),
        (
            two_shapes,
            BranchMismatchError,
            "The value of the expression is float32[] on one path and float32[3] on another.",
        ),
        (
            longer_in_a_loop,
            CarryMismatchError,
            "'found' is () before an iteration of the loop and one of (float32[],), () after it.",
        ),
        (
            items_of_two_lengths,
            PythonOnlyError,
            "The items are taken of a value that is one of (float32[],), (float32[], float32[]).",
        ),
        (new_key, MutationError, "'found['a']' exists on one path of a staged statement and not on another."),
        (
            member_of_a_set,
            TracedIndexError,
            "A traced value, one of 'a', 'b', is a key of a dict or an item of a set.",
        ),
        (
            object_of_an_iteration,
            CarryMismatchError,
            "'best' is None before an iteration of the loop and a Circle object after it.",
        ),
    ],
)
def test_it_is_refused(function, kind, what) -> None:
    with pytest.raises(kind) as caught:
        autograph_lite.convert(function)(
            jnp.int32(3) if function in (object_of_an_iteration, marks_of_each_iteration) else jnp.float32(1)
        )
    assert caught.value.what == what


def test_more_than_sixteen_variants() -> None:
    def f(i):
        return [f"text {k}" for k in range(17)][i]

    with pytest.raises(TracedIndexError) as caught:
        autograph_lite.convert(f)(jnp.int32(1))
    assert (
        caught.value.what
        == "'[f\"text {k}\" for k in range(17)][i]' indexes a list with a traced value, int32[]."
    )


@dataclasses.dataclass
class Node:
    value: Any
    left: Any = None
    right: Any = None

    def insert(self, value):
        if value < self.value:
            if self.left is None:
                self.left = Node(value)
            else:
                self.left.insert(value)
        elif self.right is None:
            self.right = Node(value)
        else:
            self.right.insert(value)


def test_a_tree_that_gets_deeper_in_each_iteration():
    def build(xs):
        root = Node(xs[0])
        for x in xs[1:]:
            root.insert(x)
        return root.left is None

    with pytest.raises(CarryMismatchError) as raised:
        autograph_lite.convert(build)(jnp.arange(100))
    assert "is a structure before an iteration of the loop and one with more objects in it after it" in str(
        raised.value
    )
    assert "Fix: keep a list or tree that grows in arrays" in str(raised.value)


def chained_nodes(xs):
    head = None
    for x in xs:
        head = Leaf(x, head)
    return head.value


def chained_pairs(xs):
    head = None
    for x in xs:
        head = x, head
    return head[0]


class Leaf:
    def __init__(self, value, after):
        self.value, self.after = value, after


@pytest.mark.parametrize("build", [chained_nodes, chained_pairs])
def test_a_chain_that_gets_longer_in_each_iteration(build):
    with pytest.raises(CarryMismatchError) as raised:
        autograph_lite.convert(build)(jnp.arange(100))
    assert str(raised.value).startswith(
        "'head' is a structure before an iteration of the loop and one with more objects"
    )


@dataclasses.dataclass
class Account:
    balance: Any


def chosen_by_a_condition(x):
    one, other = Account(x), Account(2 * x)
    chosen = one if x > 0 else other
    chosen.balance = 7.0
    return one.balance, other.balance


def chosen_by_an_index(x):
    accounts = [Account(1.0), Account(x)]
    accounts[(x > 0).astype(int)].balance += 5
    return accounts[0].balance, accounts[1].balance


@pytest.mark.parametrize("function", [chosen_by_a_condition, chosen_by_an_index])
def test_a_dataclass_object_that_is_chosen_under_ones_own_jit_is_refused_with_what_works(function):
    with pytest.raises(MutationError) as raised:
        jax.jit(autograph_lite.to_graph(function))(jnp.float32(1))
    assert "Fix: call what `autograph_lite.convert` makes of the function" in str(raised.value)
    found = autograph_lite.convert(function)(jnp.float32(1))
    np.testing.assert_allclose(found, function(np.float32(1)))
