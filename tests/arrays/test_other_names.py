"""A function writes to an array that its caller reads later, or that an object has: NumPy's answer, or an error that says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import autograph_lite as al
from autograph_lite import MutationError
from tests.arrays import aliasing
from tests.arrays.aliasing import WAYS

HELPERS = """
class Holder:
    def __init__(self, x):
        self.x = x

    def put(self, x):
        self.x = x

    def sift(self):
        sift(self.x, 0)

    def total(self):
        return self.x.sum()

    def __call__(self, a, i):
        a[i] = 7
        return a[0]

    def over(self, a):
        a[0] = 8

def sift(a, i):
    if a[i] < a[i + 1]:
        a[i], a[i + 1] = a[i + 1], a[i]
    return a[i]

def fill(a, n):
    for k in range(n):
        a[k] = k + 5
    return a.sum()

def outer(a):
    return sift(a, 0)

def first(a, in_place=True):
    if not in_place:
        a = a.copy()
    a[0] = 1
    return a

def of_a_new_one(a):
    a = a * 2
    a[0] = 1
    return a

def of_another_type(a):
    b = a.astype(np.float32)
    b[0] = 1
    return b

def of_a_part(m, n):
    row = m[0]
    for k in range(n):
        row[k] = 9
    return row.sum()

def of_a_part_that_is_stored(m):
    m = m * 1
    row = m[0]
    row[0] = 9
    return row.sum()

def of_two(a, *, n, b):
    b[0] = a[0] + n
    return b
"""
REFUSED = {
    "a call for its effect": "sift(x, 0)\nreturn x",
    "a call for its value": "s = sift(x, 0)\nreturn s + x",
    "by a keyword": "fill(n=2, a=x)\nreturn x",
    "one of two": "of_two(m[0], b=x, n=n)\nreturn x",
    "in a loop of the function": "fill(x, 2)\nreturn x",
    "in a staged loop of the function": "fill(x, n)\nreturn x",
    "by a function in between": "outer(x)\nreturn x",
    "in a staged loop around": "for k in range(n):\n    sift(x, 0)\nreturn x",
    "on a path": "if n > 0:\n    fill(x, 2)\nreturn x",
    "in a test": "if fill(x, 2) < 0:\n    return x\nreturn x * 0",
    "in the test of a loop": "while fill(x, 2) < 0:\n    pass\nreturn x",
    "in the statement that reads": "return first(x), x",
    "by a lambda": "f = lambda v: fill(v, 2)\nf(x)\nreturn x",
    "by a function in the function": "def go():\n    fill(x, 2)\ngo()\nreturn x",
    "by another name": "y = x\nfill(y, 2)\nreturn x",
    "one of two expressions": "fill(x if n > 0 else m[0], 2)\nreturn x",
    "an assignment expression": "fill(y := x, 2)\nreturn y",
    "a row": "fill(m[0], 2)\nreturn m",
    "the rows of a loop": "s = 0\nfor row in m:\n    s += fill(row, 2)\nreturn m, s",
    "a part": "s = of_a_part(m, 2)\nreturn s + m",
    "a part, in a staged loop": "for k in range(n):\n    of_a_part(m, n)\nreturn m",
    "a part that an expression takes": "s = fill(x[1:], 2)\nreturn s + x",
    "a part that an expression takes, of an attribute": "h = Holder(x)\ns = fill(h.x[1:], 2)\nreturn h.x, s",
    "a part that an expression takes, by a function in between": "s = outer(x[1:])\nreturn x, s",
    "a matrix of another shape": "s = fill(x.reshape(3, 1).T[0], 2)\nreturn x, s",
    "an array of a list": "rows = [x, x + 1]\nsift(rows[0], 0)\nreturn rows",
    "an array that a list has got": "rows = [x, x + 1]\nsift(x, 0)\nreturn rows",
    "by a method": "Holder(0).over(x)\nreturn x",
    "by a class's function": "Holder.over(Holder(0), x)\nreturn x",
    "by an object that is called": "h = Holder(0)\ns = h(x, 0)\nreturn s + x",
    "an array that an object has got": "h = Holder(x)\nx[0] = 9\nreturn h.x",
    "an array that an object has got, in a loop": "h = Holder(x)\nfor k in range(n):\n    x[k] = 9\nreturn h.total()",
    "an array that an object has got by a method": "h = Holder(x + 1)\nh.put(x)\nx[0] = 7\nreturn h.x",
    "an array that an object has got, by a function": "h = Holder(x)\nsift(x, 0)\nreturn h.x",
    "an attribute": "h = Holder(x)\nsift(h.x, 0)\nreturn h.x",
    "an attribute, by a method": "h = Holder(x)\nh.sift()\nreturn h.x",
    "a part takes the result by a name": "y = first(x[1:])\nx[1:] = y\nreturn x",
    "a row takes the result by a name": "for k in range(2):\n    row = m[k]\n    row = first(row)\n    m[k] = row\nreturn m",
}
GIVEN = {
    "the result is taken": "x = first(x)\nreturn x",
    "the result is taken by another name": "y = first(x)\nreturn y",
    "the result is taken in a loop": "for k in range(n):\n    x = first(x)\nreturn x",
    "nothing reads the array": "s = fill(x, 2)\nreturn s",
    "a copy is handed over": "s = fill(x.copy(), 2)\nreturn s + x",
    "a copy is written to": "y = first(x, False)\nreturn x, y",
    "a new array is written to": "return of_a_new_one(x), x",
    "an array of another type is written to, which is the same one in JAX": "return of_another_type(x), x",
    "an array of another type is handed over": "y = x.astype(np.float32)\nfill(y, 2)\nreturn x",
    "an array is handed over that is not written to": "of_two(x, b=m[0] + 1, n=n)\nreturn x",
    "an item of an attribute": "h = Holder(x)\nh.x[0] = 9\nreturn h.x",
    "an attribute is written back": "h = Holder(x)\nx = h.x\nx[0] = 4\nh.x = x\nreturn h.x",
    "an attribute takes the result": "h = Holder(x)\nh.x = first(h.x)\nreturn h.x",
    "an attribute takes the result later": "h = Holder(x)\ny = first(h.x)\nh.x = y\nreturn h.x",
    "a new object takes the result": "h = Holder(x)\nh = Holder(first(h.x))\nreturn h.x",
    "an object that had the array": "h = Holder(x)\ns = h.total()\nx[0] = 4\nreturn s, x",
    "an object has another array": "h = Holder(x)\nx = x + 1\nx[0] = 4\nreturn h.x, x",
    "an item of a list takes the result": "rows = [x, x + 1]\nrows[0] = first(rows[0])\nreturn rows[0]",
    "a part of a new array": "return of_a_part_that_is_stored(m), m",
    "a part of a copy": "s = of_a_part(m.copy(), 2)\nreturn s, m",
    "a part of what is not read": "return of_a_part(m, 2)",
    "a copy of a part": "s = fill(x[1:].copy(), 2)\nreturn s + x",
    "a part takes the result": "x[1:] = first(x[1:])\nreturn x",
    "a part of what is bound anew": "x = first(x[1:])\nreturn x",
    "a row takes the result": "m[0] = first(m[0])\nreturn m",
}


def outcome(lines: str, way: Callable[[Any], Any], xp: Any) -> Any:
    return aliasing.outcome(HELPERS, "def main(x, m, n):", lines, way, xp, 2)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", REFUSED)
def test_what_numpy_changes_for_others_is_refused(case: str, way: str) -> None:
    unknown = way == "jit" and case == "one of two expressions"  # by a number that is traced
    aliasing.assert_seen(outcome, REFUSED[case], WAYS[way], unknown=unknown)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", GIVEN)
def test_what_no_other_reads_is_as_in_numpy(case: str, way: str) -> None:
    aliasing.assert_numpys_answer(outcome, GIVEN[case], WAYS[way])


@pytest.mark.parametrize("case", REFUSED | GIVEN)
def test_numpys_own_arrays_are_changed_in_place(case: str) -> None:
    aliasing.assert_in_place(outcome, (REFUSED | GIVEN)[case])


def test_who_calls_a_converted_function_keeps_the_array() -> None:
    def first(a):
        a[0] = 7
        return a

    x = jnp.zeros(2)
    assert al.convert(first)(x).tolist() == [7, 0]
    assert al.to_graph(first)(x).tolist() == [7, 0]
    assert x.tolist() == [0, 0]


def test_a_refusal_leaves_the_function_as_it_was() -> None:
    def fill(a):
        a[0] = 7
        return a.sum()

    @al.to_graph
    def main(x, copies):
        for row in x:
            s = fill(x.copy() if copies else row)
        return s, x

    s, x = jax.jit(main, static_argnums=1)(jnp.zeros((2, 2)), False)
    assert (float(s), x.tolist()) == (7, [[7, 0], [7, 0]])
    with pytest.raises(MutationError):
        jax.vmap(lambda x: main(x, False))(jnp.zeros((1, 2, 2)))
    s, x = jax.jit(main, static_argnums=1)(jnp.zeros((1, 2)), True)
    assert (float(s), x.tolist()) == (14, [[0, 0]])


@pytest.mark.parametrize("way", WAYS)
def test_a_lambda_that_reads_what_it_hands_over(way: str) -> None:
    def fill(a):
        a[0] = 7
        return a.sum()

    if way != "nothing traced":
        assert WAYS[way](lambda x: (fill(x), x))(jnp.zeros(2))[1].tolist() == [7, 0]
    else:
        with pytest.raises(MutationError):
            WAYS[way](lambda x: (fill(x), x))(jnp.zeros(2))
    x, s = WAYS[way](lambda x: (x * 2, fill(x)))(jnp.zeros(2))
    assert (x.tolist(), float(s)) == ([0, 0], 7)


class Watched:
    def __init__(self, x):
        object.__setattr__(self, "x", x)

    def __getattribute__(self, name):
        raise AssertionError(f"{name} was asked for")


def test_objects_are_looked_at_without_their_own_methods() -> None:
    def f(x, watched):
        y = x + 0
        y[0] = 7
        return y, watched

    y, watched = al.to_graph(f)(jnp.zeros(2), Watched(jnp.zeros(2)))
    assert y.tolist() == [7, 0]
    assert type(watched) is Watched
