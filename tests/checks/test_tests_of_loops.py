"""Is what the test of a `while` raises in a `try` caught as in Python, with what the loop has done by then?"""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite

from .outcomes import assert_like_python


def at_most(v, most):
    if v > most:
        raise ValueError("over", v)
    return v


def divided(x):
    k = 0
    try:
        while 10 // (3 - k) < x:
            k += 1
    except ZeroDivisionError:
        return k, -1
    return k, 1


def called(x):
    s = x
    try:
        while at_most(s, 10) < 8:
            s = s + 3
    except ValueError as e:
        return s * 100, e.args[1]
    return s, -1


def otherwise(x):
    s = x
    try:
        while at_most(s, 10) < 10:
            s = s + 3
        else:
            s = -s
    except ValueError:
        s = s + 1000
    return s


def in_a_loop(x):
    state, n = {"k": x}, 0
    for i in range(3):
        try:
            while at_most(state["k"], 5 + i) < 7:
                state["k"] = state["k"] + 1
                n += 1
                if n > 10:
                    break
                if state["k"] == 4:
                    continue
        except ValueError:
            state["k"] = state["k"] - 2
            n += 5
        finally:
            n += 100
    return n, state["k"]


def emptied(x):
    queue, total = collections.deque(), 0
    if x > 2:
        queue.append(x)
        queue.append(x - 1)
    try:
        while queue[0] < 9:
            total += queue.popleft()
    except IndexError:
        total += 1000
    return total, len(queue)


def guarded(x):
    queue, total = collections.deque(), 0
    if x > 2:
        queue.append(x)
        queue.append(x - 1)
    try:
        while len(queue) > 0 and queue[0] < 9:
            total += queue.popleft()
    except IndexError:
        total = -1
    return total


class Tank:
    def __init__(self, level):
        self.level = level

    def take(self):
        if self.level < 0:
            raise RuntimeError("empty")
        self.level = self.level - 2
        return self.level


def by_a_method(x):
    tank, k = Tank(x), 0
    try:
        while tank.take() > -2:
            k += 1
    except RuntimeError:
        return k, tank.level, 1
    return k, tank.level, 0


def in_two(x):
    try:
        try:
            while at_most(x, 4) < 20:
                x = x + 1
        except KeyError:
            return -1
        finally:
            x = x + 100
    except ValueError:
        return x
    return x


def _climb(x):
    while at_most(x, 6) < 5:
        x = x + 2
    return x


def in_a_callee(x):
    try:
        return _climb(x)
    except ValueError:
        return -x


PROGRAMS = [divided, called, otherwise, in_a_loop, emptied, guarded, by_a_method, in_two, in_a_callee]


def numbers(result: Any) -> Any:
    return jax.tree.map(lambda leaf: np.asarray(leaf).item(), result)


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_test_that_raises_is_caught(program: Callable[..., Any]) -> None:
    converted, graph = autograph_lite.convert(program), jax.jit(autograph_lite.to_graph(program))
    for x in (-1, 0, 1, 3, 4, 5, 6, 8, 9, 11):
        want = program(x)
        assert numbers(converted(jnp.int32(x))) == want
        assert numbers(graph(jnp.int32(x))) == want


@pytest.mark.parametrize("items", [[1, 2, 3], [1, 2], [3]])
def test_the_end_of_an_array(items: list[int]) -> None:
    def find(xs):
        i = 0
        try:
            while xs[i] != 3:
                i += 1
        except IndexError:
            return -1
        return i

    assert int(autograph_lite.convert(find)(jnp.asarray(items))) == find(items)


def test_lanes() -> None:
    xs = jnp.arange(-1, 12)
    got = jax.vmap(autograph_lite.to_graph(called))(xs)
    assert [tuple(map(int, row)) for row in zip(*got, strict=True)] == [called(int(x)) for x in xs]


def test_gradient() -> None:
    def f(x):
        y = x
        try:
            while at_most(y, 5.0) < 9.0:
                y = y * x
        except ValueError:
            y = y + x
        return y

    for x in (1.5, 3.0, 6.0):
        np.testing.assert_allclose(jax.grad(autograph_lite.convert(f))(x), _slope(f, x), rtol=1e-4)


def _slope(f: Callable[[float], float], x: float) -> float:
    return (f(x + 1e-6) - f(x - 1e-6)) / 2e-6


@pytest.mark.parametrize("p", [False, True])
def test_a_body_that_always_raises(p: bool) -> None:
    def f(a, b, p):
        x = 2.5
        for j in (a, 1, b):
            try:
                if p:
                    raise RuntimeError("first")
                k = 0
                while k < 3:
                    k += 1
                    raise KeyError("second")
                x += j
            except ValueError:
                return a
        return x

    assert_like_python(f, jnp.int32(1), jnp.int32(3), jnp.asarray(p))


def test_numbers_that_end_a_loop_in_a_try() -> None:
    def f(x, most):
        k = 0
        try:
            while k < 50:
                k += 1
                x = x + at_most(k, most) * 0.5
        except ValueError:
            return x, k, True
        return x, k, False

    for most in (7, 49, 50, 80):
        x, k, caught = autograph_lite.convert(f)(jnp.float32(1), jnp.int32(most))
        assert (float(x), int(k), bool(caught)) == f(1.0, most)
