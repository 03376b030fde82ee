"""An item is written of an array that NumPy knows by another name, too: the same answer as NumPy's, or an error that says so."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al
from autograph_lite.transpiler import convert_part_one
from tests.arrays import aliasing
from tests.arrays.aliasing import WAYS

# Of x, a vector; m, a matrix; i, a row of it. Both names are read later, or the array's holder outlives the call.
REFUSED = {
    "the last row, and all rows": "last = m[-1]\nfor r in range(2):\n    m[r] = m[r] + 1\nreturn last",
    "the first row, and rows from the end": "first = m[0]\nfor r in range(-2, 0):\n    m[r] = m[r] + 1\nreturn first",
    "a row of the transposed matrix, and an item of another row": "column = m.T[0]\nm[1, 0] = 5.0\nreturn column",
    "an array of a list that has moved": "rows = [x]\ny = rows[0]\nrows.insert(0, m[0])\nrows[1][0] = 5.0\nreturn y",
    "an array of a list that has moved, by a slice": (
        "rows = [x]\ny = rows[0]\nrows[:0] = [m[0]]\nrows[1][0] = 5.0\nreturn y"
    ),
    "an array of a list that has moved, as another has gone": (
        "rows = [m[0], x]\ny = rows[1]\ndel rows[0]\nrows[0][0] = 5.0\nreturn y"
    ),
    "an array that a list has got, whose item is written there": "rows = [x, x + 1]\nrows[0][0] = 5.0\nreturn x + rows[0]",
    "an array that a dict has got, whose item is written there": "d = {}\nd['a'] = x\nd['a'][0] = 5.0\nreturn x + d['a']",
    "two parts that overlap": "a = x[1:]\nb = x[:2]\na[0] = 5.0\nreturn a.sum() + b.sum()",
    "one row twice": "a = m[i]\nb = m[i]\na[0] = 5.0\nreturn a + b",
    "a row that is stored elsewhere": "row = m[i]\nrow[0] = 5.0\ni = 0\nm[i] = row\nreturn m",
    "the row above, when its number has changed": (
        "above = m[i - 1]\ni = i - 1\nm[i, 0] = 5.0\nreturn above"
    ),
    "a row and those from it on": "pivot = m[0]\nfor r in range(0, 2):\n    m[r] = m[r] + 1\nreturn pivot",
    "a row, whose number a loop changes": (
        "p = 0\npivot = m[p]\nfor r in range(p, 2):\n    p = 1\n    m[r] = m[r] + 1\nreturn pivot"
    ),
    "another name": "y = x\ny[0] = 5.0\nreturn x + y",
    "another name, and the first one is written": "y = x\nx[0] = 5.0\nreturn x + y",
    "a name of a name": "y = x\nz = y\nz[0] = 5.0\nreturn x",
    "two names of one": "y = x\nz = x\nz[0] = 5.0\nreturn y",
    "a name on one path": "y = x + 1\nif i > 0:\n    y = x\ny[0] = 5.0\nreturn x + y",
    "either of two": "y = x if i > 0 else m[0]\ny[0] = 5.0\nreturn x + y",
    "a row": "row = m[i]\nrow[0] = 5.0\nreturn m",
    "a row of a row": "row = m[i]\nhead = row[1:]\nhead[0] = 5.0\nreturn m",
    "a row that is read when the matrix has been written": "row = m[i]\nm[i, 0] = 5.0\nreturn row",
    "a column": "column = m[:, i]\ncolumn += 0\ncolumn = m[:, i]\ncolumn[0] = 5.0\nreturn m",
    "a part": "y = x[1:]\ny[0] += 5.0\nreturn x",
    "a part between traced bounds with a step": "y = x[:i:2]\ny[0] = 5.0\nreturn x + y.sum()",
    "a part between traced bounds": "y = x[:i]\ny[0] = 5.0\nreturn x + y.sum()",
    "a part between traced bounds that is read when the array has been written": "y = x[:i]\nx[0] = 5.0\nreturn x + y.sum()",
    "parts between traced bounds that change places": "a = m[0, :i]\nb = m[1, :i]\nm[1, :i] = a\nm[0, :i] = b\nreturn m",
    "a row below a row counted from the end": (
        "s = 0.0\nfor p in range(2):\n    row = m[p - 1]\n    for r in range(p + 1, 2):\n        m[r] = 5.0\n        s += row.sum()\n"
        "return m, s"
    ),
    "a part in reverse": "y = x[::-1]\ny[0] = 5.0\nreturn x",
    "a transposed matrix": "t = m.T\nt[0, 1] = 5.0\nreturn m",
    "another shape": "flat = m.reshape(-1)\nflat[0] = 5.0\nreturn m",
    "a flat one": "flat = m.ravel()\nm[0, 0] = 5.0\nreturn flat",
    "the rows of a loop": "for row in m:\n    row[0] = 5.0\nreturn m",
    "the rows of a loop, counted": "for k, row in enumerate(m):\n    row[k] = 5.0\nreturn m",
    "the rows of two matrices": "for row, item in zip(m, x):\n    row[0] = item\nreturn m",
    "the rows of a loop, after the matrix was written": (
        "s = 0.0\nfor k, row in enumerate(m):\n    m[k, 0] = 5.0\n    s += row[0]\nreturn s"
    ),
    "a function that writes, and a row": "b = m[1]\ndef put():\n    nonlocal m\n    m[1, 0] = 5.0\nput()\nreturn b, m",
    "a function that writes, and another name": "y = x\ndef put():\n    nonlocal x\n    x[0] = 5.0\nput()\nreturn y * 1",
    "a function that writes to a part": "b = x[:2]\ndef put():\n    nonlocal b\n    b[0] = 5.0\nput()\nreturn b, x",
    "a function that calls one that writes": (
        "b = m[1]\ndef put(v):\n    nonlocal m\n    m[1, 0] = v\ndef puts():\n    put(5.0)\nk = puts()\nreturn b, m"
    ),
    "a function that writes, in a test": (
        "b = m[1]\ndef put(v):\n    nonlocal m\n    m[1, 0] = v\n    return v\nif put(5.0) > 1:\n    k = 2\nreturn b, m"
    ),
    "a function that writes, in a loop over it": "def put(v):\n    nonlocal m\n    m[i, 0] = v\nfor v in m[1]:\n    put(v)\nreturn m",
    "a list that a loop makes longer": "h = []\nfor v in m:\n    x[0] += v[0]\n    h.append(x)\nreturn h",
    "a list that a `while` makes longer": "h = []\nk = 0\nwhile k < i + 2:\n    x[k] += 1\n    h.append(x)\n    k += 1\nreturn h",
    "a list that a loop over a range makes longer": "h = []\nfor k in range(i + 2):\n    x[k] += 1\n    h.append(x)\nreturn h",
    "a loop over a part": "s = 0.0\nfor v in x[1:]:\n    x[2] += v\n    s += v\nreturn s, x",
    "a loop over a part, counted": "s = 0.0\nfor k, v in enumerate(x[1:]):\n    x[2] += v\n    s += v * k\nreturn s, x",
    "a loop in reverse": "s = 0.0\nfor v in x[::-1]:\n    x[0] += v\n    s += v\nreturn s",
    "a loop over a row": "s = 0.0\nfor v in m[1]:\n    m[1, 0] += v\n    s += v\nreturn s",
    "a loop over a row that a loop has come to": "s = 0.0\nfor row in m:\n    for v in row:\n        m[1, 0] += v\n        s += v\nreturn s",
    "a loop over all of it flat": "s = 0.0\nfor v in m.ravel():\n    m[1, 0] += v\n    s += v\nreturn s",
    "a loop over an iterator": "s = 0.0\nfor v in iter(x):\n    x[2] += v\n    s += v\nreturn s",
    "a loop over a row of another name": "s, b = 0.0, m\nfor v in b[0]:\n    m[0, 1] += v\n    s += v\nreturn s",
    "a loop that writes a part": "s = 0.0\nfor v in x[1:]:\n    x[1:] += 1\n    s += v\nreturn s, x",
    "a loop that comes to what was written": (
        "y = x\ns = 0.0\nfor v in x:\n    y[2] = 5.0\n    s += v\nreturn s"
    ),
    "rows that change places": "m[0], m[1] = m[1], m[0]\nreturn m",
    "a row in the next iteration": "row = x\nfor k in range(2):\n    x[0] = k\n    row = row * 2\n    row = x\nreturn row",
    "an array of a list": "rows = [x, x + 1]\ny = rows[0]\ny[0] = 5.0\nreturn rows",
    "the arrays of a list": "rows = [x, x + 1]\nfor row in rows:\n    row[0] = 5.0\nreturn rows",
    "an array of a dict": "d = {'a': x}\ny = d['a']\ny[0] = 5.0\nreturn d",
    "an array of a tuple": "pair = (x, m)\ny, n = pair\ny[0] = 5.0\nreturn pair",
    "an array of an object": "h = Holder(x)\ny = h.x\ny[0] = 5.0\nreturn h.x",
    "an object's own array": "h = Holder(x)\nh.fill(5.0)\nreturn h.x",
    "an array of an object's that is written": "h = Holder(x)\ny = h.x\nh.x[0] = 5.0\nreturn y",
    "a helper that writes its argument": "swap(x, 0, 1)\nreturn x",
    "a helper that adds to its argument": "bump(x)\nreturn x",
    "a helper that writes the arrays of a list": "rows = [x, m[0]]\nclear(rows)\nreturn rows[0]",
    "two names at once": "a = b = x * 1\na[0] = 5.0\nreturn a + b",
    "two names of another": "a = b = x\nb[0] = 5.0\nreturn a, b",
    "names that changed places": "u, v = x, x + 1\nu, v = v, u\nv[0] = 5.0\nreturn x, u, v",
    "names of one array that changed places": "u = x + 1\nv = u\nu, v = v, u\nu[0] = 5.0\nreturn u + v",
    "what a function of NumPy's gives": "y = np.asarray(x)\ny[0] = 5.0\nreturn x + y",
    "another shape by a function": "flat = np.ravel(m)\nflat[0] = 5.0\nreturn m, flat",
    "rows that were taken before they change places": "a, b = m[0], m[1]\nm[0], m[1] = b, a\nreturn m",
    "an array that a list was made of": "rows = [x, x + 1]\nx[0] = 5.0\nreturn rows[0] + x",
    "an array that a tuple was made of": "pair = x, i\nx[0] = 5.0\nreturn pair[0] + x",
    "an array that a dict was made of": "d = {'a': x}\nx[0] = 5.0\nreturn d['a'] + x",
    "an array that a list has got": "seen = []\nfor k in range(2):\n    x[0] = k\n    seen.append(x)\nreturn seen",
    "an array that a dict has got": "d = {}\nd['a'] = x\nx[0] = 5.0\nreturn d['a'] + x",
    "an array that an object has got": "h = Holder(m)\nh.x = x\nx[0] = 5.0\nreturn h.x + x",
    "an array of a list's, whose item is written there": "rows = [x, x + 1]\ny = rows[0]\nrows[0][0] = 5.0\nreturn y",
    "two items of a dict, put back": (
        "d = {'x': x, 'v': x + 1}\np, v = d['x'], d['v']\nfor k in range(3):\n    v[k] = v[k] * 2\n    p[k] = v[k]\n"
        "d['x'] = p\nd['v'] = v\nreturn d['x'], d['v']"
    ),
    "an array of a dict display, put back": (
        "out = x * 1\nd = {'out': out, 'n': 0}\nout[0] = 5.0\nd['out'] = out\nreturn d['out']"
    ),
    "a row that is stored again": "row = m[i]\nrow[0] = 5.0\nm[i] = row\nreturn m, row",
    "the rows of a loop that are stored again": (
        "for k, row in enumerate(m):\n    row[0] = 5.0\n    m[k] = row\nreturn m"
    ),
    "what is written is not read": "x[0] = 5.0\nreturn i",
}
GIVEN = {
    "another array of a list, whose item is written there": "rows = [x, x + 1]\nrows[1][0] = 5.0\nreturn x + rows[1]",
    "buffers that change places": (
        "u, v = x, x * 0\nfor t in range(3):\n    for k in range(1, 2):\n        v[k] = u[k - 1] + u[k + 1]\n    u, v = v, u\n"
        "return u"
    ),
    "a row and the one before it": (
        "for i in range(1, 2):\n    above = m[i - 1]\n    for j in range(3):\n        m[i, j] = above[j] + 1.0\nreturn m"
    ),
    "a row, subtracted from those below it": (
        "for p in range(2):\n    pivot = m[p]\n    for r in range(p + 1, 2):\n        m[r] -= pivot * m[r, p]\nreturn m"
    ),
    "a row, subtracted from those above it": (
        "for p in range(1, -1, -1):\n    pivot = m[p]\n    for r in range(p):\n        m[r] -= pivot * m[r, p]\nreturn m"
    ),
    "a row, subtracted from those above it, upwards": (
        "for p in range(1, -1, -1):\n    pivot = m[p]\n    for r in range(p - 1, -1, -1):\n        m[r] -= pivot * m[r, p]\n"
        "return m"
    ),
    "items that a mask chooses": "y = x[x > 0]\ny[0] = 5.0\nreturn x, y.sum()",
    "what stands before an item": (
        "s = 0.0\nfor k in range(2):\n    row = m[k, :k]\n    m[k, k] = 5.0 - row.sum()\n    s += row.sum()\nreturn m, s"
    ),
    "what stands before an item and after it, between traced bounds": (
        "y, z = x[:i], x[i + 1:]\nx[i] = 5.0\nx[i] += y.sum()\nreturn x, y.sum()"
    ),
    "another column": "first = m[:, 0]\nm[:, 1] = first * 2\nreturn first, m",
    "two rows of one matrix": "a = m[0]\nb = m[1]\na[0] = 5.0\nreturn a + b",
    "a copy": "y = x.copy()\ny[0] = 5.0\nreturn x + y",
    "a new array": "y = x\ny = y + 1\ny[0] = 5.0\nreturn x + y",
    "a new array under the first name": "y = x\nx = x + 1\nx[0] = 5.0\nreturn x + y",
    "the other name is not read again": "y = x\ny[0] = 5.0\nreturn y",
    "the other name's type alone is read": "y = x\ny[0] = 5.0\nreturn y, x.shape[0], len(x)",
    "the other name is bound anew": "y = x\ny[0] = 5.0\nx = y * 2\nreturn x",
    "an item of a vector": "v = x[i]\nx[i] = 5.0\nreturn x, v",
    "items that change places": "x[0], x[1] = x[1], x[0]\nreturn x",
    "items that change places by a third name": "v = x[0]\nx[0] = x[1]\nx[1] = v\nreturn x",
    "rows that are chosen by an array": "rows = m[np.array([0, 1])]\nrows[0, 0] = 5.0\nreturn m, rows",
    "rows that change places by arrays": "m[[0, 1]] = m[np.array([1, 0])]\nreturn m",
    "on another path": "if i > 100:\n    y = x\nelse:\n    y = x + 1\n    y[0] = 5.0\nreturn x + y",
    "a row before a jump": (
        "for k in range(2):\n    row = m[k]\n    if k == i:\n        break\n    row = row + 1\n    row[0] = 5.0\nreturn m, row"
    ),
    "an array of an object that gets the new one": "h = Holder(x)\ny = h.x\ny[0] = 5.0\nh.x = y\nreturn h.x",
    "what an object computes": "h = Holder(x)\ny = h.twice\ny[0] = 5.0\nreturn h.x + y",
    "an array in an object": "h = Holder(x)\nh.x[0] = 5.0\nreturn h.x",
    "an array in a list": "rows = [x, m[0]]\nrows[0][0] = 5.0\nreturn rows[0]",
    "an array of a tuple that is not read again": "y, n = (x, m)\ny[0] = 5.0\nreturn y, n",
    "a helper that returns its argument": "x = changed(x)\nreturn x",
    "buffers that change places in a loop over time": (
        "u, v = x, x * 0\nfor k in range(3):\n    v[1:] = u[:-1] + k\n    u, v = v, u\nreturn u, v"
    ),
    "three buffers that change places": (
        "a, b, c = x, x + 1, x * 0\nfor k in range(4):\n    c[0] = a[1] + b[2] + k\n    a, b, c = b, c, a\nreturn a, b, c"
    ),
    "an array of a list that gets another": "rows = [x, x + 1]\ny = rows[0]\nrows[0] = y * 2\nreturn y, rows",
    "an array of a dict that gets another": "d = {'a': x}\ny = d['a']\nd['a'] = y * 2\nreturn y, d",
    "arrays of a list that change places": "rows = [x, x + 1]\nrows[0], rows[1] = rows[1], rows[0]\nreturn rows",
    "a list of copies": "seen = []\nfor k in range(2):\n    x[0] = k\n    seen.append(x.copy())\nreturn seen",
    "a list of new arrays": (
        "seen = []\nfor k in range(2):\n    y = x * k\n    y[0] = 5.0\n    seen.append(y)\nreturn seen"
    ),
    "rows of an array that were put there": "n = m * 0\nfor k in range(2):\n    x[0] = k\n    n[k] = m[0] + x[0]\nreturn n, x",
    "an array that a matrix has got": "n = np.zeros((2, 3), np.float32)\nn[0] = x\nx[0] = 5.0\nreturn n, x",
    "an object that had another array": "h = Holder(x)\nold = h.x\ny = old + 1\nh.x = y\nh.x = y\ny = y + 1\ny[0] = 5.0\nreturn old, y",
    "a list that is written last": "items = [i, i]\nfirst = items\nitems[0] = 3\nreturn first[0]",
    "a dict in a dict in a dict": (
        "root = {'n': {'n': {'n': {}}}}\nd = root\nfor k in range(3):\n    d = d['n']\nd['k'] = x\n"
        "return root['n']['n']['n']['k']"
    ),
    "a dict that is written last": "d = {'a': i}\nput(d)\nreturn d['a']",
}
HELPERS = """
class Holder:
    def __init__(self, x):
        self.x = x

    @property
    def twice(self):
        return self.x * 2

    def fill(self, value):
        x = self.x
        x[:] = value

def swap(a, i, j):
    a[i], a[j] = a[j], a[i]

def bump(a):
    a[0] += 1

def clear(rows):
    for row in rows:
        row[0] = 0

def changed(a):
    a[0] = 7
    return a

def put(d):
    d["a"] = 5

"""


def outcome(lines: str, way: Callable[[Any], Any], xp: Any) -> Any:
    return aliasing.outcome(HELPERS, "def main(x, m, i):", lines, way, xp, 1)


UNKNOWN = {
    "what is written is not read",  # an argument, which the caller keeps as it was
    "a column",
}


# Which of them, how long they are, or how often it loops, a number tells that is traced under `jax.jit`.
UNKNOWN_UNDER_JIT = UNKNOWN | {
    "a name on one path", "either of two", "a part between traced bounds with a step", "a part between traced bounds",
    "a list that a `while` makes longer", "a list that a loop over a range makes longer",
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", REFUSED)
def test_what_numpy_changes_under_two_names_is_refused(case: str, way: str) -> None:
    unknown = UNKNOWN_UNDER_JIT if way == "jit" else UNKNOWN
    aliasing.assert_seen(outcome, REFUSED[case], WAYS[way], unknown=case in unknown)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", GIVEN)
def test_what_no_other_name_sees_is_as_in_numpy(case: str, way: str) -> None:
    aliasing.assert_numpys_answer(outcome, GIVEN[case], WAYS[way])


@pytest.mark.parametrize("way", [al.to_graph, convert_part_one])
@pytest.mark.parametrize("case", REFUSED | GIVEN)
def test_numpys_own_arrays_are_changed_in_place(case: str, way: Callable[[Any], Any]) -> None:
    aliasing.assert_in_place(outcome, (REFUSED | GIVEN)[case], way)


def added_to_one_of_two(x):
    y = x + 1
    z = y
    y += 1
    return y, z


def swapped_and_added(x):
    a, b = x * 2, x * 3
    a, b = b, a
    c = a
    a += b
    return a, b, c


def added_in_an_attribute(x):
    y = x * 1
    HELD.array = y
    HELD.array += 1
    return y, HELD.array


HELD = types.SimpleNamespace(array=None)


@pytest.mark.parametrize("f", [added_to_one_of_two, swapped_and_added, added_in_an_attribute])
def test_a_function_without_anything_to_convert_changes_arrays_in_place(f):
    np.testing.assert_array_equal(al.convert(f)(np.ones(3)), f(np.ones(3)))


def test_a_part_that_a_list_holds_is_known_where_a_loop_writes_to_the_array():
    """The part is read before the array is written in place: a barrier says so in the program, and changes no array."""

    def f(xs, m):
        for i in xs:
            items = [m[i - 1 :, 1]]
            items[0][:1] = 5
            m[1, 1] = 2
        return m

    with pytest.raises(al.MutationError, match="shares its memory with 'm', too, and 'm' is read later"):
        al.convert(f)(jnp.array([1, 2]), jnp.ones((2, 3)))


def _turned(x: Any) -> Any:
    z = np.zeros(40)
    y = z[::-1]
    for i in range(40):
        z[i] = y[i] + x[0]
        y[i] = z[i] * 2
    return z.sum()


def _mirrored(x: Any) -> Any:
    z = np.zeros((4, 4))
    y = z.T
    for i in range(4):
        for j in range(4):
            z[i, j] = y[i, j] + x[0]
            y[i, j] = z[i, j] * 2
    return z.sum()


def _while(x: Any) -> Any:
    z = np.zeros(40)
    y = z[::-1]
    i = 0
    while i < x[1]:
        z[i] = y[i] + x[0]
        y[i] = z[i] * 2
        i += 1
    return z.sum()


@pytest.mark.parametrize("program", [_turned, _mirrored, _while])
def test_a_loop_writes_to_an_array_that_was_made_there_and_to_its_view(program: Any) -> None:
    x = np.array([1.0, 30.0])
    assert al.convert(program)(x) == program(x)
