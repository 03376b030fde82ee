"""Does a loop that Python knows become a loop of the program where it would make a long one, and only there?"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al
from autograph_lite.operators.loops import rolling

X = np.float32(1.5)


def loops(function: Any, *args: Any, **options: Any) -> int:
    """How many loops there are in the program."""
    text = str(jax.make_jaxpr(al.to_graph(function, **options))(*args))
    return text.count("scan[") + text.count("while[")


def recurrence(n):
    def f(x):
        for i in range(n):
            x = jnp.sin(x) * i
        return x

    return f


def test_long_loops_over_numbers_are_rolled() -> None:
    assert [loops(recurrence(n), X) for n in (2, 3, 15, 16, 400)] == [0, 0, 0, 1, 1]


def heavy(x, i):
    for _ in range(3):
        x = jnp.tanh(x) * jnp.cosh(x) + jnp.sin(x) - jnp.cos(x) * i + x * x - jnp.exp(x) / (1 + x * x)
    return x


def test_short_loops_with_much_in_them_are_rolled_too() -> None:
    def f(n):
        def g(x):
            for i in range(n):
                x = heavy(x, i)
            return x

        return g

    assert [loops(f(n), X) for n in (2, 3, 5, 8)] == [0, 0, 1, 1]


def test_the_options_decide_as_before() -> None:
    f = recurrence(20)
    assert loops(f, X, static_loops="python") == 0
    assert loops(f, X, static_loops="auto") == loops(f, X, static_loops="stage") == 1
    assert [loops(f, X, static_loops=("auto", n)) for n in (20, 21)] == [1, 0]
    assert loops(recurrence(2), X, static_loops="stage") == 1


def test_the_nest_counts() -> None:
    def nest(n, m):
        def f(x):
            for i in range(n):
                for j in range(m):
                    x = jnp.sin(x) * i + jnp.cos(x) * j
            return x

        return f

    assert loops(nest(2, 3), X) == loops(nest(3, 3), X) == 0
    assert loops(nest(14, 14), X) >= 1
    assert loops(nest(3, 14), X) >= 1
    assert loops(nest(2, 200), X) >= 1
    with_loops = jax.make_jaxpr(al.to_graph(nest(14, 14)))(X)
    assert len(with_loops.eqns) < 20


def layers(x, weights):
    for w, b in weights:
        x = jnp.tanh(x @ w + b)
    return x


def attention(x, blocks):
    for p in blocks:
        for _ in range(2):
            h = (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5)
            x = x + jax.nn.softmax((h @ p["q"]) @ (h @ p["k"]).T) @ (h @ p["v"])
            x = x + jax.nn.gelu(x @ p["up"]) @ p["down"]
    return x


def test_layers_stay_unrolled_unless_there_are_a_thousand_equations() -> None:
    weights = [(jnp.eye(2), jnp.ones(2))]
    assert [loops(layers, jnp.ones((1, 2)), weights * n) for n in (3, 24, 100)] == [0, 0, 0]
    blocks = [{name: jnp.eye(2) for name in ("q", "k", "v", "up", "down")}]
    assert [loops(attention, jnp.ones((3, 2)), blocks * n) for n in (3, 6, 24)] == [0, 0, 1]


def test_what_is_short_by_its_text_is_not_traced_on_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []
    roll = rolling._rolled
    monkeypatch.setattr(rolling, "_rolled", lambda *given: tried.append(given[2].__name__) or roll(*given))

    def called(x, weights):
        for w in weights:
            x = layers(x, [w])
        return x

    def stencil(u):
        for dy in (-1, 0, 1):
            for dx in (-1, 0, 1):
                if dx != 0 or dy != 0:
                    u = u + jnp.roll(u, (dy, dx), (0, 1))
        return u

    weights = [(jnp.eye(2), jnp.ones(2))]
    loops(recurrence(3), X)
    loops(layers, jnp.ones((1, 2)), weights * 12)
    loops(called, jnp.ones((1, 2)), weights * 3)
    loops(stencil, jnp.ones((3, 3)))
    assert tried == []
    loops(recurrence(16), X)
    assert tried == ["f"]


class Table:
    def __init__(self, rows):
        self.rows = rows


def test_items_and_what_a_branch_does_with_them_count_by_the_text() -> None:
    def pivot(A, row, column):
        table = Table(A)
        for i in range(12):
            if i != row:
                table.rows[i] -= table.rows[i, column] * table.rows[row]
        return table.rows

    assert loops(pivot, jnp.eye(12), 3, jnp.int32(2)) == 1


def test_what_was_counted_once_is_not_traced_on_trial_again(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []
    roll = rolling._rolled
    monkeypatch.setattr(rolling, "_rolled", lambda *given: tried.append(len(given[1])) or roll(*given))

    def f(x, names):
        for name in names:  # which are no numbers: that is seen before anything is traced
            for i in range(4):
                x = heavy(x, i) if name == "a" else x * i
        return x

    jax.make_jaxpr(lambda x: al.to_graph(f)(x, ["b", "b", "b"]))(X)
    assert tried == [3, 4]


def shown(function: Any, *args: Any) -> list[tuple[str, str]]:
    return [(each.became, each.why) for each in al.explain(al.convert(function))(*args)]


def test_explain_shows_the_figures() -> None:
    def smooth(u):
        for i in range(1, len(u) - 1):
            u[i] = (jnp.sin(u[i - 1]) + 2 * jnp.cos(u[i]) + jnp.sin(u[i + 1])) / 4
        return u

    assert shown(smooth, jnp.ones(9)) == [
        ("unrolled 7 times", "14 equations an iteration, unrolled up to 100")
    ]
    assert shown(smooth, jnp.ones(12)) == [
        ("scan of 10 steps", "its body is one program for all items: 14 equations an iteration")
    ]
    assert shown(smooth, jnp.ones(4)) == [("unrolled 2 times", "the bounds of the range are ints")]


def test_a_refusal_is_of_one_trace() -> None:
    scale = {i: i / 20 for i in range(20)}

    def f(x):
        for i in range(20):
            x = x + scale[i]
        return x

    assert "it can't be rolled" in shown(f, X)[0][1]
    scale = jnp.arange(20) / 20
    assert shown(f, X)[0][0] == "scan of 20 steps"
