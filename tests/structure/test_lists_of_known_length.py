"""Does Python know how long a list is to which a rolled loop appends where its numbers say so?"""

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
