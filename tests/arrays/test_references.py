"""An array has several names, parts and holders: what is written by one of them is read by the others, as in NumPy."""

from __future__ import annotations

import dataclasses
import textwrap
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al
from autograph_lite.jax_internals.dataflow import recorded_views
from autograph_lite.jax_internals.references import forwarding
from tests.arrays import aliasing
from tests.properties.running import loaded

HELPERS = """
class Box:
    def __init__(self, u):
        self.u = u
        self.inner = u[1:-1]

    def step(self, k):
        self.inner[0] = self.inner[0] + k
        self.u[3] = self.inner.sum()

def fill(out, y):
    out[0] = 2 * y[0]
    for s in range(1, 3):
        out[s] = out[s - 1] + y[s]

def first_of(out, t, y):
    out[0] = y[1]
    out[1] = -y[0] * t

def main(x, m, n):
"""
# Of x, four numbers; m, three rows of four; n, how often a loop runs.
PROGRAMS = {
    "views of views": "b = m[1:]\nc = b[0]\nd = c[1:3]\nd[0] = 7\nb[0, 0] = 9\nm[1] += 1\nreturn b, c, d, m",
    "turned and flat": "t = m.T\nr = m.reshape(2, 6)\nv = m.ravel()\nt[0, n % 3] = 50\nr[1, 3] = 60\nv[0] = 70\nm[2, 3] = 80\nreturn t, r, v, m",
    "what NumPy copies": (
        "a, b, c, d = m.copy(), m.astype(np.float32), m.flatten(), m[np.array([0, 1])]\ne = np.concatenate([m])\ns = +m\nm[0] = 100\n"
        "a[1] = 3\nd[0] = 4\ne[0, 0] = 5\ns[1, 1] = 6\nreturn m, a, b, c, d, e, s"
    ),
    "turned around twice": "a = np.flip(m, 0)\nb = a[::-1]\nb[0, 0] = 5\na[0, 1] = 6\nreturn m, a, b",
    "parts that NumPy makes": "a, b = np.split(x, 2)\nc = np.rollaxis(m, 1)\na[0] = 9\nb[:] = 3\nc[1, 0] = 8\nreturn x, a, b, c, m",
    "out-parameters": "K = np.zeros((4, 4))\nV = K[:3]\nfill(V[0], x)\nfill(V[1:][0], x)\nreturn K, V",
    "out-parameters in a loop": (
        "K = np.zeros((4, 4))\nV = K[:3]\ni = 0\nwhile i < n:\n    fill(V[i % 3], x)\n    x = x + V.sum(axis=0) * 0.1\n    i += 1\nreturn x, K, V"
    ),
    "a list of out-parameters": (
        "k = np.zeros(4)\nks = [k, np.zeros(4)]\ni = 0\nwhile i < n:\n    for q in ks:\n        first_of(q, i, x)\n    x = x + 0.1 * ks[0] + ks[1]\n"
        "    i += 1\nreturn x, k"
    ),
    "an object whose method writes": "g = Box(x)\ni = 0\nwhile i < n:\n    g.step(i)\n    i += 1\nreturn g.u, g.inner, x",
    "a function that writes what is around it": (
        "y = x * 1\ndef put(i):\n    y[i % 4] = y[(i + 1) % 4] + i\ni = 0\nwhile i < n:\n    put(i)\n    i += 1\nreturn y"
    ),
    "a name from before the loop": "a = x * 1\nb = a\ni = 0\nwhile i < n:\n    a[i % 4] = b.sum()\n    i += 1\nreturn a, b",
    "a loop in a loop": (
        "a = x * 1\nv = a[1:]\ni = 0\nwhile i < n:\n    j = 0 * n\n    while j < 2:\n        v[j] = a[j] + i\n        j += 1\n    i += 1\nreturn a, v"
    ),
    "a loop that is left": "a = x * 1\nv = a[1:]\nfor i in range(n):\n    v[i % 3] = i\n    if a.sum() > 12:\n        break\nreturn a, v",
    "arrays in a dict": (
        "d = {'a': x * 1, 'b': x * 2}\na = d['a']\ni = 0\nwhile i < n:\n    d['a'][i % 4] = a[0] + 1\n    d['b'][0] = a.sum()\n    i += 1\n"
        "return d['a'], d['b'], a"
    ),
    "a list that a loop fills": "h = []\na = x * 1\nb = a\nfor i in range(3):\n    a[i] = n\n    h.append(b)\nreturn h, a",
    "branches": "a = x * 1\nb = a[::-1]\nif n > 1:\n    b[0] = 5\n    if n > 3:\n        a[1] = 6\nelse:\n    a[0] = b[1] + 1\nreturn a, b",
    "branches in a loop": (
        "a = x * 1\nb = a[::-1]\ni = 0\nwhile i < n:\n    if a[i % 4] > 2:\n        b[0] = i\n    else:\n        a[0] = b[1] + 1\n    i += 1\nreturn a, b"
    ),
    "arrays that change places in a loop": (
        "u, v = x * 1, x * 2\ni = 0\nwhile i < n:\n    v[1:-1] = u[:-2] + u[2:]\n    u, v = v, u\n    i += 1\nreturn u, v"
    ),
    "rows that are handed over": (
        "t = np.zeros((6, 4))\ndef derivative(y, out):\n    out[0] = 2 * y[0]\nfor i in range(n):\n    t[i] = x\n    derivative(x, t[i])\n"
        "    x = x + 0.1 * t[i]\nreturn t, x"
    ),
    "a part that is written before its array in a branch": (
        "c = m * 1\ns = c[1]\nif n > 1:\n    c[2] = 2\ns[1:] += 3\nreturn c, s"
    ),
    "a generator's rows": "def rows():\n    for i in range(3):\n        yield m[i]\nm[1, 0] = 5\nfor r in rows():\n    r[1] = 7\nreturn m",
    "a masked part, which is a copy": "y = x[1:]\nb = x[x > 2]\nx[3] = 100\ny[0] = 50\nreturn b.sum(), x, y",
    "arrays that are made of constants": "k = np.linspace(0, 1, 4)\nv = k[1:]\nv[0] = x[1]\nk[2] = 5\nreturn k + np.eye(4)[0], v + k[1:]",
    "places that a mask has": "i = np.where(x > 2)[0]\ny = x[1:]\ny[1] = 0\nreturn x[i].sum(), i.sum(), y",
    "functions of JAX's around": (
        "y = x * 1\nv = y[1:]\nv[0] = 3\ns = np.sort(y)\nt = np.stack([v, v])\ny[2] = 8\nreturn s, t, y, m @ y, np.argsort(v)"
    ),
    "a mask": "a = m[1:]\na[a > 6] = 0\nm[m == 0] = -1\nreturn a, m",
}


def outcome(lines: str, way: Callable[[Any], Any], xp: Any, n: int) -> Any:
    with loaded(HELPERS + textwrap.indent(lines, "    "), np=xp) as namespace:
        x, m = np.arange(4, dtype=np.float32) + 1, np.arange(12, dtype=np.float32).reshape(3, 4)
        given = (x, m, n) if xp is np else (jnp.asarray(x), jnp.asarray(m), jnp.asarray(n))
        return jax.tree.map(np.asarray, way(namespace["main"])(*given))


@pytest.mark.parametrize("lines", PROGRAMS.values(), ids=PROGRAMS)
def test_all_names_see_what_is_written(lines: str) -> None:
    for n in (0, 1, 4) if "while" in lines or "range(n)" in lines or "if" in lines else (1,):
        aliasing.assert_close(outcome(lines, al.convert, jnp, n), outcome(lines, aliasing.plain, np, n))


REFUSED = {
    "arrays that change places, and one from before": (
        "u, v = x * 1, x * 2\nfirst = u\ni = 0\nwhile i < n:\n    v[0] = u[1]\n    u, v = v, u\n    i += 1\nreturn u, first"
    ),
    "a loop that makes the name another array": "a = x * 1\nb = a\ni = 0\nwhile i < n:\n    a[0] = i\n    a = a + 1\n    i += 1\nreturn a, b",
    "one of two": "a = x * 1\nb = a if n > 1 else x * 2\na[0] = 4\nreturn a, b",
    "a name by atleast_1d, and a loop": "a = x * 1\nb = np.atleast_1d(a)\ni = 0\nwhile i < n:\n    a[i] = 5\n    i += 1\nreturn a, b",
    "what a loop keeps": "a = x * 1\np = a * 2\ni = 0\nwhile i < n:\n    a[0] = p[1]\n    p = a[:]\n    i += 1\na[1] = 3\nreturn a, p",
}


@pytest.mark.parametrize("lines", REFUSED.values(), ids=REFUSED)
def test_an_array_of_which_it_is_not_known_who_it_is(lines: str) -> None:
    outcome(lines, aliasing.plain, np, 2)
    with pytest.raises(al.MutationError):
        outcome(lines, al.convert, jnp, 2)


def test_the_message_about_a_loop_that_makes_the_name_another_array() -> None:
    def f(x: Any, n: Any) -> Any:
        a = x * 1
        b = a
        while n > 0:
            a[0] = n
            a = a + 1
            n -= 1
        return a, b

    with pytest.raises(al.MutationError) as caught:
        al.convert(f)(jnp.ones(2), jnp.asarray(2))
    assert str(caught.value).startswith(
        "An item of the array 'a' is written in a loop, other names see that, and the loop makes 'a' another array.\n"
    )


def smoothed(x: Any) -> Any:
    y = x * x
    inner = y[1:-1]
    inner[0] = 3 * y[0]
    for _ in range(2):
        inner[:] = y[:-2] + inner
    if y[0] > 1:
        y[1] = inner[1] * 2
    return (y * inner.sum()).sum()


def test_derivatives_and_lanes() -> None:
    def by_hand(x: Any) -> Any:
        y = x * x
        y = y.at[1].set(3 * y[0])
        for _ in range(2):
            y = y.at[1:-1].set(y[:-2] + y[1:-1])
        y = jnp.where(y[0] > 1, y.at[1].set(y[2] * 2), y)
        return (y * y[1:-1].sum()).sum()

    x = jnp.array([1.5, 2.0, 0.5, 3.0])
    np.testing.assert_allclose(al.convert(smoothed)(x), by_hand(x), rtol=1e-6)
    np.testing.assert_allclose(jax.grad(al.convert(smoothed))(x), jax.grad(by_hand)(x), rtol=1e-6)
    rows = jnp.stack([x, x / 4])
    np.testing.assert_allclose(jax.vmap(al.convert(smoothed))(rows), jax.vmap(by_hand)(rows), rtol=1e-6)


def test_an_objects_arrays_are_the_callers_afterwards() -> None:
    @dataclasses.dataclass
    class Part:
        m: Any

    class Grid:
        def __init__(self, m: Any) -> None:
            self.m = m

    def step(grid: Any) -> Any:
        m = grid.m
        m[0] = m[1] + m[0]
        return grid.m.sum()

    for kind in (Part, Grid):
        compiled = al.convert(step)
        grid, plain = kind(jnp.arange(4.0)), np.arange(4.0)
        for _ in range(2):
            plain[0] = plain[1] + plain[0]
            assert compiled(grid) == plain.sum()
            np.testing.assert_array_equal(grid.m, plain)


def test_nothing_is_forwarded_where_nobody_else_reads() -> None:
    kinds = []

    def f(x: Any, n: Any) -> Any:
        while n > 0:
            x[0] = x[1] + n
            n -= 1
        kinds.append(type(forwarding.core.trace_ctx.trace))
        return x

    al.convert(f)(jnp.ones(2), jnp.asarray(2))
    assert kinds == [forwarding.KeepingTrace]


def chosen_of_a_list(a: Any, b: Any, i: Any) -> Any:
    y = [a, b][i]
    y[0] = 1.0
    return a * 1


def chosen_of_a_dict(a: Any, b: Any, i: Any) -> Any:
    y = {0: a, 1: b}[i]
    y[0] = 1.0
    return a, b


def sorted_items(a: Any, b: Any, i: Any) -> Any:
    xs = sorted([a + i, b], key=lambda x: x[0])
    xs[0][0] = 1.0
    return a, b


def an_attribute(a: Any, b: Any, i: Any) -> Any:
    h = SimpleNamespace(x=a)
    if i > 0:
        h.x = b
    h.x[0] = 1.0
    return a * 1, b * 1


@pytest.mark.parametrize("function", [chosen_of_a_list, chosen_of_a_dict, sorted_items, an_attribute])
def test_items_of_what_the_data_has_chosen(function: Any) -> None:
    a, b = np.arange(3, dtype=np.float32) + 2, np.arange(3, dtype=np.float32)
    with pytest.raises(al.MutationError):
        al.convert(function)(a, b, jnp.int32(0))
    assert (a.tolist(), b.tolist()) == ([2, 3, 4], [0, 1, 2])


def bump(v: Any, n: Any) -> Any:
    v += n
    return v


def bumped(a: Any, n: Any) -> Any:
    s = a[1] + 1
    t = s * 3
    bump(s, n)
    bump(t, s)
    return s, t


def test_a_function_that_is_nothing_but_an_operator() -> None:
    a = np.arange(9, dtype=np.float32).reshape(3, 3)
    for found, wanted in zip(al.convert(bumped)(a, jnp.int32(2)), bumped(a, 2), strict=True):
        np.testing.assert_allclose(found, wanted)


ONES = np.ones(3)
OF_JAX = jnp.ones(3)


def added_by(v, n):
    v += n
    return v


def of_a_constant(x):
    y = np.ones(3) * x
    z = added_by(y, 2.0)
    z[0] = 9
    return y, z


def of_a_product(x):
    y = np.ones((3, 3)) @ np.array([x, 1.0, 2.0])
    v = y
    v += 1
    return y


def of_a_global(x):
    y = x - ONES
    held = {"y": y}
    added_by(held["y"], 1.0)
    return held, y


def of_jaxs_list(x):
    y = jnp.array([1.0, 2.0, 3.0]) * x
    z = y
    y += 1
    return y, z


def of_jaxs_global(x):
    y = OF_JAX * x
    return added_by(y, 1.0), y


def of_jaxs_copy(x):
    y = jnp.asarray(ONES) * x
    return added_by(y, 1.0), y


@pytest.mark.parametrize(
    "f", [of_a_constant, of_a_product, of_a_global, of_jaxs_list, of_jaxs_global, of_jaxs_copy], ids=lambda f: f.__name__
)  # fmt: skip
def test_what_a_constant_makes_is_whose_the_constant_is(f):
    wanted = f(1.5)
    found = al.convert(f)(np.float32(1.5))
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-6), found, wanted)


def test_what_an_array_has_been_is_not_gone_through_at_each_write(monkeypatch: pytest.MonkeyPatch) -> None:
    def written(x, count):
        seen = x
        for k in range(count):
            x[k] = seen[k + 1] + 1
        return seen

    def looked_at(count):
        number = 0

        def key(array):
            nonlocal number
            number += 1
            return view_key(array)

        view_key = recorded_views.view_key
        with monkeypatch.context() as patch:
            patch.setattr(recorded_views, "view_key", key)
            found = al.convert(written, static_loops="python")(np.zeros(99, np.float32), count)
        np.testing.assert_array_equal(found, written(np.zeros(99, np.float32), count))
        return number

    assert looked_at(80) < 2.5 * looked_at(40)
