"""Python's iterators over an array of NumPy's give its numbers as they are when they are asked; calls change it in place."""

from __future__ import annotations

import functools
import itertools
import operator
from typing import Any

import jax
import numpy as np
import pytest

import autograph_lite

WEIGHTS = [0.001 * (number % 3) for number in range(1200)]


def pairs_as_they_come(g):
    x = np.zeros(4) + g
    y = x
    for w in zip(x, [1, 2, 3, 4], strict=True):
        x += w[0]
    return x, y


def an_iterator(g):
    x = np.arange(4.0) + g
    y = x
    for v in iter(x):
        x += v
    return y


def neighbours(g):
    x = np.arange(4.0) + g
    for v, w in itertools.pairwise(x):
        x += v * w
    return x


def chained(g):
    x = np.arange(3.0) + g
    y = x
    for v in itertools.chain(itertools.islice(x, 2), [1.0], x):
        x += v
    return x, y


def by_a_callee(g):
    def add(array, v):
        array += v

    x = np.arange(4.0) + g
    for v, w in zip(x, [1, 2, 3, 4], strict=True):
        add(x, v * w)
    return x


def by_a_function_of_numpys(g):
    x = np.arange(4.0) + g
    y = x
    sums = [np.add(x, v * w, out=x).sum() for v, w in zip(x, [1, 2, 3, 4], strict=True)]
    return x, y, sums


def on_paths(g):
    x = np.arange(4.0) + g
    y = x
    for w in zip(x, WEIGHTS[:4], strict=True):
        if w[0] > 2.01:
            x += w[0] * w[1]
        else:
            x *= 2
    return x, y


def left_early(g):
    x = np.arange(4.0) + g
    y = x
    for w in zip(x, [1, 2, 3, 4], strict=True):
        if w[0] > 12:
            break
        x += w[0]
    return x, y


def next_ones(g):
    x = np.arange(4.0) + g
    numbers = iter(x)
    first = next(numbers)
    if first > 1:
        x += 5
    return first, next(numbers), [*numbers], x


def next_ones_in_an_object(g):
    held = {"x": np.arange(4.0) + g}
    held["numbers"] = iter(held["x"])
    held["x"] += next(held["numbers"])
    return next(held["numbers"]), held["x"]


def in_methods(g):
    class Model:
        def __init__(self):
            self.x = np.arange(4.0) * g

        def add(self, v):
            self.x += v

        def run(self):
            for v, w in zip(self.x, [1, 2, 3], strict=False):
                self.add(v * w + 1)

    model = Model()
    model.run()
    return model.x


def many(g):
    x = np.arange(300.0) / 100 + g
    for w in zip(x, WEIGHTS, strict=False):
        x += w[0] * w[1]
    return x


def many_of_another(g):
    x, total = np.arange(300.0) / 100 + g, np.zeros(300)
    for w in zip(x, WEIGHTS, strict=False):
        total += w[0] * w[1]
    return total


def taken_at_once(g):
    x = np.arange(4.0) + g
    y = x
    first, *_ = x
    for v in [*list(x), first]:
        x += v
    return y


def numbers_in_a_list(g):
    x = np.zeros(4) + g
    y = x
    for v in [x[0], x[1]]:
        x += v
    return x, y


def rolled(g):
    x = np.arange(4.0) + g
    for i in range(np.int32(3) + 0 * g.astype(int)):
        for v, w in zip(x, WEIGHTS[:4], strict=True):
            x += v * w * i
    return x


def methods_of_rows(g):
    m = np.zeros((3, 2)) + g
    [row.__iadd__(g) for row in [m[0], m[1]]]
    m[1].__iadd__(g)
    return m


def functions_of_rows(g):
    m = np.zeros((3, 2)) + g
    total = functools.reduce(operator.iadd, [m[0], m[1], m[2]])
    list(map(operator.imul, m[1:], [2, 3]))
    functools.partial(operator.isub, m[2])(g)
    return total, m


def the_only_name(g):
    x = np.zeros(3) + g
    x.__iadd__(g)
    operator.imul(x, g)
    return x


def of_numpys_own(g):
    m = np.zeros((3, 2))
    n = np.ones(2)
    [row.__iadd__(g) for row in [m[0], m[1]]]
    operator.iadd(m[2], g)
    np.ndarray.__imul__(n, g)
    return m, n


def helper_in_a_comprehension(g):
    def add(row):
        row += g

    m = np.zeros((3, 2)) + g
    [add(row) for row in [m[0], m[1]]]
    return m


def order_and_text(g):
    s = np.array([3.0, 1.0, 2.0])
    t = s
    order, text = np.argsort(s), f"{s} {np.array_str(s)} {s}" + str(s[0]) + np.array2string(s, precision=1)
    s[0] += g
    order += 1
    return s, t, order, s.argsort(kind="stable"), np.frombuffer(text.encode(), np.uint8)


PROGRAMS = [
    pairs_as_they_come, an_iterator, neighbours, chained, by_a_callee, by_a_function_of_numpys, on_paths, left_early,
    next_ones, next_ones_in_an_object, in_methods, many, many_of_another, taken_at_once, numbers_in_a_list, rolled,
    methods_of_rows, functions_of_rows, the_only_name, of_numpys_own, helper_in_a_comprehension, order_and_text,
]  # fmt: skip


@pytest.mark.filterwarnings("ignore::autograph_lite.UnrolledLoopWarning")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_who_asks_an_array_sees_what_is_written(program: Any) -> None:
    found, expected = autograph_lite.convert(program)(np.float64(2.0)), program(np.float64(2.0))
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4)


def test_a_long_loop_over_an_array_and_a_list_is_rolled() -> None:
    def f(x):
        total = 0.0
        for w in zip(x, WEIGHTS, strict=False):
            total += w[0] * w[1]
        return total

    program = autograph_lite.convert(f).get_concrete_function(np.ones(1200))
    assert "scan" in [equation.primitive.name for equation in program.jaxpr.eqns]


@pytest.mark.parametrize("program", [methods_of_rows, the_only_name], ids=lambda each: each.__name__)
def test_a_call_that_changes_an_array_under_the_users_own_jit(program: Any) -> None:
    np.testing.assert_array_equal(jax.jit(autograph_lite.to_graph(program))(2.0), program(2.0))


def test_a_call_that_changes_what_it_can_not_is_refused() -> None:
    with pytest.raises(autograph_lite.MutationError, match="is changed in place"):
        jax.jit(autograph_lite.to_graph(of_numpys_own))(2.0)


def test_a_staged_loop_over_the_only_name_of_what_it_changes() -> None:
    def f(g):
        x = np.arange(4.0) + g
        for v in map(abs, x):
            x += v
        return x

    np.testing.assert_allclose(autograph_lite.convert(f)(np.float64(2.0)), f(np.float64(2.0)), rtol=1e-5)


def test_what_asks_whether_an_array_is_numpys_is_refused() -> None:
    def f(g):
        x = np.arange(3)
        y = x
        text = np.array_repr(x)
        x[0] = g
        return y, len(text)

    with pytest.raises(autograph_lite.PythonOnlyError, match="array_repr"):
        autograph_lite.convert(f)(np.int32(2))


def kept_beside_another(u, k):
    w = np.zeros((3, 2))
    for row, _ in zip(w, u, strict=True):
        if u[0, 0] > k:
            break
        k = k + 1.0
    w += 1.0
    return row


def kept_of_a_known_loop(u, k):
    w = np.zeros((3, 2))
    for row, each in zip(w, u, strict=True):
        k = k + each[0]
    w += 1.0
    return row, k


def a_copy_kept_beside_another(u, k):
    w = np.zeros((3, 2))
    for row, each in zip(w, u, strict=True):
        kept = row.copy()
        k = k + each[0] * kept[1]
    w += 1.0
    return w, kept, k


U = np.arange(6.0).reshape(3, 2)


@pytest.mark.parametrize(
    "program", [kept_beside_another, kept_of_a_known_loop], ids=lambda each: each.__name__
)
def test_a_row_of_numpys_array_that_is_written_after_a_loop_over_two(program: Any) -> None:
    with pytest.raises(autograph_lite.MutationError, match="'row', which is read later"):
        autograph_lite.convert(program)(U, np.float64(0.5))


def test_a_copy_of_a_row_of_numpys_array_that_is_written_after_a_loop_over_two() -> None:
    found = autograph_lite.convert(a_copy_kept_beside_another)(U, np.float64(0.5))
    for one, other in zip(found, a_copy_kept_beside_another(U, np.float64(0.5)), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)
