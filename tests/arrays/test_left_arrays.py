"""What a call has left in an object, a list or a global, and NumPy would have made there, is NumPy's in the next call."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al
from autograph_lite import MutatedArgumentError, MutationError
from tests.arrays.aliasing import assert_close
from tests.properties.running import loaded

HELPERS = """
class O:
    def __init__(self):
        self.m, self.n, self.w = None, None, np.ones(2, np.float32)

def more(a, v):
    a += v

o, G = O(), {}
"""
# Of an object `o`, a dict `G`, which are there at each call, and an array `g`.
PROGRAMS = {
    "an attribute": "if o.m is None: o.m = np.zeros_like(g)\nm = o.m\nm *= 0.9\nm += g\nreturn o.m",
    "a masked write": "if o.m is None: o.m = np.zeros_like(g) - 1\nm = o.m\nm[m < 0] = 0\nm += g\nreturn o.m",
    "in a loop": "if o.m is None: o.m = np.zeros_like(g)\nm = o.m\nfor i in range(int(g[1])): m += g * i\nreturn o.m",
    "in a branch": "if o.m is None: o.m = np.zeros_like(g)\nm = o.m\nif g.sum() > 0: m += g\nreturn o.m",
    "by a function": "if o.m is None: o.m = np.zeros_like(g)\nmore(o.m, g)\nreturn o.m",
    "a row": "if o.m is None: o.m = np.zeros((2, 2), np.float32)\nr = o.m[1]\nr += g\no.m[0] -= g\nreturn o.m",
    "rows": "if o.m is None: o.m = np.zeros((2, 2), np.float32)\nfor r in o.m: r += g\nreturn o.m",
    "a list": "if o.m is None: o.m = [np.zeros_like(g) for _ in range(3)]\nfor v in o.m:\n    v *= 0.5\n    v += g\nreturn o.m",
    "a list that grows": "if o.m is None: o.m = []\no.m.append(g * 1)\nfor v in o.m: v *= 0.5\nreturn o.m",
    "a tuple": "if o.m is None: o.m = np.zeros_like(g), np.zeros_like(g)\na, b = o.m\na += g\nb += a\nreturn o.m",
    "a dict": "if o.m is None: o.m = {}\nfor k in 'ab':\n    v = o.m.setdefault(k, np.zeros_like(g))\n    v += g\nreturn o.m",
    "a global": "if 'h' not in G: G['h'] = np.zeros_like(g)\nh = G['h']\nh += g\nreturn h",
    "one array twice": "if o.m is None: o.m = o.n = np.zeros_like(g)\nm = o.m\nm += g\nreturn o.n",
    "two that change places": "if o.m is None: o.m, o.n = g * 1, g * 2\no.m, o.n = o.n, o.m\nm = o.m\nm += g\nreturn o.m, o.n",
    "one of before and a new one": "o.n, o.w = o.w, o.w + g\nn = o.n\nn -= 1\nreturn o.n, o.w",
    "a new one afterwards": "w = o.w\nw *= 0.5\no.w = o.w + g\nreturn w, o.w",
    "a copy": "if o.m is None: o.m = np.zeros_like(g)\nk = o.m.copy()\nk += 1\nv = o.m\nv += g\nreturn k, o.m",
}


def called(lines: str, way: Callable[[Any], Any], calls: int = 4) -> list[Any]:
    source = HELPERS + "def main(g):\n" + textwrap.indent(lines, "    ")
    with loaded(source, np=np) as namespace:
        main = way(namespace["main"])
        return [jax.tree.map(np.array, main(np.array([1, 2], np.float32))) for _ in range(calls)]


@pytest.mark.parametrize("case", PROGRAMS)
def test_it_is_changed_in_place_for_all_who_hold_it(case: str) -> None:
    assert_close(called(PROGRAMS[case], al.convert), called(PROGRAMS[case], lambda main: main))


class Net:
    def __init__(self) -> None:
        self.rows: Any = None
        self.momenta: Any = None

    def step(self, g: Any) -> Any:
        if self.rows is None:
            self.rows = [np.ones_like(g), np.ones_like(g)]
            self.momenta = {"0": np.zeros_like(g), "1": np.zeros_like(g)}
        for number, row in enumerate(self.rows):
            momentum = self.momenta[str(number)]
            momentum *= 0.9
            momentum += g
            row -= 0.1 * momentum
        return self.rows[0].sum()

    def predict(self, x: Any) -> Any:
        return (self.rows[0] * x).sum()


def test_another_function_reads_what_was_left_and_leaves_it_as_it_is() -> None:
    def trained(way: Callable[[Any], Any]) -> list[float]:
        class Own(Net):
            step, predict = way(Net.step), way(Net.predict)

        net, g = Own(), np.array([1, 2], np.float32)
        found = []
        for _ in range(4):
            found.append(float(net.step(g)))
            rows = net.rows
            found.append(float(net.predict(g)))
            assert net.rows is rows
        return found

    np.testing.assert_allclose(trained(al.convert), trained(lambda fn: fn), rtol=1e-5)


def test_another_function_changes_it() -> None:
    def make(o: Any, g: Any) -> None:
        o.w = o.w - g

    def change(o: Any, g: Any) -> Any:
        w = o.w
        w -= g
        return w

    o, g = Net(), np.array([1, 2], np.float32)
    o.w = np.ones(2, np.float32)
    al.convert(make)(o, g)
    for _ in range(2):
        al.convert(change)(o, g)
    np.testing.assert_array_equal(o.w, [-2, -5])


def test_in_a_list_that_is_passed() -> None:
    def step(ps: Any, g: Any) -> None:
        for p in ps:
            p -= g
        ps[0] = ps[0] * 2

    ours, python = [[np.ones(2, np.float32), np.zeros(2, np.float32)] for _ in range(2)]
    g, converted = np.array([1, 2], np.float32), al.convert(step)
    for _ in range(3):
        converted(ours, g)
        step(python, g)
    np.testing.assert_array_equal(ours, python)


def test_what_jax_makes_stays_jaxs() -> None:
    def step(o: Any, g: Any) -> Any:
        m = o.m
        m = m + g
        kept = o.m
        kept += g
        o.m = m
        return kept - o.m

    o = Net()
    o.m = jnp.zeros(2)
    converted = al.convert(step)
    for _ in range(3):
        np.testing.assert_array_equal(converted(o, np.ones(2, np.float32)), [0, 0])
    np.testing.assert_array_equal(o.m, [3, 3])


def test_a_part_that_was_left_with_the_array_is_refused() -> None:
    lines = "if o.m is None:\n    o.m = np.zeros((2, 2), np.float32)\n    o.n = o.m[0]\no.m += g\nreturn o.n"
    with pytest.raises(MutationError, match="may have put, into an object, or a part of that"):
        called(lines, al.convert, 2)


def test_passed_by_itself_and_written_it_is_refused() -> None:
    def make(o: Any, g: Any) -> None:
        o.m = g * 2

    def write(m: Any) -> Any:
        m *= 2
        return m

    o = Net()
    al.convert(make)(o, np.ones(2, np.float32))
    with pytest.raises(MutatedArgumentError, match="passed by itself, and written"):
        al.convert(write)(o.m)
