"""Do the positions where a mask holds go where parts of arrays go, as in NumPy?"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from autograph_lite import convert, to_graph

from .against import assert_like_numpy, functions

X = np.array([0, 3, 0, 2, 5, -1], np.float32)
Y = np.array([1, 2, 3, 4, 5, 6], np.float32)
A = np.array([[1, 0, 2, -1], [0, 0, 3, 0], [2, 2, 0, -2]], np.float32)

READS = [
    "i = xp.where(x > 1)[0]; return x[i].sum(), len(i), i.size, i.shape[0], x[i] @ y[i], x[i].std()",
    "i = xp.nonzero(x)[0]; return i.sum(), (i + 1).sum(), (i > 3).sum(), (i > 3).any(), i.mean(), i.max(initial=0)",
    "i = xp.flatnonzero(x > 1); return x[i[i > 2]].sum(), x[i - 1].sum(), x[i[::-1]][:1].sum(), xp.sort(i)[1:].sum()",
    "i = xp.flatnonzero(x[:-1] > 1); return x[i + 1].sum(), xp.diff(i).sum(), xp.take(y, i).sum(), y.take(i).sum()",
    "i = xp.flatnonzero(A > 1); return i.sum(), A.ravel()[i].sum(), 2 in i, sum(i), max(i, default=-1)",
    "(i,) = (x > 1).nonzero(); return i.sum(), x.nonzero()[0].sum(), xp.where(i > 2, i, 0).sum()",
    "ii, jj = xp.nonzero(A > 0); return A[ii, jj].sum(), A[jj % 3, ii].sum(), ii.sum(), A[ii, 1:].sum(axis=0), A[:2, jj].sum(axis=1)",
    "return A[xp.where(A > 1)].sum(), A[xp.nonzero(A)].prod(), xp.argwhere(A).sum(axis=0), xp.argwhere(x).sum()",
    "i = xp.argwhere(A > 1); return A[i[:, 0], i[:, 1]].sum(), A[tuple(i.T)].sum(), i.shape[0], i.flatten().sum()",
    "i, j = xp.where(A[:, 0] > 0)[0], xp.where(A[0] > 0)[0]; return A[i[:, None], j].sum(), A[i][:, j].sum(), A[xp.ix_(i, j)].sum()",
    "i = xp.where(x[:n] > 1)[0]; return x[i].sum(), i.sum(), A[i % 3, :n].sum()",
    "i = xp.where(x > 1)[0][:n]; return x[i].sum(), len(i), i[1:].sum()",
    "i = xp.where(x > 1)[0]; return sum(x[k] for k in i), any(k > 2 for k in i), len([x[k] for k in i])",
    "i = xp.where(x > 1)[0]; i = i + 1 if len(i) > 2 else i; return i.sum()",
    "i = xp.where(x > 1)[0]; return x[i[0] - 1] if len(i) > 0 else -1.0",
]  # fmt: skip
LOOPS = [
    "for i in xp.nonzero(x > 0)[0]:\n    s = s * 3 + x[i] + i\nreturn s",
    "for i in xp.nonzero(x > 0)[0]:\n    if x[i] > 2:\n        break\n    s = s * 3 + i\nreturn s",
    "for k, i in enumerate(xp.flatnonzero(x > 0)):\n    if k == 1:\n        continue\n    s += k * i + 1\nreturn s",
    "for i, j in zip(*xp.nonzero(A > 0)):\n    s = s * 2 + A[i, j] + i - j\nreturn s",
    "ii, jj = xp.nonzero(A > 0)\nfor i, j in zip(reversed(ii), jj):\n    s = s * 2 + A[i, j] + i - j\nreturn s",
    "for i, j in xp.argwhere(A > 0):\n    s = s * 2 + A[i, j] + i - j\nreturn s",
    "for p in xp.argwhere(A > 0):\n    s = s * 2 + A[p[0], p[1]] + A[tuple(p)]\nreturn s",
    "for i in xp.nonzero(x > 0)[0]:\n    for j in xp.nonzero(A[i % 3] > 0)[0]:\n        A[i % 3, j] -= 1\nreturn A",
    "while len(xp.where(x > 1)[0]) > 0:\n    k = xp.where(x > 1)[0][0]\n    x[k] -= 1\nreturn x",
    "while True:\n    i = xp.where(x > 1)[0]\n    if len(i) == 0:\n        break\n    x[i[-1]] = 0\n    s += 1\nreturn s, x",
]
WRITES = [
    "i = xp.where(x == 0)[0]; x[i] = -1; y[i] = x[i] * 2; return x, y",
    "i = xp.where(x == 0)[0]; x[i] += 1; x[i + 1] = 7; return x",
    "ii, jj = xp.where(A > 0); A[ii, jj] *= 2; A[ii, 0] = -3; return A",
    "A[xp.nonzero(A > 0)] = 5; return A",
    "i = xp.where(A[:, 0] > 0)[0]; A[i] = A[i] - A[0]; A[i, :n] = 9; return A",
    "i = xp.where(x > 1)[0]; y = xp.zeros(6); y[i] = xp.arange(6)[i] * x[i]; x[i] = y[: len(i)]; return x, y",
    "i = xp.where(x > 1)[0]\nif i.size == 0:\n    return x\nx[i[0]:] = 0\nreturn x",
]


def program(body: str) -> str:
    lines = body.replace("; ", "\n").splitlines()
    return "def main(x, y, A, n):\n    s = 0\n" + "".join(f"    {line}\n" for line in lines)


@pytest.mark.parametrize("body", [*READS, *LOOPS, *WRITES])
def test_positions(body: str) -> None:
    for x, table in ((X, A), (X * 0, A * 0)):
        assert_like_numpy(program(body), x, Y, table, 2)


@pytest.mark.parametrize("index", ["0", "-1", "[0, -1]"])
def test_the_first_and_the_last_of_them(index: str) -> None:
    for x in (X, X * 0):  # where there is none, Python's IndexError
        assert_like_numpy(f"def main(x):\n    return xp.where(x > 1)[0][{index}]\n", x)


@pytest.mark.parametrize("index", ["i + 1", "i - 3", "i * 2, 0"])
def test_positions_beyond_the_end_are_an_error_as_in_numpy(index: str) -> None:
    for x in (X, X[::-1] * 1):
        source = f"def main(x):\n    i = xp.where(x == 3)[0]\n    return xp.stack([x] * 6)[{index}].sum()\n"
        assert_like_numpy(source, x)
    assert_like_numpy("def main(x):\n    i = xp.where(x < 0)[0]\n    x[i + 1] = 2\n    return x\n", X)


def found(x: Any) -> Any:
    i = jnp.where(x > 1)[0]
    y = x * 2
    y[i] = x[i] ** 2
    for k in i:
        if y[k] > 20:
            break
        y[0] += y[k] * k
    return y.sum() + len(i)


def plainly(x: Any) -> Any:
    y = np.where(x > 1, x**2, x * 2)
    for k in np.where(x > 1)[0]:
        if y[k] > 20:
            break
        y[0] += y[k] * k
    return y.sum() + (x > 1).sum()


def test_under_transformations_and_the_users_own_jit() -> None:
    rows = np.stack([X, -X, X + 1])
    run = convert(found)
    expected = [plainly(row) for row in rows]
    np.testing.assert_allclose(jax.vmap(run)(rows), expected)
    np.testing.assert_allclose([jax.jit(to_graph(found))(row) for row in rows], expected)
    step = np.float32(0.25)
    slopes = [
        [(plainly(row + step * e) - plainly(row - step * e)) / (2 * step) for e in np.eye(6)] for row in rows
    ]  # quadratic, away from where the mask changes
    smooth = np.abs(rows - 1) > step
    for gradient in (jax.vmap(jax.grad(run)), jax.jit(jax.vmap(jax.grad(to_graph(found))))):
        np.testing.assert_allclose(np.where(smooth, gradient(rows), 0), np.where(smooth, slopes, 0), 1e-4)


LISTS = [
    "for k in xp.where(x > 1)[0]:\n    found.append(x[k] + k)\nreturn sum(found), len(found)",
    "found = [k * 2 for k in xp.where(x > 1)[0]]; return sum(found), len(found), found[-1]",
    "for k, v in enumerate(x[x > 1]):\n    if k != 1:\n        found.append(v)\n    found.append(k)\nreturn sum(found), found[-1]",
    "for v, w in zip(reversed(x[:n]), x[x > 0]):\n    found += [v, w]\nreturn sum(found), len(found), found[0]",
    "found = list(A[A[:, 0] > 0]); return found[0] - found[-1], len(found), [r.sum() for r in A[:n] if r[0] > 0][0]",
]  # fmt: skip


@pytest.mark.parametrize("body", LISTS)
def test_a_list_has_room_for_all_of_them_in_somebody_elses_program(body: str) -> None:
    ours, numpys = functions(program(body).replace("s = 0", "found = []"))
    for found, expected in zip(jax.jit(ours)(X, Y, A, 2), numpys(X, Y, A, 2), strict=True):
        np.testing.assert_allclose(found, expected)


def test_what_is_known_while_tracing_is_no_selection() -> None:
    known = np.array([True, False, True, False, False, True])

    def f(x: Any, mask: Any) -> Any:
        first = x[jnp.nonzero(jnp.arange(6) < 2)[0]]
        return x[jnp.where(known)[0]], jnp.argwhere(known)[:, 0] * x[0], jnp.where(mask, x, 0), first

    places, rows, three, first = convert(f)(jnp.asarray(X), jnp.asarray(known))
    np.testing.assert_array_equal(first, X[:2])
    np.testing.assert_array_equal(places, X[known])
    np.testing.assert_array_equal(rows, [0, 0, 0])
    np.testing.assert_array_equal(three, np.where(known, X, 0))


def test_a_number_of_positions_that_is_given_makes_an_array() -> None:
    def f(x: Any) -> Any:
        return (
            jnp.where(x > 1, size=2)[0],
            jnp.nonzero(x > 1, size=4, fill_value=9)[0],
            jnp.argwhere(x, size=1),
        )

    def named(x: Any) -> Any:
        return jnp.where(condition=x > 1)[0].sum(), jnp.nonzero(a=x)[0].sum(), jnp.nonzero(x, size=None)[0][0]

    assert tuple(map(int, convert(named)(jnp.asarray(X)))) == (8, 13, 1)
    for got, expected in zip(convert(f)(jnp.asarray(X)), ([1, 3], [1, 3, 4, 9], [[1]]), strict=True):
        np.testing.assert_array_equal(got, expected)


def test_the_loop_goes_as_often_as_there_are_positions() -> None:
    def f(x: Any) -> Any:
        steps = 0
        for _ in jnp.where(x > 1)[0]:
            steps += 1
        return steps

    assert "while[" in str(jax.make_jaxpr(autograph_lite.to_graph(f))(jnp.asarray(X)))
    assert int(convert(f)(jnp.asarray(X))) == 3
