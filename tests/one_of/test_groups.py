"""Lists that a traced index chooses are changed as in plain Python, or it is refused."""

from __future__ import annotations

import collections
import random
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from tests.one_of import group_programs
from tests.one_of.agreement import PROGRAMS, agrees, same


@pytest.mark.parametrize(("function", "call"), PROGRAMS[group_programs.__name__])
def test_lists_that_a_traced_index_chooses(function, call) -> None:
    agrees(function, call)


@pytest.mark.parametrize("seed", range(6))
def test_changes_in_any_order(seed) -> None:
    choose = random.Random(seed)
    names = ["append", "append", "extend", "insert", "pop", "reverse"]
    steps = [(choose.choice(names), choose.randrange(3)) for _ in range(4)]

    def f(keys, xs):
        rows = [[0.5], [1.5, 2.5], []]
        for k, x in zip(keys, xs, strict=True):
            rows[k].append(x)
        for name, at in steps:
            k = keys[at]
            if name == "append":
                rows[k].append(xs[at])
            elif name == "extend":
                rows[k].extend([xs[at], 9.0])
            elif name == "insert":
                rows[k].insert(0, xs[at])
            elif name == "reverse":
                rows[k].reverse()
            elif len(rows[k]) > 1:
                rows[k].pop()
        return rows, rows[0], len(rows[keys[0]])

    converted = autograph_lite.convert(f)
    for keys in ([0, 1, 2], [2, 2, 0], [1, 1, 1]):
        keys, xs = np.array(keys), np.array([1.0, 2.0, 3.0], np.float32)
        assert same(converted(jnp.asarray(keys), jnp.asarray(xs)), f(keys, xs))


def test_lanes_and_derivatives() -> None:
    def f(k, x) -> Any:
        rows = [[], [x]]
        rows[k].append(x * 2)
        rows[k].append(x * 3)
        return sum(rows[1]), len(rows[0])

    function = autograph_lite.to_graph(f)
    keys, xs = np.array([0, 1, 1]), np.array([1.0, 2.0, 3.0], np.float32)
    found = jax.vmap(function)(keys, xs)
    for n in range(3):
        np.testing.assert_allclose([each[n] for each in found], f(int(keys[n]), xs[n]))
    derivative = jax.vmap(jax.grad(lambda x, k: function(k, x)[0]))(xs, keys)
    np.testing.assert_allclose(derivative, [1, 6, 6])


def by_another_name(k):
    rows = [[], []]
    chosen = rows[k]
    chosen.append(1.0)
    return rows


def chosen_before(k):
    rows = [[], []]
    rows[k].append(1.0)
    chosen = rows[k]
    rows[0].append(2.0)
    return len(chosen)


def chosen_in_a_loop(k):
    rows = [[], []]
    rows[k].append(1.0)
    chosen = rows[k]
    for _ in range(3):
        rows[k].append(2.0)
    return len(chosen), rows


@pytest.mark.parametrize("function", [by_another_name, chosen_before, chosen_in_a_loop])
def test_another_name_of_the_list_is_refused(function) -> None:
    with pytest.raises(autograph_lite.MutationError):
        autograph_lite.convert(function)(jnp.int32(0))


def test_a_key_that_the_data_decide_is_refused_where_the_dict_makes_it() -> None:
    def f(k):
        groups = collections.defaultdict(list)
        groups[k].append(1.0)
        return groups

    with pytest.raises(autograph_lite.TracedIndexError):
        autograph_lite.convert(f)(jnp.int32(0))
