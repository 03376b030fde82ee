"""An array that is reached by other ways than names: items of containers, slots, what functions return, rows taken by a library.

What NumPy would show under the other way is an error; where the text makes a copy, or nothing reads the other way later, the
answer is NumPy's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import pytest

import autograph_lite as al
from autograph_lite import MutationError
from tests.arrays import aliasing
from tests.arrays.aliasing import WAYS

HELPERS = """
import collections, copy, dataclasses, functools, itertools

class Slotted:
    __slots__ = ("x",)

    def __init__(self, x):
        self.x = x

class Node:
    def __init__(self, x, inner=None):
        self.x = x
        self.inner = inner

@dataclasses.dataclass
class Pair:
    a: object
    b: object

@dataclasses.dataclass(frozen=True)
class Frozen:
    a: object

Named = collections.namedtuple("Named", "a b")
table = {}

def same(a):
    return a

def row_of(m, i):
    return m[i]

def fill(a, i):
    a[i] = 7
    return a

def fill_any(*args, **named):
    return fill(*args, **named)

def fill_first(rows):
    rows[0][1] = 2
    return rows[0]

def fill_named(**named):
    named["a"][1] = 2
    return named["a"]

def rows_of(m):
    for k in range(len(m)):
        yield m[k]
"""
REFUSED = {
    "arguments from a tuple": "args = (x, 0)\ny = fill(*args)\nreturn x, y",
    "arguments from a tuple that is read": "args = (x, 0)\ny = fill(*args)\nreturn y, args[0]",
    "arguments from a dict": "named = {'a': x, 'i': 1}\ny = fill(**named)\nreturn x, y",
    "through a function of any arguments": "y = fill_any(x, 1)\nreturn x, y",
    "by a keyword, through a function of any": "y = fill_any(a=x, i=1)\nreturn x, y",
    "the first of any arguments": "y = fill_first((x, 1))\nreturn x, y",
    "one of any keywords": "y = fill_named(a=x)\nreturn x, y",
    "an item of a list": "l = [x]\ny = fill_first(l)\nreturn x, y",
    "an item of a dict": "d = dict(a=x)\nd['a'][0] = 3\nreturn x, d['a']",
    "an item of a dict that was updated": "d = {}\nd.update(a=x)\nd['a'][0] = 3\nreturn x",
    "what a dict gives": "y = {'a': x}.get('a')\ny[0] = 3\nreturn x, y",
    "what a list gives": "y = [x].pop()\ny[0] = 3\nreturn x, y",
    "a list of one array": "l = [x] * 2\nl[0][0] = 3\nreturn l",
    "two items of a list": "l = [x, x]\nl[0][0] = 3\nreturn l[1]",
    "a deque": "d = collections.deque([x])\nd[0][0] = 3\nreturn x, d[0]",
    "a list in a tuple": "t = ([x], 1)\nt[0][0][0] = 3\nreturn x, t[0]",
    "a tuple by two names": "t = (x, 1)\nu = t\nt[0][1] = 2\nreturn t, u",
    "two fields of a named tuple": "t = Named(x, x)\nt.a[1] = 2\nreturn t.b",
    "a slot": "s = Slotted(x)\ns.x[0] = 4\nreturn x",
    "an attribute of an attribute": "n = Node(0, Node(x))\nn.inner.x[0] = 3\nreturn x",
    "two fields of an object": "p = Pair(x, x)\np.a[0] = 3\nreturn p.b",
    "a list that has a name and an owner": "l = [x]\nn = Node(l)\nx[0] = 3\nreturn n.x[0]",
    "a list that two objects have": "l = [x]\nn = Node(0, l)\np = Pair(l, 1)\nx[0] = 3\nreturn p.a[0]",
    "a dict that has a name, and is in a tuple": "d = {'a': x}\nt = (d,)\nx[0] = 3\nreturn t[0]['a']",
    "an object by the one that it holds": "n = Node(x)\nn.inner = Pair(n, 1)\np = n.inner\nx[0] = 3\nreturn p.a.x",
    "many names in a row": "n = Node(x)\nn.inner = n\nx[0] = 3\nreturn n.inner.inner.inner.inner.inner.inner.x",
    "among many objects": "l = [*map(Pair, range(600), range(600)), Pair(x, 0)]\nn = Node(l)\nx[0] = 3\nreturn n.x[-1].a",
    "a copy of a list": "l = [x]\nk = copy.copy(l)\nk[0][0] = 3\nreturn l, k",
    "a part of a list": "l = [x, x + 1]\nk = l[:]\nk[0][0] = 3\nreturn l[0], k[0]",
    "a list of a list": "l = [x, x + 1]\nk = list(l)\nk[0][0] = 3\nreturn l[0], k[0]",
    "a longer list": "l = [x]\nk = l + [x + 1]\nk[0][0] = 3\nreturn l[0], k[0]",
    "a copy of a dict": "d = {'a': x}\nk = {**d, 'b': 1}\nk['a'][0] = 3\nreturn d['a'], k['a']",
    "a copy of an object": "p = Pair(x, x + 1)\nq = copy.copy(p)\nq.a[0] = 3\nreturn p.a, q.a",
    "an object with another field": "p = Pair(x, x + 1)\nq = dataclasses.replace(p, b=1)\nq.a[0] = 3\nreturn p.a",
    "what a function returns": "y = same(x)\ny[0] = 3\nreturn x, y",
    "what a function around returns": "def get():\n    return x\ny = get()\ny[0] = 3\nreturn x, y",
    "what a partial function gets": "y = functools.partial(fill, x)(0)\nreturn x, y",
    "a default": "def go(a=x):\n    a[0] = 3\n    return a\ny = go()\nreturn x, y",
    "what a generator yields": "def rows():\n    yield x\nfor r in rows():\n    r[0] = 2\nreturn x, r",
    "an assignment expression": "if (y := x) is not None:\n    y[0] = 3\nreturn x, y",
    "a global": "table['x'] = x\ntry:\n    x[0] = 3\n    return x, table.pop('x')\nfinally:\n    table.clear()",
    "a key that has no text": "d = {(1, 2): x}\nx[0] = 3\nreturn d[1, 2]",
    "a new array, by a function": "y = x * 2\nfill(y, 0)\nreturn y",
    "a new array that an object has got": "y = x * 2\np = Pair(y, 1)\ny[0] = 3\nreturn p.a",
    "a new array that a function returns": "y = x * 2\nz = same(y)\ny[0] = 3\nreturn z",
    "a new array of a function's, in an object": "p = Pair(x * 2, 1)\nz = p.a\nfill(z, 0)\nreturn p.a",
    "an item sorted": "y = sorted([x, x], key=lambda v: 0)[0]\ny[0] = 3\nreturn x, y",
}
# Where nothing is traced, parts of arrays don't tell what they were taken from.
REFUSED_ROWS = {
    "rows in a list": "rows = list(m)\nr = rows[0]\nr[1] = 3\nreturn m, r",
    "rows in a tuple": "r = tuple(m)[0]\nr[1] = 3\nreturn m, r",
    "rows of a comprehension": "rows = [row for row in m]\nrows[0][1] = 5\nreturn m",
    "rows in a dict": "d = {k: r for k, r in enumerate(m)}\nr = d[0]\nr[1] = 3\nreturn m, r",
    "an iterator's row": "r = next(iter(m))\nr[0] = 3\nreturn m, r",
    "an iterator's row, and the whole is written": "r = next(iter(m))\nm[0] = 3\nreturn m, r",
    "rows of an iterator of a library": "for r in itertools.islice(m, 2):\n    r[0] = 3\nreturn m, r",
    "rows that are mapped": "r = list(map(lambda v: v, m))[0]\nr[0] = 3\nreturn m, r",
    "a row that a function returns": "r = row_of(m, 0)\nr[0] = 3\nreturn m, r",
    "a column of a row's": "r = row_of(m, 0)[1:]\nr[0] = 3\nreturn m, r",
    "rows that a generator yields": "for r in rows_of(m):\n    r[0] = 3\nreturn m, r",
    "an array that a loop runs over": "for v in zip(x, m[0]):\n    l = [x, 0]\n    l[0][2] = 9\n    x = l[0]\nreturn v",
    "a row's transpose": "r = m[0].T\nr[0] = 3\nreturn m, r",
}
FROZEN = {
    "a field of a frozen object": "p = Frozen(x)\np.a[0] = 3\nreturn p.a",
    "a field of a named tuple": "t = Named(x * 2, 1)\nt.a[1] = 2\nreturn t.a",
}
GIVEN = {
    "an item of a list that has an owner": "l = [x * 2]\nn = Node(l)\nl[0][0] = 3\nreturn l[0], n.x[0]",
    "an attribute of one that is held twice": "n = Node(x * 2)\nn.inner = Pair(n, n)\nn.x[0] = 3\nreturn n.inner.a.x, n.x",
    "the first of any arguments": "return fill_first((x * 2, 1))",
    "an item of a tuple": "t = (x, 1)\nt[0][1] = 2\nreturn t",
    "an item of a tuple in a list": "l = [(x, 2)]\nl[0][0][0] = 4\nreturn l",
    "a list in a tuple": "t = ([x + 0], 2)\nt[0][0][1] = 1\nreturn t",
    "an item of a tuple, in a staged loop": "t = (x + 0, 2)\nfor k in range(n):\n    t[0][k] = 1\nreturn t",
    "an item of a list in a named tuple": "t = Named(x, [x * 1])\nt.b[0][1] = 2\nreturn t.a, t.b",
    "a list that is given": "l = [x]\ny = fill_first(l)\nreturn l",
    "what a dict gave is not read": "d = {'a': x}\ny = d.pop('a')\ny[0] = 3\nreturn y",
    "a copy by a type": "y = x.astype(np.float32)\ny[0] = 1\nreturn x, y",
    "a copy by a type, of an attribute": "p = Pair(x, 1)\ny = p.a.astype(np.float32)\ny[0] = 1\nreturn p.a, y",
    "a copy by a type, and the other is written": "y = x.astype(np.float32)\nx[0] = 1\nreturn x, y",
    "a copy by a type, by a function": "y = x.astype(np.float32)\nz = fill(y, 0)\nreturn x, z",
    "a copy by a type, at once": "z = fill(x.astype(np.float32), 0)\nreturn x, z",
    "a copy in an object": "p = Pair(x, x.copy())\np.a[0] = 3\nreturn p.b, p.a",
    "a copy of what a function returns": "y = same(x).copy()\ny[0] = 3\nreturn x, y",
    "a global that has another one": "table['x'] = x + 1\nx[0] = 3\nreturn x, table.pop('x')",
    "a variable of a function around": "def go(v):\n    nonlocal x\n    x[0] = v\ngo(7)\nreturn x",
    "a variable of two functions around": "def go(v):\n    nonlocal x\n    def inner():\n        nonlocal x\n        x[1] += v\n    inner()\n"
    "    x[0] = v\nfor k in range(2):\n    go(x[k])\nreturn x",
    "other arrays of an object": "p = Pair(x, x + 1)\np.a[0] = 4\np.b[0] = p.a[0]\nreturn p.a, p.b",
    "an item put back": "rows = [x, x + 1]\ny = rows.pop(0)\ny[0] = 1\nrows.insert(0, y)\nreturn rows",
    "each item of a dict": "d = {'a': x, 'b': x + 1}\nfor k in d:\n    d[k][0] = 3\nreturn d",
    "copies of rows": "rows = [row.copy() for row in m]\nrows[0][1] = 5\nreturn rows, m",
    "new rows": "rows = []\nfor row in m:\n    row = row * 2\n    row[0] = 1\n    rows.append(row)\nreturn rows, m",
    "a row that a function returns, read before": "s = row_of(m, 0).sum()\nm[1] = s\nreturn m, s",
    "a new row of a function's": "r = row_of(m, 0) + 1\nm[1] = r\nreturn m, r",
    "a history of copies": "past = []\nfor k in range(2):\n    x[k] = 2 * k\n    past.append(x.copy())\nreturn past",
    "states": "s = (x, x * 2)\nfor k in range(3):\n    p, v = s\n    p = p + v\n    p[0] = 0\n    s = (p, v)\nreturn s",
    "a stack": "stack = [x + 1]\nwhile stack:\n    y = stack.pop()\n    y[0] = 7\nreturn y",
}


def outcome(lines: str, way: Callable[[Any], Any], xp: Any) -> Any:
    return aliasing.outcome(HELPERS, "def main(x, m, n):", lines, way, xp, 2)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", REFUSED)
def test_what_numpy_would_show_by_another_way_is_refused(case: str, way: str) -> None:
    aliasing.assert_seen(outcome, REFUSED[case], WAYS[way])


@pytest.mark.parametrize("way", ["convert", "jit"])
@pytest.mark.parametrize("case", REFUSED_ROWS)
def test_what_numpy_would_show_in_the_whole_is_refused(case: str, way: str) -> None:
    aliasing.assert_seen(outcome, REFUSED_ROWS[case], WAYS[way])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", FROZEN)
def test_attributes_that_cannot_get_a_new_array(case: str, way: str) -> None:
    with pytest.raises(MutationError, match="can't be set"):
        outcome(FROZEN[case], WAYS[way], jnp)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", GIVEN)
def test_what_no_other_way_shows_is_as_in_numpy(case: str, way: str) -> None:
    aliasing.assert_numpys_answer(outcome, GIVEN[case], WAYS[way])


CASES = REFUSED | REFUSED_ROWS | FROZEN | {f"given: {case}": lines for case, lines in GIVEN.items()}


@pytest.mark.parametrize("case", CASES)
def test_numpys_own_arrays_are_changed_in_place(case: str) -> None:
    aliasing.assert_in_place(outcome, CASES[case])


def test_a_tuple_keeps_its_items() -> None:
    def f(x):
        t = (x, 1)
        t[0] = 4
        return t

    with pytest.raises(TypeError, match="does not support item assignment"):
        al.to_graph(f)(jnp.zeros(2))
