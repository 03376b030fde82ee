"""Does a loop over a few rows run whose iterations can't have one body: where an array grows, or a row's number is a key?"""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite


def keyed(x):
    doubled = {}
    for i, v in enumerate(x):
        doubled[i] = v * 2
    return doubled


def grouped(x):
    groups = collections.defaultdict(list)
    for i, v in enumerate(x):
        groups[i % 2].append(v)
    return {k: sum(v) for k, v in groups.items()}


def texts_as_keys(x):
    sums, total = {}, 0.0
    for i, v in enumerate(x):
        total = total + v
        sums[f"k{i}"] = total
    return sums


def appended(x):
    out = np.array([], np.float32)
    for v in x:
        out = np.append(out, v * 2)
    return out


def stacked(x):
    out = np.empty((0, 2), np.float32)
    for i, v in enumerate(x):
        out = np.vstack([out, [v, i]])
    return out


def pairs(x):
    products = {}
    for i, a in enumerate(x):
        for j, b in enumerate(x):
            products[i, j] = a * b
    return products[1, 2] + products[3, 0]


def written(x):
    table = {0: 1.0, 1: 2.0, 2: 3.0, 3: 4.0}
    for i, v in enumerate(x):
        table[i] += v
        x[i] = table[i]
    return sum(table.values())


def states(x):
    state, history = "idle", []
    for v in x:
        if state == "idle" and v > 1:
            state = "run"
        elif state == "run" and v < 0:
            state = "stop"
        history.append(state)
    return history


class Log:
    def __init__(self):
        self.count, self.items = 0, []

    def note(self, v):
        self.count += 1
        self.items.append(v)


def changed_before(x):
    """Things that an iteration changes before what is refused, also in iterations that run before the others."""
    log, seen, found, last = Log(), [], {}, None
    counts = {"n": 0}
    y = x * 1
    for i, v in enumerate(x):
        log.note(v)
        seen.append(i)
        counts["n"] += 1
        y[i] += 1
        if last is not None:
            y[i] += last
        last = v
        found[i] = v
    return found, log.count, log.items, seen, counts, y


def grown_before(x):
    log, out = Log(), np.zeros(0, np.float32)
    for v in x:
        log.note(v)
        out = np.append(out, v + len(out))
    return out, log.count, log.items


def written_meanwhile(x):
    y, table = x.copy(), {}
    for i, v in enumerate(y):
        table[i] = v
        y[-1] += v
    return table, y


class Point:
    def __init__(self, place):
        self.place = place

    def move(self, by):
        self.place = self.place + by


def objects(x):
    points = []
    for v in x:
        points.append(Point(v))
    for n, point in enumerate(points):
        point.move(n)
    return [point.place for point in points]


def left_by_break(x):
    seen = {"k0": 0.0, "k1": 0.0, "k2": 0.0, "k3": 0.0}
    for i, v in enumerate(x):
        if v > 3:
            break
        seen[f"k{i}"] = v
    return seen


PROGRAMS = [
    keyed,
    grouped,
    texts_as_keys,
    appended,
    stacked,
    pairs,
    written,
    states,
    objects,
    left_by_break,
    changed_before,
    grown_before,
    written_meanwhile,
]


@pytest.mark.parametrize("fun", PROGRAMS)
def test_value_and_argument_are_numpys(fun: Callable[..., Any]) -> None:
    converted = autograph_lite.convert(fun)
    for items in ([1.0, -2.0, 4.0, 0.5], [2.0, -1.0, 3.0, 9.0]):
        x, y = np.array(items, np.float32), np.array(items, np.float32)
        want, got = fun(x), converted(y)
        np.testing.assert_array_equal(x, y)
        if isinstance(want, dict):
            assert list(want) == list(got)
        for a, b in zip(jax.tree.leaves(want), jax.tree.leaves(got), strict=True):
            assert a == b if isinstance(a, str) else np.allclose(a, b, rtol=1e-5)


@pytest.mark.parametrize("fun", [keyed, appended])
def test_derivatives_and_lanes(fun: Callable[..., Any]) -> None:
    graph = autograph_lite.to_graph(fun)

    def total(x):
        return sum(jnp.sum(leaf**2) for leaf in jax.tree.leaves(graph(x)))

    x = jnp.array([[1.0, -2.0, 4.0], [0.5, 3.0, 2.0]])
    np.testing.assert_allclose(jax.vmap(jax.grad(total))(x), 8 * x)


def test_one_body_stays_one_where_it_does_for_all() -> None:
    def f(x):
        total = 0.0
        for i, v in enumerate(x):
            total = total + i * v
        return total

    program = str(jax.make_jaxpr(autograph_lite.to_graph(f))(jnp.arange(5.0)))
    assert program.count("scan[") == 1


def test_of_many_rows_the_refusal_stays() -> None:
    with pytest.raises(autograph_lite.TracedIndexError, match=r"doubled\[i\]"):
        autograph_lite.convert(keyed)(jnp.ones(65))
    assert len(autograph_lite.convert(keyed)(jnp.ones(64))) == 64


def test_a_range_that_is_asked_to_be_one_loop_stays_one() -> None:
    def f(x):
        table = {}
        for k in reversed(autograph_lite.range(3)):
            table[k] = x
        return table

    with pytest.raises(autograph_lite.TracedIndexError, match=r"table\[k\]"):
        autograph_lite.convert(f)(jnp.float32(1))


def test_what_is_wrong_in_python_too_is_pythons_error() -> None:
    def missing(x):
        for i, _ in enumerate(x):
            x = x + {0: 1.0}[i + 1]
        return x

    with pytest.raises(KeyError):
        autograph_lite.convert(missing)(jnp.ones(3))


def test_a_key_that_a_traced_condition_sets_is_refused_for_that() -> None:
    def positive(x):
        found = {}
        for i, v in enumerate(x):
            if v > 0:
                found[i] = v
        return found

    with pytest.raises(autograph_lite.MutationError, match="exists on one path"):
        autograph_lite.convert(positive)(jnp.ones(3))


def numbered(x):
    numbers, found = iter([10, 20, 30, 40]), {}
    for i, v in enumerate(x):
        found[i] = v + next(numbers)
    return found


def zipped(x):
    numbers, found = iter([10, 20, 30, 40]), {}
    for i, v in enumerate(x):
        for number, one in zip(numbers, [1]):  # noqa: B905
            found[i] = v + number * one
    return found


@pytest.mark.parametrize("fun", [numbered, zipped])
def test_items_that_an_iterator_has_given_are_not_taken_again(fun: Callable[..., Any]) -> None:
    with pytest.raises(autograph_lite.TracedIndexError, match=r"found\[i\]"):
        autograph_lite.convert(fun)(jnp.ones(3))
    with pytest.raises(autograph_lite.TracedIndexError, match=r"found\[i\]"):
        jax.jit(autograph_lite.to_graph(fun))(jnp.ones(3))


def test_iterators_of_an_iteration_are_made_again() -> None:
    def pairs(x):
        found, numbers = {}, {"a": 1, "b": 2}
        for i, v in enumerate(x):
            for name, number in zip("ab", numbers.values(), strict=True):
                found[i, name] = v * number + next(iter(numbers.values()))
        return found

    assert autograph_lite.convert(pairs)(jnp.arange(3.0)) == pairs(np.arange(3.0))
