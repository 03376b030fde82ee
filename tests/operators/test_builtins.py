"""Do builtins of traced values give what Python gives on NumPy's?"""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, strategies as st

import autograph_lite as al
from autograph_lite import ConditionError

XS = np.array([3, -1, 4, 1, -5, 9, 2, 6, -5, 3, 5], np.float32)


def agree(fn, *args):
    staged = jax.jit(al.to_graph(fn))(*args)
    plain = fn(*args)
    assert jax.tree.structure(staged) == jax.tree.structure(plain)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6), staged, plain)


CALLS = {
    "sum": lambda xs: (sum(xs), sum(xs, 2.0), sum(xs[:0])),
    "min and max": lambda xs: (
        min(xs),
        max(xs),
        min(xs[0], xs[1]),
        max(xs[0], 2, xs[1]),
        min([xs[0], xs[1]]),
    ),
    "keys": lambda xs: (
        min(xs, key=lambda x: abs(x - 2)),
        max(xs, key=abs),
        max(xs[0], xs[1], key=lambda x: -x),
    ),
    "default": lambda xs: min(xs[:0], default=7.0),
    "tuples": lambda xs: (min((x, i) for i, x in enumerate(xs)), max([(xs[0], xs[1]), (xs[0], xs[2])])),
    "pairs": lambda xs: min([(xs[0], 1.0), (xs[1], 2.0)], key=lambda pair: pair[0]),
    "any and all": lambda xs: (
        any(xs),
        all(xs),
        any(xs > 100),
        all(xs > -100),
        any([xs[0] > 5, True]),
        all([]),
    ),
    "sorted": lambda xs: (sorted(xs), sorted(xs, reverse=True), sorted([xs[0], xs[1], xs[2]])),
    "stable": lambda xs: (sorted(xs, key=abs), sorted(xs, key=abs, reverse=True)),
    "sorted pairs": lambda xs: sorted([(xs[0], 1), (xs[1], 2), (xs[2], 3)], key=lambda p: p[0]),
    "len": lambda xs: (len(xs), len(list(xs)), len(tuple(x for x in xs))),
    "abs": lambda xs: (abs(xs[1]), abs(xs)),
    "numbers": lambda xs: (int(xs[1] * 1.5), float(xs[0]), bool(xs[0]), int(xs[0] > 1)),
    "round": lambda xs: (round(xs[0] / 2), round(xs[1] / 2), round(xs[0] / 7, 2), round(123.4 * xs[0], -1)),
    "divmod": lambda xs: (divmod(xs[0], xs[2] + 20), pow(xs[0], 2)),
    "map": lambda xs: (
        list(map(lambda a, b: a - b, xs, xs[::-1])),
        list(map(int, xs)),
        list(map(max, xs, xs[::-1])),
    ),
    "filter": lambda xs: sum(filter(lambda x: x > 0, xs)),
    "reduce": lambda xs: (
        functools.reduce(lambda a, b: a * 0.5 + b, xs),
        functools.reduce(max, [xs[0], xs[1]]),
    ),
    "reversed": lambda xs: list(reversed(xs)),
    "enumerate": lambda xs: [i * x for i, x in enumerate(xs, 3)],
    "zip": lambda xs: [a * b for a, b in zip(xs, xs[2:])],
    "strict zip": lambda xs: sum(a * b for a, b in zip(xs, xs, strict=True)),
    "next": lambda xs: (next(iter([xs[0]])), next(iter([]), xs[1])),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_builtin_is_pythons(name):
    agree(CALLS[name], XS)


@given(st.sampled_from(sorted(CALLS)), st.lists(st.integers(-9, 9), min_size=4, max_size=4))
def test_a_builtin_is_pythons_on_any_values(name, values):
    agree(CALLS[name], np.array(values, np.float32))


@given(st.lists(st.sampled_from([np.nan, 1.0, -2.0, np.inf, -np.inf]), min_size=1, max_size=5))
def test_min_and_max_compare_in_pythons_order(values):
    agree(lambda xs: (min(xs), max(xs), min(*xs, xs[0]), max([*xs])), np.array(values, np.float32))


@given(st.integers(-2000, 2000), st.integers(-3, 1))
def test_integers_are_rounded_to_even(value, digits):
    assert jax.jit(al.to_graph(lambda x: round(x, digits)))(value) == round(value, digits)


def test_sum_keeps_the_dtype_of_numpy():
    for dtype in (np.int8, np.uint16, np.int32, np.float16, np.float32, np.complex64):
        xs = np.ones(3, dtype)
        found = jax.jit(al.to_graph(lambda xs: sum(xs)))(xs)
        assert found.dtype == sum(xs).dtype
    assert jax.jit(al.to_graph(lambda xs: sum(xs)))(np.ones(3, bool)) == 3


def test_sum_of_a_matrix_adds_its_rows():
    m = np.arange(6, dtype=np.float32).reshape(2, 3)
    agree(lambda m: sum(m), m)


def test_a_reduction_of_many_items_is_one_loop():
    def size(n):
        fn = al.to_graph(lambda xs: functools.reduce(lambda a, b: a * b + 1, xs))
        return len(str(jax.make_jaxpr(fn)(jnp.ones(n))).splitlines())

    assert size(20) == size(300)


def test_empty_arrays_raise_as_in_python():
    for fn in (min, max, lambda xs: functools.reduce(max, xs)):
        with pytest.raises((ValueError, TypeError)) as expected:
            fn(XS[:0])
        with pytest.raises(expected.type) as found:
            al.convert(lambda xs, fn=fn: fn(xs))(XS[:0])
        assert str(found.value) == str(expected.value)


def test_an_empty_range_raises_when_the_program_runs():
    fn = al.convert(lambda n: max(i * 2 for i in range(n)))
    assert fn(np.int32(4)) == 6
    with pytest.raises(ValueError, match="empty"):
        fn(np.int32(0))


def test_zip_of_unequal_lengths_raises_as_in_python():
    with pytest.raises(ValueError, match=r"zip\(\) argument 2 is shorter than argument 1"):
        al.convert(lambda xs: sum(a for a, _ in zip(xs, xs[1:], strict=True)))(XS)


def test_zip_of_a_traced_length_is_checked_when_the_program_runs():
    fn = al.convert(lambda xs, n: sum(x * i for x, i in zip(xs, range(n), strict=True)))
    assert fn(XS, np.int32(11)) == sum(x * i for i, x in enumerate(XS))
    with pytest.raises(ValueError, match=r"zip\(\) argument 2 is longer than argument 1"):
        fn(XS, np.int32(12))


@pytest.mark.parametrize(
    "fn",
    [
        lambda xs: len(x for x in xs),
        lambda xs: reversed(x for x in xs),
        lambda xs: int(xs[0] + 1j),
        lambda xs: float(xs[0] + 1j),
        lambda xs: round(xs),
        lambda xs: len(xs[0]),
        lambda xs: range(xs[0]),
        lambda xs: min(xs[0], xs[1], default=0),
    ],
    ids=range(8),
)
def test_wrong_use_is_a_type_error(fn):
    with pytest.raises(TypeError):
        jax.jit(al.to_graph(fn))(XS)


def test_arrays_have_no_order():
    m = np.ones((2, 3), np.float32)
    for fn in (lambda m: min(m), lambda m: max(m[0], m[1]), lambda m: sorted(m)):
        with pytest.raises(ValueError, match="ambiguous"):
            fn(m)
        with pytest.raises(ConditionError):
            jax.jit(al.to_graph(fn))(m)


def test_python_values_are_pythons():
    def fn(xs):
        return (
            sum(xs), min(xs), max(xs, key=abs), sorted(xs, reverse=True), any(xs), all(xs), list(zip(xs, xs)),
            list(map(abs, xs)), list(filter(None, xs)), functools.reduce(max, xs), len(xs), tuple(xs),
        )  # fmt: skip

    assert al.to_graph(fn)([3, -1, 0, 2]) == fn([3, -1, 0, 2])


@pytest.mark.parametrize("size", [0, 1, 3])
def test_a_key_is_asked_for_each_item_once_even_for_a_single_one(size):
    asked = []

    def key(x):
        asked.append(1)
        return -x

    def ordered(xs):
        return sorted(xs, key=key), sorted([x for x in xs], key=key)

    agree(ordered, XS[:0].tolist() if size == 0 else list(XS[:size]))
    assert len(asked) == 4 * size


def test_a_key_of_a_single_item_raises_what_it_raises():
    def ordered(x):
        return sorted([(x, 1)], key=lambda pair: pair[2])

    with pytest.raises(IndexError, match="tuple index out of range"):
        jax.jit(al.to_graph(ordered))(1.0)


@pytest.mark.parametrize("stop", [-3, 0, 4])
def test_a_range_that_ends_before_it_starts_has_no_items(stop):
    def lengths(n):
        return len(range(n)), len(range(2, n)), len(range(n, 0, -2)), max(1, len(range(n)))

    for run in (al.convert(lengths), jax.jit(al.to_graph(lengths))):
        assert run(jnp.int32(stop)) == lengths(stop)


@given(st.integers(-2000, 2000), st.integers(-6, 3))
def test_the_digit_that_is_rounded_at_may_be_traced(value, digits):
    rounded = jax.jit(al.to_graph(lambda x, n: round(x, n)))
    assert rounded(value, digits) == round(value, digits)
    np.testing.assert_allclose(
        rounded(np.float32(value / 64), digits), round(value / 64, digits), rtol=1e-6, atol=1e-30
    )
