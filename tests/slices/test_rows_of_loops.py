"""Are parts of a row that a loop takes written as NumPy does, where what is written follows from the row?

XLA for CPUs computes it with items that are written already, where it writes in place (jax 0.10.2 and 0.12.0.1).
"""

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given

import autograph_lite
from tests.examples import examples

from .against import assert_like_numpy

N = 6
TARGETS = ["0:4", "1:5", "2:", ":2", "0:1", "k:k+3", "0:2", ":", "::2", "3"]
SOURCES = ["0:4", "1:5", "2:", ":2", "0:1", "k:k+3", "0:2", ":", "::2", "3"]
SIZES = {"0:4": 4, "1:5": 4, "2:": 4, ":2": 2, "0:1": 1, "k:k+3": 3, "0:2": 2, ":": 6, "::2": 3, "3": 0}
HEADS = [("for row in rows:", ""), ("for t in staged(4):", "row = rows[t]"), ("for t in staged(1, 4):", "row = rows[t - 1]"), ("for row in rows[::-1]:", "")]  # fmt: skip


@st.composite
def programs(draw: Any) -> str:
    """A loop that changes parts of copies of rows, and hands the last on."""
    head, first = draw(st.sampled_from(HEADS))
    lines = [first] if first else []
    lines.append(
        draw(
            st.sampled_from(
                [
                    "new = row.copy()",
                    "new = row * 1",
                    "new = row[:] + 0",
                    "new = xp.zeros(6, xp.float32) + row[0]",
                    "new = before.copy()",
                ]
            )
        )
    )
    for _ in range(draw(st.integers(1, 3))):
        target = draw(st.sampled_from(TARGETS))
        sources = [s for s in SOURCES if SIZES[s] in (SIZES[target], 0)] or ["3"]
        left, right = (
            f"{draw(st.sampled_from(['before', 'new', 'row']))}[{draw(st.sampled_from(sources))}]"
            for _ in "ab"
        )
        symbol = draw(st.sampled_from("+-*"))
        lines.append(
            f"new[{target}] {draw(st.sampled_from(['=', '=', '+=', '-=']))} ({left} {symbol} {right}) % 7"
        )
    lines.append(
        draw(
            st.sampled_from(
                [
                    "before = new",
                    "before = before + new",
                    "before, total = new, total + new.sum()",
                    "before[1:3] = new[2:4]",
                ]
            )
        )
    )
    body = "".join(f"        {line}\n" for line in lines)
    return f"def main(rows, before, k):\n    total = 0.0\n    before = before + 0\n    {head}\n{body}    return before, total\n"


vectors = st.lists(st.integers(-3, 3), min_size=N, max_size=N).map(lambda v: np.array(v, np.float32))
matrices = st.lists(vectors, min_size=4, max_size=4).map(np.stack)


@examples(150)
@given(source=programs(), rows=matrices, before=vectors, k=st.integers(0, 3))
def test_like_numpy(source: str, rows: Any, before: Any, k: int) -> None:
    assert_like_numpy(source, rows, before, k, may_refuse=True)


def shifted(rows: Any, before: Any) -> Any:
    for row in rows:
        new = row.copy()
        new[0:4] = before[1:5] + new[0]
        before = new
    return before


def by_blocks(rows: Any, before: Any) -> Any:
    for row in rows:
        k = (row[5] * 0).astype(int)
        new = row.copy()
        new[k : k + 4] = before[1:5] + new[0]
        before = new
    return before


@pytest.mark.parametrize("fun", [shifted, by_blocks])
def test_the_smallest_program(fun: Any) -> None:
    rows, before = np.arange(24.0).reshape(4, 6) % 5, np.arange(6.0)
    expected = fun(rows.copy(), before.copy())
    np.testing.assert_allclose(jax.jit(autograph_lite.to_graph(fun))(rows, before), expected)
    gradient = jax.jit(jax.grad(lambda *args: jnp.sum(jnp.sin(autograph_lite.to_graph(fun)(*args)))))(
        rows, before
    )
    assert np.isfinite(gradient).all()
