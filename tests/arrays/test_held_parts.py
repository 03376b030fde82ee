"""A method, or another function, writes to an array of which its caller holds a part, or which it has as an operand."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al
from tests.arrays import aliasing
from tests.properties.running import loaded

PRELUDE = """
class Grid:
    def __init__(self, m):
        self.m = m

    def put(self, v):
        self.m[1] = v
        return 2.0

    def step(self):
        self.m[0] = self.m[0] + 1
        return self.m * 2

    def loop(self, n):
        for k in range(n):
            self.m[1] = k * 1.0

    def cond(self, c):
        if c > 0:
            self.m[1] = 5.0

    def add(self):
        self.m[1] = self.m[1] + 1

    @property
    def width(self):
        self.m[1] = 4.0
        return 2.0

    def __add__(self, other):
        self.m[1] = 8.0
        return other

    def __getitem__(self, i):
        self.m[i] = 9.0
        return self.m[i]

    def __enter__(self):
        self.m[1] = 5.0
        return self

    def __exit__(self, *found):
        return None

    def __iter__(self):
        self.m[1] = 8.0
        return iter([1.0, 2.0])

    @property
    def all(self):
        return self.m

    def again(self):
        self.m = self.m * 1
        self.m[1] = 8.0
        return 2.0


def put_first(a):
    a[0] = 5.0
    return 1.0


def with_first(a):
    a[0] = 5.0
    return a


def f(m):
    g = Grid(m)
"""

WHOLE = "which is a part of '"
HELD = "a part of it there, is read later"
OPERAND = "has been evaluated there before the call"

REFUSED = {
    "a row": ("row = g.m[1]\ng.put(5.0)\nreturn row + 1", HELD),
    "a transposed matrix": ("t = g.m.T\ng.put(5.0)\nreturn t", HELD),
    "a row in a list": ("rows = [g.m[1]]\ng.put(5.0)\nreturn rows[0]", HELD),
    "rows in a loop over Python's numbers": (
        "s = 0.0\nfor i in range(2):\n    row = g.m[i]\n    g.put(9.0)\n    s = s + row.sum()\nreturn s",
        HELD,
    ),
    "rows in a staged loop": (
        "s = 0.0\nfor i in range(m[0, 1].astype(int)):\n    row = g.m[i]\n    g.put(9.0)\n    s = s + row.sum()\nreturn s",
        HELD,
    ),
    "in a branch": ("if m[0, 0] > 0:\n    row = g.m[1]\n    g.put(5.0)\n    return row\nreturn g.m[0]", HELD),
    "the loop that writes is staged": ("row = g.m[1]\ng.loop(m[0, 1].astype(int))\nreturn row", HELD),
    "the branch that writes is staged": ("row = g.m[1]\ng.cond(m[0, 1])\nreturn row", HELD),
    "all of it is in a staged loop": (
        "n = m[0, 1].astype(int)\nwhile n > 0:\n    row = g.m[1]\n    g.loop(n)\n    n -= 1\n    m = m + row\nreturn m",
        HELD,
    ),
    "rows that a generator gives": ("return sum(row * g.put(1.0) for row in [g.m[0], g.m[1]])", HELD),
    "the left side of a sum": ("return g.m + g.step()", OPERAND),
    "what is added to": ("g.m += g.step()\nreturn g.m", OPERAND),
    "the first of two items": ("return (g.m, g.put(1.0))[0]", OPERAND),
    "the first of two arguments": ("return np.maximum(g.m, g.step())", OPERAND),
    "what a method belongs to": ("return g.m.dot(g.step().T)", OPERAND),
    "the left side of a comparison": ("return g.m > g.put(1.0)", OPERAND),
    "a part of it as an operand": ("return g.m[1] * g.put(1.0)", OPERAND),
    "in a comprehension": ("return [g.m[i] * g.put(i * 1.0) for i in range(2)][1]", OPERAND),
    "an array whose item is asked for": ("return g.m[int(g.put(3.0)) - 1]", OPERAND),
    "in a lambda": ("h = lambda: g.m + g.put(1.0)\nreturn h()", OPERAND),
    "the left side, before a property": ("return g.m[1] * g.width", OPERAND),
    "the left side, before an operator's method": ("return g.m[1] * (g + 1)", OPERAND),
    "the left side, before an item's method": ("return g.m[1] * g[1]", OPERAND),
    "before a property": ("row = g.m[1]\nv = g.width\nreturn row + v", HELD),
    "the body of a with": ("row = g.m[1]\nwith g:\n    v = row + 1\nreturn v", HELD),
    "the body of a for": ("row = g.m[1]\ns = row * 0\nfor v in g:\n    s = s + row\nreturn s", HELD),
    "a matrix of another shape": ("v = g.m.reshape(-1)\ng.put(5.0)\nreturn v", HELD),
    "a matrix with one axis more": ("v = g.m[:, None]\ng.put(5.0)\nreturn v", HELD),
    "a part in an attribute": ("g.row = g.m[1]\ng.put(5.0)\nreturn g.row", HELD),
    "another object's attribute": ("h = Grid(m)\ng.put(5.0)\nreturn h.m", "which is 'h.m'"),
    "a part from before a staged loop": (
        "n = m[0, 1].astype(int)\nrow = g.m[1]\nfor k in range(n):\n    g.put(1.0)\n    row = row + g.m[1]\nreturn row",
        HELD,
    ),
    "the same, from before a staged loop": (
        "n = m[0, 1].astype(int)\na = g.m\nfor k in range(n):\n    g.put(1.0)\n    a = a + g.m\nreturn a",
        "which is 'a'",
    ),
    "a part from the iteration before": (
        "n = m[0, 1].astype(int)\nrow = g.m[1] * 1\ns = row * 0\nfor k in range(n):\n    g.add()\n    s = s + row\n    row = g.m[1]\nreturn s",
        HELD,
    ),
    "the same, from the iteration before": (
        "n = m[0, 1].astype(int)\nold = g.m * 1\nd = 0.0\nwhile n > 0:\n    g.add()\n    d = d + (g.m - old).sum()\n    old = g.m\n    n -= 1\nreturn d",
        HELD,
    ),
    "an attribute, from the iteration before": (
        "n = m[0, 1].astype(int)\ng.old = m * 1\ns = m * 0\nfor k in range(n):\n    g.add()\n    s = s + g.old\n    g.old = g.m\nreturn s",
        HELD,
    ),
    "an argument, and what is added to": ("m += put_first(m)\nreturn m", "'put_first' writes"),
    "an argument": ("return m + put_first(m)", OPERAND),
    "a part that is handed over": ("s = put_first(m[1:])\nreturn m, s", WHOLE),
    "a part between traced bounds": ("s = put_first(m[0, : int(m[0, 1])])\nreturn m, s", WHOLE),
    "a part that a function gives": ("s = put_first((lambda: m[1:])())\nreturn m, s", WHOLE),
    "a part of an attribute": ("s = put_first(g.m[1])\nreturn g.m, s", WHOLE),
    "a part of what a property gives": ("s = put_first(g.all[1])\nreturn g.all, s", WHOLE),
    "a part by a keyword": ("s = put_first(a=m[1])\nreturn m, s", WHOLE),
    "a part in a staged loop": (
        "s = 0.0\nfor k in range(int(m[0, 1])):\n    s = s + put_first(m[1])\nreturn m, s",
        WHOLE,
    ),
    "parts that map hands over": ("s = list(map(put_first, [m[0], m[1]]))\nreturn m, s", WHOLE),
    "an inner function's": (
        "a = m.copy()\ndef put(v):\n    nonlocal a\n    a[1] = v\n    return 7.0\nreturn a + put(5.0)",
        OPERAND,
    ),
}

RIGHT = {
    "a copy of a row": "row = g.m[1].copy()\ng.put(5.0)\nreturn row + g.m",
    "what is computed of a row": "row = g.m[1] * 2\ng.put(5.0)\nreturn row + g.m",
    "another copy each time": "n = m[0, 1].astype(int)\nold = g.m * 1\nd = 0.0\nfor k in range(n):\n    g.add()\n    d = d + (g.m - old).sum()\n    old = g.m.copy()\nreturn d",
    "what is taken in a loop, and read before it": "n = m[0, 1].astype(int)\ns = m[0] * 0\nrow = s + 1\nfor k in range(n):\n    s = s + row\n    g.add()\n    row = g.m[1]\nreturn s",
    "two variables that were one, and are not": "n = m[0, 1].astype(int)\nrow = g.m[1] * 1\ns = row\nfor k in range(n):\n    s = s + 1\n    g.add()\n    row = g.m[1]\n    s = s * 2 + row\nreturn s",
    "a copy of another shape": "v = g.m.flatten()\ng.put(5.0)\nreturn v",
    "an array full of a number": "v = [np.full((2, 3), g.m[1, 1])]\ng.put(5.0)\nreturn v[0] + g.m",
    "the body of a with reads anew": "row = g.m[1]\nwith g:\n    v = g.m + 1\nreturn v",
    "an operand that is computed": "return (g.m[1] + 1) * g.width",
    "a number": "return g.m[0, 1] + g.put(3.0) + g.m",
    "a copy of a part that is handed over": "s = with_first(m[1].astype(m.dtype))\nreturn m + s",
    "a part that is computed": "s = with_first(m[1] * 2)\nreturn m + s",
    "a sum": "return g.m.sum() + g.put(3.0) + g.m",
    "a row that is read before": "row = g.m[1]\ns = row.sum()\ng.put(1.0)\nreturn g.m + s",
    "a row that is taken anew": "row = g.m[1]\ns = row.sum()\ng.put(1.0)\nrow = g.m[1]\nreturn row + s",
    "a row of the array before": "row = g.m[1]\ng.m = g.m * 1\ng.put(2.0)\nreturn row + g.m",
    "the method makes a new array": "row = g.m[1]\ng.again()\nreturn row + g.m",
    "the right side of a sum": "return g.step() + g.m",
    "one of two values": "return g.m if g.put(1.0) > 1 else g.m * 2",
    "what is written to is a copy": "y = m.astype(m.dtype)\ng.m = y\nreturn m + g.put(4.0)",
    "the statement writes an item of its own": "a = m.copy()\na[int(g.put(3.0)) - 1] = 0.0\nreturn a",
}


Run = Callable[[Callable[[Any], Any]], Any]


def _run(body: str, run: Run, xp: Any) -> Any:
    """What `run` gives of the function with this body, whose array functions are those of `xp`."""
    with loaded(PRELUDE + textwrap.indent(body, "    "), np=xp) as namespace:
        return run(namespace["f"])


def _on_numpy(f: Callable[[Any], Any]) -> Any:
    return f(np.arange(6, dtype=np.float32).reshape(2, 3) + 1)


def _traced(f: Callable[[Any], Any]) -> Any:
    return jax.jit(al.to_graph(f))(jnp.arange(6, dtype=jnp.float32).reshape(2, 3) + 1)


def _derived(f: Callable[[Any], Any]) -> Any:
    return aliasing.derived(f)(np.arange(6, dtype=np.float32).reshape(2, 3) + 1)


def _converted(f: Callable[[Any], Any]) -> Any:
    return al.convert(f)(jnp.arange(6, dtype=jnp.float32).reshape(2, 3) + 1)


# A loop makes the name another array, or has it from the iteration before; or only the data knows which items it has.
UNKNOWN = {
    "all of it is in a staged loop", "a part from before a staged loop", "the same, from before a staged loop", "a part from the iteration before",
    "the same, from the iteration before", "an attribute, from the iteration before", "a part between traced bounds",
}  # fmt: skip


@pytest.mark.parametrize("run", [_traced, _converted])
@pytest.mark.parametrize("name", REFUSED)
def test_the_write_is_refused(name: str, run: Run) -> None:
    body, found = REFUSED[name]
    python = _run(body, _on_numpy, np)
    if name not in UNKNOWN:
        aliasing.assert_close(_run(body, run, jnp), python)
        return
    parted = "|and the loop makes '.*' another array|, and keeps it, or a part of it"
    with pytest.raises(al.MutationError, match=found + parted):
        _run(body, run, jnp)


@pytest.mark.parametrize("run", [_traced, _converted])
@pytest.mark.parametrize("name", RIGHT)
def test_the_answer_is_that_of_numpy(name: str, run: Run) -> None:
    np.testing.assert_allclose(_run(RIGHT[name], run, jnp), _run(RIGHT[name], _on_numpy, np), rtol=1e-6)


def test_the_message() -> None:
    with pytest.raises(al.MutationError) as caught:
        _run("row = g.m[1]\ng.put(5.0)\nreturn row", _derived, jnp)
    message = str(caught.value)
    assert message.startswith(
        "'put' writes an item of an array, float32[2,3], and 'row', a part of it there, is read later (random_program_"
    )
    assert (
        "Fix: call 'put' in a statement of its own, and take 'row' after it; where it is to stay as it is, let it be a copy, "
        "`.copy()`; or hand over a copy, and store what it returns."
    ) in message


def test_the_message_about_what_the_part_is_of() -> None:
    with pytest.raises(al.MutationError) as caught:
        _run("row = with_first(m[1])\nreturn row + m", _derived, jnp)
    message = str(caught.value)
    assert message.startswith(
        "'with_first' writes an item of an array, float32[3], which is a part of 'm' there, and 'm' is read later (random_program_"
    )
    assert (
        "Fix: let 'with_first' return the array, and store it there: m[...] = with_first(...); where 'm' is to stay as it is, "
        "hand over a copy, `.copy()`."
    ) in message
