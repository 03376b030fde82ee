"""Does a list grow in a loop that may run any number of times, and does a call find room for it?"""

from __future__ import annotations

import collections
import warnings
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as ag
from autograph_lite.operators.lists import capacity
from tests.errors.messages import message

Function = Callable[..., Any]


def collatz(n):
    ys = []
    while n != 1:
        ys.append(n)
        n = n // 2 if n % 2 == 0 else 3 * n + 1
    return ys


def squares(n):
    ys = []
    for i in range(n):
        ys.append(i * i)
    return ys, sum(ys), len(ys)


def comprehended(n):
    even = [i for i in range(n) if i % 2 == 0]
    return even, [i * i for i in range(n)], sum(even), max(even)


def pairs(n):
    return [(i, j) for i in range(n) for j in range(i)]


def queue(x):
    waiting, head, total = [x], 0, 0.0
    while head < len(waiting):
        y = waiting[head]
        head, total = head + 1, total + y
        if y > 1:
            waiting.append(y / 2)
            waiting.append(y / 3)
    return total, waiting


def tree(x):
    stack, total = [(x, 0)], 0.0
    while stack:
        y, depth = stack.pop()
        total = total + y * depth
        if y > 1:
            stack.append((y / 2, depth + 1))
            stack.append((y / 3, depth + 1))
    return total


def halves(n):
    ys = []
    for i in range(n):
        j = i
        while j > 0:
            ys.append((i, j))
            j = j // 2
    return ys


def list_in_each_iteration(n):
    total = 0
    for i in range(n):
        ys = []
        for j in range(i):
            ys.append(j)
        total = total + sum(ys)
    return total


def reads_what_it_has(n):
    ys = [100, 200]
    for i in range(n):
        ys.append(ys[-1] + ys[i])
    return ys


def appended_and_popped(n):
    ys = []
    for i in range(n):
        ys.append(i)
        if i % 3 == 0:
            ys.pop()
    ys.append(-1)
    return ys, ys[0], ys[-1]


def digits_reversed(n):
    digits = []
    while n > 0:
        digits.append(n % 10)
        n = n // 10
    total = 0
    for digit in reversed(digits):
        total = total * 10 + digit
    return total


PROGRAMS: list[tuple[Function, Any]] = [
    (collatz, 6),
    (collatz, 27),
    (squares, 0),
    (squares, 70),
    (comprehended, 11),
    (pairs, 15),
    (queue, 9.0),
    (tree, 9.0),
    (halves, 80),
    (list_in_each_iteration, 90),
    (reads_what_it_has, 5),
    (appended_and_popped, 9),
    (digits_reversed, 5021),
]


@pytest.mark.parametrize(("fn", "argument"), PROGRAMS)
def test_it_is_the_list_that_python_makes(fn: Function, argument: Any) -> None:
    expected, result = fn(argument), ag.convert(fn)(jnp.asarray(argument))
    assert jax.tree.structure(result) == jax.tree.structure(expected)
    np.testing.assert_allclose(jax.tree.leaves(result), jax.tree.leaves(expected), rtol=1e-5)


def test_a_call_that_needs_more_room_makes_a_program_with_more() -> None:
    f = ag.convert(collatz)
    counts = [(len(f(jnp.int32(n))), f.trace_count) for n in (6, 27, 6, 27, 871)]
    assert counts == [(8, 1), (111, 2), (8, 2), (111, 2), (178, 2)]


def test_state_is_written_once() -> None:
    calls = ag.Variable(0)

    @ag.convert
    def f(n):
        calls.assign_add(1)
        return len(collatz(n))

    assert f(jnp.int32(27)) == 111
    assert int(calls.value) == 1


def test_a_program_that_calls_python_is_not_run_again() -> None:
    shown = []

    def f(n):
        ys = []
        while n > 0:
            ys.append(n)
            n = n - 1
        jax.debug.callback(shown.append, n)
        return len(ys)

    assert ag.convert(f)(jnp.int32(30)) == 30
    assert message(f, jnp.int32(100)) == (
        "OutgrownError: 'ys' gets more than 64 items in a loop that may run any number of times.\n"
        "  test.py:3 in f\n"
        "      ys.append(n)\n"
        "  test.py:2 in f\n"
        "      while n > 0:\n"
        "  The program has room for so many. It can't be run again with more: it calls Python, or it is far too many.\n"
        "  Fix: loop over a range with a known bound and leave it with `break`: for _ in autograph_lite.range(100_000)."
    )


def test_there_is_an_end_to_growth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capacity, "LAST", 200)

    def f(n):
        ys = []
        while n > 0:
            ys.append(n)
            n = n - 1
        return len(ys)

    assert ag.convert(f)(jnp.int32(200)) == 200
    with pytest.raises(ag.MutationError, match="'ys' gets more than 256 items"):
        ag.convert(f)(jnp.int32(300))


def test_growth_is_no_reason_to_warn_of_retracing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ag.convert(lambda n: squares(n)[2])(jnp.int32(5000)) == 5000


def test_a_concrete_function_grows_too() -> None:
    f = ag.convert(collatz).get_concrete_function(jax.ShapeDtypeStruct((), "int32"))
    assert len(f(jnp.int32(27))) == 111


def collatz_at_most(n):
    ys = []
    while n != 1:
        ag.set_loop_options(maximum_iterations=10)
        ys.append(n)
        n = n // 2 if n % 2 == 0 else 3 * n + 1
    return len(ys), sum(ys), n


def collatz_at_most_by_hand(n):
    ys = []
    while n != 1 and len(ys) < 10:
        ys.append(n)
        n = n // 2 if n % 2 == 0 else 3 * n + 1
    return len(ys), sum(ys), n


@pytest.mark.parametrize("n", [1, 4, 27])
@pytest.mark.parametrize(
    "wrap",
    [ag.convert, lambda f: jax.jit(ag.to_graph(f)), lambda f: lambda n: jax.vmap(ag.to_graph(f))(n[None])],
    ids=["convert", "jit", "vmap"],
)
def test_maximum_iterations_is_room_for_what_so_many_add(n: int, wrap: Any) -> None:
    found = wrap(collatz_at_most)(jnp.int32(n))
    assert [int(np.squeeze(x)) for x in found] == list(collatz_at_most_by_hand(n))


def test_maximum_iterations_in_loops_within_loops() -> None:
    def f(n):
        ys, k = [], 0
        while k < n:
            ag.set_loop_options(maximum_iterations=5)
            j = 0
            while j < k:
                ag.set_loop_options(maximum_iterations=3)
                ys.append(j * 10 + k)
                j += 1
            k += 1
        return len(ys), sum(ys)

    for n in (2, 4, 9):
        ys = [j * 10 + k for k in range(min(n, 5)) for j in range(min(k, 3))]
        assert jax.jit(ag.to_graph(f))(jnp.int32(n)) == (len(ys), sum(ys))


def until_counted(x):
    ys, k = [], 0
    while k < 10 and x > 1:
        ys.append(x)
        k += 1
        x = x * 0.8
    return sum(ys), k


def until_it_is_left(x):
    ys, k = [], 0
    while k < 10:
        ys.append(x)
        k += 1
        if x < 1:
            break
        x = x * 0.8
    return sum(ys), len(ys)


@pytest.mark.parametrize("static_loops", ["python", "stage"])
@pytest.mark.parametrize("program", [until_counted, until_it_is_left])
def test_a_counter_is_the_bound_of_a_list(program, static_loops):
    f = ag.convert(program, static_loops=static_loops)
    xs = jnp.array([0.5, 3.0, 50.0])
    wanted = [program(float(x)) for x in xs]
    for found in ([jax.jit(f)(x) for x in xs], [*zip(*jax.vmap(f)(xs), strict=True)]):
        np.testing.assert_allclose(found, wanted, rtol=1e-5)
    slopes = jax.vmap(jax.grad(lambda x: f(x)[0]))(xs)
    np.testing.assert_allclose(
        slopes, [total / x for (total, _), x in zip(wanted, xs, strict=True)], rtol=1e-5
    )


def reached(adjacent):
    seen, queue, order = np.zeros(5, bool), collections.deque([0]), []
    seen[0] = True
    while queue:
        u = queue.popleft()
        order.append(u)
        for w in range(5):
            if adjacent[u, w] and not seen[w]:
                seen[w] = True
                queue.append(w)
    return seen, order


def flooded(image):
    stack, count = [(0, 0)], 0
    while stack:
        i, j = stack.pop()
        if i < 0 or j < 0 or i >= 3 or j >= 3 or image[i, j] != 1:
            continue
        image[i, j] = 2
        count += 1
        stack.extend([(i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)])
    return image, count


@pytest.mark.parametrize("fn", [reached, flooded])
def test_a_loop_that_lasts_as_long_as_a_queue_writes_to_an_array(fn):
    given = np.array([[1, 1, 0, 0, 0], [1, 1, 1, 0, 0], [0, 1, 0, 0, 0], [0, 0, 0, 0, 1], [0, 0, 0, 1, 0]])
    ours, pythons = given.copy(), given.copy()
    found, expected = ag.convert(fn)(ours), fn(pythons)
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(ours, pythons)


def drained(xs):
    """For each row a list that lasts as long as the data say."""
    total, longest = 0.0, 0
    for r in range(len(xs)):
        stack, taken = [xs[r]], 0
        while stack:
            x = stack.pop()
            total += x
            taken += 1
            if x > 0.25:
                stack.append(jnp.sin(x) - 0.2)
            if x > 2:
                stack.append(x - 1)
        longest = max(longest, taken)
    return total, longest


def test_a_loop_around_is_traced_as_often_however_long_it_is():
    def sines(rows):
        program = ag.convert(drained).get_concrete_function(jnp.ones(rows))
        return str(program.jaxpr).count("= sin ")

    assert sines(20) == sines(40)


def test_a_loop_around_gives_what_python_gives():
    xs = np.array([0.1, 3.5, 0.9, 2.2, -1, 0.7, 1.2, 4.5, 0.3, 2.5, 0.6, 1.9], np.float32)
    for found, expected in zip(ag.convert(drained)(xs), drained(xs), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-4)


def counted_down(starts, x):
    """Python knows how often the inner loop runs, if it runs the outer one."""
    lists = []
    for start in starts:
        left, ys = start, []
        while left > 0:
            ys.append(x * left)
            left -= 1
        lists.append(ys)
    return lists


def test_a_list_that_python_knows_stays_one():
    starts, x = [3, 1, 0, 2], np.float32(2)
    assert [len(ys) for ys in ag.convert(counted_down)(starts, x)] == starts
    assert ag.convert(counted_down)(starts, x) == counted_down(starts, x)


def noted(xs):
    """As `drained`, with what comes out in an array that has two names."""
    out = np.zeros(len(xs), np.float32)
    seen = out
    for r in range(len(xs)):
        stack, total = [xs[r]], 0.0
        while stack:
            x = stack.pop()
            total += x
            if x > 0.25:
                stack.append(jnp.sin(x) - 0.2)
        out[r] = total
    return seen


def test_where_the_function_is_traced_again_it_is_known_which_loops_need_room():
    compiled = ag.convert(noted)
    assert "length=20" in str(compiled.get_concrete_function(jnp.ones(20)).jaxpr)
    xs = np.array([0.1, 3.5, 0.9, 2.2, -1, 0.7, 1.2, 4.5, 0.3, 2.5], np.float32)
    np.testing.assert_allclose(compiled(xs), noted(xs), rtol=1e-4)


def test_a_nest_without_room_is_not_asked_for_a_bound_at_each_level():
    traced = []

    @ag.do_not_convert
    def seen(x):
        traced.append(x)
        return x

    def two(x):
        ys, a = [], x
        while a > 0:
            b = a
            while b > 0:
                ys.append(seen(b))
                b = b * 0.5 - 1
            a = a - 1
        return len(ys)

    def four(x):
        ys, a = [], x
        while a > 0:
            b = a
            while b > 0:
                c = b
                while c > 0:
                    d = c
                    while d > 0:
                        ys.append(seen(d))
                        d = d * 0.5 - 1
                    c = c - 1
                b = b - 1
            a = a - 1
        return len(ys)

    def passes(fn):
        traced.clear()
        with pytest.raises(ag.MutationError, match="grows in a loop"):
            jax.jit(ag.to_graph(fn))(jnp.float32(2))
        return len(traced)

    assert passes(two) == passes(four)
