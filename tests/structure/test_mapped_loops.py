"""Are loops whose iterations need nothing of each other operations on whole arrays, and is what they give what Python gives?"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, strategies as st

import autograph_lite as al
from benchmarks import structure
from tests.examples import examples
from tests.slices.against import functions

INDICES = ["i", "i - 1", "i + 1", "(i + 1) % n", "n - 1 - i", "(i - 2) % n", "-i", "-1 - i", "2 * i % n", "i // 2", "0", "k", "idx[i]", "i % 3", "max(i - 1, 0)",
           "min(i + 2, n - 1)", "(3 * i + 1) % n"]  # fmt: skip
VALUES = [
    "x[{a}]", "x[{a}] * 2 + y[{b}]", "xp.sin(x[{a}]) - i", "x[{a}] * y[{b}] / (1 + i)", "i", "1.5", "s", "x[{a}] if s > 0 else y[{b}]",
    "x[{a}] - s * (x[{a}] - x[{b}])", "xp.where(x[{a}] > s, x[{b}], 0.0)", "M[{a}, {b}]", "M[{a}, k]", "M[k, {a}] + x[{b}]", "x[max(i - 1, 0)] ** 2",
    "abs(x[{a}]) + (i % 2)", "min(x[{a}], y[{b}])", "x[{a}] > 0", "xp.exp(-x[{a}] ** 2)", "(i * i - n) // 3", "M[{a}, {b}] * (i > 2)",
]  # fmt: skip
WRITES = ["z[i] = {v}", "z[n - 1 - i] = {v}", "z[i] += {v}", "z[i] = {v} + z[i]", "z[2 + i] = {v}", "z[i + 1] = {v}", "z[i] = {v}", "W[i, k] = {v}", "z[i] = {v}; y[i] = x[i]"]  # fmt: skip
HEADS = ["range(n)", "range(1, n - 1)", "range(n - 1, -1, -1)", "range(0, n, 2)", "range(n - 1)"]
SIZE = 7


@st.composite
def programs(draw: Any) -> str:
    """A loop over a range whose iterations write an item each; some read what earlier ones have written."""

    def index() -> str:
        return draw(st.sampled_from(INDICES))

    lines = []
    for _ in range(draw(st.integers(1, 2))):
        value = draw(st.sampled_from(VALUES)).format(a=index(), b=index())
        lines.append(draw(st.sampled_from(WRITES)).format(v=value))
    if draw(st.integers(0, 4)) == 0:
        lines.append(
            draw(
                st.sampled_from(
                    ["y[i] = z[i - 1]", "x[i] = z[i] * 0.5", "s = s + x[i]", "z[i] = z[i - 1] + 1"]
                )
            )
        )
    head = draw(st.sampled_from(HEADS))
    body = "".join(f"        {line}\n" for line in lines)
    return (
        f"def main(x, y, M, s, k, idx):\n    n = {SIZE}\n    z = xp.zeros(n + 2, xp.float32)\n    W = xp.zeros((n, n), xp.float32)\n"
        f"    x = x + 0\n    y = y + 0\n    for i in staged({head[6:-1]}):\n{body}    return x, y, z, W, s\n"
    )


rows = st.lists(st.integers(-3, 3), min_size=SIZE, max_size=SIZE).map(lambda v: np.array(v, np.float32))


@examples(125)
@given(
    programs(),
    rows,
    rows,
    st.lists(rows, min_size=SIZE, max_size=SIZE),
    st.integers(-2, 2),
    st.integers(0, SIZE - 1),
)
def test_as_python(source: str, x: Any, y: Any, table: Any, s: int, k: int) -> None:
    converted, plain = functions(source)
    idx = np.abs(y.astype(np.int32)) % SIZE
    arguments = (x, y, np.array(table), np.float32(s), np.int32(k), idx)
    try:
        expected = plain(*(a.copy() if isinstance(a, np.ndarray) else a for a in arguments))
    except IndexError:
        return
    found = converted(*map(jnp.asarray, arguments))
    jax.tree.map(
        lambda a, b: np.testing.assert_allclose(a, b, 1e-5, 1e-5, err_msg=source), tuple(found), expected
    )


def upwind(u, s):
    n = len(u)
    new = jnp.zeros_like(u)
    for i in al.range(n):
        if s > 0:
            new[i] = u[i] - s * (u[i] - u[i - 1])
        else:
            new[i] = u[i] - s * (u[(i + 1) % n] - u[i])
    return new


def diagonal(x, s):
    table = jnp.outer(x, x)
    found = jnp.zeros_like(x)
    for i in al.range(len(x)):
        found[i] = table[i, i] + table[s.astype(int), i] - table[len(x) - 1 - i, 1]
    return found


def collected(x, s):
    found = []
    for i in al.range(1, len(x) - 1):
        found.append(jnp.sqrt(1 + x[i - 1] ** 2) / (i + s))
    return jnp.stack(found)


def in_place(x, s):
    for i in al.range(len(x) - 1):
        x[i] = x[i] * s + x[i + 1]
    return x


def indirect(x, s):
    places = jnp.argsort(x)
    found = jnp.zeros_like(x)
    for i in al.range(0, len(x), 2):
        found[i] = s * x[places[i]]
    return found


def windows(x, s):
    found = jnp.zeros_like(x)
    for i in al.range(1, len(x) - 1):
        found[i] = x[i - 1 : i + 2].sum() * s
    return found


AT_ONCE = [upwind, diagonal, collected, in_place, indirect, windows]
X = jnp.array([0.5, -1.0, 2.0, 0.25, 3.0, -0.5, 1.5])


def primitives(f: Any, *args: Any) -> set[str]:
    return set(structure.primitives(al.to_graph(f), *args))


@pytest.mark.parametrize("program", AT_ONCE)
def test_there_is_no_loop(program: Any) -> None:
    assert not primitives(program, X, jnp.float32(2)) & {"scan", "while"}
    report = al.explain(program)(X, jnp.float32(2))
    assert [each.became.split()[0] for each in report if each.statement == "for"] == ["vmap"]


@pytest.mark.parametrize("program", [upwind, in_place, collected, windows])
def test_what_is_read_at_known_places_is_a_slice(program: Any) -> None:
    assert not primitives(program, X, jnp.float32(2)) & {"gather", "dynamic_slice"}


@pytest.mark.parametrize("s", [1.5, -0.5])
@pytest.mark.parametrize("program", AT_ONCE)
def test_values_and_derivatives_are_those_of_the_loop_that_python_runs(program: Any, s: float) -> None:
    def unrolled(x: Any, s: Any) -> Any:
        space = {**program.__globals__, "al": type("al", (), {"range": range})}
        return al.to_graph(type(program)(program.__code__, space))(x, s)

    number = jnp.float32(s)
    for way in (
        lambda f: f,
        lambda f: jax.grad(lambda x, s: jnp.sum(jnp.sin(f(x, s))), (0, 1)),
        lambda f: jax.jacfwd(f),
        lambda f: lambda x, s: jax.vmap(f, (0, None))(jnp.stack([x, 2 * x]), s),
    ):
        found, expected = (jax.jit(way(f))(X, number) for f in (al.to_graph(program), unrolled))
        jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, 1e-5, 1e-6), found, expected)


def carried(x, s):
    for i in al.range(1, len(x)):
        x[i] = x[i - 1] + s
    return x


def guarded(x, s):
    found = jnp.zeros_like(x)
    for i in al.range(len(x)):
        if x[i] > 0:
            found[i] = s / x[i]  # whose derivative where x[i] is 0 would be nan
    return found


def by_hand(x, s):
    found = jnp.zeros_like(x)
    for i in al.range(len(x)):
        al.set_loop_options(unroll=2)
        found[i] = x[i] * s
    return found


def shown(x, s):
    found = jnp.zeros_like(x)
    for i in al.range(len(x)):
        jax.debug.print("{}", x[i])
        found[i] = x[i] * s
    return found


def of_rows(x, s):
    table = jnp.outer(jnp.arange(9.0), jnp.arange(20.0))
    found = jnp.zeros_like(table)
    for i in al.range(9):
        found[i] = jnp.sin(table[i]) * s
    return found


@pytest.mark.parametrize("program", [carried, guarded, by_hand, shown, of_rows])
def test_other_loops_are_scans(program: Any) -> None:
    assert "scan" in primitives(program, X, jnp.float32(2))
    report = al.explain(program)(X, jnp.float32(2))
    assert [each.became.split()[0] for each in report if each.statement == "for"] == ["scan"]


@pytest.mark.parametrize(
    "index", ["i", "i - 1", "i % 3", "(i + 1) % n", "i * i % n", "n - 1 - i", "2 * i % n", "(i > 9) * 2"]
)
def test_no_long_row_of_numbers_stands_in_the_program(index: str) -> None:
    source = (
        f"def main(x):\n    n = len(x)\n    z = xp.zeros_like(x)\n    for i in staged(40_000):\n"
        f"        z[i] = x[{index}] + ({index}) % 5 - i\n    return z\n"
    )
    converted, plain = functions(source)
    x = np.arange(40_000, dtype=np.float32) % 7
    jaxpr = converted.get_concrete_function(x).jaxpr
    assert not any(np.size(const) > 100 for const in jaxpr.consts)
    assert "scan" not in structure.primitives(converted, jnp.asarray(x))
    np.testing.assert_array_equal(converted(jnp.asarray(x)), plain(x))
