"""Recursion that is no tail call and that a traced value ends, against plain Python."""

import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al

LEFT, RIGHT = np.int32([1, 3, -1, -1, -1]), np.int32([2, 4, -1, -1, -1])
VALUES = np.float32([1, 2, 3, 4, 5])


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def power(x, n):
    if n == 0:
        return 1.0
    half = power(x, n // 2)
    if n % 2 == 1:
        return half * half * x
    return half * half


def euclid(a, b):
    if b == 0:
        return a, 1, 0
    g, x, y = euclid(b, a % b)
    return g, y, x - (a // b) * y


def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


def hanoi(n, a=1, b=2, c=3):
    if n == 0:
        return 0
    return hanoi(n - 1, a, c, b) + a * 7 + c + hanoi(n - 1, b, a, c)


def descent(left, right, values, node):
    if node < 0:
        return 0.0
    total = values[node] + descent(left, right, values, left[node]) * 0.5
    if right[node] >= 0:
        total = total - descent(left, right, values, right[node])
    return total


def depth(left, right, node, so_far=0):
    if node < 0:
        return so_far
    a = depth(left, right, left[node], so_far + 1)
    b = depth(left, right, right[node], so_far + 1)
    return max(a, b)


def quadrature(a, b, fa, fb, tolerance):
    m = (a + b) / 2
    fm = np.sin(m * m)
    coarse, fine = (fa + fb) * (b - a) / 2, (fa + 2 * fm + fb) * (b - a) / 4
    if abs(fine - coarse) < tolerance:
        return fine
    return quadrature(a, m, fa, fm, tolerance / 2) + quadrature(m, b, fm, fb, tolerance / 2)


def matrix_power(m, n):
    if n == 0:
        return np.eye(2, dtype=m.dtype)
    if n % 2 == 1:
        return m @ matrix_power(m, n - 1)
    half = matrix_power(m, n // 2)
    return half @ half


def is_even(n):
    return True if n == 0 else not is_odd(n - 1)


def is_odd(n):
    return False if n == 0 else not is_even(n - 1)


def mixed(n):
    if n <= 0:
        return 0
    if n % 3 == 0:
        x = mixed(n - 2)
    elif n % 3 == 1:
        x = mixed(n - 3) + mixed(n - 1)
    else:
        x = 7
        if n > 4:
            x += mixed(n // 2)
    for _ in range(3):
        x = x * 2 + n
    if x > 500:
        x = x - mixed(n - 4)
    return x % 1009


I, F = np.int32, np.float32


@pytest.mark.parametrize(
    ("fn", "given"),
    [
        (fib, [(I(0),), (I(10),)]),
        (power, [(F(1.1), I(13)), (F(2), I(0))]),
        (euclid, [(I(240), I(46)), (I(7), I(0))]),
        (ackermann, [(I(2), I(3)), (I(0), I(5))]),
        (hanoi, [(I(4),), (I(0),)]),
        (descent, [(LEFT, RIGHT, VALUES, I(0)), (LEFT, RIGHT, VALUES, I(1))]),
        (depth, [(LEFT, RIGHT, I(0)), (LEFT, RIGHT, I(-1))]),
        (quadrature, [(F(0), F(2), F(0), np.sin(F(4)), F(1e-3))]),
        (matrix_power, [(np.int32([[1, 1], [1, 0]]), I(n)) for n in (0, 10)]),
        (is_even, [(I(7),), (I(4),)]),
        (mixed, [(I(n),) for n in (0, 5, 10)]),
    ],
)
def test_recursion_gives_what_python_gives(fn, given):
    new = al.convert(fn)
    for args in given:
        want, found = fn(*args), new(*map(jnp.asarray, args))
        assert jax.tree.structure(found) == jax.tree.structure(want)
        for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(want), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5)


def test_numbers_of_pythons_that_are_others_in_each_call():
    def fn(b):
        return quadrature(0.0, b, 0.0, np.sin(b * b), 1e-3)

    assert al.convert(fn)(jnp.float32(2)) == pytest.approx(fn(F(2)))


def test_methods_closures_and_keywords():
    class Tree:
        def __init__(self, step):
            self.step = step

        def total(self, node, *, factor=1.0):
            if node < 0:
                return 0.0
            below = self.total(LEFT[node], factor=factor) + self.total(RIGHT[node], factor=factor)
            return below + VALUES[node] * self.step * factor

    def fn(node, step):
        def sums(n):
            return 0 if n <= 0 else step + sums(n - 1)

        return Tree(step).total(node, factor=2.0) + sums(node)

    assert al.convert(fn)(jnp.int32(1), jnp.float32(3)) == fn(1, 3)


def test_a_call_with_a_number_of_pythons_under_ones_own_jit():
    def called(m, n):
        return ackermann(m, n)

    for form in (al.convert(called), jax.jit(al.to_graph(called)), jax.jit(al.to_graph(ackermann))):
        assert [int(form(I(m), I(n))) for m, n in ((2, 2), (0, 5), (1, 0))] == [7, 6, 2]


def test_a_call_in_a_loop_of_another_function():
    def fn(n):
        total = 0
        for k in range(n):
            total += fib(k)
        return total

    assert al.convert(fn)(jnp.int32(9)) == fn(9)


def test_derivatives_and_lanes():
    new = al.to_graph(power)
    want = 5 * 1.5**4
    assert jax.grad(new)(1.5, jnp.int32(5)) == pytest.approx(want)
    _, tangent = jax.jvp(lambda x: new(x, jnp.int32(5)), (1.5,), (1.0,))
    assert tangent == pytest.approx(want)
    np.testing.assert_array_equal(jax.vmap(al.to_graph(fib))(jnp.arange(9)), [fib(n) for n in range(9)])
    of_values = jax.grad(lambda v: al.to_graph(descent)(LEFT, RIGHT, v, jnp.int32(0)))(jnp.asarray(VALUES))
    np.testing.assert_allclose(of_values, [1, 0.5, -1, 0.25, -0.5])


def test_what_all_calls_are_handed_is_on_no_stack():
    program = str(jax.make_jaxpr(al.to_graph(descent))(LEFT, RIGHT, jnp.ones(77), jnp.int32(0)))
    assert "f32[1001]" in program
    assert "1001,77]" not in program


def test_it_is_told_of():
    found = [each for each in al.explain(fib)(jnp.int32(3)) if each.statement == "recursion"]
    assert {(each.became, each.why) for each in found} == {
        ("while_loop", "a traced value ends it, and frames wait on a stack")
    }


# What is raised


def count(n):
    return 0 if n == 0 else 1 + count(n - 1)


def test_the_depth_is_pythons(monkeypatch):
    new = al.convert(count)
    assert new(jnp.int32(900)) == 900
    with pytest.raises(RecursionError, match="maximum recursion depth exceeded"):
        new(jnp.int32(3000))
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(4000)
    try:
        assert al.convert(lambda n: count(n))(jnp.int32(3000)) == 3000
    finally:
        sys.setrecursionlimit(limit)


def test_checks_raise_and_are_caught_outside():
    def thirds(n):
        if n < 0:
            raise ValueError("negative", n)
        if n == 0:
            return 1
        return n * thirds(n - 3)

    def fn(n):
        try:
            return thirds(n)
        except ValueError:
            return -1

    with pytest.raises(ValueError, match="negative") as found:
        al.convert(thirds)(jnp.int32(8))
    assert found.value.args == ("negative", -1)
    new = al.convert(fn)
    assert [new(jnp.int32(n)) for n in (9, 8)] == [fn(9), fn(8)]


# What is refused


def refused(fn, *args):
    with pytest.raises(al.AutographError) as found:
        al.convert(fn)(*args)
    return str(found.value)


class Counter:
    def __init__(self):
        self.calls = 0


def changes_a_variable(n):
    calls = 0

    def rec(k):
        nonlocal calls
        calls += 1
        return k if k < 2 else rec(k - 1) + rec(k - 2)

    return rec(n), calls


def changes_an_object(n):
    counter = Counter()

    def rec(k):
        counter.calls += 1
        return k if k < 2 else rec(k - 1) + rec(k - 2)

    return rec(n), counter.calls


def remembers(n):
    known = np.zeros(30)

    def rec(k):
        if known[k] == 0:
            known[k] = k if k < 2 else rec(k - 1) + rec(k - 2)
        return known[k]

    return rec(n)


def calls_in_a_loop(n):
    total = 1
    while n > 0:
        n -= 1
        total += calls_in_a_loop(n)
    return total


def tries(n):
    if n == 0:
        raise ValueError
    try:
        return 1 + tries(n - 1)
    except ValueError:
        return 10


def grows(n):
    def rec(x, k):
        return x.sum() if k == 0 else rec(np.concatenate([x, x]), k - 1) + 1

    return rec(n * np.ones(2), n)


def never_ends(n):
    if n > 0:
        return 1 + never_ends(n - 1)
    return 2 + never_ends(n + 1)


@pytest.mark.parametrize(
    ("fn", "why"),
    [
        (changes_a_variable, "a call changes 'calls'"),
        (changes_an_object, "a call changes 'Counter.calls'"),
        (remembers, "a call changes 'known[k] = "),
        (calls_in_a_loop, "a call of itself stands in a loop"),
        (tries, "a call of itself stands in a `try`"),
        (grows, "an argument or a result is float32[4] in one call and float32[8] in another"),
        (never_ends, "no path ends it"),
    ],
)
def test_what_has_no_stack_is_refused(fn, why):
    found = refused(fn, jnp.int32(4))
    assert "calls itself on traced values: " in found
    assert f"and no stack is made for it: {why}" in found


@pytest.mark.parametrize("in_place", [True, False])
def test_an_array_that_is_handed_on_may_not_be_written(in_place):
    def rec(a, n):
        if n == 0:
            return a.sum()
        if in_place:
            a += 1
        else:
            a[0] = n
        return rec(a, n - 1) + a[0]

    def fn(a, n):
        return rec(a, n)

    assert "is written by a function that calls itself, which was handed it, or a part of it." in refused(
        fn, np.ones(3), jnp.int32(3)
    )


def test_a_result_that_may_be_an_argument_may_not_be_written():
    def turned(a, n):
        return a if n == 0 else turned(a, n - 1)[::-1]

    def fn(a, n):
        b = turned(a, n)
        b += 1
        return a, b

    assert "which is one of several, and" in refused(fn, np.arange(3.0), jnp.int32(3))


def test_numbers_of_pythons_that_differ_in_each_of_two_calls():
    def descend(n, a):
        if n <= 0:
            return a
        deeper = descend(n - 1, (a + 1) % 17) % 13
        return (descend(n - 1, (a + 1) % 17) + deeper) % 11

    def fn(n):
        return descend(n, 4), descend(3, n)

    new, graph = al.convert(fn), jax.jit(al.to_graph(fn))
    for n in range(5):
        assert (*map(int, new(jnp.int32(n))),) == (*map(int, graph(jnp.int32(n))),) == fn(n)


def test_many_calls_that_pythons_numbers_end():
    def tree(x, depth, seen):
        if depth == 0:
            return x
        if x > 0:
            seen.append(depth)
            return tree(x - 1, depth - 1, seen) + tree(x - 2, depth - 1, seen)
        return x * depth

    def fn(x):
        return tree(x, 3, [])

    assert [int(al.convert(fn)(jnp.int32(x))) for x in (-1, 1, 5)] == [fn(x) for x in (-1, 1, 5)]
