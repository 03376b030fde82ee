"""An array is written to of which a list, an object, a function or a loop has a part, also one between traced bounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.arrays import aliasing

HELPERS = """
import functools

class Holder:
    def __init__(self, x):
        self.x = x

    @property
    def all(self):
        return self.x

    @all.setter
    def all(self, x):
        self.x = x

    @property
    def first(self):
        return self.x[:2]

    def last(self, n):
        return self.x[n:]

def last(x, n):
    return x[n:]

def first(a):
    a[0] = 7
    return a

def parts(x):
    yield x[:1]
    yield x[1:]

"""
# Of a vector, a matrix and a traced number, 2.
REFUSED = {
    "a slice in a list": "z = [x[n:]]\nx[2] = 9\nreturn z[0].sum(), x",
    "a slice in a dict": "z = {'a': x[n:]}\nx[2] = 9\nreturn z['a'].sum(), x",
    "a slice that a list has got": "z = []\nz.append(x[n:])\nx[2] = 9\nreturn z[0].sum(), x",
    "a slice in an object": "h = Holder(x[n:])\nx[2] = 9\nreturn h.x.sum(), x",
    "a slice in a tuple that is taken apart": "t = (x[n:],)\n(a,) = t\nx[2] = 9\nreturn a.sum(), x",
    "a slice that a pattern names": "match (x[n:], 1):\n    case (y, k):\n        x[2] = 9\nreturn y.sum(), x",
    "a slice that an expression names": "if (y := x[n:]).sum() > 0:\n    x[2] = 9\nreturn y.sum(), x",
    "a slice as a default": "f = lambda y=x[n:]: y.sum()\nx[2] = 9\nreturn f(), x",
    "a slice in a partial": "f = functools.partial(lambda y: y.sum(), x[n:])\nx[2] = 9\nreturn f(), x",
    "a method of a slice": "f = x[n:].sum\nx[2] = 9\nreturn f(), x",
    "a slice that a function gives": "z = last(x, n)\nx[2] = 9\nreturn z.sum(), x",
    "a slice that a method gives": "h = Holder(x)\nz = h.last(n)\nh.x[2] = 9\nreturn z.sum(), h.x",
    "a slice that is transposed": "y = x[n:].T\nx[2] = 9\nreturn y.sum(), x",
    "a slice beside another part": "a = x[n - 1 :]\nb = x[1:]\na[1] = 9\nreturn b, a.sum()",
    "an item of a slice in a list": "z = [x[n:]]\nz[0][0] = 9\nreturn x",
    "an item of a slice that a function gives": "z = last(x, n)\nz[0] = 9\nreturn x, z.sum()",
    "a slice that is handed over": "z = first(x[n:])\nreturn x, z.sum()",
    "what a property gives": "h = Holder(x)\nf = h.all\nh.x[n] = 9\nreturn f",
    "a part that a property gives": "h = Holder(x)\nf = h.first\nh.x[n - 1] = 9\nreturn f",
    "what a property gives, by the property": "h = Holder(x)\nf = h.all\nh.all[n] = 9\nreturn f",
    "an item of what a property gives": "h = Holder(x)\nf = h.all\nf[n] = 9\nreturn h.all",
    "what a property reads": "h = Holder(x)\nf = h.x\nf[n - 1] = 9\nreturn h.first",
    "a row of a transposed matrix": "a, b = m[0], m.T[0]\na[0] = n\nreturn b, a",
    "a loop over slices": "for v in (x[n:], x[: n + 1]):\n    x[2] += v.sum()\nreturn x",
    "a loop over parts in a list": "for v in [x[:1], x[1:]]:\n    x[2] += v.sum()\nreturn x",
    "a loop over parts that NumPy gives": "for v in np.split(x, 3):\n    x[2] += v.sum()\nreturn x",
    "a loop over numbered parts": "for i, v in enumerate(np.split(x, 3)):\n    x[2] += v.sum() * i\nreturn x",
    "a loop over pairs of parts": "for v, k in zip(np.split(x, 3), (1, 2, 3)):\n    x[2] += v.sum() * k\nreturn x",
    "a loop over parts in reverse": "for v in reversed(np.split(x, 3)):\n    x[0] += v.sum()\nreturn x",
    "a loop over parts in a dict": "for k, v in {'a': x[:1], 'b': x[1:]}.items():\n    x[2] += v.sum()\nreturn x",
    "a loop over parts of what a generator was handed": "for v in parts(x):\n    x[2] += v.sum()\nreturn x",
    "a loop over rows of another shape": "for v in m.reshape(3, 2).T:\n    m[1, 2] += v.sum()\nreturn m",
}
RIGHT = {
    "a copy of a slice in a list": "z = [x[n:].copy()]\nx[2] = 9\nreturn z[0].sum(), x",
    "an array of a slice in a list": "z = [np.array(x[n:])]\nx[2] = 9\nreturn z[0].sum(), x",
    "what is computed of a slice, in a list": "z = [x[n:] * 2]\nx[2] = 9\nreturn z[0].sum(), x",
    "a mask's items in a list": "z = [x[x > 0]]\nx[2] = 9\nreturn z[0].sum(), x",
    "a slice that is read before": "z = [x[n:]]\ns = z[0].sum()\nx[2] = 9\nreturn s, x",
    "a slice takes the result": "x[n:] = first(x[n:])\nreturn x",
    "a property's own array": "h = Holder(x)\nh.all[n] += 5\nreturn h.x",
    "a loop over copies": "for v in np.split(x.copy(), 3):\n    x[2] += v.sum()\nreturn x",
    "a loop over other arrays": "for v in [x + 1, x * 2]:\n    x[2] += v.sum()\nreturn x",
    "a loop whose items are taken": "for v in (m[0],):\n    m[0] = v * 2\nreturn m",
    "a loop that copies what it takes": "for y in [x, x * 2]:\n    y = y.copy()\n    y[0] = n\nreturn y, x",
    "a loop over what a generator has of the function": (
        "def parts():\n    yield x[:1]\n    yield x[1:]\nfor v in parts():\n    x[2] += v.sum()\nreturn x"
    ),
}


def outcome(lines: str, way: Callable[[Any], Any], xp: Any) -> Any:
    return aliasing.outcome(HELPERS, "def main(x, m, number):", f"n = np.array(number)\n{lines}", way, xp, 2)


WAYS = ["convert", "jit"]


# A part whose length is traced under `jax.jit` is written itself.
WRITTEN_PARTS = {
    "a slice beside another part",
    "an item of a slice in a list",
    "an item of a slice that a function gives",
    "a slice that is handed over",
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", REFUSED)
def test_what_numpy_changes_elsewhere_is_refused(case: str, way: str) -> None:
    aliasing.assert_seen(
        outcome,
        REFUSED[case],
        aliasing.WAYS[way],
        unknown=way == "jit" and case in WRITTEN_PARTS,
    )


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", RIGHT)
def test_what_no_other_has_is_as_in_numpy(case: str, way: str) -> None:
    aliasing.assert_numpys_answer(outcome, RIGHT[case], aliasing.WAYS[way])
