"""Does XLA update an array in place that a staged loop writes to: is there no copy of it in the loop's program?"""

from __future__ import annotations

import re
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import autograph_lite

SIZE = {1: "f32[1000]", 2: "f32[100,100]"}


def copies(fun: Any, array: jax.Array) -> list[str]:
    """The copies of the whole array in the bodies of the loops of a compiled program."""
    text = jax.jit(autograph_lite.to_graph(fun)).lower(array).compile().as_text()
    assert text is not None
    parts = dict(re.findall(r"^%?([\w.\-]+) \(.*?\{\n(.*?)^\}", text, re.MULTILINE | re.DOTALL))
    left = list(re.findall(r"body=%?([\w.\-]+)", text))
    assert left, "the loop is gone"
    found, seen = [], set()
    while left:
        name = left.pop()
        if name in seen:
            continue
        seen.add(name)
        for line in parts[name].splitlines():
            found += re.findall(rf"= {re.escape(SIZE[array.ndim])}\S* copy\(.*", line)
            if " fusion(" not in line:
                called = re.findall(r"(?:to_apply|\w+_computation|body)=%?([\w.\-]+)", line)
                several = re.findall(r"branch_computations=\{([^}]*)\}", line)
                left += [*called, *(n.strip().lstrip("%") for names in several for n in names.split(","))]
    return found


def element(x: Any) -> Any:
    for i in autograph_lite.range(1, 1000):
        x[i] = x[i - 1] * 2 + 1
    return x


def until(x: Any) -> Any:
    i = 1
    while x[i] < 3 and i < 999:
        x[i] = x[i - 1] * 2 + 1
        i += 1
    return x


def conditional(x: Any) -> Any:
    for i in autograph_lite.range(1, 1000):
        if x[i] > x[i - 1]:
            x[i] = x[i - 1]
    return x


def window(x: Any) -> Any:
    for i in autograph_lite.range(2, 998):
        x[i] = x[i - 2 : i + 3].sum()
    return x


def masked(x: Any) -> Any:
    for _ in autograph_lite.range(100):
        x[x > 0.5] -= 0.1
    return x


def row(A: Any) -> Any:
    for i in autograph_lite.range(1, 100):
        A[i] += A[i - 1] * 2
    return A


def block(A: Any) -> Any:
    for i in autograph_lite.range(50):
        A[i : i + 5, i : i + 5] += 1.0
    return A


def part_of_a_column(A: Any) -> Any:
    for j in autograph_lite.range(100):
        A[j + 1 :, j] /= A[j, j]
    return A


def nested(A: Any) -> Any:
    for i in autograph_lite.range(1, 100):
        for j in autograph_lite.range(1, 100):
            if A[i, j] > 0:
                A[i, j] = A[i - 1, j] + A[i, j - 1]
    return A


def insertion(x: Any) -> Any:
    for i in autograph_lite.range(1, 1000):
        v, j = x[i], i - 1
        while j >= 0 and x[j] > v:
            x[j + 1] = x[j]
            j -= 1
        x[j + 1] = v
    return x


def swaps(x: Any) -> Any:
    for i in autograph_lite.range(500):
        x[i], x[999 - i] = x[999 - i], x[i]
    return x


def swaps_if(x: Any) -> Any:
    for i in autograph_lite.range(1, 1000):
        if x[i] > x[i - 1]:
            x[i], x[i - 1] = x[i - 1], x[i]
    return x


def three_updates(x: Any) -> Any:
    for i in autograph_lite.range(1, 999):
        x[i] = x[i - 1] * 2 + 1
        x[i + 1] = x[i] + x[i - 1]
        x[i] += 1
    return x


def elimination(A: Any) -> Any:
    for k in autograph_lite.range(100):
        A[k + 1 :, k] /= A[k, k]
        A[k + 1 :, k + 1 :] -= jnp.outer(A[k + 1 :, k], A[k, k + 1 :])
    return A


def elimination_by_rows(A: Any) -> Any:
    for k in autograph_lite.range(100):
        for i in autograph_lite.range(k + 1, 100):
            A[i, k] /= A[k, k]
            A[i, k + 1 :] -= A[i, k] * A[k, k + 1 :]
    return A


def view(A: Any) -> Any:
    for i in autograph_lite.range(1, 100):
        above = A[i]
        above[1:-1] += A[i - 1, :-2] * 2
        above[:] = above + 1
    return A


def filled(out: Any, before: Any) -> None:
    out[1:] = before[:-1] * 2 + 1


def out_parameter(A: Any) -> Any:
    for i in autograph_lite.range(1, 100):
        filled(A[i], A[i - 1])
    return A


def two_buffers(A: Any) -> Any:
    B = A * 1
    for _ in autograph_lite.range(100):
        B[1:-1] = A[:-2] + A[2:]
        A, B = B, A
    return A, B


def two_buffers_by_hand(A: Any) -> Any:
    step = lambda _, both: (both[1].at[1:-1].set(both[0][:-2] + both[0][2:]), both[0])
    return jax.lax.fori_loop(0, 100, step, (A, A * 1))


ONE = [(element, 1), (until, 1), (conditional, 1), (window, 1), (masked, 1), (row, 2), (block, 2), (part_of_a_column, 2),
       (nested, 2), (insertion, 1), (view, 2), (out_parameter, 2)]  # fmt: skip
SEVERAL = [(swaps, 1), (swaps_if, 1), (three_updates, 1), (elimination, 2), (elimination_by_rows, 2)]
START = {1: jnp.linspace(0, 1, 1000), 2: jnp.ones((100, 100)) + 9 * jnp.eye(100)}


@pytest.mark.parametrize(("fun", "axes"), ONE)
def test_one_update(fun: Any, axes: int) -> None:
    assert copies(fun, START[axes]) == []


@pytest.mark.skipif(
    jax.__version_info__ < (0, 12), reason="XLA drops barriers too early to keep reads in place"
)
@pytest.mark.parametrize(("fun", "axes"), SEVERAL)
def test_several_updates_of_one_array(fun: Any, axes: int) -> None:
    assert copies(fun, START[axes]) == []


def test_buffers_that_change_places_are_copied_as_by_hand() -> None:
    assert len(copies(two_buffers, START[2])) == len(copies(two_buffers_by_hand, START[2]))


def test_a_loop_with_one_update_has_no_barriers() -> None:
    assert "optimization_barrier" not in str(jax.make_jaxpr(autograph_lite.to_graph(element))(START[1]))


def test_a_loop_with_one_update_of_each_of_two_arrays_has_no_barriers() -> None:
    def f(x: Any, y: Any) -> Any:
        for i in autograph_lite.range(1, 4):
            x[i] = y[i - 1]
            y[i] = x[i - 1]
        return x, y

    text = str(jax.make_jaxpr(autograph_lite.to_graph(f))(jnp.zeros(4), jnp.ones(4)))
    assert "optimization_barrier" not in text


def test_what_a_loop_only_reads_has_no_barriers() -> None:
    def f(x: Any, w: Any) -> Any:
        for i in autograph_lite.range(3):
            x[i], x[3 - i] = w[i], w[i + 1]
        return x

    text = str(jax.make_jaxpr(autograph_lite.to_graph(f))(jnp.zeros(4), jnp.ones(4)))
    assert text.count("optimization_barrier") == (2 if jax.__version_info__ >= (0, 12) else 0)


def test_windows_in_a_loop_over_known_bounds_have_no_checks() -> None:
    text = str(jax.make_jaxpr(autograph_lite.to_graph(window))(START[1]))
    assert "dynamic_slice[slice_sizes=(5,)]" in text
    assert " or " not in text and "pure_callback" not in text and "debug_callback" not in text
