"""Calls of NumPy's that write to arrays: lists among their arguments, the array for the result by its place, and all by name."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest

from autograph_lite import convert
from tests.properties.running import loaded

ARGUMENTS = {
    "x": np.arange(6, dtype=np.float32),
    "m": np.array([[3, 1, 2], [6, 5, 4], [7, 9, 8]], np.float32),
    "i": np.arange(6, dtype=np.int32),
    "out": np.zeros(6, np.float32),
    "o": np.zeros((3, 3), np.float32),
    "n": np.zeros(3, np.int64),
    "b": np.zeros(3, bool),
}


def run(lines: str, way: Any) -> Any:
    """The arguments once they are written by lines, with what these return."""
    source = f"def main({', '.join(ARGUMENTS)}):\n    {lines}\n"
    given = {name: each.copy() for name, each in ARGUMENTS.items()}
    with loaded(source, np=np) as namespace:
        found = way(namespace["main"])(**given)
    return jax.tree.map(np.asarray, (given, found))


@pytest.mark.parametrize(
    "lines",
    [
        "np.add(x, 1, out=x, where=[True, False, True, False, True, True])",
        "np.add([1, 2, 3, 4, 5, 6], x, out=out)",
        "np.sqrt([x[1], x[2], 1, 2, 3, 4], out)",
        "np.ceil([x[1], 1.5, 1, 2, 3, 4], out=out)",
        "np.ldexp(x, [1, 2, 3, 4, 5, 6], out=out)",
        "np.matmul(m, [[1, 2, 3]] * 3, o)",
        "np.copyto(x, [1, 2, 3, 4, 5, x[1]])",
        "np.copyto(x, range(6), where=[True, False] * 3)",
        "np.copyto(i, [1.5, 2, 3, 4, 5, 6], casting='unsafe')",
        "np.copyto(dst=x, src=x * 3)",
        "np.putmask(x, [True, False] * 3, [1, 2])",
        "np.putmask(x, [1, 0, 1, 0, 1, 1], 7)",
        "np.place(x, [1, 0, 1, 0, 1, 1], (1, x[1]))",
        "np.place(arr=x, mask=[True, False] * 3, vals=[7])",
        "np.fill_diagonal(m, [1, 2, 3])",
        "np.fill_diagonal(a=m, val=(m[0, 1], 2, 3), wrap=True)",
        "np.put_along_axis(m, np.argmax(m, 1)[:, None], [[9], [8], [7]], 1)",
        "np.put(a=x, ind=[0, 1], v=7)",
        "x.put(indices=[0, 1], values=[5, 6])",
        "m.flat = [1, 2, 3]",
        "m.partition([0, 2], 0)",
        "np.sum([x, x], axis=0, out=out)",
        "np.mean((x, x * 3), 0, None, out)",
        "np.median([x, x * 3], 0, out=out)",
        "np.quantile(m, [0.25, 0.5, 0.75], 0, o)",
        "np.concatenate(([1, 2], x[:4]), out=out)",
        "np.stack([[1, 2, 3], (4, 5, 6), m[0]], 1, o)",
        "np.outer([1, 2, 3], m[0], o)",
        "np.choose([0, 1, 2], m, m[0])",
        "np.compress([True, False, True], m, 0, o[:2])",
        "np.clip([x[1], 2, 3, 4, 5, 6], 2, 4, out)",
        "np.clip(m, 2, [5, 4, 3], m)",
        "np.round(x * 1.23, 1, x)",
        "np.dot(m, m, o)",
        "np.isposinf(m[0], b)",
        "np.argmax(m, 1, n)",
        "np.all(m > 2, 1, b)",
        "np.add.reduce(m, 0, None, m[0])",
        "np.add.accumulate(m, 0, None, m)",
        "np.add.reduceat(x, [0, 2], 0, None, out[:2])",
        "m.argmax(axis=1, out=n)",
        "m.argmin(1, n)",
        "(m > 2).all(1, out=b)",
        "m.any(axis=1, out=b)",
        "m.compress([True, False, True], 0, o[:2])",
        "m.clip(2, 5, m)",
        "x.round(1, x)",
        "m.sum(0, None, m[0])",
        "m.max(0, m[0])",
        "m.std(0, None, m[0])",
        "m.cumsum(0, None, m)",
        "m.trace(0, 0, 1, None, m[0, 0, ...])",
        "m.take([2, 1, 0], 0, o)",
        "m.dot(m, o)",
        "(i % 2).choose([[1] * 6, i], out=i)",
        "return (i % 2).choose([1] * 6, i)",
        "return m.compress(m[0] > 1, 0).sum()",
        "return np.extract([1, 0, 2, 0, 1, 1], x)",
        "return np.extract(x > 2, [[1, 2, 3], [4, 5, 6]]).sum()",
        "return np.insert(x, [1, 2], [7, 8]), np.delete(x, [1, 2])",
        "return x.byteswap(False).byteswap(inplace=False)",
        "x.byteswap(True).byteswap(inplace=True)",
    ],
)  # fmt: skip
def test_the_call_does_what_numpys_does(lines):
    ours, python = run(lines, convert), run(lines, lambda main: main)
    assert jax.tree.structure(ours) == jax.tree.structure(python)
    for one, other in zip(jax.tree.leaves(ours), jax.tree.leaves(python), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)
