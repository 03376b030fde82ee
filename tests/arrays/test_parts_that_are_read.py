"""A part, also one between traced bounds, `x[n:]`, or a loop over one, sees what is written to its array; or it is refused.

So it is in derivatives and lanes, which compute at once, or inside of a program: no wrong value.
"""

from __future__ import annotations

import textwrap
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al
from autograph_lite.errors import AutographError
from tests.arrays import aliasing
from tests.properties.running import loaded

HELPERS = """
class Holder:
    def __init__(self, x):
        self.x = x

def put(a, k):
    a[k] = 77

"""
READ = {
    "after": "y = x[n:]\nx[2] = 9\nx[1] = 4\ns = y.sum()",
    "both ends": "y = x[n - 1 : n + 1]\nx[2] = 9\nx[1] = 4\ns = y.sum() + y.max()",
    "up to": "y = x[:n]\nx[0] = 9\nx[1] = 4\ns = y.sum() + y.max()",
    "a step": "y = x[:n:2]\nx[0] = 9\nx[1] = 4\ns = y.sum() + y.max()",
    "backwards": "y = x[n::-1]\nx[1] = 8\ns = y.sum() + y[0]",
    "twice": "y = x[n - 1 :][1:]\nx[2] = 9\nx[1] = 4\ns = y.sum() + y.max()",
    "in a loop": "y = x[n - 1 :]\nfor k in range(3):\n    x[k] += k + 1\n    s = s + y.sum()",
    "in a while": "y = x[n - 1 :]\nk = 0\nwhile k < n:\n    x[k + 1] += k + 1\n    s = s + y.sum()\n    k += 1",
    "on a path": "y = x[n - 1 :]\nif x[0] > 0:\n    x[2] = 7\ns = y.sum()",
    "all at once": "y = x[n - 1 :]\nx[1:] = y * 0 + 5\ns = y.sum()",
    "another part": "y = x[n - 1 :]\nx[n:] = 8\ns = y.sum()",
    "items": "y = x[n - 1 :]\nx[1] = 8\ns = y[0] + y[-1] + len(y)",
    "a list": "z = [x[n - 1 :], x]\nz[1][1] = 30\ns = z[0].sum()",
    "an object": "h = Holder(x[n - 1 :])\nh.y = x\nh.y[2] = 11\ns = h.x.sum()",
    "a helper": "y = x[n - 1 :]\nput(x, 2)\ns = y.sum()",
    "rows": "y = m[n - 1 :]\nm[1] = 8\ns = y.sum()",
    "columns": "y = m[:, n - 1 :]\nm[1] = 8\ns = y.sum()",
    "of a row": "y = m[n - 1][n - 1 :]\nm[1] = 8\ns = y.sum()",
    "a generator": "z = (e * 2 for e in x[n - 2 :])\nx[2] = 7\ns = s + sum(z)",
    "a comprehension": "z = [e * 2 for e in x[n - 2 :]]\nx[2] = 7\ns = s + sum(z)",
    "an iterator": "z = iter(x[1:])\nx[1] = 7\ns = s + next(z) + next(z)",
}
# Of bounds that are known.
KNOWN = {
    "in a row": "y = m.ravel()\nm[0, 1] = 7\ns = y.sum() * y[1]",
    "axes that change places": "y = m.swapaxes(0, 1)\nm[0, 1] = 7\ns = y[1, 0]",
    "an axis less": "y = m[:1].squeeze()\nm[0, 1] = 7\ns = y[1]",
    "by a function": "y = np.rot90(m)\nm[0, 1] = 7\ns = y.ravel()[0]",
    "by a function, of axes": "y = np.swapaxes(m, 0, 1)\nm[0, 1] = 7\ns = y[1, 0]",
    "by a function, parts": "y, z = np.split(x, 2)\nx[1] = 7\ns = y[1]",
    "by a function, an axis less": "y = np.squeeze(m[:1])\nm[0, 1] = 7\ns = y[1]",
    "a diagonal": "y = np.diag(m[:2])\nm[0, 0] = 7\ns = y[0]",
    "a broadcast array": "y = np.broadcast_to(x, (2, 4))\nx[0] = 7\ns = y.sum()",
    "a copy in a row": "y = m.flatten()\nm[0, 1] = 7\ns = y[1]",
    "an index that meets it": "y = m[1]\nm[:, 0] = 7\ns = y[0]",
    "parts that change places": "y = x[:2]\nx[:2] = x[2:]\nx[2:] = y",
    "a list that has the array": "z = [m]\ny = m[0]\nz[0][0, 1] = 7\ns = y[1]",
    "rows that change places": "m[n - 2], m[n] = m[n], m[n - 2]",
    "views in a loop": "y = x[::-1]\nfor i in range(4):\n    x[i] = y[i] + 1\n    y[i] = x[i] * 2",
    "a long loop": "z = np.zeros(40)\ny = z[::-1]\nfor i in range(40):\n    z[i] = y[i] + x[0]\n    y[i] = z[i] * 2\ns = z.sum()",
    "two arrays of one kind": "y, z = np.zeros(4), np.zeros(4)\nfor _ in range(2):\n    y[:] = y + x\n    z[:] = z * x + 1\ns = y.sum() + z.sum()",
    "a buffer": "z = np.zeros((2, 4))\nz[0] = x\ny = z[0]\nz[1, 1:-1] = y[:-2] + y[2:]\ns = z.sum()",
}
LOOPS = {
    "items": "for e in x[n - 1 :]:\n    x[2] += e\n    s += e",
    "numbered": "for i, e in enumerate(x[n - 1 :]):\n    x[2] += e * (i + 1)\n    s += e",
    "beside the array": "for e, g in zip(x[n - 1 :], x):\n    x[2] += e\n    x[3] += g\n    s += e + g",
    "backwards": "for e in reversed(x[n - 1 :]):\n    x[2] += e\n    s += e",
    "mapped": "for e in map(lambda v: v * 2, x[n - 1 :]):\n    x[2] += e\n    s += e",
    "rows": "for r in m[n - 2 :]:\n    m[1] += r\n    s += r.sum()",
    "rows that are written": "for r in m[n - 2 :]:\n    r[0] = 7\n    s += r.sum()",
    "rows of known bounds that are written": "for r in m[1:]:\n    r[0] = 7\n    s += r.sum()",
    "rows with numbers that are written": "for i, r in enumerate(m[1:]):\n    r[0] = i\n    s += r.sum()",
    "rows of all that are written": "for r in m:\n    r[0] = 7\n    s += r.sum()",
    "columns": "for r in m[:, n - 1 :].T:\n    m[1] += r.sum()\n    s += r.sum()",
    "left": "for e in x[n - 2 :]:\n    if e > 2:\n        break\n    x[2] += e\n    s += e",
    "a helper writes": "for e in x[n - 2 :]:\n    put(x, 2)\n    s += e",
    "of a name": "y = x[n - 2 :]\nfor e in y:\n    x[2] += e\n    s += y.sum() + e",
    "up to": "for e in x[: n + 1]:\n    x[2] += e\n    s += e",
    "copies": "for e in x[x > n - 1]:\n    x[2] += e\n    s += e",
}


CASES = {**READ, **KNOWN, **{f"a loop over {name}": lines for name, lines in LOOPS.items()}}
VECTOR, MATRIX, NUMBER = np.arange(4.0) + 1, np.arange(6.0).reshape(3, 2) + 1, np.array(2)


def _of_arrays(main: Any) -> Any:
    """The program as a function of its arrays: the number is known."""
    return lambda *arrays: al.to_graph(main)(*arrays, NUMBER)


def _traced(main: Any) -> Any:
    return lambda *arrays: jax.jit(al.to_graph(main))(*arrays, NUMBER)


def _derivative(main: Any) -> Any:
    return lambda *arrays: jax.jvp(_of_arrays(main), arrays, arrays)[0]


def _in_program(main: Any) -> Any:
    return jax.jit(_derivative(main))


def _gradient(main: Any) -> Any:
    def loss(*arrays: Any) -> Any:
        found = _of_arrays(main)(*arrays)
        return sum(map(jnp.sum, found)), found

    return lambda *arrays: jax.value_and_grad(loss, (0, 1), has_aux=True)(*arrays)[0][1]


def _lane(main: Any) -> Any:
    lanes = jax.vmap(_of_arrays(main))
    return lambda *arrays: [each[0] for each in lanes(*(each[None] for each in arrays))]


# A derivative in the direction of NumPy's arrays computes with these.
WAYS = {
    "traced": (_traced, jnp), "at once": (_of_arrays, jnp), "derivative": (_derivative, np), "lane": (_lane, np),
    "gradient": (_gradient, jnp), "derivative in a program": (_in_program, jnp),
}  # fmt: skip


def outcome(lines: str, way: Any, xp: Any) -> Any:
    """What a program returns, and its arguments afterwards."""
    text = textwrap.indent(f"s = 0\n{lines}\nreturn x, m, s", "    ")
    arrays = xp.array(VECTOR, np.float32), xp.array(MATRIX, np.float32)
    with loaded(f"{HELPERS}def main(x, m, n):\n{text}", np=np) as namespace:
        return way(namespace["main"])(*arrays), arrays


def numpys(lines: str) -> Any:
    return outcome(lines, lambda main: lambda *arrays: main(*arrays, NUMBER), np)


# Views that NumPy lets nobody write to: the program has copies.
READ_ONLY = {"a diagonal", "a broadcast array"}


@pytest.mark.parametrize("case", [case for case in CASES if case not in READ_ONLY])
def test_it_is_what_numpy_writes(case: str) -> None:
    ours = outcome(CASES[case], lambda main: lambda *arrays: al.convert(main)(*arrays, NUMBER), np)
    aliasing.assert_close(ours, numpys(CASES[case]))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", CASES)
def test_it_is_right_or_refused_where_arrays_are_jaxs(case: str, way: str) -> None:
    try:
        ours, _ = outcome(CASES[case], *WAYS[way])
    except AutographError:
        return
    aliasing.assert_close(ours, numpys(CASES[case])[0])
