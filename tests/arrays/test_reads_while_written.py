"""Calls and stores of NumPy's that write to what they read: right where NumPy copies it first, refused where it does not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autograph_lite import MutationError, convert
from tests.properties.running import loaded

ARGUMENTS = {
    "x": np.arange(8, dtype=np.float32),
    "m": np.arange(9, dtype=np.float32).reshape(3, 3),
    "n": np.arange(8, dtype=np.int32)[::-1].copy(),
    "b": np.arange(8) % 3 == 0,
    "i": np.arange(9).reshape(3, 3) % 4,
    "k": np.int32(1),
}


def run(lines: str, way: Any) -> Any:
    """The arguments once they are written by lines, with what these return."""
    source = f"def main({', '.join(ARGUMENTS)}):\n" + "".join(f"    {line}\n" for line in lines.splitlines())
    given = {name: each.copy() for name, each in ARGUMENTS.items()}
    with loaded(source, np=np) as namespace:
        found = way(namespace["main"])(**given)
    return [*map(np.asarray, given.values()), *([] if found is None else [np.asarray(found)])]


@pytest.mark.parametrize(
    "lines",
    [
        "np.concatenate((x[2:], x[:2]), out=x)",
        "np.concatenate((m[1:], m[:1]), axis=None, out=m.reshape(-1))",
        "np.concatenate((m.T,), axis=None, out=m.reshape(-1))",
        "np.concatenate((m[:, 1:], m[:, :1]), axis=1, out=m)",
        "np.stack((x[4:], x[:4]), out=x.reshape(2, 4))",
        "np.stack((m[:, 0], m[:, 1], m[:, 2]), out=m)",
        "x.flat[1:] = x[:-1]",
        "x.flat[[1, 2, 3]] = x[:3]",
        "x.flat[x > 3] = x[:4]",
        "n.flat[n] = 0",
        "b.flat[b[::-1]] = False",
        "m.flat[:] = m.T",
        "m.flat = m.T",
        "x.flat = x[1:4]",
        "np.place(x, x > 2, x[:5])",
        "np.place(x, np.arange(8) > 2, x[:5])",
        "np.place(b[1:], b[:-1], False)",
        "x[np.ones(8, bool)] = x[::-1]",
        "x[(x > -1,)] = x[::-1]",
        "m.T[m > -1] = m.reshape(-1)",
        "b[b[::-1]] = False",
        "np.copyto(b, False, where=b[::-1])",
        "np.copyto(b, False, where=b[:1])",
        "np.fill_diagonal(m, m[0, ::-1])",
        "np.ptp(m, axis=0, out=m[2])",
        "np.argmax(i, axis=1, out=i[2])",
        "np.take(np.arange(10, 18, dtype=np.int32), n[:-1], out=n[1:], mode='clip')",
        "n %= 2\nnp.choose(n[:-1], [np.zeros(7, np.int32), np.ones(7, np.int32)], out=n[1:], mode='wrap')",
        # the program knows less
        "x[k:k + 3][x[k:k + 3] > 0] = x[:3]",
        "y = x if k > 0 else x[::-1]\nnp.concatenate((x[2:], y[:2]), out=y)",
        "for i in range(k):\n    x.flat[1:] = x[:-1]",
        "y = x * 2\ny.flat[1:] = y[:-1]\nreturn y",
        "y = np.zeros(8, np.float32)\ny[0] = k\ny.flat[1:] = y[:-1]\nreturn y",
    ],
)  # fmt: skip
def test_what_reads_items_that_it_has_written_is_refused(lines):
    run(lines, lambda main: main)
    with pytest.raises(MutationError, match="which shares its memory, or may"):
        run(lines, convert)


@pytest.mark.parametrize(
    "lines",
    [
        # NumPy copies what is read
        "np.add(x[:-1], 1, out=x[1:])",
        "np.cumsum(x[:-1], out=x[1:])",
        "np.dot(m, m, out=m)",
        "np.einsum('ij->ji', m, out=m)",
        "np.take(x, [7, 6, 5, 4, 3, 2, 1, 0], out=x, mode='clip')",
        "np.take(np.arange(10, 18, dtype=np.int32), n[:-1], out=n[1:])",
        "np.choose([0, 1, 0, 1, 0, 1, 0, 1], (x[::-1], x), out=x)",
        "np.put(x, [1, 2, 3], x[:3])",
        "np.putmask(x, x > 2, x[::-1])",
        "np.putmask(b, b[::-1], False)",
        "np.copyto(x, x[::-1], where=x > 2)",
        "np.place(x, x > 2, x[::-1])",
        "np.place(m.T, m.T > -1, m[1])",
        "x.flat = x[::-1]",
        "x[1:] = x[:-1]",
        "x[[1, 2, 3]] = x[:3]",
        "x[x > -1, ...] = x[::-1]",
        "m[np.array([True, True, True])] = m[::-1]",
        "b[b[::-1], ...] = False",
        "n[n] = np.arange(8)",
        "m.T.sort()",
        "np.argmax(i, axis=0, out=i[2])",
        # or nothing is read that is written before
        "np.concatenate((x[:4], x[4:]), out=x)",
        "np.concatenate((x[:4][::-1], x[4:]), out=x)",
        "np.concatenate((x[4:],), out=x[:4])",
        "np.concatenate((m.T,), out=m)",
        "np.stack((m[0, ::-1], m[1], m[2]), out=m)",
        "x.flat[:-1] = x[1:]",
        "x.flat[4:] = x[:4]",
        "x.flat[1:] = x[:-1].copy()",
        "x[x > 3] = x[::-1][x > 3]",
        "m[0][m[1] > 3] = m[2, 1:]",
        "x[x > 2] = x[3]",
        "x[x > 2] = x[3:4]",
        "b[b] = False",
        "np.copyto(b, False, where=b)",
        "np.fill_diagonal(m, m[0])",
        "np.fill_diagonal(m, m[:, 0])",
        "np.argmax(i, axis=1, out=i[0])",
        "np.ptp(m[1:], axis=0, out=m[0])",
        "np.take(np.arange(10, 18, dtype=np.int32), n, out=n, mode='clip')",
        "n %= 2\nnp.choose(n[1:], [np.zeros(7, np.int32), np.ones(7, np.int32)], out=n[:-1], mode='wrap')",
    ],
)  # fmt: skip
def test_what_is_read_before_it_is_written_is_as_in_numpy(lines):
    for ours, python in zip(run(lines, convert), run(lines, lambda main: main), strict=True):
        np.testing.assert_array_equal(ours, python)


def test_the_refusal_names_both_arrays_and_the_copy():
    def shifted(x):
        old = x[:-1]
        x.flat[1:] = old

    with pytest.raises(MutationError) as caught:
        convert(shifted)(ARGUMENTS["x"].copy())
    assert caught.value.what == (
        "'x.flat[1:] = old' writes to 'x[...]', float32[8], and reads 'old', float32[7], which shares its memory, or may."
    )
    assert caught.value.fix == "let it read from a copy, old.copy()."
