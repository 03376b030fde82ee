"""A function writes to a part that it was handed, and the caller stores what it gives: there, elsewhere, before, or never."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import pytest

import autograph_lite as al
from autograph_lite.operators.aliasing import items_in_text
from tests.arrays import aliasing

HELPERS = """
class Holder:
    def __init__(self, x):
        self.x = x

def first(v):
    v[0] = v[1] + 7
    return v

def second_of(v, w):
    w[0] = 9
    return v + w

def slope(y, out):
    out[0] = 2 * y[0] + 50
    return out * 2

"""
# Of a vector, a matrix and a number, 2. The first are seen where nothing is traced, too.
ALWAYS_REFUSED = {
    "before the call": "m[0] = x\nx = x + slope(x, m[0])\nreturn m, x",
    "before the call, in a loop": "for t in range(n):\n    m[t] = x\n    x = x + slope(x, m[t])\nreturn m, x",
    "before the call, in a while": "t = 0\nwhile t < n:\n    m[t] = x\n    x = x + slope(x, m[t])\n    t += 1\nreturn m, x",
    "before the call, in a branch": "if n > 1:\n    m[0] = x\n    x = x + slope(x, m[0])\nreturn m, x",
    "before the call, in an object": "s = Holder(m)\ns.x[1] = x\nx = x + slope(x, s.x[1])\nreturn s.x, x",
    "a row before the call": "row = m[0]\nm[0] = row\nrow = first(row)\nreturn m, row",
    "elsewhere": "row = m[0]\nrow = first(row)\nm[1] = row\nreturn m, row",
    "elsewhere by the same name": "i = 0\nrow = first(m[i])\ni += 1\nm[i] = row\nreturn m, row",
    "elsewhere in the statement": "m[0] = first(m[1])\nreturn m",
    "elsewhere in an object": "s = Holder(m)\nrow = first(s.x[0])\ns.x[1] = row\nreturn s.x, row",
    "elsewhere in a list": "rows = [x, m[0]]\nrows[1] = first(rows[0])\nreturn rows",
    "in one of two places": "rows = [x, x]\nrows[1] = first(rows[0])\nreturn rows",
    "another argument": "row = second_of(m[0], m[1])\nm[0] = row\nreturn m, row",
    "on one path": "row = first(m[0])\nif n > 5:\n    m[0] = row\nreturn m, row",
    "after it is read": "row = first(m[0])\ns = m.sum()\nm[0] = row\nreturn m, row, s",
    "never": "row = m[0]\nrow = first(row)\nreturn m, row",
    "a row that another name has": "row = m[0]\nx = slope(x, m[0])\nreturn row, x",
    "an object writes to the array later": "s = Holder(x)\nx[0] = 5\ns.x[1] = 9\nreturn x",
    "added to another row": "m[0] *= first(m[1])\nreturn m",
    # in a statement of its own
    "there": "row = m[0]\nrow = first(row)\nm[0] = row\nreturn m, row",
    "there by the same name": "i = 0\nrow = first(m[i])\nm[i] = row\nreturn m, row",
    "there in a loop": "for k in range(n):\n    row = first(m[k])\n    m[k] = row\nreturn m",
    "there, and another value": "for k in range(n):\n    row = first(m[k])\n    m[k] = row * 2\nreturn m",
    "there by another number": "for k, j in zip(range(n), range(n)):\n    row = m[k]\n    row[0] = 9\n    m[k] = row\nreturn m",
    "there in a list by a name": "rows = [x, x * 2]\nfor k in range(2):\n    y = rows[k]\n    y[0] = 9\n    rows[k] = y\nreturn rows, y",
    "there in a dict": "rows = {'a': x}\nfor k, y in rows.items():\n    y[0] = 9\n    rows[k] = y\nreturn rows",
    "there in an object": "s = Holder(m)\nrow = first(s.x[0])\ns.x[0] = row\nreturn s.x, row",
    "there, one of two arguments": "row = second_of(m[0], m[1])\nm[1] = row\nreturn m, row",
    "in a list that has the whole, too": "rows = [m[0], m]\nrows[0] = first(rows[0])\nreturn rows",
    "by a name, too": "m[0] = row = first(m[0])\nrow[1] = 50\nreturn m, row",
}
REFUSED = ALWAYS_REFUSED | {
    "added to the item": "m[0] += first(m[0])\nreturn m",
    "there in a row of a row": "c = np.stack([m, m])\ni, j = 0, 1\nrow = first(c[i][j])\nc[i][j] = row\nreturn c, row",
    "elsewhere in a row of a row": "c = np.stack([m, m])\ni, j = 0, 1\nrow = first(c[i][j])\nc[j][i] = row\nreturn c, row",
    "added to an item of a row": "i = 0\nfor j in range(n):\n    m[i][j] += first(m[1])[0]\nreturn m",
    "an operand before": "s = m[0] + first(m[0])\nreturn s",
    "an item of a list before": "s = [m[0], first(m[0])]\nreturn s",
}
RIGHT = {
    "a copy": "row = m[0].copy()\nrow[0] = 9\nm[0] = row\nreturn m, row",
    "a copy is handed over": "row = first(m[0].copy())\nm[0] = row\nreturn m, row",
    "there in the statement": "m[0] = first(m[0])\nreturn m",
    "there in a slice": "m[0, 1:] = first(m[0, 1:])\nreturn m",
    "there in a loop": "for k in range(n):\n    m[k] = first(m[k])\nreturn m",
    "there, and another value": "for k in range(n):\n    m[k] = first(m[k]) * 2\nreturn m",
    "there in a row of a row": "c = np.stack([m, m])\ni, j = 0, 1\nc[i][j] = first(c[i][j])\nreturn c",
    "there in a matrix of a list": "rows = [m, m * 2]\nrows[1][0] = first(rows[1][0])\nreturn rows",
    "there in a dict": "rows = {'a': x}\nfor k in rows:\n    rows[k] = first(rows[k])\nreturn rows",
    "there in an object": "s = Holder(m)\ns.x[0] = first(s.x[0])\nreturn s.x",
    "of two arguments": "m[1] = second_of(m[0], m[1])\nreturn m",
    "there in a list": "rows = [x]\nrows[0] = first(rows[0])\nreturn rows",
    "another row has a name": "row = m[0]\nx = slope(x, m[1])\nreturn row, x",
    "an operand that is an item of a column": "s = m.T[1, 0] + first(m[0])\nreturn s",
    "an operand that is another row of a row": "c = np.stack([m, m])\ns = c[0][1] + first(c[1][1])\nreturn s",
    "an operand that is another row": "s = m[0] + first(m[1])\nreturn s",
}  # fmt: skip


def outcome(lines: str, way: Callable[[Any], Any], xp: Any) -> Any:
    return aliasing.outcome(HELPERS, "def main(x, m, n):", lines, way, xp, 2)


# A row is put in the array that it was taken of, which is another one then.
UNKNOWN = {"before the call, in an object"}


@pytest.mark.parametrize("case", REFUSED)
def test_the_caller_sees_what_is_written(case: str) -> None:
    aliasing.assert_seen(outcome, REFUSED[case], aliasing.traced, unknown=case in UNKNOWN)


CUBE = np.arange(12).reshape(2, 2, 3)


@pytest.mark.parametrize(
    ("index", "part", "apart"),
    [
        ("i][j", CUBE[0, 1], False),
        ("i][j", CUBE[1, 1], True),
        ("0, 1][1", CUBE[0, 1, 1:2], False),
        ("0, 1][1", CUBE[1], True),
        ("1:][i][j", CUBE[1, 1], False),
        ("i][][j", CUBE[1, 1], False),
        ("][][0", CUBE[1], False),
        ("?", CUBE[1], False),
        ("k][j", CUBE[1], False),
        ("np", CUBE[1], True),
        ("1 << -j", CUBE[0], False),
    ],
)
def test_an_item_of_an_item_lies_apart_where_its_whole_index_is_known(
    index: str, part: Any, apart: bool
) -> None:
    assert items_in_text.lie_apart("c", index, {"c": CUBE, "i": 0, "j": 1, "np": 0}, part) is apart


@pytest.mark.parametrize("lines", ALWAYS_REFUSED.values(), ids=ALWAYS_REFUSED)
def test_it_is_refused_where_nothing_is_traced(lines: str) -> None:
    aliasing.assert_refused(outcome, lines, aliasing.WAYS["nothing traced"])


def derived(main: Any) -> Any:
    """The program in a derivative by forward mode, with `n` as it is."""
    return lambda x, m, n: jax.jvp(lambda x, m: al.to_graph(main)(x, m, n), (x, m), (x, m))[0]


@pytest.mark.parametrize("way", [aliasing.traced, al.to_graph, derived])
@pytest.mark.parametrize("lines", RIGHT.values(), ids=RIGHT)
def test_what_is_stored_where_it_comes_from_is_as_in_numpy(lines: str, way: Callable[[Any], Any]) -> None:
    aliasing.assert_numpys_answer(outcome, lines, way)
