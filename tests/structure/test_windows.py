"""Do loops that write several neighbouring rows carry no array, and is what they give what Python gives?"""

from __future__ import annotations

import linecache
import types
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

import autograph_lite as al
from tests.examples import examples
from tests.slices.against import assert_like_numpy
from tests.structure.test_inner_rows import carried_by

N = 10
# Heads, and indices that are on the axis in all their iterations.
FAMILIES = [
    (["2, n - 2", "n - 3, 1, -1", "2, n - 2, 2", "n - 3, 1, -2", "2, n - 2, 3", "3, 4"], ["i", "i + 1", "i - 1", "i + 2", "i - 2", "i"]),
    (["1, 4", "3, 0, -1", "1, 4, 2"], ["2 * i", "2 * i + 1", "2 * i - 1", "2 * i + 2", "2 * i - 2"]),
    (["2, n - 2", "n - 3, 1, -1"], ["n - 1 - i", "n - i", "n - 2 - i", "n - 3 - i"]),
    (["0, n, 2", "0, n, 5", "n - 2, -1, -2"], ["i", "i + 1"]),
    (["2, n - 3"], ["i", "i + 1", "n - 1 - i", "i - 1"]),
]  # fmt: skip
VALUES = ["{a}", "{a} + {b}", "{a} - 0.5 * {b}", "{a} * y[i]", "xp.where({a} > {b}, {a}, y[i])", "y[{i}]", "2.0 * {a} - y[{j}]", "i - {a}", "xp.minimum({a}, {b})"]  # fmt: skip


@st.composite
def programs(draw: Any) -> str:
    """A loop with up to four updates of items of one array, and some of another."""
    heads, indices = draw(st.sampled_from(FAMILIES))

    def index() -> str:
        return draw(st.sampled_from(indices))

    lines = []
    for _ in range(draw(st.integers(1, 4))):
        kind = draw(st.integers(0, 9))
        value = draw(st.sampled_from(VALUES)).format(
            a=f"x[{index()}]", b=f"{draw(st.sampled_from('xxz'))}[{index()}]", i=index(), j=index()
        )
        if kind < 5:
            lines.append(f"x[{index()}] = {value}")
        elif kind < 8:
            lines.append(f"x[{index()}] {draw(st.sampled_from(['+=', '-=']))} {value}")
        elif kind == 8:
            a, b = index(), index()
            lines.append(f"x[{a}], x[{b}] = x[{b}], x[{a}]")
        else:
            lines.append(f"z[{index()}] = {value}")
    body = "".join(f"        {line}\n" for line in lines)
    return f"def main(x, y, z):\n    n = {N}\n    x, z = x + 0, z + 0\n    for i in staged({draw(st.sampled_from(heads))}):\n{body}    return x, z\n"


vectors = st.lists(st.integers(-3, 3), min_size=N, max_size=N).map(lambda v: np.array(v, np.float32))
matrices = st.lists(st.lists(st.integers(-3, 3), min_size=3, max_size=3), min_size=N, max_size=N).map(
    lambda v: np.array(v, np.float32)
)


@examples(100)
@given(source=programs(), x=vectors, y=vectors, z=vectors)
def test_items(source: str, x: Any, y: Any, z: Any) -> None:
    assert_like_numpy(source, x, y, z)


@examples(80)
@given(source=programs(), x=matrices, y=matrices, z=matrices)
def test_rows(source: str, x: Any, y: Any, z: Any) -> None:
    assume("], x[" not in source)  # rows of NumPy's that are swapped are views of each other
    assert_like_numpy(source, x, y, z)


def graph(source: str, staged: Any) -> Any:
    """The program, converted, with loops that are staged or Python's."""
    path = f"<window {hash(source)}>"
    linecache.cache[path] = len(source), None, source.splitlines(keepends=True), path
    space: dict[str, Any] = {"xp": jnp, "staged": staged}
    exec(compile(source, path, "exec"), space)
    return al.to_graph(space["main"])


@examples(60)
@given(source=programs(), x=vectors, y=vectors, z=vectors)
def test_derivatives(source: str, x: Any, y: Any, z: Any) -> None:
    def gradient(staged: Any) -> Any:
        def total(*args: Any) -> Any:
            return sum(jnp.sum(jnp.sin(each) * jnp.arange(N)) for each in graph(source, staged)(*args))

        return jax.grad(total, (0, 1, 2))

    point = x + 0.1, y * 1.1, z - 0.2
    ours = jax.jit(gradient(al.range))(*point)
    for one, other in zip(ours, gradient(range)(*point), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-3, err_msg=source)


def pushed(x: Any) -> Any:
    for i in al.range(len(x) - 1):
        error = 0.5 * x[i]
        x[i] -= error
        x[i + 1] += error
    return x


def swapped(x: Any) -> Any:
    for i in al.range(len(x) - 1, 0, -1):
        x[i], x[i - 1] = jnp.maximum(x[i], x[i - 1]), jnp.minimum(x[i], x[i - 1])
    return x


def spread(x: Any) -> Any:
    for i in al.range(1, len(x) - 2):
        x[i - 1] += x[i] / 4
        x[i + 1] += x[i] / 2
        x[i + 2] -= x[i]
    return x


def pairs(x: Any) -> Any:
    for i in al.range(0, len(x), 2):
        a = x[i]
        x[i] = a + x[i + 1]
        x[i + 1] = a - x[i + 1]
    return x


@pytest.mark.parametrize("fun", [pushed, swapped, spread, pairs])
def test_no_array_is_carried(fun: Any) -> None:
    x = jnp.linspace(-1, 2, N)
    assert carried_by(fun, x) in ([[]], [])  # a loop of numbers, or none
    plain = types.FunctionType(
        fun.__code__, {**fun.__globals__, "jnp": np, "al": types.SimpleNamespace(range=range)}
    )
    np.testing.assert_allclose(jax.jit(al.to_graph(fun))(x), plain(np.array(x)), rtol=1e-5)
    many = jnp.stack([x, -x])
    np.testing.assert_allclose(
        jax.jit(jax.vmap(al.to_graph(fun)))(many), [plain(np.array(row)) for row in many], rtol=1e-5
    )
