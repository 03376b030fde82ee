"""Do loops inside of loops take rows in place of tables, and is what they give what Python gives?"""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, strategies as st

import autograph_lite as al
from autograph_lite.jax_internals.dataflow.scan_ir import groups
from tests.examples import examples
from tests.slices.against import assert_like_numpy

N = 6
HEADS = ["1, n - 1", "2, n - 1", "n - 2, 0, -1", "1, n - 1, 2", "n - 2, 1, -1", "1, 2"]
INNER = [*HEADS, "1, i + 1", "i, n - 1"]
NEAR = ["", " - 1", " + 1", " - 1", ""]
VALUES = [
    "{r} + {s}", "{r} - x[{i}] * y[{j}]", "min({r}, {s}) + 1", "max({r}, {s}, y[{j}])", "{r} if x[{i}] > y[{j}] else {s} - 1", "{i} * {j}", "1.5",
    "{r} * 0.5 + k", "xp.where({r} > {s}, x[{j}], 2.0)", "D[k, {j}] + {r}", "D[{j}, {i}] - {r}", "D[n - 1 - {i}, {j}] + 1", "D[0, {j}] + D[n - 1, {j}]",
]  # fmt: skip
WRITES = [
    "D[{i}, {j}] = {v}", "D[{i}, {j}] += {v}", "D[{i} - 1, {j}] = {v}", "D[{i}, {j} - 1] = {v}", "D[{j}, {i}] = {v}", "D[{i}, {j}] = {v}; D[{i}, {j} + 1] = {w}",
    "D[{i}, {j}] = {v}; E[{i}, {j}] = D[{i}, {j}] - {w}", "D[{i}, {j}] = {v}; total = total + D[{i}, {j}]", "E[{i} - 1, {j}] = {v}", "D[{i}] = D[{i} - 1] + {v}",
    "if {v} > {w}: D[{i}, {j}] = {v}", "D[{i}, {j}], D[{i}, {j} - 1] = D[{i}, {j} - 1], {v}", "D[k, {j}] = {v}",
]  # fmt: skip


@st.composite
def programs(draw: Any) -> str:
    """Two or three loops, one inside of the other, whose iterations write items of tables."""

    def item() -> str:
        row, column = draw(st.sampled_from(NEAR)), draw(st.sampled_from(NEAR))
        return f"{draw(st.sampled_from('DDE'))}[i{row}, j{column}]"

    def value() -> str:
        text = draw(st.sampled_from(VALUES))
        return f"({text.format(r=item(), s=item(), i='i', j='j')})"

    lines = ["    n = len(x)", "    total = 0.0", "    D, E = D + 0, E + 0"]
    third = draw(st.integers(0, 3)) == 0
    lines.append(f"    for i in staged({draw(st.sampled_from(HEADS))}):")
    if draw(st.booleans()):
        lines.append(
            "        "
            + draw(
                st.sampled_from(
                    ["D[i, 0] = x[i]", "total = total + D[i - 1, 2]", "D[i] = E[i]", "E[i, 1] = i"]
                )
            )
        )
    lines.append(f"        for j in staged({draw(st.sampled_from(INNER))}):")
    write = draw(st.sampled_from(WRITES)).format(i="i", j="j", v=value(), w=value())
    if third:
        lines.append(f"            for m in staged({draw(st.sampled_from(['2', '1, 3', 'j - 2, j']))}):")
        lines.append("                " + write.replace("y[j]", "y[m]").replace("E[i, j", "E[i, m"))
    else:
        lines.append("            " + write)
    if draw(st.booleans()):
        lines.append(
            "        " + draw(st.sampled_from(["x[i] = D[i, 1]", "E[i] = D[i]", "D[i, n - 1] = total"]))
        )
    return "def main(D, E, x, y, k):\n" + "\n".join(lines) + "\n    return D, E, x, total\n"


numbers = st.integers(-3, 3)
rows = st.lists(numbers, min_size=N, max_size=N)
tables = st.lists(rows, min_size=N, max_size=N).map(lambda v: np.array(v, np.float32))
vectors = rows.map(lambda v: np.array(v, np.float32))


@examples(150)
@given(source=programs(), D=tables, E=tables, x=vectors, y=vectors, k=st.integers(0, N - 1))
def test_like_numpy(source: str, D: Any, E: Any, x: Any, y: Any, k: int) -> None:
    assert_like_numpy(source, D, E, x, y, k)


def table(D: Any, x: Any, y: Any) -> Any:
    for i in al.range(1, N):
        for j in al.range(1, N):
            D[i, j] = jnp.sin(D[i - 1, j]) * x[i] + 0.5 * D[i, j - 1] * y[j] - D[i - 1, j - 1]
    return D


def downwards(D: Any, x: Any, y: Any) -> Any:
    for i in al.range(N - 2, -1, -1):
        for j in al.range(N - 2, -1, -1):
            D[i, j] = D[i + 1, j] * x[i] - y[j] * D[i, j + 1]
    return D


def swept(D: Any, x: Any, y: Any) -> Any:
    for _ in al.range(3):
        for i in al.range(1, N - 1):
            for j in al.range(1, N - 1):
                D[i, j] = 0.25 * (D[i - 1, j] + D[i + 1, j] + D[i, j - 1] + D[i, j + 1]) + x[i] * y[j]
    return D


def triangular(D: Any, x: Any, y: Any) -> Any:
    for i in al.range(N):
        for j in al.range(N):
            if j <= i:
                D[i, j] = x[i] * y[j]
    return D


def product(D: Any, x: Any, y: Any) -> Any:
    E = jnp.outer(x, y)
    for i in al.range(N):
        for j in al.range(N):
            for k in al.range(N):
                D[i, j] = D[i, j] + E[i, k] * E[k, j]
    return D


FUNCTIONS = [table, downwards, swept, triangular, product]
GIVEN = jnp.linspace(0, 1, N * N).reshape(N, N), jnp.linspace(-1, 1, N), jnp.linspace(1, 2, N)


def over_numpy(fun: Any, *args: Any) -> Any:
    """What the function gives with Python's loops, over NumPy."""
    names = {**fun.__globals__, "al": types.SimpleNamespace(range=range), "jnp": np}
    return types.FunctionType(fun.__code__, names)(*(np.array(arg, np.float64) for arg in args))


def carried_by(fun: Any, *args: Any) -> list[list[tuple[int, ...]]]:
    """The shapes of the arrays that each scan carries, the outer ones first."""
    return list(_carried(jax.make_jaxpr(al.to_graph(fun))(*args).jaxpr))


def _carried(jaxpr: Any) -> Iterator[list[tuple[int, ...]]]:
    for equation in jaxpr.eqns:
        if equation.primitive.name == "scan":
            _, variables, _ = groups(equation, list(equation.invars))
            yield [v.aval.shape for v in variables if v.aval.shape]
        for inner in jax.tree.leaves(list(equation.params.values()), is_leaf=_is_jaxpr):
            if _is_jaxpr(inner):
                yield from _carried(getattr(inner, "jaxpr", inner))


def _is_jaxpr(value: Any) -> bool:
    return hasattr(value, "eqns") or hasattr(value, "jaxpr")


@pytest.mark.parametrize(
    ("fun", "shapes"),
    [
        (table, [[(N,)], []]),  # the row before
        (downwards, [[(N,)], []]),
        (swept, [[(N, N)], [(N,)], []]),
        (triangular, [[(N, N)], [(N, N)]]),  # a write that not every iteration makes
        (product, [[], [], []]),
    ],
)
def test_what_is_carried(fun: Any, shapes: Any) -> None:
    assert carried_by(fun, *GIVEN) == shapes


@pytest.mark.parametrize("fun", FUNCTIONS)
def test_values(fun: Any) -> None:
    found = jax.jit(al.to_graph(fun))(*GIVEN)
    np.testing.assert_allclose(found, over_numpy(fun, *GIVEN), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("fun", FUNCTIONS)
def test_derivatives(fun: Any) -> None:
    def total(*args: Any) -> Any:
        return jnp.sum(jnp.sin(al.to_graph(fun)(*args)))

    found = jax.jit(jax.grad(total, (0, 1, 2)))(*GIVEN)
    rng = np.random.default_rng(0)
    for number, gradient in enumerate(found):
        direction, step = rng.normal(size=gradient.shape), 1e-6

        def moved(by: float, number: int = number, direction: Any = direction) -> Any:
            args = [np.array(arg, np.float64) for arg in GIVEN]
            args[number] = args[number] + by * direction
            return np.sin(over_numpy(fun, *args)).sum()

        expected = (moved(step) - moved(-step)) / (2 * step)
        np.testing.assert_allclose(np.sum(gradient * direction), expected, rtol=1e-3, atol=1e-3)
        tangents = [np.zeros_like(arg) for arg in GIVEN]
        tangents[number] = direction.astype(np.float32)
        np.testing.assert_allclose(jax.jvp(total, GIVEN, tuple(tangents))[1], expected, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("fun", FUNCTIONS)
def test_lanes(fun: Any) -> None:
    many = [jnp.stack([arg, 2 * arg, arg - 1]) for arg in GIVEN]
    found = jax.jit(jax.vmap(al.to_graph(fun)))(*many)
    expected = [over_numpy(fun, *(arg[k] for arg in many)) for k in range(3)]
    np.testing.assert_allclose(found, np.stack(expected), rtol=1e-4, atol=1e-4)


def test_a_long_row_of_which_little_is_used_stays_where_it_is() -> None:
    def f(D: Any) -> Any:
        for i in al.range(1, 4):
            for j in al.range(1, 3):
                D[i, j] = D[i - 1, j] + D[i, j - 1]
        return D

    jaxpr = jax.make_jaxpr(al.to_graph(f))(jnp.ones((5, 1000))).jaxpr
    assert next(_carried(jaxpr)) == [(5, 1000)]


def test_a_loop_inside_that_is_computed_at_once_says_so() -> None:
    def f(x: Any, y: Any) -> Any:
        D = jnp.zeros((20, 30))
        for i in al.range(20):
            for j in al.range(30):
                D[i, j] = x[i] * y[j]
        return D

    report = str(al.explain(f)(jnp.ones(20), jnp.ones(30)))
    assert "scan of 20 steps" in report
    assert "vmap of 30 steps" in report
