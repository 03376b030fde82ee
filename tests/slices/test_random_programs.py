"""Do random programs of loops over slices and masks give what NumPy gives?"""

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st
from hypothesis import given

from tests.examples import examples

from .against import assert_like_numpy
from .test_reads import rows

PLACES = ["k", "k + 1", "k - 1", "n - k", "2 * k", "-k", "k - n", "m", "m + 1", "0", "n", "3", "-2", ""]
STATEMENTS = [
    "x[{p}] = y[{p}] * 0.5", "x[{p}] += 1", "y[{p}] -= x[{p}]", "x[{p}] = {p_sum}", "s = s + x[{p}].sum()",
    "s = s + (x[{p}] * y[{p}]).sum() / 8", "s = s + len(x[{p}])", "s = s + x[{p}] @ y[{p}] / 8", "x[x > s] = 1", "y[x > 0] *= 0.5",
    "s = s + y[y > 0][{q}].sum()", "part = xp.where(x[{p}] > 0, x[{p}], 1); s = s + part.sum()", "x[k] = s / 4", "m = len(x[{q}]) // 2",
    "i = xp.where(x > s)[0]; y[i] = x[i] * 0.5; s = s + len(i)", "i = xp.nonzero(y > 0)[0]; s = s + x[i][{q}].sum() / 4 + i.sum()",
    "for i in xp.flatnonzero(x > 1): y[i - k] -= 1", "s = s + sum(x[i] for i in xp.argwhere(y != 0)[:, 0])",
    "s = s + (xp.outer(x, y)[y > k][{q}][:, [2, 0, 3]]).sum() / 16", "s = s + x[{p}][[0, -1]].sum()", "x[xp.where(x == y)] += 1",
    "A = xp.outer(x, y); i, j = xp.where(A > 1); x[j] = A[i, j].sum() / 16; s = s + (i - j).sum() / 4",
    "x[{p}] = x[{p}][::-1]", "y[{p}] = xp.minimum(y[{p}], 1) - x[{p}]", "s = s + xp.sum(x[{p}][{q}])", "x[k], y[k] = y[k], x[k]",
]  # fmt: skip


@st.composite
def programs(draw: Any) -> str:
    """A program with a loop, some of whose statements stand under a condition or in an inner loop."""

    def part() -> str:
        step = draw(st.sampled_from(["", "", "", ":2", ":-1"]))
        return f"{draw(st.sampled_from(PLACES))}:{draw(st.sampled_from(PLACES))}{step}"

    lines = ["def main(x, y, m, n):", "    s = 0.0 * x[0]", "    for k in staged(5):"]
    for _ in range(draw(st.integers(1, 4))):
        statement = draw(st.sampled_from(STATEMENTS)).format(p=part(), q=part(), p_sum="s / 4 - 1")
        kind = draw(st.sampled_from(["", "", "if", "for"]))
        header = {"if": "        if s > k:\n", "for": "        for i in staged(k):\n"}.get(kind, "")
        lines.append(f"{header}        {'    ' if kind else ''}{statement}")
    return "\n".join([*lines, "    return x, y, s"]) + "\n"


@examples(12)
@given(source=programs(), x=rows, y=rows, m=st.integers(-3, 7))
def test_a_loop_over_parts(source: str, x: Any, y: Any, m: int) -> None:
    assert_like_numpy(source, x, y, m, 6, may_refuse=True)  # NumPy repeats parts of one item
