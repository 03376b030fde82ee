"""A deque is a queue in staged statements: it gets longer and shorter as the data says, like a list."""

from __future__ import annotations

import inspect
from collections import deque
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al


def some(x: Any) -> Any:
    q = deque([1.0, 2.0])
    if x > 1:
        q.append(x)
    return q


def searched(x: Any) -> Any:
    q, seen, depth = deque([(x, 0)]), 0.0, 0
    while q:
        v, depth = q.popleft()
        seen += v
        if v > 1:
            q.append((v / 2, depth + 1))
            q.append((v - 2, depth + 1))
    return seen, depth


def both_ends(x: Any) -> Any:
    q = some(x)
    if x > 2:
        q.appendleft(x * 2)
    else:
        q.pop()
    return q[0], q[-1], len(q), bool(q)


def greatest_of_windows(x: Any) -> Any:
    xs, q, out = [x, 3.0, 1.0, 4.0, 1.5], deque(), []
    for v in xs:
        while q and q[-1] < v:
            q.pop()
        q.append(v)
        if len(q) > 2:
            q.popleft()
        out.append(q[0])
    return out


def two_queues(x: Any) -> Any:
    a, b = deque([x]), deque()
    while a:
        v = a.popleft()
        b.append(v)
        if v > 1:
            a.append(v - 1)
    total = 0.0
    while b:
        total = total * 2 + b.pop()
    return total


def methods(x: Any) -> Any:
    q = some(x)
    q.extend([3.0, 4.0])
    q.extendleft((8.0, 9.0))
    q.rotate(2)
    first = q[0]
    q.rotate(-1)
    q.insert(1, 7.0)
    q.remove(2.0)
    q[0] += 1
    q.reverse()
    return first, q.index(7.0), q.count(8.0), 3.0 in q, list(q.copy())


def whole(x: Any) -> Any:
    q = some(x)
    total = 0.0
    for i, v in enumerate(q):
        total = total * 2 + i * v
    return total, sum(v * 2 for v in q), [v + 1 for v in q], max(q), sorted(q, reverse=True)


class Buffer:
    def __init__(self) -> None:
        self.items: Any = deque()

    def push(self, value: Any) -> None:
        if value > 1:
            self.items.append(value)

    def pull(self) -> Any:
        return self.items.popleft() if self.items else -1.0


def in_an_object(x: Any) -> Any:
    buffer = Buffer()
    for v in (x, x - 1, 3.0):
        buffer.push(v)
    return buffer.pull(), buffer.pull(), len(buffer.items)


def grown_by_a_counter(x: Any) -> Any:
    q, n = deque(), 0
    while n < x:
        q.append(x * n)
        n += 1
    q.clear() if x > 4 else q.append(0.5)
    return len(q), sum(q)


def halved(x: Any) -> Any:
    q, n = deque([x * 4]), 0
    while q and n < 20:
        v = q.popleft()
        n += 1
        if v > 1:
            q.appendleft(v // 2)
    return n, len(q)


def halved_in_a_list(x: Any) -> Any:
    ys, n = [x * 4], 0
    while len(ys) > 0 and n < 20:
        v = ys[0]
        ys.pop(0)
        n += 1
        if v > 1:
            ys[:] = [v // 2] + ys
    return n, len(ys)


PROGRAMS = [
    halved, halved_in_a_list, searched, both_ends, greatest_of_windows, two_queues, methods, whole, in_an_object, grown_by_a_counter,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_deque_does_what_python_s_does(program: Any) -> None:
    run = al.convert(program)
    for x in (0.5, 2.5, 5.0):
        found, expected = run(jnp.float32(x)), program(np.float32(x))
        np.testing.assert_allclose(
            np.asarray(jax.tree.leaves(found), float), np.asarray(jax.tree.leaves(expected), float)
        )
        assert jax.tree.structure(found) == jax.tree.structure(expected)


def test_derivatives_and_lanes_go_through_a_queue() -> None:
    def f(x):
        q, seen = deque([x]), 0.0
        for _ in range(5):
            if q:
                v = q.popleft()
                seen += v * v
                if v > 1:
                    q.append(v / 2)
                    q.append(v - 2)
        return seen

    xs = np.array([5.0, 2.2, 0.5])
    values, gradients = jax.jit(jax.vmap(jax.value_and_grad(al.to_graph(f))))(xs)
    np.testing.assert_allclose(values, [f(x) for x in xs], rtol=1e-6)
    slopes = [(f(x + 1e-4) - f(x - 1e-4)) / 2e-4 for x in xs]
    np.testing.assert_allclose(gradients, slopes, rtol=1e-4)


def test_a_deque_that_is_empty_when_the_data_says_so_raises_python_s_error() -> None:
    def f(x):
        q = some(x)
        if x > 2:
            q.clear()
        return q.popleft()

    assert al.convert(f)(jnp.float32(0)) == 1
    with pytest.raises(IndexError, match="^pop from an empty deque"):
        al.convert(f)(jnp.float32(3))


def bounded(x):
    q = deque(maxlen=2)
    if x > 1:
        q.append(x)
    return sum(q)


def returned(x):
    q = deque([1.0])
    if x > 1:
        q.append(x)
    return q


def test_what_is_refused_says_what_to_write() -> None:
    line = inspect.getsourcelines(bounded)[1] + 3
    with pytest.raises(al.MutationError) as caught:
        al.convert(bounded)(jnp.float32(2))
    assert str(caught.value).startswith(
        "'q' has more items on one path of a staged statement than on another.\n"
        f"  {__file__}:{line} in bounded\n"
        "      q.append(x)\n"
        f"  {__file__}:{line - 1} in bounded\n"
        "      if x > 1:\n"
        "  The condition depends on a traced value, so the program must know the length without knowing the path.\n"
        "  Fix: make the deque without maxlen, and take items off yourself: if len(d) > n: d.popleft()."
    )
    line = inspect.getsourcelines(returned)[1] + 3
    with pytest.raises(al.MutationError) as caught:
        al.convert(returned)(jnp.float32(2))
    assert str(caught.value).startswith(
        "'q' is returned, a deque whose length only the data knows.\n"
        f"  {__file__}:{line} in returned\n"
        "      q.append(x)\n"
    )
    assert "  Fix: return a list of its items: list(q)." in str(caught.value)
