"""NumPy's own arrays, which Python changes in place: in staged statements, and where an item becomes a traced value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import pytest

import autograph_lite as al
from autograph_lite import MutationError
from tests.arrays.aliasing import assert_same
from tests.properties.running import loaded

HELPERS = """
class Holder:
    def __init__(self, a):
        self.a = a

    def more(self):
        self.a += 1

    def item(self):
        self.a[0] += 1

def more(a):
    a += 1

def fill(a, x):
    a[0] = x
    return a
"""
# Of a traced number, which is 7 or not, and an array of NumPy's with three items.
GIVEN = {
    "a part is added to": "if x == 7: a[:2] += 1\nreturn a",
    "a part is added to, by the number": "if x == 7: a[:2] += x\nreturn a",
    "an item is added to": "if x == 7: a[0] += 1\nreturn a",
    "an attribute's part is added to": "h = Holder(a)\nif x == 7: h.a[:2] += 1\nreturn h.a",
    "an attribute's item, by a method": "h = Holder(a)\nif x == 7: h.item()\nreturn h.a",
    "an item of a part": "if x == 7: a[0:2][0] = 9\nreturn a",
    "all, by the number": "if x == 7: a += x\nreturn a",
    "in a staged loop": "i = 0\nwhile i < x:\n    a[:2] += 1\n    i += 1\nreturn a",
    "all, in a staged loop": "i = 0\nwhile i < x:\n    a += 1\n    i += 1\nreturn a",
    "an array that the branch makes": "if x == 7:\n    b = np.zeros(3)\n    b += 2\nelse:\n    b = a\nreturn b",
    "items get the number": "for k in range(3):\n    if x > k: a[k] += x\nreturn a",
    "a copy of a row": "m = np.zeros((2, 3))\nrow = m[0].copy()\nrow[0] = x\nreturn m, row",
    "what is not read later": "b = a\nb[0] = x\nreturn b",
    "what a function returns": "a = fill(a, x)\nreturn a",
}
REFUSED = {
    "a row that is stored": "m = np.zeros((2, 3))\nrow = m[0]\nrow[0] = x\nm[0] = row\nreturn m",
    "all is added to": "if x == 7: a += 1\nreturn a",
    "all, on both paths": "if x == 7: a += 1\nelse: a -= 1\nreturn a",
    "an attribute is added to": "h = Holder(a)\nif x == 7: h.a += 1\nreturn h.a",
    "an attribute of an attribute": "h = Holder(Holder(a))\nif x == 7: h.a.a += 1\nreturn h.a.a",
    "an item of a list": "l = [a]\nif x == 7: l[0] += 1\nreturn l",
    "by a part's name": "if x == 7:\n    b = a[:2]\n    b += 1\nreturn a",
    "by a function": "if x == 7: more(a)\nreturn a",
    "by a method": "h = Holder(a)\nif x == 7: h.more()\nreturn h.a",
    "by a function of NumPy's": "if x == 7: np.add(a, 1, out=a)\nreturn a",
    "an item, and another name": "b = a\nif x == 7: a[0] += 1\nreturn a, b",
    "an item gets the number, and another name": "b = a\nb[0] = x\nreturn a, b",
    "an item of a part gets the number": "b = a[:2]\nb[0] = x\nreturn a, b",
    "an item of a row gets the number": "m = a.reshape(3, 1)\nrow = m[0]\nif x == 7: row[0] = 9\nreturn m, row",
    "an array of a list gets the number": "l = [a]\nl[0][0] = x\nreturn a, l",
    "an array that an object has got": "h = Holder(a)\na[0] = x\nreturn h.a",
    "an item gets the number, by a function": "fill(a, x)\nreturn a",
    "an item gets the number, by a function that returns it": "b = fill(a, x)\nreturn a, b",
}


def outcome(lines: str, number: float, way: Callable[[Any], Any]) -> Any:
    source = HELPERS + "def main(x, a):\n" + "".join(f"    {line}\n" for line in lines.splitlines())
    with loaded(source, np=np) as namespace:
        main = way(namespace["main"])
        return jax.tree.map(np.float32, main(np.float32(number), np.array([5, 1, 0], np.float32)))


def traced(main: Any) -> Any:
    return lambda x, a: jax.jit(lambda x: al.to_graph(main)(x, a))(x)


@pytest.mark.parametrize("number", [3.5, 7])
@pytest.mark.parametrize("case", GIVEN)
def test_numpys_answer(case: str, number: float) -> None:
    assert_same(outcome(GIVEN[case], number, traced), outcome(GIVEN[case], number, lambda main: main))


@pytest.mark.parametrize("number", [3.5, 7])
@pytest.mark.parametrize("case", REFUSED)
def test_what_a_program_cannot_change_in_place_is_refused(case: str, number: float) -> None:
    outcome(REFUSED[case], number, lambda main: main)
    with pytest.raises(MutationError):
        outcome(REFUSED[case], number, traced)


@pytest.mark.parametrize("case", GIVEN | REFUSED)
def test_where_nothing_is_traced_they_are_changed_in_place(case: str) -> None:
    lines = (GIVEN | REFUSED)[case]
    assert_same(outcome(lines, 7, al.to_graph), outcome(lines, 7, lambda main: main))
