"""A variable, an item or an attribute that is a view of another array on a path, or after an iteration, and is then written."""

from __future__ import annotations

import textwrap
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al
from autograph_lite import MutationError
from tests.properties.running import loaded

HELPERS = """
class Holder:
    def __init__(self, f):
        self.f = f

def edge(x):
    x[0] = x[1] + 1

def middle(x):
    x[1] *= 0.5
    return x

def both(x, y):
    x[2] = 1
    return y, x

"""
# Of u, a matrix of NumPy's, or of JAX's under `jax.jit`, and n, which is traced.
SEEN = {
    "a view of what a callee writes": "v = u[::-1]\nu = u[::-1]\nu = middle(u)\nreturn u, v",
    "a view that is written before its array": (
        "v = u * 2\nw = v[::-1]\nfor k in range(n):\n    edge(w)\n    edge(v)\nreturn w"
    ),
    "an attribute of an object that the path makes": (
        "v = u[::-1]\nfor k in range(2):\n    z = Holder(v)\n    u[1] = k + n\n    if n > 9: break\nreturn z.f"
    ),
    "an item of a list that gets longer on the path": (
        "box = [u * 3, u * 1]\nif n > 3:\n    middle(box[0])\n    box.append(u)\nreturn box[0]"
    ),
    "an array of such a list": (
        "v = u * 3\nbox = [v, u * 1]\nif n > 3:\n    v[1] = 7\n    box.append(u)\nreturn box[0]"
    ),
    "an array of it that is written afterwards": (
        "v = u * 3\nbox = [v, u * 1]\nif n > 3:\n    box.append(u)\n    v[1] = 7\nreturn box[0]"
    ),
    "an attribute that a loop makes another array": (
        "p = Holder(u * 3)\nv = u * 2\no = Holder(v[::-1])\nmiddle(o.f)\nfor j in range(3): o.f = p.f\nreturn v, o.f"
    ),
    "the same on a path": (
        "p = Holder(u * 3)\nv = u * 2\no = Holder(v[::-1])\nif n > 3:\n    middle(o.f)\n    for j in range(3): o.f = p.f\n"
        "return v, o.f"
    ),
    "an attribute that is a view on the other path": (
        "v = u * 2\no = Holder(v[::-1])\nif n > 5: o.f = o.f * 0.5\nelse: edge(v)\nreturn v, o.f"
    ),
    "an attribute that is a view, with both read": (
        "v = u * 2\no = Holder(v[::-1])\nif n > 5: o.f = o.f * 0.5\nelse: v[0] = 2\nreturn v, o.f"
    ),
    "an object of an array that is written by items": (
        "v = u * 2\np = Holder(v)\nif n > 2: p = Holder(v)\nv[0] = 9\nreturn v, p.f"
    ),
    "a list that is made again": "w = u * 1\nbox = [u * 3, w]\nfor k in range(6):\n    box[0][1] *= 0.5\n    box = [w, box[0]]\nreturn w",
    "what a loop binds that is left in its last iteration": (
        "for k in range(n):\n    w = u[1] * 1\n    if k > 8: break\nu[1, 0] = 9\nreturn w, u"
    ),
    "an array and a part of it in a list": "t = [u, u[1:]]\nt[1][0] = n\nreturn u",
    "the same in a dict, on a path": "t = {'part': u[1:], 'all': u}\nif n > 2: t['part'][0, 1] = n\nreturn u",
    "the same, by a name": "row = u[1]\nbox = [row, u]\nbox[0][0] = n\nreturn u",
    "rows that a list has got as copies": (
        "rows = []\nfor k in range(7):\n    if k % 2 < n: rows.append(u.copy())\nrows[0][1] = 3\nreturn u, rows[0]"
    ),
}
REFUSED = {
    "a row that a loop binds first": "for k in range(2): w = u[k]\nu[1, 0] = 9\nreturn w, u",
    "a loop's row": "for row in u: pass\nu[1, 0] = 9\nreturn row, u",
    "a loop's row, by its index": "for k, row in enumerate(u): n = n + k\nu[1, n % 2] = 9\nreturn row, u",
    "a loop's row that is written": "for row in u: n = n + 1\nrow[0] = 9\nreturn row, u",
    "a part of a row": "for row in u: w = row[1:]\nu[1] = 9\nreturn w, u",
    "a row of a loop that is left": (
        "for row in u:\n    n = n + 1\n    if row[0] > 100: break\nu[1, 0] = 9\nreturn row, u"
    ),
    "a row of a loop from which the function returns": (
        "for row in u:\n    if row[0] > 100: return u, u\nu[1, 0] = 9\nreturn row, u"
    ),
    "a row that a loop of a traced length binds": (
        "for k in range(n):\n    row = u[k % 2]\n    if k > 8: break\nu[1, 0] = 9\nreturn row, u"
    ),
    "what a loop binds first on one path, and writes on the other": (
        "for row in u:\n    if row[0] < n: v = u\n    else: v[0] += 1\nreturn u"
    ),
    "the same, a part": "for row in u:\n    if row[0] < n: v = u[1:]\n    else: v[0] += 1\nreturn u, v",
    "the same, one of two": (
        "w = u * 1\nfor k in range(3):\n    if k == 0: v = u\n    elif u[k, 0] < n: v = w\n    else: v[0] += 1\nreturn u, w"
    ),
    "the same, a row": "for row in u:\n    if row[0] < n: v = row\n    else: v[0] += 1\nreturn u",
    "a list that a loop binds first on a path": "for row in u:\n    if row[0] < n: v = [u]\n    else: v[0][1] = 7\nreturn u",
    "what a loop binds first on one path, while it writes on the other": (
        "for row in u:\n    if row[0] < n: v = u\n    else: u[0] += 1\nreturn u, v"
    ),
    "the same, a view": "for row in u:\n    if row[0] < n: v = u[::-1]\n    else: u[0] += 1\nreturn u, v",
    "the same in a dict": "for row in u:\n    if row[0] < n: d = {'v': u}\n    else: u[0] += 1\nreturn u, d['v']",
    "the same in a tuple": "for row in u:\n    if row[0] < n: t = (u, 2)\n    else: u[0] += 1\nreturn u, t[0]",
    "the same, and it is left": (
        "for row in u:\n    if row[0] > n:\n        u[0] += 5\n        break\n    v = u[:]\nreturn u, v"
    ),
    "the same in a `while`": (
        "k = 3\nwhile k > 0:\n    k -= 1\n    if u[k, 0] < n: v = u\n    else: u[0] = 7\nreturn u, v"
    ),
    "a row before a loop that writes": (
        "for row in u: n = n + 1\nfor k in range(n % 4): u[1, k % 2] = 9\nreturn row, u"
    ),
    "a variable that is a view before the loop": (
        "v = u[::-1]\nfor k in range(n):\n    if k % 2: v = u * 0.5\n    v[1:] += 0.25\nreturn u"
    ),
    "the same, an item": "v = u[::-1]\nfor k in range(n):\n    if k % 2: v = u * 0.5\n    v[1] = 0.25\nreturn u",
    "the same, by a callee": "v = u[::-1]\nfor k in range(n):\n    if k % 2: v = u * 0.5\n    edge(v)\nreturn u",
    "one that is a view after an iteration": (
        "w = u * 2\nfor k in range(6):\n    if u[0, 0] > 1: w = u + 1\n    w[1:] += 0.25\n    w = u[::-1]\nreturn u, w"
    ),
    "two names that change places, one a view": (
        "x = u * 1\nv = x[::-1]\nw = u * 2\nfor k in range(n): w, v = both(w, v)\nreturn x, v"
    ),
    "the same, where the array moves, too": (
        "x = u * 1\nv = x[::-1]\nw = u * 2\nfor k in range(n):\n    w[2] = 1\n    w, v = v, w\n    x = x[::-1]\nreturn x, v"
    ),
    "the same, in a loop within": (
        "x = u * 2\nt, w = u * 4, x\nfor k in range(n):\n    t[1] = 3\n    for j in range(3): t, w = w, t\nreturn x"
    ),
    "an array of NumPy's": "w = np.ones((3, 2))\nx = u * 3\nfor k in range(n):\n    x[2] = 4\n    x = w\nreturn w",
    "an array of NumPy's, in a list": "w = np.ones((3, 2))\nx = [u * 3]\nfor k in range(n):\n    x[0][2] = 4\n    x[0] = w\nreturn w",
    "an array of NumPy's, in a loop within": (
        "x = np.zeros((3, 2))\nt, w = u * 4, x\nfor k in range(n):\n    t[1] = 3\n    for j in range(3): t, w = w, t\nreturn x"
    ),
    "an array of NumPy's that a loop chooses": (
        "v, x = np.zeros((3, 2)), np.zeros((3, 2))\nfor k in range(n): v = [v, x][k % 2]\nx[0] = 2\nreturn v"
    ),
    "the same, by a method": (
        "v, x = np.zeros((3, 2)), np.zeros((3, 2))\nfor k in range(n): v = [v, x][k % 2]\nx.fill(2)\nreturn v"
    ),
    "the same, by a function": (
        "v, x = np.zeros((3, 2)), np.zeros((3, 2))\nfor k in range(n): v = [v, x][k % 2]\nnp.copyto(x, 2)\nreturn v"
    ),
    "an array of NumPy's that an index chooses": (
        "v, x = np.zeros((3, 2)), np.zeros((3, 2))\nv = [v, x][n % 2]\nx[0] = 2\nreturn v"
    ),
    "an item of a tuple": (
        "w = u * 2\nt = u * 4, u\nfor k in range(n):\n    t[0][1] = 3\n    if k > 2: t = w, u\nreturn t[0], w"
    ),
    "an item of a tuple, after the loop": "w = u * 2\nt = u * 4, u\nfor k in range(n): t = w, u\nmiddle(t[0])\nreturn w",
    "a list that is made again, in a loop of n": (
        "w = u * 1\nbox = [u * 3, w]\nfor k in range(n):\n    box = [w, *box][:2]\n    box[1][2] = 1\nreturn w"
    ),
    "an item of a list that is longer on a path": (
        "box = [u * 2, u * 3]\nv = u * 1\nif n > 2:\n    box[0] = v\n    box.append(u)\nbox[0][1] = 3\nreturn v, box[0]"
    ),
}
MATRIX = np.arange(6, dtype=np.float32).reshape(3, 2)


def outcome(lines: str, way: str, number: int, *, static: str = "stage") -> Any:
    """What `lines` give, the body of a function of a matrix and a number: in Python, converted, or under `jax.jit`."""
    source = f"{HELPERS}def main(u, n):\n{textwrap.indent(lines, '    ')}\n"
    with loaded(source, np=np) as namespace:
        main = namespace["main"]
        if way == "python":
            return main(MATRIX.copy(), number)
        if way == "convert":
            return al.convert(main, static_loops=static)(MATRIX.copy(), jnp.int32(number))
        return jax.jit(al.to_graph(main, static_loops=static))(jnp.asarray(MATRIX), number)


@pytest.mark.parametrize("way", ["convert", "jit"])
@pytest.mark.parametrize("case", SEEN)
def test_all_names_see_the_write(case: str, way: str) -> None:
    for number in (1, 4):
        pairs = zip(
            jax.tree.leaves(outcome(SEEN[case], way, number)),
            jax.tree.leaves(outcome(SEEN[case], "python", number)),
            strict=True,
        )
        for ours, theirs in pairs:
            np.testing.assert_allclose(ours, theirs, rtol=1e-6)


@pytest.mark.parametrize("way", ["convert", "jit"])
@pytest.mark.parametrize("case", REFUSED)
def test_what_one_name_alone_would_see_is_refused(case: str, way: str) -> None:
    with pytest.raises(MutationError):
        outcome(REFUSED[case], way, 4)


@pytest.mark.parametrize("items", ["u", "u.copy()"])
def test_the_array_of_an_object_that_a_loop_binds_first_on_a_path(items: str) -> None:
    lines = f"for row in {items}:\n    if row[0] < n: o = Holder(u)\n    else: o.f[1] = 7\nreturn u"
    with pytest.raises(MutationError):  # of the caller
        outcome(lines, "convert", 4)
    np.testing.assert_array_equal(outcome(lines, "jit", 4), outcome(lines, "python", 4))


def test_a_caller_sees_the_write_to_what_an_index_has_chosen_of_its_array_twice() -> None:
    with pytest.raises(
        MutationError, match="which is one of several, and 'u', which is read later, is another"
    ):
        outcome("w = u\nfor k in range(n):\n    w = [w, u][k % 2]\n    w += 1\nreturn 0", "convert", 4)


def test_a_row_of_numpys_array_that_is_changed_in_place_after_its_loop() -> None:
    for lines in (
        "for row in u: n = n + 1",
        "m = u * 2\nfor row in m: n = n + 1",
        "for row in u: w = row[:1]",
    ):
        name, whole = ("w" if "w =" in lines else "row"), ("m" if "m =" in lines else "u")
        with pytest.raises(MutationError, match=f"is one of several, and '{whole}', which is read later"):
            outcome(f"{lines}\n{name} += 2\nreturn {name}, {whole}", "convert", 4)


def test_an_array_of_numpys_that_a_loop_binds_first_on_one_path_is_not_changed_in_place_alone() -> None:
    for bound in ("u", "row", "u * 1", "np.ones((3, 2))", "np.zeros((3, 2))"):
        lines = f"for row in u:\n    if row[0] < n: v = {bound}\n    else: v += 1\nreturn u, v"
        if bound in ("u", "row"):
            with pytest.raises(MutationError):
                outcome(lines, "convert", 4)
        else:
            jax.tree.map(
                np.testing.assert_allclose, outcome(lines, "convert", 4), outcome(lines, "python", 4)
            )


def test_a_list_of_lists_is_changed_where_the_indices_say() -> None:
    lines = "grid = [[u * 1, u * 2], [u * 3, u * 4]]\ngrid[n % 2][n // 4] += 1\nreturn grid"
    for number in (1, 4):
        jax.tree.map(
            np.testing.assert_allclose, outcome(lines, "convert", number), outcome(lines, "python", number)
        )


def test_what_the_loop_over_a_generator_binds_is_another_array_there() -> None:
    def produce(n):
        yield 4
        for _ in range(4, n, 2):
            yield n

    def main(b, xs):
        for j, i in enumerate(produce(b)):
            for _ in range(b):
                for _ in range(3):
                    xs[b % len(xs)] += j
                for _ in range(4, (i + j) % 3, -2):
                    return xs, -2
        return xs, xs[0]

    for number in (3, 7):
        ours = jax.jit(al.to_graph(main))(number, np.arange(4))
        jax.tree.map(np.testing.assert_array_equal, ours, main(number, np.arange(4)))


@pytest.mark.parametrize("index", ["[0, -1]", "np.array([0])"])
def test_items_of_no_items(index: str) -> None:
    with pytest.raises(IndexError, match="axis 0 with size 0"):
        outcome(f"return u[1:1][{index}]", "convert", 1)
    ours = outcome(f"if n > 3: return u[1:1][{index}].sum()\nreturn u.sum()", "convert", 1)
    assert ours == MATRIX.sum()
    assert outcome("return u[1:1][[]]", "convert", 1).shape == (0, 2)
