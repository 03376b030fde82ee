"""Does Python know how long a list is to which a loop appends where its numbers say so, or each iteration as many items?"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import pytest

import autograph_lite as al

X = np.float32(0.7)


def each_tenth(x):
    kept = [x]
    for i in range(100):
        x = np.sin(x) + 0.1
        if i % 10 == 3:
            kept.append(x)
    return kept, np.zeros(len(kept)) + x


def taken_off_again(x):
    kept = []
    for i in range(100):
        x = np.sin(x) + 0.1
        if i % 3 == 2:
            x = x + kept.pop()
        else:
            kept.append(x)
    return kept, x


def pairs_in_a_while(x):
    kept, t, n = [], 0.0, 0
    while t < 3:
        x = np.sin(x) + 0.1
        if n % 8 == 0:
            kept.append((x, x * n))
        t, n = t + 0.05, n + 1
    return kept, t


def a_queue(x):
    queue = deque([x])
    for i in range(60):
        x = np.sin(x) * 2 + 0.1
        if i % 4 == 0:
            queue.append(x)
        elif i % 4 == 1:
            x = x + queue.popleft()
    return list(queue), x


def in_a_nest(x):
    kept = []
    for i in range(20):
        for j in range(20):
            x = np.sin(x) + j * 0.1
            if (i + j) % 4 == 0:
                kept.append(x)
    return kept


def in_two_loops(x):
    kept = []
    for i in range(60):
        x = np.sin(x) * 2
        if i % 6 == 0:
            kept.append(x)
    for i in range(60):
        x = np.cos(x) + 0.1
        if i % 5 == 0:
            kept.append(x)
    return kept, len(kept)


@pytest.mark.parametrize(
    "function", [each_tenth, taken_off_again, pairs_in_a_while, a_queue, in_a_nest, in_two_loops]
)
def test_also_in_somebody_elses_program(function: Callable[..., Any]) -> None:
    graph = al.to_graph(function)
    assert "scan[" in str(jax.make_jaxpr(graph)(X))
    ours, python = jax.jit(graph)(X), function(X)
    assert jax.tree.structure(ours) == jax.tree.structure(python)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=2e-3), ours, python)


def test_a_list_from_outside_gets_what_some_iterations_append() -> None:
    seen: list[Any] = []

    @al.convert
    def logs(x):
        for i in range(60):
            x = np.sin(x) * 2
            if i % 15 == 0:
                seen.append(x)
        return x

    logs(X)
    assert len(seen) == 4
    np.testing.assert_allclose(seen[0], 2 * np.sin(X), rtol=1e-5)


def test_the_data_s_length_is_none_of_python_s() -> None:
    def f(x):
        kept = []
        for i in range(60):
            x = np.sin(x) * 2 + 0.1
            if x > 1.9 and i % 3 == 0:
                kept.append(x)
        return kept

    assert len(al.convert(f)(X)) == len(f(X))
    with pytest.raises(al.MutationError, match="a length that only the data knows"):
        jax.jit(al.to_graph(f))(X)


CODES = np.array([2, 1, 3, 2, 3])


def edit_distance(a):
    b = a[1:]
    before = [*range(len(b) + 1)]
    for i, x in enumerate(a):
        row = [i + 1]
        for j, y in enumerate(b):
            row.append(min(before[j + 1] + 1, row[j] + 1, before[j] + (x != y)))
        before = row
    return before


def common_subsequence(a):
    before = [0] * len(a)
    for x in a:
        row, n = [0], 0
        for y, d, e in zip(a[1:], before, before[1:], strict=False):
            row.append(d + 1 if x == y else max(e, row[n]))
            n += 1
        before = row
    return before[-1]


def table(a):
    rows = [[0] * len(a)]
    for i, x in enumerate(reversed(a)):
        row = [i + 1]
        for j, y in enumerate(a[:-1]):
            row.append(min(rows[i][j + 1], row[j]) + x * y)
        rows.append(row)
    return rows


def backwards(a):
    sums, middle, n = [0], [0], 0
    for y in reversed(a):
        sums.append(sums[n] + 10 * y)
        middle.append(middle[len(middle) // 2] + y)
        n += 1
    return sums, middle


def kept_under_two_names(a):
    first = before = [0, 0, 0, 0, 0, 0]
    for i in a:
        row = [i]
        for j, y in enumerate(a):
            row.append(before[j] + row[j] + y)
        before = row
        before[0] = 7
    return first, before


def pairs_and_pops(a):
    pairs, last = [(0, 1)], [0]
    for j, y in enumerate(a):
        p, q = pairs[j]
        pairs.append((q, p + y))
        last.extend([last.pop() + y, pairs[j][0]])
    return pairs, last, len(pairs) * len(last)


def raised_in_between(a):
    sums, more = [0], [0]
    try:
        for j, y in enumerate(a):
            sums.append(sums[j] + y)
            if y == 3:
                raise ValueError("three")
            more.append(more[j] - y)
    except ValueError:
        more.append(100)
    return sums, more


def index_beyond_the_end(a):
    found = [0]
    try:
        for j, y in enumerate(a):
            found.append(found[j + y - 2] + y)
    except IndexError:
        found.append(-9)
    return found


def left_early(a):
    sums = [0]
    for j, y in enumerate(a):
        if y == 3:
            return sums
        sums.append(sums[j] + y)
    return sums


@pytest.mark.parametrize(
    "function",
    [
        edit_distance, common_subsequence, table, backwards, kept_under_two_names, pairs_and_pops, raised_in_between, index_beyond_the_end,
        left_early,
    ],
)  # fmt: skip
def test_lists_that_loops_over_arrays_read_at_places(function: Callable[..., Any]) -> None:
    for codes in (CODES, CODES[1:3]):
        ours, python = al.convert(function)(codes), function(codes)
        assert jax.tree.structure(ours) == jax.tree.structure(python)
        jax.tree.map(np.testing.assert_array_equal, ours, python)


def test_a_list_from_outside_gets_items_in_front() -> None:
    seen = [0.0]

    @al.convert
    def logs(x):
        for i, y in enumerate(x):
            seen.append(y + seen[i])
            seen.insert(0, y)

    logs(np.arange(3.0))
    assert seen == [2.0, 1.0, 0.0, 0.0, 0.0, 1.0, 2.0]


def test_a_table_of_more_rows_than_are_unrolled() -> None:
    codes = np.arange(70) % 4
    np.testing.assert_array_equal(al.convert(edit_distance)(codes), edit_distance(codes))
