"""An array that would be NumPy's still is after a write to it, so that `x += v` changes it for all who know it."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al
from tests.arrays.aliasing import assert_close
from tests.properties.running import loaded

X = np.array([[1, -1], [2, 3]], np.float32)
WRITES = [
    "d[X <= 0] = 0",
    "d[X > 0] *= -1",
    "d[X > 0] = X[X > 0]",
    "d[~(X > 0)] -= 1",
    "d[d == d.max()] = 0",
    "d[np.where(X > 0)] = 4",
    "d[:, X[0] > 0] = 0",
    "d[X[:, 0] > 1] = 5",
    "d[X[:, 0] > 1, 0] = 5",
    "d[np.triu_indices(2)] = 0",
    "d.T[X > 0] = 0",
    "d[1 : int(X[1, 0])] = 7",
    "np.putmask(d, X > 0, 0)",
    "np.copyto(d, 0, where=X > 0)",
    "np.add.at(d, [0, 0], X[0])",
    "np.put(d, [0], X[0, 0])",
    "np.fill_diagonal(d, X[0, 0])",
    "np.clip(d, 0, 1, out=d)",
    "d.sort()",
    "d[[1, 0]] = d",
]
WAYS = {
    "straight": "{write}",
    "in a branch": "if X.sum() > 0:\n    {write}",
    "in a loop": "for i in range(int(X[1, 0])):\n    {write}",
}
MADE = ["X * 2", "np.zeros((2, 2), np.float32)", "X"]
METHODS = ["X.clip(0, 1)", "X.dot(X)", "X.round()", "X.take([1, 0], axis=0)", "X.take([0])", "X.dot(X[0])"]


def outcome(lines: str, way: Any) -> Any:
    source = "def main(X):\n" + "".join(f"    {line}\n" for line in lines.splitlines())
    with loaded(source, np=np) as namespace:
        array = X.copy()
        return jax.tree.map(np.float32, (way(namespace["main"])(array), array))


def assert_numpys_answer(lines: str) -> None:
    assert_close(outcome(lines, al.convert), outcome(lines, lambda main: main))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("write", WRITES)
def test_another_name_sees_it_changed_after_a_write(write: str, way: str) -> None:
    lines = WAYS[way].format(write=write)
    assert_numpys_answer(f"d = X * 2\n{lines}\na = d\na *= 2\nreturn d, a")


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize(
    "end", ["e = d @ X\na = e\na -= 1\nreturn d, e", "gs = [d, d + X]\nfor g in gs: g *= 2\nreturn gs"]
)
def test_what_is_computed_of_it_is_numpys(made: str, end: str) -> None:
    assert_numpys_answer(f"d = {made}\nd[X < 0] = 0\n{end}")


@pytest.mark.parametrize("method", METHODS)
def test_what_methods_give_is_numpys(method: str) -> None:
    assert_numpys_answer(f"d = {method}\na = d\na += 1\nreturn d, a")


def test_of_jaxs_arrays_a_new_one_is_made() -> None:
    def main(x: Any) -> Any:
        d = x * 2
        d[x > 0] = 0
        c = x.clip(0, 1)
        a, b = d, c
        a += 1
        b += 1
        return a - d, b - c

    assert_close(al.convert(main)(jnp.asarray(X)), (np.ones((2, 2)), np.ones((2, 2))))
