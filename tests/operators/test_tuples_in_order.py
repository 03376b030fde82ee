"""Tuples with traced members are compared by the first that differ, as Python does."""

from __future__ import annotations

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al


def asked(x, y, k):
    best = (x, k)
    return (
        *((x, k) < (y, 2), (x, k) <= (y, k), (y, 2) > best, [x, (y, 1)] >= [y, (k, 2)]),
        *((x,) < (x, k), (x, k, 1) < (x, k), (1, x) < (2, y), (2, x) < (1, y), (x, "a") < (x, "b")),
        *((x, k) < (y, 2) < (9, 9), (x, 1.5) < (x, y)),
    )


def test_all_orders_of_small_numbers():
    staged = jax.jit(al.to_graph(asked))
    lanes = np.array(list(itertools.product((1, 2), (1, 2), (1, 2, 3)))).T
    together = np.stack(jax.vmap(al.convert(asked))(*lanes), axis=1)
    for number, values in enumerate(lanes.T.tolist()):
        assert [bool(v) for v in staged(*values)] == together[number].tolist() == list(asked(*values))


def test_nothing_is_less_than_what_is_no_number():
    def f(x, y):
        return (x, 1) < (y, 2), (x, 1) <= (y, 2), (1, x) < (1, y), (y, 1) < (y, 2)

    assert [bool(v) for v in jax.jit(al.to_graph(f))(float("nan"), 1.0)] == [False, False, False, True]


def test_the_least_pair_is_found_in_a_loop():
    def f(distances):
        best = (1e9, -1)
        for i, d in enumerate(distances):
            if (d, -i) < best:
                best = (d, -i)
        return best

    distances = np.array([5.0, 2, 7, 2, 2], np.float32)
    for run in (al.convert(f), jax.jit(al.to_graph(f))):
        assert tuple(map(float, run(jnp.asarray(distances)))) == f(distances)


def test_what_follows_members_that_differ_for_sure_is_not_compared():
    def f(x):
        return (1, x) < (2, None), (x, 1, x) < (x, 2, None), (2, None, x) < (1, x, x)

    assert [bool(v) for v in jax.jit(al.to_graph(f))(3)] == [*f(3)] == [True, True, False]


def test_what_python_can_not_order_is_pythons_error():
    def f(x, y):
        return (x, "a") < (y, 1)

    with pytest.raises(TypeError, match="'<' not supported between instances of 'str' and 'int'"):
        jax.jit(al.to_graph(f))(1, 1)


def by_first_members(x, y):
    counts = {"b": x, "a": y, "c": x + y}
    rows = [[3, "three", x], [1, None, y], [2, {}, x]]
    rows.sort()
    return (
        *(dict(sorted(counts.items())), sorted(counts.items(), reverse=True), max(counts.items()), rows),
        *(
            [name for name, _ in sorted(counts.items(), key=lambda pair: (pair[0], -pair[1]))],
            sorted([(2, x), (1, y)])[0][0],
        ),
    )


@pytest.mark.parametrize("x", [1.0, 2.0, 3.0])
def test_items_are_sorted_by_python_where_first_members_differ(x):
    want = by_first_members(x, 2.0)
    found = al.convert(by_first_members)(np.float32(x), np.float32(2.0))
    assert [*found[0].items()] == [*want[0].items()]
    assert found == want
    assert type(found[-1]) is int


def test_items_are_sorted_by_the_program_where_some_are_equal():
    def f(x, y):
        return sorted([(2, x), (1, x), (2, y), (1, y)])

    for x in (1.0, 2.0, 3.0):
        assert al.convert(f)(np.float32(x), np.float32(2.0)) == f(x, 2.0)


def _variables(x, y):
    best = (x, 0)
    for i in range(3):
        cand = (y * i, i)
        if cand < best:
            best = cand
    return best


def _lists_in_variables(x, y):
    best = None
    for i in range(3):
        cand = [y * i - x, i]
        if best is None or cand >= best:
            best = cand
    return best


def _items_of_a_list(x, y):
    pairs = [(x, 1), (y, 2), (x, 0)]
    for i in range(len(pairs)):
        for j in range(len(pairs) - 1 - i):
            if pairs[j] > pairs[j + 1]:
                pairs[j], pairs[j + 1] = pairs[j + 1], pairs[j]
    return pairs


def _item_of_a_loop(x, y):
    pairs = [(x, 1), (y, 2), (x, 0)]
    best = pairs[0]
    for pair in pairs:
        if pair < best:
            best = pair
    return best


def _key(x):
    return x % 2, x


def _results(x, y):
    return (y if _key(y) < _key(x) else x), _key(x) >= _key(y)


def _results_in_variables(x, y):
    best = _key(x)
    for value in (y, x + y, 2):
        key = _key(value)
        if key < best:
            best = key
    return best


class _Entry:
    def __init__(self, x):
        self.key = (x, 1)

    def __lt__(self, other):
        return self.key < other.key


def _attributes(x, y):
    return _Entry(x) < _Entry(y), _Entry(y) < _Entry(x)


@pytest.mark.parametrize(
    "f",
    [
        *(
            _variables,
            _lists_in_variables,
            _items_of_a_list,
            _item_of_a_loop,
            _results,
            _results_in_variables,
        ),
        _attributes,
    ],
)
def test_tuples_that_have_names_are_compared(f):
    for x, y in itertools.product((1, 2, 3), repeat=2):
        found = al.convert(f)(jnp.asarray(x), jnp.asarray(y))
        assert jax.tree.map(int, found) == jax.tree.map(int, f(x, y))
