"""Are Python's truth values added as the integers that they are, and NumPy's as NumPy does?"""

from __future__ import annotations

import math
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al

RUNS = {
    "light": al.to_graph,
    "traced": lambda f: jax.jit(al.to_graph(f)),
    "convert": al.convert,
    "lanes": lambda f: (
        lambda *args: jax.tree.map(
            lambda leaf: leaf[0], jax.vmap(al.to_graph(f))(*(jnp.asarray(a)[None] for a in args))
        )
    ),
}


def asked(x, y, xs):
    return (x in xs) + (y not in (7, 8)), (not x) - (not y), -(not x), (not y) // (not x - 2)


def calls(x, y, xs):
    return any(v > 1 for v in xs) + all([x, y]), bool(x) * bool(y) + bool(x), any(xs) - (x in xs and not y)


def displays(x, y, xs):
    return ((x, y) == (x, y)) + ([x] != [y]), ((x, 1) == (y, 1)) - True


def chosen(x, y, xs):
    both = int(x) > 1 if y > 0 else int(y) < 2
    more = both
    for v in xs:
        more = both if v > 1 else int(x) > 0
    return both + both, -both, more - both


def flags(x, y, xs):
    up = down = False
    deep = x in xs if y else not x
    for v in xs:
        if v > 0:
            up = True
        if v < 3:
            down = True
            break
    both = up and down

    def inner():
        return both + up + deep

    return up + down, up - deep, (both + up) * 2, inner(), [10, 20, 30][up + down]


def counted(x, y, xs):
    found = 0
    for i in range(x + 4):
        found += (i > 1) + (i % 3 == 0) + (1 < i <= 3)
        found -= -(i == 2) - -(i < 2) + (i > y)
        late = i > 2
        found += late + late
    k, j = 0, 1
    j = 3
    while k < x + 3:
        k += j - 1
        found += (k > j) + (k != 4)
    return (found,)


def hidden(x, y, xs):
    def range(n):
        return [np.float32(0.5), np.float32(2.5), np.float32(3.5)]

    found = 0
    for i in range(3):
        found += ((i > 1) + (i > 3)) * 2
    return (found,)


def not_counted(x, y, xs):
    k = 0
    found = 0
    for i in range(3):
        k += xs[i]
        found += ((k > 1) + (k > 3)) * 2
    return (found,)


def counters(x, y, xs):
    count = not x
    count += not y
    votes = 0
    votes += x in xs
    signs = True
    for v in xs:
        signs *= bool(v)
        signs -= v in (1, 2)
    masks = not x
    masks |= y in xs
    return count, votes, signs, masks, round(x in xs), round(not y, 0), round(y in xs, -1)


def either(x, y, xs):
    doubled = True
    before, now = False, True
    for _ in range(x):
        doubled = doubled + doubled
        before, now = now, before + now
    squared = True if y else 3
    squared *= squared
    return doubled + 0, before + now, -squared, now - squared


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("x", [0, 1, 3])
def test_a_variable_that_is_a_truth_value_first_and_an_integer_then_is_added_as_one(x, run):
    arguments = np.int32(x), np.int32(1), np.zeros(1, np.int32)
    assert [int(v) for v in RUNS[run](either)(*arguments)] == [int(v) for v in either(*arguments)]


def numpys(x, y, xs):
    up = x in xs
    other = x > 0
    if y:
        up = x > 0
    return (x > 1) + (y > 0), up + other, (lambda up: up + up)(x > 0)


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize(
    "f", [asked, calls, displays, chosen, flags, counted, hidden, not_counted, counters, numpys]
)
def test_sums_are_pythons(f, run):
    # `True + True` of Python's was True.
    for x, y, xs in ((2, 1, [1, 4, 0]), (2, 2, [2, 1, 1]), (2, 0, [0, 1, 1])):
        arguments = np.int32(x), np.int32(y), np.array(xs, np.int32)
        assert [float(v) for v in RUNS[run](f)(*arguments)] == [float(v) for v in f(*arguments)]


def test_a_function_that_hides_a_builtin_gives_arrays_of_its_own():
    any = jnp.any

    def f(x, y):
        return any(x) + any(y)

    assert jax.jit(al.to_graph(f))(jnp.ones(2), jnp.ones(2)).dtype == bool


def of_ints(x, y, xs):
    a, b, c = xs.tolist()
    n = int(x)
    return (
        (a < b) + (b < c),
        (n % 3 == 0) + (n % 5 == 0),
        (n > 1) + (int(y) > 0) + (xs[0].item() > 0),
        [10, 20, 30][(a < b) + (n > 1)],
    )


def of_floats(x, y, xs):
    r, s = math.sqrt(x), float(y) / 2
    known = math.isnan(r) + math.isfinite(s), s.is_integer() + (round(s, 1) > 0)
    return (r > 1) + (r > 1.1), *known, (abs(r) > 0) + (max(r, s) > 0), (r * 2 > 1) + (-r < 0)


def of_all_operators(x, y, xs):
    p, q = int(x) > 1, int(y) > 0
    sums = p + q, p - q, p * q, p // q, p % q, p**q, p << q, p >> q, *divmod(p, q), True - p
    return *sums, -p, +p, abs(p), p & q, p + (p & q), (p | q) - (p ^ q)


def of_paths(x, y, xs):
    n, m = int(x), float(y)
    leap = n % 4 == 0 and n % 100 != 0
    if m > 1:
        n += 1
    grown = []
    for v in xs.tolist():
        n -= 1
        m = m * 0.5
        late = v > 1
        leap += late + (n > 0)
        if v > 0:
            grown.append(v)
    return leap + leap, (n > 0) - (n < 0), (m > 0) + (m < 1), (len(grown) > 0) + (len(grown) > 1), late + late


def of_signs(x, y, xs):
    def sign(v):
        return (v > 0) - (v < 0)

    return sign(int(x)), sign(float(y) - 2), sum(map(sign, xs.tolist())), sum([v > 1 for v in xs.tolist()])


def of_items(x, y, xs):
    def count(v):
        return (v > 0) + (v > 1)

    items = xs.tolist()
    ordered, places = sorted(items), (items.index(1), items.count(1))
    chosen = items[int(y) - 1], ordered[int(y) - 1], ordered[0], ordered[-1], [1, 2][int(y) - 1], *places
    items.sort(reverse=True)
    return [count(v) for v in (*chosen, items[0], items.pop())] + [(xs[y - 1] > 0) + (xs[y - 1] >= 0)]


def of_numpys_numbers(x, y, xs):
    r, n = float(x), int(x)
    for _ in range(3):
        r = np.cos(r)
    found = (
        (r > -2) + (r < 2),
        (np.sin(float(x)) * 2 < 9) + (np.floor(float(x)) < 9),
        np.isfinite(r) + np.isfinite(float(x)),
    )
    return (
        *found,
        (np.maximum(n, 1) > 0) + (np.abs(n) >= 0),
        (x > 0.5) + (n < 9),
        (x < 9) + (x >= 0),
        ~(x > 0),
    )


OF_NUMBERS = [of_ints, of_floats, of_all_operators, of_paths, of_signs, of_items, of_numpys_numbers]
COMPILED = {
    "traced": RUNS["traced"],
    "convert": al.convert,
    "lanes": lambda f: (
        lambda *args: jax.tree.map(
            lambda leaf: leaf[0], jax.vmap(al.convert(f))(*(jnp.asarray(a)[None] for a in args))
        )
    ),
}


@pytest.mark.parametrize("run", COMPILED)
@pytest.mark.parametrize("f", OF_NUMBERS)
def test_comparisons_of_pythons_numbers_are_ints_to_operators(f, run):
    for x, y, xs in ((2, 1, [1, 4, 0]), (4, 2, [2, 1, 1]), (15, 1, [0, 1, 3])):
        arguments = np.int32(x), np.int32(y), np.array(xs, np.int32)
        assert [float(v) for v in COMPILED[run](f)(*arguments)] == [float(v) for v in f(*arguments)]


@pytest.mark.filterwarnings("ignore:Bitwise inversion:DeprecationWarning")
def test_a_bool_of_pythons_is_inverted_as_an_int():
    assert int(al.convert(lambda n: ~(int(n) > 1))(np.int32(3))) == -2


@pytest.mark.parametrize(
    "f",
    [lambda n, m: (n > 1) - (m > 1), lambda n, m: (int(n) > 1) - (m > 1), lambda n, m: -(n > m)],
    ids=["numpys", "one is Python's", "negated"],
)
def test_a_difference_of_bools_that_may_be_numpys_says_what_to_write(f):
    with pytest.raises(TypeError):
        f(np.int32(3), np.int32(4))
    message = """Bools are subtracted or negated, `-`, which NumPy refuses."""
    with pytest.raises(al.PythonOnlyError, match=re.escape(message)) as raised:
        al.convert(f)(np.int32(3), np.int32(4))
    assert "Fix: int(a > b) - int(a < b); of arrays, `^`" in str(raised.value)


def test_those_of_jaxs_are_as_jax_adds_them():
    f = lambda x, y: ((x > 1) + (y > 1), ~(x > 1))  # noqa: E731
    x = jnp.asarray(2.0)  # of a type that numbers of Python's have, too
    assert [*map(bool, al.convert(f)(x, x))] == [*map(bool, f(x, x))]
