"""Where nothing is traced, JAX's arrays do not know each other: what makes a view is noted, so that a write is refused that others read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import autograph_lite as al
from autograph_lite.jax_internals.references import eager_views, storages
from tests.arrays import aliasing

HELPERS = """
def top(m):
    return m[0]

def filled(v):
    v[0] = 7
    return v

"""
REFUSED = {
    "a function's row": "row = top(m)\nrow[0] = 7\nreturn m",
    "rows in a list": "rows = [m[0], m[1]]\nrows[0][0] = 7\nreturn m",
    "another part": "a = m[:, :2]\nb = m[:, 1:]\na[0, 1] = 7\nreturn b, a",
    "a part of a part": "a = m[:, 1:]\nb = a[0]\nm[0, 1] = 7\nreturn m, b",
    "by a compiled function": "b = m.ravel()\nb[0] = 7\nreturn m, b",
    "by axes": "b = m.swapaxes(0, 1)\nb[0] = 7\nreturn m, b",
    "unpacked": "a, b = m\na[0] = 7\nreturn m, b",
    "of what was written before": "a = m[0]\nm[1] = 5\na[0] = 7\nreturn m, a",
    "rows that change places": "m[0], m[1] = m[1], m[0]\nreturn m",
    "a loop over a part": "for v in m[:, 1]:\n    m[1, 1] += v\nreturn m",
    "a loop over a part, backwards": "for v in reversed(x[:2]):\n    x[0] += v\nreturn x",
    "the diagonal": "d = m[:, :2].diagonal()\nm[0] = 7\nreturn m, d",
    "put back by a sum": "k = 0\nrow = m[k + 1]\nrow[0] = 7\nm[k + 1] = row\nreturn m, row",
    "a column that is put back": "c = m[:, 1]\nc[0] = 7\nm[:, 1] = c\nreturn m",
    "put back by a function": "row = filled(m[0])\nm[0] = row\nreturn m",
}  # fmt: skip
RIGHT = {
    "another row": "a = m[0]\nm[1, 0] = 7\nreturn m, a",
    "parts apart": "a, b = m[:, :1], m[:, 1:]\na[0] = 7\nreturn a, b",
    "parts of other steps": "a, b = x[::2], x[1::2]\na[0] = 7\nreturn a, b",
    "a copy": "b = m.flatten()\nb[0] = 7\nreturn m, b",
    "a row that is copied": "b = m[np.array([0, 1])]\nb[0] = 7\nreturn m, b",
    "what has to be copied": "b = m.T.ravel()\nb[0] = 7\nreturn m, b",
    "a row of a sum": "b = (m + 1)[0]\nb[0] = 7\nreturn m, b",
    "rows that change places, copied": "m[0], m[1] = m[1].copy(), m[0].copy()\nreturn m",
    "a loop over another part": "for v in x[:2]:\n    x[2] += v\nreturn x",
}  # fmt: skip


def outcome(lines: str, way: Callable[[Any], Any], xp: Any) -> Any:
    return aliasing.outcome(HELPERS, "def main(x, m, n):", lines, way, xp, 2)


@pytest.mark.parametrize("lines", REFUSED.values(), ids=REFUSED)
def test_what_another_name_would_see_is_refused(lines: str) -> None:
    aliasing.assert_refused(outcome, lines, al.to_graph)


@pytest.mark.parametrize("lines", RIGHT.values(), ids=RIGHT)
def test_what_nobody_else_sees_is_as_in_numpy(lines: str) -> None:
    aliasing.assert_numpys_answer(outcome, lines, al.to_graph)


def test_a_row_beneath_a_derivative() -> None:
    def top(m):
        return m[0]

    def main(m):
        row = top(m)
        row[0] = 7
        return m.sum() + row.sum()

    with pytest.raises(al.MutationError, match="shares its memory"):
        jax.grad(al.to_graph(main))(jnp.ones((2, 2)))


def test_it_is_refused_where_jax_does_not_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(eager_views, "is_told", lambda: False)

    def main(x):
        y = x * 2
        x[0] = 7
        return x, y

    with pytest.raises(al.MutationError, match="'y'"):
        al.to_graph(main)(jnp.ones(3))


def test_where_the_items_of_a_view_lie() -> None:
    assert eager_views.is_told()
    m = jnp.arange(6).reshape(2, 3)
    part = m[:, ::2]
    assert storages.item_positions(part).tolist() == [[0, 2], [3, 5]]
    assert storages.item_positions(part, 1).tolist() == [3, 5]
    del m  # what it was is known as long as a part of it is there
    assert storages.item_positions(part[1]).tolist() == [3, 5]
