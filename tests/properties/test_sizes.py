"""Does a random program over a vector of any size give, for each size, what it gives as plain NumPy?"""

from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from hypothesis import given, note, strategies as st

import autograph_lite as al
from autograph_lite.runtime.tracing import symbolic_sizes
from tests.examples import examples

SMALL = st.integers(-2, 4)
SIZE = st.sampled_from(
    ["n", "n - 1", "n + 1", "n // 2", "2 * n - 3", "max(n, 3)", "min(n, 3)", "n % 3", "len(x)"]
)
ITEM = st.sampled_from(
    ["x[n - 1]", "x[0]", "x[n // 2]", "x[-1]", "y", "x[1:].sum()", "x[: n // 2].sum()", "n * 0.5"]
)


@st.composite
def conditions(draw: Any) -> str:
    """A condition on the size, or on the size and the data."""
    symbol = draw(st.sampled_from(["<", "<=", "==", "!=", ">", ">="]))
    first = f"{draw(SIZE)} {symbol} {draw(SMALL)}"
    match draw(st.integers(0, 4)):
        case 0:
            return f"{first} and {draw(ITEM)} > {draw(SMALL)}"
        case 1:
            return f"not ({first})"
        case 2:
            return f"{draw(SIZE)} in (1, 3, {draw(SMALL)})"
        case 3:
            return f"{draw(SMALL)} < {draw(SIZE)} {symbol} {draw(SIZE)}"
    return first


@st.composite
def statements(draw: Any, depth: int = 2) -> list[str]:
    """The lines of a block that changes `y`."""
    lines = []
    for _ in range(draw(st.integers(1, 2))):
        kind = draw(st.integers(0, 5)) if depth else 0
        body = [f"    {line}" for line in draw(statements(depth - 1))] if kind else []
        match kind:
            case 0:
                lines.append(f"y = y * 0.5 + {draw(ITEM)}")
            case 1:
                lines += [f"if {draw(conditions())}:", *body, "else:", f"    y = y - {draw(ITEM)}"]
            case 2:
                lines += [f"for i in range({draw(SIZE)}):", "    y = y + i", *body]
            case 3:
                rows = draw(st.sampled_from(["x", "x[1:]", "reversed(x)", "x[n // 2 :]"]))
                lines += [f"for row in {rows}:", "    y = y * 0.5 + row", *body]
            case 4:
                lines += [
                    f"for i in range({draw(SIZE)}):",
                    f"    if i > {draw(SMALL)}:",
                    "        break",
                    *body,
                ]
            case 5:
                lines += [f"k{depth} = 0", f"while k{depth} < {draw(SIZE)}:", f"    k{depth} += 1", *body]
    return lines


def function(lines: list[str]) -> tuple[Callable[[Any], Any], str]:
    """The program as a function, and its text."""
    text = "\n".join(
        ["def f(x):", "    n, y = x.shape[0], x[0] * 0", *(f"    {line}" for line in lines), "    return y"]
    )
    linecache.cache["<program>"] = len(text), None, text.splitlines(keepends=True), "<program>"
    namespace: dict[str, Any] = {}
    exec(compile(text, "<program>", "exec"), namespace)
    return namespace["f"], text


@examples(15)
@given(statements(), st.lists(st.integers(1, 6), min_size=2, max_size=3, unique=True))
def test_one_trace_gives_for_each_size_what_numpy_gives(lines: list[str], sizes: list[int]) -> None:
    f, text = function(lines)
    note(text)
    converted = al.to_graph(f)
    trace = symbolic_sizes.trace_symbolic(lambda x: [converted(x)], [((None,), jnp.float32, False)])
    for size in sizes:
        x = np.linspace(-1, 2, size, dtype=np.float32)
        np.testing.assert_allclose(
            trace.call(jnp.asarray(x))[0], f(x), rtol=1e-3, atol=1e-3, err_msg=str(size)
        )
