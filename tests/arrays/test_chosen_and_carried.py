"""Arrays that a traced index or condition chooses, or that tuples carry through a loop, are written: NumPy's answer, or refused."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest

import autograph_lite as al
from autograph_lite import MutationError
from tests.arrays.aliasing import assert_close
from tests.properties.running import loaded

HELPERS = """
import collections

Pair = collections.namedtuple("Pair", "a b")

class Buffer:
    def __init__(self):
        self.rows = [np.zeros(3) for _ in range(3)]
        self.first = self.rows[0]

    def add(self, k, v):
        self.rows[k] += v

    def put(self, k, j, v):
        self.rows[k][j] = v

def add(a, v):
    a[:] += v

def more(a):
    a += 1
    return a

"""
# Of a vector and a matrix of NumPy's.
GIVEN = {
    "all of an argument": "x[:] += x[1]\nreturn x",
    "all of another name": "y = x\ny[...] += m[0, 1]\nreturn x, y",
    "all of what an attribute holds": "p = Pair(x, m)\np.a[:] *= 2\np.b[:, :] -= x[0]\nreturn x, m",
    "all of an argument of a function": "add(x, x[2])\nadd(m[0], x[2])\nreturn x, m",
    "all of it in a branch": "if x[0] > 0: x[:] += 1\nelse: x[:] -= 1\nreturn x",
    "all of it is assigned as it was before": "y = x\nq = y[:]\ny += 1\ny[:] = q\nreturn x",
    "all of it between bounds": "x[0:] += 1\nx[0:6] += 1\nx[-6:] *= 2\nreturn x",
    "a row that a traced index chooses": "rows = [m[0], m[1]]\nrows[int(x[3])] *= 2\nreturn m",
    "an item of it": "rows = [r for r in m]\nrows[int(x[3])][0] += 2\nreturn m",
    "a part of it": "rows = [m[0], m[0]]\nrows[int(x[3])][1:] = 2\nreturn rows, m",
    "rows in a loop": "rows = [m[0], m[1]]\nfor v in x: rows[int(v > 0)] += v\nreturn rows, m",
    "arrays of several shapes": "rows = [x, m]\nrows[int(x[3])] += 2\nreturn x, m",
    "a part of what a branch has written": "a = x.copy()\nif x[0] > 2: a[:2] = 7\na[1:] /= a[0]\nv = a[2:]\nv += 1\nreturn a, v",
    "a part of what a branch of a loop has written": (
        "a = m.copy()\nfor k in range(2):\n    p = k + np.argmax(np.abs(a[k:, k]))\n    if p != k: a[[k, p]] = a[[p, k]]\n"
        "    a[k + 1:, k] /= a[k, k]\n    a[k + 1:, k + 1:] -= np.outer(a[k + 1:, k], a[k, k + 1:])\nreturn a"
    ),
    "an array that has another name": "rows = [np.zeros(2), np.zeros(2)]\na, b = rows\nrows[int(x[3])] += 2\nreturn rows, a, b",
    "an item of such an array": "rows = [np.zeros(2), np.zeros(2)]\nb = rows[1]\nrows[int(x[3])][0] = 2\nreturn rows, b",
    "an array that stands twice in the list": "a = np.zeros(2)\nrows = [a, a]\nrows[int(x[3])] += 2\nreturn rows, a",
    "a copy of the list": (
        "rows = [np.zeros(2), np.zeros(2)]\nothers = rows[:]\nfor v in x: rows[int(v > 0)][int(v > 3)] -= v\nreturn others"
    ),
    "a list in a list": (
        "grid = [[np.zeros(2) for _ in range(2)] for _ in range(2)]\ncell = grid[1][0]\n"
        "for v in x: grid[int(v > 0)][int(v > 3)] += v\nreturn grid, cell"
    ),
    "a list of an object's": (
        "b = Buffer()\nfor v in x:\n    k = int(abs(v)) % 3\n    b.add(k, v)\n    b.put(k, 1, 2.5)\nreturn b.rows, b.first"
    ),
    "an index beyond the end": (
        "rows = [m[0], m[1]]\ntry: rows[int(x[5])] += 1\nexcept IndexError: m[2] = 0\nreturn m"
    ),
    "an item that is replaced": "rows = [m[0], m[1]]\nrows[int(x[3])] = rows[0] * 2\nreturn rows, m",
    "a tuple in a loop": "rows = m[0], m[1]\nfor v in x: rows[0][1] -= v\nreturn m",
    "a tuple and a traced index": "rows = m[0], m[1]\nfor v in x: rows[int(v > 0)][int(v > 3)] -= v\nreturn m",
    "a tuple in a branch of a loop": "rows = x, m[1]\nfor v in m[0].copy():\n    if v > 1: rows[1][:] += v\nreturn rows, m",
    "a tuple that is made again": "state = np.zeros(2), 0.0\nz = state[0]\n"
    "for v in x:\n    state[0][0] += v\n    state = state[0], state[1] + v\nreturn state, z",
    "a tuple of new arrays": "state = np.zeros(2), 0.0\nz = state[0]\nfor v in x:\n    state = state[0] + v, state[1] + v\n"
    "    state[0][0] = 5\nreturn state, z",
    "a tuple of one array twice": "p = x, x\nfor v in m[0]:\n    p[0][0] += v\n    p[1][0] *= 2\nreturn p",
    "a named tuple": "p = Pair(m[0], m[1])\nfor v in x:\n    p.a[0] += v\n    if v > 0: p.b[:] = p.a\nreturn m",
    "a tuple in a tuple": "p = m, (x, 1.0)\nfor i in range(3):\n    for j in range(2):\n        p[1][0][j] += m[i, j]\n"
    "        p = p[0], (p[1][0], p[1][1] * 2)\nreturn p, x",
    "a tuple in a while": "p = m[0], 0\nwhile p[1] < 3:\n    p[0][p[1]] = 9\n    p = m[p[1]], p[1] + 1\nreturn p, m",
    "one of two that nobody reads later": "a, b = np.zeros(2), np.ones(2)\nc = a if x[0] > 2 else b\nc += 1\nreturn c",
    "one of two that are computed": "a, b = x * 2, x * 3\nif x[0] > 2: c = a\nelse: c = b\nc *= 2\na = c - 1\nreturn a, c",
    "one of two, by a function": "a, b = np.zeros(2), np.ones(2)\nreturn more(a if x[0] > 2 else b)",
    "one of two in a loop": "t = 0.0\nfor v in x:\n    a, b = np.zeros(2), np.ones(2)\n    c = a if v > 0 else b\n    c += v\n"
    "    t += c.sum()\nreturn t",
    "an array that a loop makes again": "a = np.zeros(2)\nb = a.copy()\nfor v in x:\n    if v > 3: a = np.array([v, 1.0])\n"
    "    a[0] += v\n    a -= 1\nreturn a, b",
}
# Another name is read later of what may be the array that is written, or the caller sees it.
REFUSED = {
    "a new array on one path of a loop": "a = b = np.zeros(2)\nfor v in x:\n    if v > 3: a = np.ones(2)\n    a[0] += 1\nreturn a, b",
    "all of it": "a = b = np.zeros(2)\nfor v in x:\n    if v > 3: a = np.ones(2)\n    a += 1\nreturn a, b",
    "it has a row": "a = np.zeros((2, 2))\nb = a[0]\nfor v in x:\n    if v > 3: a = np.ones((2, 2))\n    a[0] += v\nreturn a, b",
    "it has an attribute": "p = Pair(np.zeros(2), 1)\na = p.a\nfor v in x:\n    if v > 3: a = np.zeros(2)\n    a += v\nreturn a, p.a",
    "in an inner loop": "a = b = np.zeros(2)\nfor r in m:\n    if r[0] > 3: a = np.zeros(2)\n    for v in r: a[1] += v\nreturn a, b",
    "in a while": "a = b = np.zeros(3)\ni = 0\nwhile i < 6:\n    if x[i] < -2: a = np.zeros(3)\n    j = 0\n"
    "    while x[j] > 0:\n        a[j] += x[j]\n        j += 1\n    i += 1\nreturn a, b",
    "a new array on one path": "a = b = np.zeros(2)\nif x[0] < 2: a = np.ones(2)\na += 1\nreturn a, b",
    "one of two that is read later": "a, b = np.zeros(2), np.ones(2)\nc = a if x[0] > 2 else b\nc += 1\nreturn c, a",
    "by a function": "a, b = np.zeros(2), np.ones(2)\nreturn more(a if x[0] > 2 else b), a",
    "one of two that the next iteration reads": "a, b, t = np.zeros(2), np.ones(2), 0.0\nfor v in x:\n"
    "    c = a if v > 0 else b\n    c += 1\n    t += c.sum()\nreturn t",
    "what is chosen has two names": "a, b = np.zeros(2), np.ones(2)\nc = d = a if x[0] > 2 else b\nc += 1\nreturn c, d",
    "a function reads it later": "a, b = np.zeros(2), np.ones(2)\ng = lambda: a.sum()\nc = a if x[0] > 2 else b\nc += 1\nreturn c, g()",
    "items that have changed places": "rows = [np.zeros(2), np.ones(2)]\nz, i = rows[0], int(x[3])\n"
    "rows[i], rows[1 - i] = rows[1 - i], rows[i]\nrows[i] += 3\nreturn rows, z",
    "all of it turned, or a new array": "a = b = np.zeros(2)\nfor v in x:\n    a = a[::-1]\n    if v > 3: a = a * 2\n    a += 1\nreturn a, b",
    "it turned or halved": "a = b = np.zeros(2)\nfor v in x:\n    if v > 3: a = a * 0.5\n    else: a = a[::-1]\n    a += 1\nreturn a, b",
    "a part of it": "a = x.copy()\nb = a\nfor v in x:\n    c = a[1:] if v > 3 else a[:-1]\n    c *= 0.5\nreturn a, b",
    "a part that a tuple holds": "p, t = Pair(np.zeros(2), 1), 0.0\na = p.a\nfor v in x:\n    a, t = a[::-1], t + p.a[0]\n"
    "    if v > 3: a = a * 2\n    a += v\nreturn a, t",
    "a part, in an inner loop": "a = x.copy()\nb = a\nfor v in x:\n    for w in m[0]:\n        c = a[::-1]\n"
    "        if w > v: c = c + 1\n        c.sort()\nreturn a, b",
    "a tuple whose arrays change places": "y = x * 2\np = y, x * 3\nfor v in m[0]:\n    p[0][0] += v\n    p = p[1], p[0]\nreturn p, y",
}  # fmt: skip


def ran(lines: str, way: Any, xp: Any = np.array) -> Any:
    """What the program returns, and what is in its arguments then."""
    body = "".join(f"    {line}\n" for line in lines.split("\n"))
    with loaded(f"{HELPERS}def main(x, m):\n{body}", np=np) as namespace:
        x, m = xp([3.0, -1.0, 4.0, 1.0, -5.0, 9.0]), xp(np.arange(12.0).reshape(3, 4))
        return way(namespace["main"])(x, m), (x, m)


@pytest.mark.parametrize("case", GIVEN)
def test_numpys_answer(case: str) -> None:
    assert_close(ran(GIVEN[case], al.convert), ran(GIVEN[case], lambda main: main))


@pytest.mark.parametrize("case", REFUSED)
def test_what_others_would_not_see_is_refused(case: str) -> None:
    with pytest.raises(MutationError):
        ran(REFUSED[case], al.convert)


@pytest.mark.parametrize("case", REFUSED)
def test_what_others_would_not_see_is_refused_in_a_program_of_jaxs(case: str) -> None:
    with pytest.raises(MutationError):
        ran(REFUSED[case], lambda main: jax.jit(al.to_graph(main)), jax.numpy.array)


class Held:
    def __init__(self, field):
        self.field = field


@pytest.mark.parametrize("last", ["w = w + 0", "w = more(w * 1)", "pass"])
@pytest.mark.parametrize("how", ["w[1] = 7", "more(w)", "w = more(w)"])
def test_an_item_of_what_one_of_two_objects_has_that_change_places(how: str, last: str) -> None:
    lines = (
        "o, p, w, k = Held(x * 2), Held(x * 3), x * 1, 0\nwhile k < x[2]:\n"
        f"    {how}\n    {last}\n    w = o.field\n    o, p = p, o\n    k += 1\nreturn o.field, p.field"
    )
    body = "".join(f"    {line}\n" for line in lines.split("\n"))
    with loaded(f"{HELPERS}def main(x):\n{body}", np=np, Held=Held) as namespace:
        with pytest.raises(MutationError):
            al.convert(namespace["main"])(np.arange(6.0))
