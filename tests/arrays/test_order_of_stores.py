"""Are items, names and attributes assigned in Python's order, whatever a target changes of what another one needs?"""

from __future__ import annotations

import contextlib
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from autograph_lite import MutationError
from tests.properties.running import loaded

# Of `a = [10, 20, 30]`, `m`, two rows of three, and `i`, which is 0 or 1; `L` is a list.
CASES = {
    "an index after its item": "a[i], i = 5, 2\nreturn a, i",
    "an index before its item": "i, a[i] = 2, 5\nreturn a, i",
    "of a list": "L[i], i = 9, 2\nreturn L, i",
    "two items": "(a[i], a[i + 1]), i = (5, 6), 2\nreturn a, i",
    "an item of an item": "m[i][i], i = -1, 2\nreturn m, i",
    "starred": "k = 0\nL[k], *k = 9, 2\nreturn L, k",
    "starred in brackets": "(a[i], i), [j, *a[:2]] = (5, 0), (2, 8, 9)\nreturn a, i, j",
    "what the index calls reads a target": "k = 0\ndef at(): return k\nL[at()], k = 9, 2\nreturn L, k",
    "the index counts": "k = 0\ndef at():\n    nonlocal k\n    k += 1\n    return k\nL[at()], k = 9, 2\nreturn L, k",
    "chained": "L[i], i = pair = (9, 2)\nreturn L, i, pair",
    "swapped and followed": "while a[i] > 0:\n    a[i], i = -a[i], (i + 1) % 3\nreturn a, i",
    "the base after its item": "K = L\nL[0], L = 9, [7, 8]\nreturn K, L",
    "an attribute after its item": "s = S(a)\ns.b[s.k], s.k, s.b[2] = 6, 2, 9\nreturn s.b, s.k",
    "the owner's attribute": "s = S(L)\ns.b[0], s.b = 9, [7, 8]\nreturn L, s.b",
    "a setter": "s = S(L)\nL[0], s.doubled = 9, 4\nreturn L, s.k",
    "a dict": "d = {'a': 1, 'b': 2}\nk = 'a'\nd[k], k = 5, 'b'\nreturn d, k",
    "a loop's target": "for a[i], i in [(7, 1), (8, 2)]: pass\nreturn a, i",
    "a loop's target that comes back": "k = 0\nfor L[k], k in ((7, 1), (8, 2), (9, 0)): pass\nreturn L, k",
    "managers": "with of(5) as L[0], of(L[0] + 1) as y:\n    return L, y",
    "managers that bind an index": "with of(5) as L[i], of(2) as i: pass\nreturn L, i",
    "a manager's tuple": "k = 0\nwith of((5, 1)) as (L[k], k): pass\nreturn L, k",
    "a walrus in the value": "L[i] = (i := 2) + 1\nreturn L, i",
    "a walrus in the index": "L[(i := i + 1)], i = 9, 0\nreturn L, i",
    "a walrus in what is added": "a[i] += (i := i + 1)\nreturn a, i",
    "a walrus in what is added to a list's": "L[i] += (i := i + 1)\nreturn L, i",
    "a walrus deeper": "K = [[1, 2], [3, 4]]\nK[i][i - 1] += (i := 0) + 5\nreturn K, i",
    "a walrus for the base": "K = L\nL[i] += (L := [5, 6, 7])[1]\nreturn K, L",
    "a call that binds the index": "k = 0\ndef at():\n    nonlocal k\n    k += 1\n    return 7\na[k] = at()\na[k] += at()\nreturn a",
    "a call that binds the base": "K = L\ndef new():\n    nonlocal L\n    L = [4, 5]\n    return 7\nL[0] = new()\nreturn K, L",
    "a call that binds what it adds to": "K = L\ndef new():\n    nonlocal L\n    L = [4, 5]\n    return 7\nL[0] += new()\nreturn K, L",
    "a call that makes another array": "def new():\n    nonlocal a\n    a = a * 2\n    return 7\na[1] = new()\nreturn a",
    "a call that binds a global": "global K\nK = 0\na[K] = counted()\na[K] += counted()\nreturn a",
    "a call that writes": "def put(v):\n    nonlocal a\n    a[0] = v\n    return 7\na[1] = put(5)\na[2] += put(6)\nreturn a",
    "an index that writes": "def put(v):\n    nonlocal a\n    a[0] = v\n    return v\na[put(1)] = 7\na[1 : put(3)] = 8\na[put(2)] += 1\nreturn a",
    "all is added to": "def put(v):\n    nonlocal a\n    a[0] = v\n    return 7\na += put(5)\nreturn a",
    "a row's item": "def put(v):\n    nonlocal m\n    m[0, 0] = v\n    return v\nm[1][2] = put(5)\nm[1, put(1)] += 5\nreturn m",
    "in a loop": "def visit(k):\n    nonlocal m\n    m[0, k] += 1\n    return k\n"
    "for k in range(i + 2):\n    a[visit(k)] += visit(2 - k)\n    m[0, visit(k)] += visit(1)\nreturn a, m",
    # What NumPy has made can't hold traced items: one of the two writes makes another array of it.
    "an attribute that NumPy has made": "s = S(np.ones(3))\ns.b[1] += s.put(i)\nreturn s.b",
    "an item of a list that NumPy has made": "r = [np.ones(3)]\ndef put():\n    r[0][0] += i\n    return i\nr[0][1] += put()\n"
    "return r",
    "an attribute that the call binds": "s = S(np.ones(3))\ndef put():\n    s.b = s.b * i\n    return i\ns.b[1] += put()\n"
    "return s.b",
}  # fmt: skip
REFUSED = {
    "it may be another array": "def new():\n    nonlocal a\n    a = a * 2\n    return 7\na[1] += new()\nreturn a",
    "an item of an item": "def put(v):\n    nonlocal m\n    m[0, 0] = v\n    return 7\nm[1][2] += put(5)\nreturn m",
    "an attribute": "s = S(a)\ns.b[1] += s.put(5)\nreturn s.b",
    "a dict's": "d = {'b': a}\ndef put(v):\n    d['b'][0] = v\n    return 7\nd['b'][1] += put(5)\nreturn d",
}  # fmt: skip
SOURCE = """
K = 0

def counted():
    global K
    K += 1
    return 5

class S:
    def __init__(self, b):
        self.b, self.k = b, 1

    def put(self, v):
        self.b[0] = v
        return 7

    @property
    def doubled(self): return 2 * self.k

    @doubled.setter
    def doubled(self, value): self.k = value + L_OF(self)

def L_OF(s): return s.b[0]

@contextlib.contextmanager
def of(value): yield value

def main(a, m, i):
    L = [1, 2, 3]
"""


def outcome(lines: str, way: Any, array: Any, i: int) -> Any:
    source = SOURCE + "".join(f"    {line}\n" for line in lines.splitlines())
    with loaded(source, contextlib=contextlib, np=np) as namespace:
        found = way(namespace["main"])(array([10, 20, 30]), array([[0, 1, 2], [3, 4, 5]]), array(i))
        return jax.tree.map(np.asarray, found)


def of_numpy(values: Any) -> Any:
    return np.array(values) if isinstance(values, list) else values


@pytest.mark.parametrize("i", [0, 1])
@pytest.mark.parametrize("lines", CASES.values(), ids=CASES)
def test_the_order_is_that_of_python(lines: str, i: int) -> None:
    expected = outcome(lines, lambda f: f, of_numpy, i)

    ways = [
        (autograph_lite.convert, jnp.asarray),
        (autograph_lite.to_graph, of_numpy),
        (autograph_lite.convert, of_numpy),
    ]
    for way, array in ways:
        found = outcome(lines, way, array, i)
        assert jax.tree.structure(found) == jax.tree.structure(expected)
        jax.tree.map(np.testing.assert_array_equal, found, expected)


@pytest.mark.parametrize("lines", REFUSED.values(), ids=REFUSED)
def test_a_change_that_would_be_lost_is_refused(lines: str) -> None:
    with pytest.raises(
        MutationError, match="the statement calls what writes to the same array, or puts another in its place"
    ):
        outcome(lines, autograph_lite.convert, jnp.asarray, 1)


def moved(b: Any) -> Any:
    m = b[1] * 2
    m[1:] = m[:-1]
    return m


def moved_by_name(b: Any) -> Any:
    m = np.sin(b[1])
    part = m[1:]
    part[:] = m[:-1]
    return m


def stencil(b: Any) -> Any:
    m = b[:, 1] * 2
    m[1:-1] = m[2:] + m[:-2]
    return m


@pytest.mark.parametrize("function", [moved, moved_by_name, stencil])
def test_a_part_that_is_stored_beside_itself(function: Any) -> None:
    """XLA for CPUs writes over what it still reads, where the array was computed of a part of another."""
    b = np.arange(16, dtype=np.float32).reshape(4, 4)
    np.testing.assert_allclose(autograph_lite.convert(function)(b.copy()), function(b.copy()), rtol=1e-6)


def swapped_by_a_tuple(m: Any, i: Any, j: Any) -> Any:
    t = (m[j], m[i])
    m[i], m[j] = t
    return m


def swapped_by_items(m: Any, i: Any, j: Any) -> Any:
    t = {"a": m[j], "b": m[i]}
    m[i], m[j] = t["a"], t["b"]
    return m


def swapped_by_names(m: Any, i: Any, j: Any) -> Any:
    u, v = m[j], m[i]
    m[i], m[j] = u, v
    return m


def swapped_by_calls(m: Any, i: Any, j: Any) -> Any:
    def row(k):
        return m[k]

    for _ in range(3):
        m[i], m[j] = row(j), row(i)
    return m


def swapped_in_a_try(m: Any, i: Any, j: Any) -> Any:
    try:
        if m[0, 1] > 0:
            m[i], m[j] = [m[j], m[i]][:]
    except IndexError:
        m[0] = 0
    return m


def swapped_copies(m: Any, i: Any, j: Any) -> Any:
    def row(k):
        return m[k] * 2

    t = m[j].copy(), row(i)
    m[i], m[j] = t
    m[0], m[3] = row(j), row(i)
    return m


@pytest.mark.parametrize(
    "function",
    [
        swapped_by_a_tuple,
        swapped_by_items,
        swapped_by_names,
        swapped_by_calls,
        swapped_in_a_try,
        swapped_copies,
    ],
)
def test_rows_that_are_stored_are_parts_by_whatever_they_come(function: Any) -> None:
    m = np.arange(12, dtype=np.float32).reshape(4, 3)
    expected = function(m.copy(), 1, 2)

    for found in (
        jax.jit(autograph_lite.to_graph(function))(m, 1, 2),
        autograph_lite.convert(function)(jnp.asarray(m), np.int32(1), np.int32(2)),
        autograph_lite.convert(function)(m.copy(), np.int32(1), np.int32(2)),
    ):
        np.testing.assert_allclose(found, expected)
