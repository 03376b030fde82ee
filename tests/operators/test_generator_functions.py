"""Loops over generator functions whose yields a traced value decides, against plain Python."""

import contextlib
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al
from autograph_lite.operators.python import generator_functions


def check(fn, *given):
    """Compares a converted function with itself on several values of its arguments, in one trace."""
    new = al.convert(fn)
    for args in given:
        args = args if isinstance(args, tuple) else (args,)
        want = fn(*map(np.copy, args))
        found = new(*map(jnp.asarray, args))
        assert jax.tree.structure(found) == jax.tree.structure(want)
        for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(want), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5)
    assert new.trace_count == 1


def doubling(x, n):
    while x < n:
        yield x
        x = x * 2


def test_the_body_of_a_loop_runs_where_a_generator_yields():
    def fn(n):
        total, count = 0, 0
        for v in doubling(1, n):
            if v % 8 == 4:
                continue
            total = total * 3 + v
            count += 1
        else:
            count += 100
        return total, count

    check(fn, *map(np.int32, (0, 1, 7, 50)))


def test_rows_that_a_filter_lets_through_until_a_break():
    def positive(matrix):
        for row in matrix:
            if row.sum() > 0:
                yield row

    def fn(matrix):
        total, found = np.zeros(2), False
        for row in positive(matrix):
            if row[0] > 5:
                found = True
                break
            total = total + row
        return total, found

    check(fn, np.float32([[1, 2], [-3, 1], [2, 2], [7, 7], [1, 1]]), np.float32([[1, 2]] * 5))


def test_the_sequence_of_collatz():
    def collatz(n):
        while n != 1:
            yield n
            n = n // 2 if n % 2 == 0 else 3 * n + 1
        yield 1

    def fn(n):
        steps = peak = 0
        for v in collatz(n):
            steps += 1
            peak = max(peak, v)
        return steps, peak

    check(fn, *map(np.int32, (1, 6, 27)))


def test_primes_of_a_generator_without_an_end():
    def primes():
        found, k = [], 2
        while True:
            if all(k % p for p in found):
                found.append(k)
                yield k
            k += 1

    def fn(n):
        total = 0
        for p in primes():
            if p > n:
                return total
            total += p
        return -1

    check(fn, *map(np.int32, (1, 10, 30)))


def test_a_walk_over_a_tree_with_a_stack():
    def preorder(left, right):
        stack = [0]
        while stack:
            node = stack.pop()
            if node >= 0:
                yield node
                stack.append(right[node])
                stack.append(left[node])

    def fn(left, right):
        order = 0
        for node in preorder(left, right):
            order = order * 7 + node
        return order

    check(
        fn,
        (np.int32([1, 3, -1, -1]), np.int32([2, -1, -1, -1])),
        (np.int32([2, -1, -1, 1]), np.int32([3, -1, -1, -1])),
    )


def test_chunks_and_windows():
    def chunks(x, size):
        for start in range(0, len(x), size):
            yield x[start : start + size]

    def windows(x, limit):
        i = 0
        while i + 3 <= len(x) and x[i] < limit:
            yield x[i], x[i + 1], x[i + 2]
            i += 1

    def fn(x, limit):
        best = 0.0
        for part in chunks(x, 4):
            best = max(best, part.sum())
        for i, (a, b, c) in enumerate(windows(x, limit), 1):
            best += i * (a - b + c)
        return best

    check(fn, *((np.float32([1, 5, 2, 8, 3, 9, 4, 7]), np.float32(n)) for n in (0, 4, 9)))


def test_iterates_until_they_converge():
    def newton(x, c):
        while True:
            new = (x + c / x) / 2
            yield new
            if abs(new - x) < 1e-4:
                return
            x = new

    def fn(c):
        for x in newton(1.0, c):
            pass
        return x  # pyright: ignore[reportPossiblyUnboundVariable]

    check(fn, *map(np.float32, (2, 9, 100)))


def halving(x, least):
    while x > least:
        yield x
        x = x * 0.5


def test_derivatives_and_lanes():
    def fn(x):
        total = 0.0
        for v in halving(x, 0.3):
            total = total + v * v
        return total

    xs = np.float32([0.2, 1.0, 5.0])
    new = al.convert(fn)
    np.testing.assert_allclose(jax.vmap(new)(xs), [*map(fn, xs)], rtol=1e-5)
    close = [(fn(x + 1e-3) - fn(x - 1e-3)) / 2e-3 for x in xs.astype(np.float64)]
    np.testing.assert_allclose(jax.vmap(jax.grad(new))(xs), close, rtol=1e-3)


def test_yield_from_nests_and_recurs_on_values_of_pythons():
    def inorder(tree):
        if tree is not None:
            left, value, right = tree
            yield from inorder(left)
            yield from doubling(value, 9)
            yield from inorder(right)

    def fn(n):
        total = 0
        for v in inorder(((None, n, None), 5, (None, 2 * n + 1, None))):
            for w in doubling(v, 20):
                if w > 15:
                    break
                total = (total * 5 + v * w) % 10007
        return total

    check(fn, *map(np.int32, (1, 3, 30)))


def test_methods_closures_and_what_both_sides_write():
    class Counter:
        def __init__(self):
            self.step, self.given = 1, 0

        def items(self, n, *, first=0):
            while first < n:
                self.given += 1
                yield first
                first += self.step

    def fn(n):
        counter, total = Counter(), 0

        def until_enough():
            nonlocal total
            while total < n:
                total += 2
                yield total

        for v in counter.items(n, first=n // 7):
            counter.step += v % 2 + 1
        for v in until_enough():
            total += v % 5
        return counter.given, counter.step, total

    check(fn, *map(np.int32, (0, 9, 60)))


def test_exceptions_of_the_body_and_of_the_generator_are_caught():
    def checked(n):
        for v in doubling(1, n):
            if v == 16:
                raise KeyError("sixteen")
            yield v

    def fn(n, limit):
        kept = 0
        try:
            for v in checked(n):
                if v > limit:
                    raise ValueError(v)
                kept += v
        except ValueError:
            kept = -kept
        except KeyError:
            kept += 1000
        return kept

    check(fn, *((np.int32(n), np.int32(limit)) for n, limit in ((6, 99), (60, 4), (60, 99))))


def test_operators_that_go_through_all_items():
    def fn(n):
        total = sum(doubling(1, n)) + max(doubling(3, n), default=-1)
        few = any(v == 4 for v in doubling(1, n))
        return total, few, next(doubling(n, 9), -1), sum(v for k in doubling(1, n) for v in doubling(k, n))

    check(fn, *map(np.int32, (1, 5, 50)))


@pytest.mark.parametrize("n", [1, 50])
def test_lists_of_items(n):
    def fn(n):
        found = []
        for v in doubling(1, n):
            found.append(v)
        return found, list(doubling(2, n)), [v + 1 for v in doubling(1, n)]

    assert al.convert(fn)(jnp.int32(n)) == fn(n)


def test_effects_come_in_pythons_order_where_python_decides():
    said = []

    def items(x):
        said.append("begins")
        for k in range(2):
            said.append(f"yields {k}")
            yield k * x
        said.append("ends")

    def fn(x):
        total = 0
        for v in items(x):
            said.append("body")
            total += v
        return total

    fn(2)
    want, said[:] = [*said], []
    assert al.convert(fn)(jnp.int32(2)) == 2
    assert said == want


def test_what_is_next_to_nothing_in_a_generator_is_a_runtime_error():
    def heads():
        yield next(iter(()))

    def fn(x):
        for v in heads():
            x += v
        return x

    with pytest.raises(RuntimeError, match="generator raised StopIteration"):
        al.convert(fn)(jnp.int32(1))


def test_a_stop_iteration_of_the_body_is_its_own():
    def fn(x):
        for v in doubling(1, x):
            x += next(iter([v][1:]))
        return x

    with pytest.raises(StopIteration):
        fn(2)
    with pytest.raises((StopIteration, RuntimeError)):
        al.convert(fn)(jnp.int32(2))


# What is refused


def refused(fn, *args):
    with pytest.raises(al.AutographError) as found:
        al.convert(fn)(*map(jnp.asarray, args))
    return str(found.value)


def test_a_generator_that_is_stored_is_refused():
    def fn(n):
        items, total = doubling(1, n), 0
        for v in items:
            total += v
        return total

    assert (
        "  Fix: take its items by `for item in doubling(...):`; or write the decision with jnp.where."
        in refused(fn, 9)
    )


def test_a_generator_that_waits_inside_of_with_is_refused():
    def guarded(n):
        while n > 0:
            with contextlib.nullcontext():
                yield n
            n -= 1

    def fn(n):
        total = 0
        for v in guarded(n):
            total += v
        return total

    assert "and no `yield` stands in `try`, `with` or an expression." in refused(fn, 9)


def test_recursion_that_a_traced_value_ends_is_refused():
    def down(n):
        if n > 0:
            yield n
            yield from down(n - 1)

    def fn(n):
        total = 0
        for v in down(n):
            total += v
        return total

    assert refused(fn, 9).startswith("'down' calls itself on traced values: down -> down.")


@pytest.mark.parametrize("when", ["before", "after", "whole"])
def test_an_array_that_is_yielded_and_written_is_refused(when):
    def buffers(n):
        row, k = np.zeros(2), 0
        while k < n:
            if when == "before":
                row[0] = k
            if when == "whole":
                row += 1
            yield row
            if when == "after":
                row[0] = k
            k += 1

    def fn(n):
        last, total = np.zeros(2), 0.0
        for row in buffers(n):
            total += last[0]
            last = row
        return last, total

    found = refused(fn, 3)
    assert "is written by a generator that yields it, or a part of it." in found
    assert "  Fix: yield a copy: yield x.copy()." in found


def test_an_array_that_both_sides_know():
    def rising(a, limit):
        i = 0
        while a[i] < limit:
            yield a[i]
            i += 1

    def fn(a):
        total = 0.0
        for v in rising(a, 4.0):
            a[3] = v + 1
            total += v
        return total

    a, b = np.float32([1, 2, 3, 9]), np.float32([1, 2, 3, 9])
    assert al.convert(fn)(a) == fn(b)
    assert a.tolist() == b.tolist()


def test_objects_whose_iter_is_a_generator_function():
    class Positive:
        def __init__(self, items):
            self.items, self.seen = items, 0

        def __iter__(self):
            for x in self.items:
                self.seen += 1
                if x > 0:
                    yield x

    def fn(items):
        positive, total = Positive(items), 0.0
        for v in positive:
            for w in positive:
                total += v * w
                if total > 8:
                    break
        return total, positive.seen

    check(fn, np.float32([1, -2, 3]), np.float32([-1, -2, -3]))


def counting_down(n, a):
    while n > 0:
        n = n - 1
        yield (5 + n) % 17
        yield (n >> 1) + a


COUNTED = {
    "filtered": lambda n, b: sum(i for i, v in enumerate(counting_down(n, b)) if v != n),
    "greatest": lambda n, b: max((v * i for i, v in enumerate(counting_down(n, b), 1)), default=-1),
    "next": lambda n, b: next((i for i, v in enumerate(counting_down(n, b), b) if v == 6), -1),
    "nested": lambda n, b: sum(i * w for i, v in enumerate(counting_down(n, b)) for w in (v, b)),
    "any": lambda n, b: any(i == v for i, v in enumerate(counting_down(n, b))),
    "in_a_comprehension": lambda n, b: sum(
        sum(i * v for i, v in enumerate(counting_down(n, b), j) if i % 2 == 0) for j in range(3)
    ),
}


@pytest.mark.parametrize("which", COUNTED)
def test_comprehensions_over_counted_items(which):
    fn = COUNTED[which]
    check(fn, *[(np.int32(n), np.int32(b)) for n in range(4) for b in (0, 2)])
    graph = jax.jit(al.to_graph(fn))
    assert all(graph(jnp.int32(n), jnp.int32(2)) == fn(n, 2) for n in range(4))


def test_lists_of_counted_items():
    def fn(n, b):
        return [i * v for i, v in enumerate(counting_down(n, b))]

    assert [*map(int, al.convert(fn)(jnp.int32(3), jnp.int32(2)))] == fn(3, 2)


def test_a_filter_where_no_loop_is_around_a_yield():
    def some(n, b):
        if n > 1:
            yield 1
            yield b
        yield n

    def fn(n, b):
        total = 0
        for v in some(n, b):
            total += sum(w for w in some(2, total) if w != v)
        return total

    graph = jax.jit(al.to_graph(fn))
    assert all(graph(jnp.int32(n), jnp.int32(3)) == fn(n, 3) for n in (0, 1, 2))


def test_lanes_whose_loop_over_a_generator_writes_an_array():
    def fill(n, xs):
        for i, v in enumerate(counting_down(n, 1)):
            for w in counting_down(i, v):
                xs[w % 3] = v
            n = n + xs.sum()
        return xs, n

    def calls(n, xs):
        filled = fill(n, xs)
        return filled, xs

    def holds(n, xs):
        def walk(zs):
            for k in range(3):
                yield zs[k]

        total = 0
        for v in walk(xs):
            xs[2] = n
            total += v
        return total

    given = np.int32([5, 6, 7])
    lanes = jnp.arange(4), jnp.tile(jnp.asarray(given), (4, 1))
    xs, n = jax.vmap(al.to_graph(fill))(*lanes)
    for k in range(4):
        want, number = fill(k, given.copy())
        assert (xs[k].tolist(), n[k]) == (want.tolist(), number)
    for fn in (calls, holds):
        found = jax.tree.leaves(jax.vmap(al.to_graph(fn))(*lanes))
        for k in range(4):
            want = jax.tree.leaves(fn(k, given.copy()))
            assert [each[k].tolist() for each in found] == [np.asarray(each).tolist() for each in want]


@pytest.mark.parametrize("header", ["expression", "filtered", "flat", "counted", "mapped", "zipped"])
def test_variables_around_that_a_body_writes(header):
    def items(xs):
        return {
            "expression": (v + 1 for v in xs),
            "filtered": (v + 1 for v in xs if v > 1),
            "flat": (v + w for v in xs for w in (1, 2)),
            "counted": (i * v for i, v in enumerate(xs)),
            "mapped": map(lambda v: v + 1, xs),
            "zipped": (i * j for i, j in zip((v + 1 for v in xs), xs, strict=True)),
        }[header]

    def fn(a, xs):
        count = 0

        def bump(k):
            nonlocal count
            count = count + k

        for i in items(xs):
            a = a - sum(filter(lambda v: v > a, xs)) % 5 + i
            bump(i)
        return a, count

    check(fn, *[(np.int32(a), np.int32([0, 3, 1, 2])) for a in (-2, 2, 7)])


def test_a_counted_generator_whose_loop_writes_variables_around():
    def down(n, a):
        for _ in range(n, a, -1):
            yield n

    def fn(a, xs):
        for j, i in enumerate(down(3, a)):
            a = a - sum(filter(lambda v: v > a, xs)) % 5 + i * j
        return a

    check(fn, *[(np.int32(a), np.int32([0, 3, 1, 2])) for a in (-2, 2, 7)])


def above(values, limit):
    for i in range(2):
        if values[i] > limit:
            yield values[i]
        yield limit


def test_a_loop_over_a_generator_in_a_loop_over_the_same_is_no_recursion():
    def fn(values):
        total = 0.0
        for a in above(values, 0.5):
            for b in above(values, a):
                total = total * 0.5 + a * b + sum(c for c in above(values, b))
        return total

    check(fn, np.array([0.25, 0.75], np.float32), np.array([2.0, 1.0], np.float32))


def test_a_generator_that_calls_itself_on_traced_values_is_refused():
    def halves(x):
        if x > 1:
            yield x
            yield from halves(x / 2)

    def fn(x):
        total = x * 0
        for a in halves(x):
            total = total + a
        return total

    with pytest.raises(al.errors.TracedRecursionError, match=r"'halves' calls itself"):
        al.convert(fn)(jnp.float32(3))


def test_loops_over_generators_that_multiply_their_bodies_warn_once(monkeypatch):
    monkeypatch.setattr(generator_functions, "_MANY", 50)

    def fn(values):
        total = 0.0
        for a in above(values, 0.5):
            for b in above(values, a):
                for c in above(values, b):
                    total = total * 0.5 + a * b + c
        return total

    with pytest.warns(al.UnrolledLoopWarning) as caught:
        check(fn, np.array([0.25, 0.75], np.float32))
    told = [str(each.message) for each in caught if "have recorded" in str(each.message)]
    assert len(told) == 1
    assert "each `yield` of 'above' is a copy of the body" in told[0]


def test_a_generator_that_yields_copies_may_write_each_time_it_is_converted() -> None:
    """What it has yielded is held: the number of an array that is gone was another one's, now and then."""

    def grown(u):
        for _ in range(3):
            yield u.copy()
            u[1:] += 1
            u[0] += 1

    def collected(x):
        items = list(grown(x))
        return items

    expected = collected(np.array([3.0, 1.0, 4.0]))
    for _ in range(20):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = al.convert(collected)(np.array([3.0, 1.0, 4.0]))
        np.testing.assert_array_equal(found, expected)
