"""Does a function that ends with a call of itself, on traced values, become a loop that gives what Python gives?"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as ag

Function = Callable[..., Any]


def gcd(a, b):
    if b == 0:
        return a
    return gcd(b, a % b)


def factorial(n, product=1):
    return product if n <= 1 else factorial(n - 1, product * n)


def collatz(n, steps=0):
    if n == 1:
        return steps
    elif n % 2 == 0:
        return collatz(n // 2, steps=steps + 1)
    else:
        return collatz(3 * n + 1, steps + 1)


def fibonacci(n, *, pair=(0, 1)):
    a, b = pair
    if n == 0:
        return a, b
    return fibonacci(n - 1, pair=(b, a + b))


def odd_above_ten(n):
    if n > 10:
        if n % 2 == 1:
            return n
    return odd_above_ten(n + 1)


def down_to_three(n):
    match n:
        case 1 | 2 | 3:
            return n
        case _:
            m = n - 1
            return down_to_three(m)


def bisected(low, high, value):
    """The place of a square root."""
    middle = (low + high) / 2
    if high - low < 1e-3:
        return middle
    if middle * middle > value:
        return bisected(low, middle, value)
    return bisected(middle, high, value)


halved = lambda x, k=0: (x, k) if x < 1 else halved(x / 2, k + 1)  # noqa: E731


def summed_to(n):
    def add(k, total):
        if k == n:
            return total
        return add(k + 1, total + k)

    return add(0, 0)


class Euclid:
    def gcd(self, a, b):
        if b == 0:
            return a
        return self.gcd(b, a % b)


PROGRAMS: list[tuple[Function, tuple[Any, ...]]] = [
    (gcd, (1071, 462)),
    (gcd, (7, 0)),
    (factorial, (6,)),
    (factorial, (0,)),
    (collatz, (27,)),
    (fibonacci, (10,)),
    (odd_above_ten, (3,)),
    (down_to_three, (9,)),
    (bisected, (0.0, 9.0, 7.0)),
    (halved, (37.5,)),
    (summed_to, (6,)),
    (Euclid().gcd, (12, 18)),
]


@pytest.mark.parametrize(("fn", "arguments"), PROGRAMS)
def test_a_tail_call_is_a_loop(fn: Function, arguments: tuple[Any, ...]) -> None:
    expected = fn(*arguments)
    result = ag.convert(fn)(*map(jnp.asarray, arguments))
    np.testing.assert_allclose(jax.tree.leaves(result), jax.tree.leaves(expected), rtol=1e-6)
    assert jax.tree.structure(result) == jax.tree.structure(expected)


@pytest.mark.parametrize(("fn", "arguments"), PROGRAMS)
def test_on_python_values_it_is_plain_recursion(fn: Function, arguments: tuple[Any, ...]) -> None:
    assert ag.to_graph(fn)(*arguments) == fn(*arguments)


def test_lanes_end_on_their_own():
    pairs = [(1071, 462), (7, 0), (0, 0), (12, 18), (35, 49)]
    a, b = map(jnp.array, zip(*pairs, strict=True))
    assert jax.vmap(ag.to_graph(gcd))(a, b).tolist() == [gcd(*pair) for pair in pairs]


def test_the_depth_is_not_that_of_pythons_stack():
    def down(n, steps):
        return steps if n == 0 else down(n - 1, steps + 1)

    assert ag.convert(down)(jnp.int32(100_000), 0) == 100_000


def test_plain_recursion_keeps_pythons_limit():
    def down(n):
        return 0 if n == 0 else down(n - 1)

    with pytest.raises(RecursionError):
        ag.convert(down)(100_000)


def test_state_that_the_rounds_write_to():
    class Counter:
        calls = 0

    counter = Counter()

    def gcd(a, b):
        counter.calls = counter.calls + 1
        if b == 0:
            return a
        return gcd(b, a % b)

    assert ag.convert(gcd)(jnp.int32(1071), jnp.int32(462)) == 21
    assert counter.calls == 4


def test_a_check_in_a_round_is_raised():
    def root(n, k=0):
        assert k < 5, "too many"
        if n < 2:
            return k
        return root(n // 2, k + 1)

    assert ag.convert(root)(jnp.int32(10)) == root(10)
    with pytest.raises(AssertionError, match="too many"):
        ag.convert(root)(jnp.int32(1000))


def test_the_derivative_of_a_bounded_recursion():
    def power(x, n, product=1.0):
        if n == 0:
            return product
        return power(x, n - 1, product * x)

    tangent = jax.jvp(lambda x: ag.to_graph(power)(x, jnp.int32(3)), (2.0,), (1.0,))[1]
    assert tangent == 12.0


def test_a_converted_function_that_calls_itself_by_its_name():
    namespace: dict[str, Any] = {"ag": ag}

    @ag.convert
    def gcd(a, b):
        if b == 0:
            return a
        return gcd(b, a % b)

    assert namespace and gcd(jnp.int32(1071), jnp.int32(462)) == 21


def test_a_name_that_was_bound_again_is_another_function():
    def gcd(a, b):
        if b == 0:
            return a
        return gcd(b, a % b)

    first = gcd
    gcd = lambda a, b: a + b  # noqa: E731

    assert ag.convert(first)(jnp.int32(1071), jnp.int32(462)) == 462 + 1071 % 462


def test_python_values_that_only_python_can_use_keep_the_recursion():
    layers = [jnp.sin, jnp.cos, jnp.tanh]

    def net(x, i):
        if i == len(layers):
            return x
        if x > 0:
            return net(layers[i](x), i + 1)
        return net(-x, i + 1)

    for x in (0.5, -0.5):
        assert ag.convert(net)(jnp.float32(x), 0) == pytest.approx(float(net(x, 0)), rel=1e-6)


def test_it_is_told_of():
    found = [each for each in ag.explain(gcd)(jnp.int32(12), jnp.int32(18)) if each.statement == "recursion"]
    assert [(each.source, each.became, each.why) for each in found] == [
        ("gcd(b, a % b)", "while_loop", "it is a tail call, and a traced value ends it")
    ]


def factorial_of(n):
    return 1 if n <= 1 else n * factorial_of(n - 1)


def dropped(n):
    if n > 0:
        dropped(n - 1)
    return n


def even(n):
    return True if n == 0 else odd(n - 1)


def odd(n):
    return False if n == 0 else even(n - 1)


def in_a_loop(n):
    for _ in range(3):
        if n > 0:
            return in_a_loop(n - 1)
    return n


@pytest.mark.parametrize("fn", [factorial_of, dropped, even, in_a_loop])
def test_other_recursion_runs_on_a_stack(fn: Function) -> None:
    new = ag.convert(fn)
    assert [new(jnp.int32(n)) for n in (0, 1, 3)] == [fn(n) for n in (0, 1, 3)]


def test_a_recursion_over_positions_that_arrays_bound():
    def largest(rows, grid):
        def from_here(row):
            if row >= rows:
                return 0
            return max(from_here(row + 1), grid[row])

        return from_here(0)

    new, grid = ag.convert(largest), [5, 2, 9]
    traced = [*map(jnp.int32, grid)]
    assert [new(jnp.int32(n), traced) for n in range(4)] == [largest(n, grid) for n in range(4)]
    with pytest.raises(IndexError, match="list index out of range"):
        new(jnp.int32(4), traced)


def test_a_recursion_is_given_up_before_pythons_limit_is_met_in_the_midst_of_something():
    depths = []

    @ag.do_not_convert
    def note_depth():
        frame, depth = sys._getframe(), 0
        while frame is not None:
            frame, depth = frame.f_back, depth + 1
        depths.append(depth)

    def largest(rows, grid):
        def from_here(row):
            note_depth()
            return 0 if row >= rows else max(from_here(row + 1), grid[row])

        return from_here(0)

    assert ag.convert(largest)(jnp.int32(2), [jnp.int32(5), jnp.int32(9)]) == 9
    assert max(depths) < sys.getrecursionlimit() - 100
