"""Do comprehensions and generator expressions give what Python's give, traced or not?"""

from __future__ import annotations

import builtins
import collections
import functools
import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, strategies as st

import autograph_lite as al
from autograph_lite import IterationError

XS = np.array([3, -1, 4, 1, -5, 9, 2, 6, -5, 3, 5], np.float32)
M = np.arange(6, dtype=np.float32).reshape(2, 3)


def agree(fn, *args):
    staged = jax.jit(al.to_graph(fn))(*args)
    plain = fn(*args)
    assert jax.tree.structure(staged) == jax.tree.structure(plain)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5), staged, plain)


REDUCTIONS = {
    "sum": lambda xs: sum(x * x for x in xs),
    "filtered sum": lambda xs: sum(x for x in xs if x > 0),
    "sum of a list": lambda xs: sum([x + 1 for x in xs if x > 0 if x < 5]),
    "sum with a start": lambda xs: sum((x for x in xs), 10),
    "any": lambda xs: any(x > 4 for x in xs),
    "all": lambda xs: all(x < 4 for x in xs if x != 0),
    "any of a list": lambda xs: any([x > 4 for x in xs]),
    "min": lambda xs: min(x * x for x in xs),
    "max, default": lambda xs: max((x for x in xs if x > 100), default=-1.0),
    "min by key": lambda xs: min((x for x in xs if x > -100), key=lambda x: abs(x - 2), default=0.0),
    "tuples": lambda xs: sum(i * x for i, x in enumerate(xs)),
    "nested tuples": lambda xs: sum(i * x * y for i, (x, y) in enumerate(zip(xs, xs))),
    "nested": lambda xs: sum(a * b for a in xs if a > 0 for b in xs if b < a),
    "conditional value": lambda xs: sum(x if x > 0 else -x for x in xs),
    "next": lambda xs: next((x for x in xs if x > 4), -1.0),
    "map and filter": lambda xs: sum(map(lambda x: 2 * x, filter(lambda x: x > 0, xs))),
    "reduce": lambda xs: functools.reduce(lambda a, b: 0.5 * a + b, xs),
    "reduce from": lambda xs: functools.reduce(lambda a, b: 0.5 * a + b, (x for x in xs if x > 0), 1.0),
    "python items": lambda xs: sum(x for x in [xs[0], xs[1], xs[2]] if x > 0),
}


@pytest.mark.parametrize("name", REDUCTIONS)
def test_a_reduction_is_pythons(name):
    agree(REDUCTIONS[name], XS)


@given(st.sampled_from(sorted(REDUCTIONS)), st.lists(st.integers(-9, 9), min_size=3, max_size=5))
def test_a_reduction_is_pythons_on_any_values(name, values):
    agree(REDUCTIONS[name], np.array(values, np.float32))


LEAVE = {"any", "all", "next"}


@pytest.mark.parametrize("name", sorted({*REDUCTIONS} - {"python items"}))
def test_the_program_of_a_reduction_does_not_grow_with_the_length(name):
    def size(n):
        return len(str(jax.make_jaxpr(al.to_graph(REDUCTIONS[name]))(jnp.ones(n))).splitlines())

    if name in LEAVE:  # a loop that a traced value leaves is a scan over few rows, and a `while` over more
        assert size(20) == size(30)
        assert size(50) == size(500)
    else:
        assert size(20) == size(500)


@pytest.mark.parametrize("name", ["sum", "filtered sum", "min", "conditional value", "reduce", "nested"])
def test_a_reduction_is_differentiable(name):
    fn = REDUCTIONS[name]
    xs = np.array([3, -1.5, 4, 1, -5, 9, 2, 6], np.float32)  # without ties
    found = jax.grad(al.to_graph(fn))(xs)
    eps = 1e-2
    expected = [(fn(xs + eps * d) - fn(xs - eps * d)) / (2 * eps) for d in np.eye(len(xs), dtype=np.float32)]
    np.testing.assert_allclose(found, expected, rtol=0.05, atol=0.1)


def test_a_reduction_can_be_batched():
    batch = np.stack([XS, -XS])
    found = jax.vmap(al.to_graph(REDUCTIONS["filtered sum"]))(batch)
    np.testing.assert_allclose(found, [REDUCTIONS["filtered sum"](row) for row in batch])


RANGES = {
    "sum": lambda n: sum(i * i for i in range(n)),
    "filtered": lambda n: sum(i for i in range(2, n, 3) if i % 2),
    "any": lambda n: any(i * i == 49 for i in range(n)),
    "all": lambda n: all(i < 7 for i in range(n)),
    "max": lambda n: max((i * (7 - i) for i in range(n)), default=-1),
    "nested": lambda n: sum(1 for i in range(n) for j in range(i) if (i + j) % 3 == 0),
}


@given(st.sampled_from(sorted(RANGES)), st.integers(0, 12))
def test_a_reduction_of_a_range_with_a_traced_bound_is_pythons(name, n):
    assert jax.jit(al.to_graph(RANGES[name]))(n) == RANGES[name](n)


def test_a_sum_of_indices_adds_like_a_python_int():
    found = jax.eval_shape(al.to_graph(lambda n: sum(i for i in range(n))), 3)
    assert (found.dtype, found.weak_type) == (jnp.int32, True)


LISTS = {
    "plain": lambda xs: [2 * x for x in xs],
    "enumerate": lambda xs: [(i, x) for i, x in enumerate(xs)],
    "staged value": lambda xs: [x if x > 0 else 0 * x for x in xs],
    "nested": lambda xs: [a * b for a in xs[:3] for b in xs],
    "list of lists": lambda xs: [[a * b for a in xs[:3]] for b in xs],
    "of a map": lambda xs: list(map(lambda x: x + 1, xs)),
    "tuple": lambda xs: tuple(x + 1 for x in xs),
    "static filter": lambda xs: [x for i, x in enumerate([*xs]) if i > 1],
    "dict": lambda xs: {i: x for i, x in enumerate([*xs])},
}


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("length", [3, 11])
def test_a_list_is_pythons(name, length):
    agree(LISTS[name], XS[:length])


def test_rows_of_a_matrix_are_items():
    agree(lambda m: [row.sum() for row in m], M)
    agree(lambda m: sum(row for row in m), M)
    agree(lambda m: sum(row * 2 for row in m), M)


def test_a_long_list_traces_its_body_once():
    def sines(n):
        return str(jax.make_jaxpr(al.to_graph(lambda xs: [jnp.sin(x) for x in xs]))(jnp.ones(n))).count(
            "= sin "
        )

    assert sines(20) == sines(200) == 1


def test_what_the_body_does_to_objects_is_kept():
    class Counter:
        def __init__(self):
            self.total = 0.0

        def add(self, x):
            self.total = self.total + x
            return self.total

    def fn(xs):
        counter = Counter()
        running = [counter.add(x) for x in xs]
        return running, counter.total

    agree(fn, XS)


def refused(fn, *args):
    with pytest.raises(IterationError) as found:
        al.convert(fn)(*args)
    return str(found.value)


def test_a_list_over_a_traced_range_under_vmap_is_refused():
    def inside(n):
        return jax.vmap(lambda k: len([i for i in range(k)]))(n)

    assert "the traced bound of a range" in refused(inside, np.arange(3))


def test_a_dict_with_a_traced_filter_is_refused():
    assert "a traced condition" in refused(
        lambda x: {k: y for k, y in {"a": x}.items() if y > 0}, np.float32(3)
    )


def test_a_generator_used_up_in_a_staged_loop_is_refused():
    def fn(xs):
        squares = (x * x for x in xs)
        total = 0.0
        for x in xs:
            total += x * sum(squares)
        return total

    assert "A generator expression is used up twice, or inside a staged statement." in refused(fn, XS)


# Python's own


PYTHON = {
    "list": lambda n: [i * i for i in range(n) if i % 2],
    "nested": lambda n: [(i, j) for i in range(n) for j in range(i) if j],
    "unpacking": lambda n: [a + b for a, b in [(1, 2), (3, 4)]],
    "starred": lambda n: [(a, b) for a, *b in ["abc", "de"]],
    "single": lambda n: [a for (a,) in [(1,), (2,)]],
    "closures": lambda n: [f() for f in [lambda: i for i in range(n)]],
    "walrus": lambda n: [(y := i) for i in range(n)] + [y],
    "same name": lambda n: [n for n in range(n)],
    "underscores": lambda n: [1 for _, _ in [(1, 2)]],
    "join": lambda n: ",".join(str(i) for i in range(n)),
    "sets": lambda n: {i % 3 for i in range(n) if i},
    "dicts": lambda n: {i: j for i, j in enumerate("abc") if i < n},
    "rows": lambda n: [[i * j for j in range(2)] for i in range(n)],
    "laziness": lambda n: next(x for x in iter(int, 1) if x == 0),
}


@pytest.mark.parametrize("name", PYTHON)
def test_python_values_stay_pythons(name):
    assert al.to_graph(PYTHON[name])(4) == PYTHON[name](4)


def test_a_generator_stays_lazy():
    seen = []

    def fn():
        made = (seen.append(i) or i for i in range(3))
        assert seen == []
        next(made)
        return seen

    assert al.to_graph(fn)() == [0]


def test_unpacking_errors_are_pythons():
    for items in ([(1, 2, 3)], [(1,)], [1]):
        with pytest.raises((ValueError, TypeError)) as expected:
            [a + b for a, b in items]
        with pytest.raises(expected.type):
            al.to_graph(lambda items: [a + b for a, b in items])(items)


def test_stop_iteration_leaves_a_list_as_in_python():
    def fn():
        return [next(iter([])) for _ in range(2)]

    with pytest.raises(StopIteration):
        al.to_graph(fn)()


def test_a_rebound_builtin_is_seen():
    def sum(items):
        return list(items)

    assert al.to_graph(lambda: sum(x for x in [1, 2]))() == [1, 2]


def filtered_views(a, b):
    table, values = {"a": a, "b": b}, collections.deque([a, b, a * b])
    return (
        sum(v for v in table.values() if v > 0),
        sum(v * len(k) for k, v in table.items() if v > 0),
        any(k == "b" for k, v in table.items() if v > 3),
        all(table[k] > 0 for k in table.keys() if table[k] != 1),
        max(v for v in values if v > -50),
        min((v for v in values if v > 100), default=7.0),
    )


def items_that_a_filter_has_left(a, b):
    values = [a, b, 3.0]
    return (
        [v for v in values if v > 0][0],
        sorted(v for v in values if v > 0)[0],
        sorted([v for v in values if v > 0], reverse=True)[0],
        [v for v in values if v > 0][-1],
    )


@pytest.mark.parametrize("f", [filtered_views, items_that_a_filter_has_left])
@pytest.mark.parametrize("a, b", [(2.5, 6.0), (6.0, -2.0), (-6.0, -2.0), (0.0, 200.0)])
def test_filters_over_views_of_dicts_and_deques_and_what_they_leave(f, a, b):
    agree(f, np.float32(a), np.float32(b))


def test_an_item_of_what_a_filter_has_left_may_not_be_there():
    def f(x):
        return [v for v in [x, x + 1] if v > 0][0]

    assert float(al.convert(f)(jnp.float32(-0.5))) == 0.5
    with pytest.raises(IndexError, match="list index out of range"):
        al.convert(f)(jnp.float32(-5))


def filters_over_what_the_expression_makes(a, b):
    weights, values = [1.0, 2.0, 3.0], [a, b, a * b]
    return (
        sum(w * v for w, v in zip(weights, values) if v > 0),
        sum(i * v for i, v in enumerate(values) if v > 0),
        any(v > 2 for w, v in zip(weights, values) if v > w),
        all(v > 2 for v in reversed(values) if v > -1),
        max((v for i, v in enumerate(zip(weights, values)) if v[1] > i), default=(0.0, 0.0))[1],
        next((i for i, v in enumerate(values) if v > 3), -1),
        next((v for w, v in zip(weights, values) if w > 1), -1.0),
        len(list(v for i, v in enumerate(values) if v > 0)),
        sum(w for (k, v), w in zip({"p": a, "q": b}.items(), weights) if v > 0),
        sum(v for v in map(abs, values) if v > 3),
    )


TABLE = np.array([-1, 7, 3, 1], np.int32)


def filters_over_what_the_expression_makes_of_an_array_of_numpys(a, b):
    return (
        next((i for i, v in enumerate(TABLE) if v > a), 7),
        next((v for v in reversed(TABLE) if v < b), -1),
        any(v > a for v, w in zip(TABLE, (b, a, b, a)) if w > 1),
    )


class ByIndex:
    def __init__(self):
        self.asked = 0

    def __getitem__(self, i):
        self.asked += 1
        return TABLE[i]


def test_items_that_run_code_of_the_users_are_not_taken_beyond_what_python_takes():
    def f(a):
        return next((i for i, v in enumerate(ByIndex()) if v > a), 7)

    with pytest.raises(IterationError, match="A traced value ends a loop over"):
        al.convert(f)(jnp.float32(2))


def several_on_one_line(a, b):
    values = [a, b, a * b]
    return next((i for i, v in enumerate(values) if v > 3), -1), any(
        v > w for v, w in zip(values, [1, 2, 3]) if w > 1
    )


def what_is_left_after_some(a, b):
    pairs = zip([1, 2, 3, 4], [a, b, a - b, a * b])
    skipped = next(pairs)
    found = sum(n * v for n, v in pairs if v > 0)
    odd = (i for i in range(10) if i % 2)
    rows = (v for row in [[a, b], [b]] for v in row)
    positive = (v for i, v in enumerate([a, b, a + b, 3.0]) if i < 1 or v > 0)
    return (
        skipped[0],
        found,
        len(list(pairs)),
        next(odd) + next(odd),
        list(odd),
        next(rows),
        next(rows),
        list(rows),
        next(positive),
        sum(positive),
    )


def left_before_the_end(a, b):
    odd = (i for i in range(9) if i % 2)
    for i in odd:
        a = a + i
        break
    numbers = iter([1, 2, 3, 4, 5])
    some = (v for v in map(int, numbers) if v > 1)
    found = any(v > 2 for v in some)
    above = filter(lambda v: v > 1, map(int, [1, 2, 3, 5]))
    for v in filter(lambda v: v > 1, map(int, [1, 2, 3, 5])):
        if a < v:
            break
        b = b + v
    return a, b, list(odd), list(odd), found, list(some), list(numbers), next(above), list(above)


def used_up(a, b):
    pairs = (w * v for w, v in zip([1, 2, 3], [a, b, a]) if w > 1)
    total = 0.0
    for v in pairs:
        total = total + v
    return total, len(list(pairs)), sum(v for v in pairs)


OVER_ITERATORS = [
    filters_over_what_the_expression_makes, filters_over_what_the_expression_makes_of_an_array_of_numpys, several_on_one_line,
    what_is_left_after_some, left_before_the_end, used_up,
]  # fmt: skip


@pytest.mark.parametrize("f", OVER_ITERATORS)
@pytest.mark.parametrize("a, b", [(2.5, 6.0), (6.0, -2.0), (-6.0, -2.0), (0.0, 200.0)])
def test_filters_over_iterators(f, a, b):
    agree(f, np.float32(a), np.float32(b))


def test_what_a_rolled_loop_has_left_of_a_generator_is_not_known():
    @al.convert(static_loops="stage")
    def f(x):
        odd = (i for i in range(9) if i % 2)
        for i in odd:
            x = x + i
            if i > 2:
                break
        return x, sum(odd)

    with pytest.raises(IterationError, match="used up twice"):
        f(jnp.float32(2))


def test_the_rest_of_a_row_that_a_loop_has_left_is_not_known():
    @al.convert
    def f(x):
        values = (v for row in [[1, 2], [3]] if row for v in row)
        for v in values:
            x = x + v
            break
        return x, sum(values)

    with pytest.raises(IterationError, match="used up twice"):
        f(jnp.float32(2))


def test_each_item_is_asked_once_where_a_generator_is_taken_apart():
    def f(x):
        asked = []

        def keep(v):
            asked.append(v)
            return v > 1 if v < 3 else v * x > 0

        values = (v for v in [1, 2, 3, 4] if keep(v))
        return next(values), sum(values), asked

    agree(f, np.float32(2.0))
    agree(f, np.float32(-2.0))


def test_an_iterator_that_goes_on_elsewhere_is_not_used_up():
    @al.convert
    def f(x):
        pairs = zip([1.0, 2.0, 3.0], [x, -x, x + 1])
        found = any(v > 0 for w, v in pairs if v > 0)
        return found, len(list(pairs))

    with pytest.raises(al.errors.IterationError, match="A traced value ends a loop over a zip"):
        f(jnp.float32(2))


def test_a_function_of_the_users_that_hides_zip_may_keep_what_it_makes():
    kept = []

    @al.convert
    def f(x):
        def zip(*lists):
            kept.append(builtins.zip(*lists))
            return kept[0]

        return any(v > 0 for n, v in zip([1, 2], [x, -x]) if v > n), len(list(kept[0]))

    with pytest.raises(al.errors.IterationError, match="A traced value ends a loop over a zip"):
        f(jnp.float32(2))


def test_a_generator_that_python_has_begun_goes_on_in_a_sum():
    @al.convert
    def f(x):
        values = (v * x for v in [1, 2, 3, 4] if v > 1)
        first = list(itertools.islice(values, 1))  # by Python itself
        return first[0], sum(values)

    assert list(map(float, f(jnp.float32(2)))) == [4.0, 14.0]


k = 100  # a global with the name of variables in the functions below


@pytest.mark.parametrize("n", [2, 3])
def test_functions_that_a_comprehension_makes_keep_its_variable_beside_another_of_that_name(n):
    def f(x, n):
        firsts = [k for k in range(3)]
        made = [lambda v: v * k for k in range(3)]
        by_name = {k: (lambda v: v + k) for k in range(3) if k > 0}
        (one,) = {(lambda v: v - k) for k in range(1, 2)}
        nested = [lambda v: v * k + j for k in range(3) for j in range(k)]
        bound = [(lambda v: v * k + last) for k in range(3) if (last := k + 1) > 1]
        y = made[0](x) if n > 2 else by_name[1](x)
        return y, one(x), nested[0](x), bound[0](x), firsts[1], last

    agree(f, np.float32(3), np.int32(n))


FILTERED = {
    "a list": lambda xs, c: [v * 2 for v in filter(lambda v: v > c, xs)],
    "a list of what is true": lambda xs, c: [v * 2 for v in filter(None, xs - c)],
    "a list with a condition": lambda xs, c: [v * 2 for v in filter(lambda v: v > c, xs) if v != 3],
    "a list of a generator": lambda xs, c: [v * 2 for v in (w + 1 for w in xs if w > c)],
    "a list of pairs": lambda xs, c: [a + b for a, b in filter(lambda p: p[0] > c, zip(xs, xs * 2))],
    "a list with an inner loop": lambda xs, c: [v * k for v in filter(lambda v: v > c, xs) for k in (1, 2)],
    "its items": lambda xs, c: [v * 2 for v in filter(lambda v: v > c, [xs[0], xs[1], xs[2]])],
    "numbers": lambda xs, c: [i * v for i, v in enumerate(filter(lambda v: v > c, xs))],
    "numbers from one": lambda xs, c: sum(i * v for i, v in enumerate(filter(lambda v: v > c, xs), 1)),
    "numbers of a generator": lambda xs, c: [i * v for i, v in enumerate(w * 2 for w in xs if w > c)],
    "a list of numbers": lambda xs, c: list(enumerate(filter(lambda v: v > c, xs))),
}


@pytest.mark.parametrize("name", FILTERED)
def test_what_a_filter_leaves_is_a_source_as_any_other(name):
    f = FILTERED[name]
    for least in (2, 99):
        jax.tree.map(np.testing.assert_allclose, al.convert(f)(XS, np.float32(least)), f(XS, least))


def left_by_a_loop_over_numbers(xs, least):
    total, last = 0.0, -1
    for i, v in enumerate(filter(lambda v: v > least, xs)):
        last = i
        if v > 8:
            break
        total += i * v
    return total, last


def known_before_it_is_asked(xs, least):
    seen = []

    def counts(v):
        seen.append(v)
        return v > 2 if isinstance(v, int) else v > least

    found = [v * 2 for v in filter(counts, [1, 3, xs[0], 4])]
    return found, seen


def numbers_that_go_on(xs, least):
    numbered = enumerate(filter(lambda name: len(name) == 2, ["aa", "b", "cc", "dd", "ee"]), 5)
    first = next(numbered)
    for i, name in numbered:
        if name == "cc":
            break
    return (xs[i], first[0], *[j for j, name in numbered], len(list(numbered)))


@pytest.mark.parametrize("f", [left_by_a_loop_over_numbers, known_before_it_is_asked, numbers_that_go_on])
def test_a_filter_is_asked_as_python_asks_it(f):
    jax.tree.map(np.testing.assert_allclose, al.convert(f)(XS, np.float32(2)), f(XS, 2))
