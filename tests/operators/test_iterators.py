"""Does a loop over an iterator that a traced value leaves take the items that Python would take?"""

from __future__ import annotations

import contextlib
import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al

XS = [3, 1, 4, 1, 5, 9]
N = 6


def counted(n):
    for k in range(n):
        yield k * k


def backwards(t):
    s = 0
    for v in reversed(range(6)):
        s = 3 * s + v
        if s > t:
            break
    return s


def backwards_with_a_bound(t):
    s = 0
    for v in reversed(range(1, N, 2)):
        if s > t:
            continue
        s = 3 * s + v
    return s


def numbered_backwards(t):
    s = 0
    for k, v in enumerate(reversed(range(6)), 1):
        s = 3 * s + v * k
        if s > t:
            return -s
    return s


def side_by_side(t):
    s = 0
    for k, v in zip(range(N), reversed(range(N)), strict=True):
        s = 3 * s + v * k
        if s > t:
            break
    return s


def chained(t):
    s = 0
    for v in itertools.chain(XS, reversed(XS), (v * 2 for v in XS)):
        s = 3 * s + v
        if s > t:
            break
    return s


def sliced(t):
    s = 0
    for v in itertools.islice(itertools.count(2), 5):
        s = 3 * s + v
        if s > t:
            break
    return s


def pairs(t):
    s = 0
    for a, b in itertools.pairwise(XS):
        s = 3 * s + a * b
        if s > t:
            break
    return s


def products(t):
    s = 0
    for a, b in itertools.product(XS, (1, 2)):
        s = s + a * b
        if s > t:
            break
    return s


def repeated(t):
    s = 0
    for v in itertools.repeat(3, 4):
        s = 3 * s + v
        if s > t:
            return s
    return -s


def summed(t):
    s = 0
    for v in itertools.accumulate(map(abs, XS)):
        s = 3 * s + v
        if s > t:
            break
    return s


def expression(t):
    s = 0
    for v in (v * 2 for v in XS):
        s = 3 * s + v
        if s > t:
            break
    return s


def generator(t):
    s = 0
    for v in counted(N):
        s = 3 * s + v
        if s > t:
            break
    return s


def keys_backwards(t):
    s = 0
    for v in reversed({3: 1, 5: 2}):
        s = 3 * s + v
        if s > t:
            break
    return s


def places(t):
    s = 0
    for i, j in np.ndindex(2, 3):
        s = 3 * s + i * j
        if s > t:
            break
    return s


def repeated_as_often_as_is_known_later(t):
    s = 0
    for v in itertools.repeat(3, t):
        s = s + v
        if s > 40:
            break
    return s


def while_small(t):
    s = 0
    for v in itertools.takewhile(lambda v: v < 5, itertools.dropwhile(lambda v: v > 2, XS)):
        s = 3 * s + v
        if s > t:
            break
    return s


FINITE = [
    backwards, backwards_with_a_bound, numbered_backwards, side_by_side, chained, sliced, pairs, products, repeated,
    summed, expression, generator, keys_backwards, places, while_small,
]  # fmt: skip


@pytest.mark.parametrize("fn", FINITE)
def test_a_traced_value_leaves_a_loop_over_an_iterator_of_its_own(fn):
    program = jax.jit(al.to_graph(fn))
    for t in (-1, 4, 30, 10**6):
        assert program(jnp.int32(t)) == fn(t)


@pytest.mark.parametrize("t", [-2, 0, 3, 1000])
def test_a_traced_number_of_repetitions_is_a_loop(t):
    fn = repeated_as_often_as_is_known_later
    assert jax.jit(al.to_graph(fn))(jnp.int32(t)) == fn(t)


def test_a_traced_condition_can_not_end_an_iterator():
    def fn(xs):
        return list(itertools.takewhile(lambda x: x < 3, xs))

    with pytest.raises(al.IterationError) as found:
        jax.jit(al.to_graph(fn))(jnp.arange(4))
    assert str(found.value) == (
        "The number of items depends on a traced condition, bool[].\n"
        f"  {__file__}:{fn.__code__.co_firstlineno + 1} in fn\n"
        "      return list(itertools.takewhile(lambda x: x < 3, xs))\n"
        "  A compiled program has no list whose length depends on its data.\n"
        "  Fix: reduce the items with sum, any, all, min or max, or use a mask: jnp.where(condition, x, 0)."
    )


def shared_by_zip(t):
    left = iter(XS)
    for a, _ in zip(left, XS):  # noqa: B905
        if a > t:
            break
    return sum(left)


def shared_by_a_chain(t):
    left = iter(XS)
    for a in itertools.chain([0], left):
        if a > t:
            break
    return sum(left)


def shared_by_an_expression(t):
    left = iter(XS)
    for a in (2 * v for v in left):
        if a > t:
            break
    return sum(left)


def shared_by_a_subscript(t):
    held = [itertools.chain(XS)]
    for a in held[0]:
        if a > t:
            break
    return sum(held[0])


@pytest.mark.parametrize(
    "fn", [shared_by_zip, shared_by_a_chain, shared_by_an_expression, shared_by_a_subscript]
)
def test_items_are_left_to_who_holds_the_iterator(fn):
    with pytest.raises(al.IterationError, match="A traced value ends a loop over a"):
        jax.jit(al.to_graph(fn))(jnp.int32(3))


def numbered_for_ever(t):
    for k, _ in enumerate(itertools.repeat(1)):
        if k > t:
            break
    return k  # pyright: ignore[reportPossiblyUnboundVariable]


def all_for_ever(t):
    for k, _ in zip(itertools.count(), itertools.cycle(XS)):  # noqa: B905
        if k > t:
            break
    return k  # pyright: ignore[reportPossiblyUnboundVariable]


@pytest.mark.parametrize(("fn", "kind"), [(numbered_for_ever, "an enumerate"), (all_for_ever, "a zip")])
def test_an_iterator_without_an_end_is_refused_at_once(fn, kind):
    with pytest.raises(al.IterationError, match=f"A traced value ends a loop over {kind}.") as found:
        jax.jit(al.to_graph(fn))(jnp.int32(3))
    assert "it would take all of them" in str(found.value)


def squares():
    k = 0
    while True:
        with contextlib.nullcontext():  # in which it waits, so that it stays Python's
            yield k * k
        k += 1


def of_squares(t):
    for v in squares():
        if v > t:
            break
    return v  # pyright: ignore[reportPossiblyUnboundVariable]


@pytest.mark.filterwarnings("ignore::autograph_lite.UnrolledLoopWarning")
def test_a_generator_without_an_end_is_refused_after_many_items():
    line = of_squares.__code__.co_firstlineno + 1
    with pytest.raises(al.IterationError) as found:
        jax.jit(al.to_graph(of_squares))(jnp.int32(3))
    assert str(found.value) == (
        "A traced value ends a loop over a generator.\n"
        f"  {__file__}:{line} in of_squares\n"
        "      for v in squares():\n"
        "  Python takes the items while tracing, before the value is known: it has taken 1024, and found no end.\n"
        "  Fix: iterate over a list, a range or an array, or write a `while` loop."
    )


FILTERED = {
    "pairs": lambda x, t: sum(1 for a, b in itertools.combinations(x, 2) if a + b > t),
    "products": lambda x, t: max((a * b for a, b in itertools.product(x, x) if a > t), default=0),
    "neighbours": lambda x, t: sum(b for a, b in itertools.pairwise(x) if a > t),
    "orders": lambda x, t: min((a - b for a, b in itertools.permutations(x, 2) if a > t), default=9),
    "chained": lambda x, t: sum(a for a in itertools.chain(x, x[1:]) if a > t),
    "an iterator": lambda x, t: sum(a for a in iter([x[0], x[1]]) if a > t),
}


@pytest.mark.parametrize("name", FILTERED)
def test_a_traced_filter_of_what_itertools_makes(name):
    converted = al.convert(FILTERED[name])
    for items in ([1.0, -2.0, 4.0, 0.5], [5.0, 3.0, 2.0, 7.0]):
        x = np.array(items, np.float32)
        assert float(converted(x, np.float32(2))) == float(FILTERED[name](x, np.float32(2)))


def test_a_filtered_iterator_is_used_up():
    def f(x, t):
        items = iter([x[0], x[1], x[2]])
        return sum(a for a in items if a > t), list(items)

    total, rest = al.convert(f)(jnp.array([1.0, 5.0, 3.0]), jnp.float32(2))
    assert (float(total), rest) == (8.0, [])


def steps_to_one(n):
    for k in itertools.count():
        if n == 1:
            return k
        n = n // 2 if n % 2 == 0 else 3 * n + 1


def odd_ones(n):
    s = 0.0
    for i in itertools.count(1, 2):
        s += 1 / i
        if s > 0.3 * n:
            break
    return s, i  # pyright: ignore[reportPossiblyUnboundVariable]


def downwards(n):
    for i in itertools.count(10, -3):
        if i < n:
            return i


def some_left_out(n):
    s = 0
    for k in itertools.count():
        if k % 2:
            continue
        s += k
        if s > n:
            break
    return s, k  # pyright: ignore[reportPossiblyUnboundVariable]


def in_a_list(n):
    found = []
    for k in itertools.count(2):
        if k > n:
            break
        found.append(k * k)
    return found


def ended_by_python(n):
    for k in itertools.count():
        if k > 4:
            return n + k


@pytest.mark.parametrize("fn", [steps_to_one, odd_ones, downwards, some_left_out, in_a_list, ended_by_python])
@pytest.mark.parametrize("n", [1, 6, 7])
def test_a_count_is_gone_through_until_a_traced_value_ends_it(fn, n):
    for found, expected in zip(
        jax.tree.leaves(al.convert(fn)(np.array(n))), jax.tree.leaves(fn(n)), strict=True
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_a_count_is_one_loop_of_the_program():
    jaxpr = jax.make_jaxpr(al.to_graph(steps_to_one))(jnp.int32(6))
    assert [each.primitive.name for each in jaxpr.eqns].count("while") == 1


def test_a_count_that_others_may_take_from_is_refused():
    def f(t):
        numbers = itertools.count()
        for k in numbers:
            if k > t:
                break
        return next(numbers)

    with pytest.raises(al.IterationError, match="A traced value ends a loop over a count"):
        jax.jit(al.to_graph(f))(jnp.int32(3))
