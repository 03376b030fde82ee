"""Do the methods of a list whose length only the data knows do what Python's do?"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, strategies as st

import autograph_lite as al
from benchmarks import structure
from tests.callees import positive
from tests.examples import examples

INTEGERS = st.lists(st.integers(-4, 4), min_size=7, max_size=7)
XS = np.array([3, -1, 4, -1, 3, 2, 0], np.int32)
compiled_once = functools.cache(al.convert)


def turned(xs):
    ys = positive(xs)
    ys.reverse()
    return ys


def turned_in_a_loop(xs):
    ys = []
    for x in xs:
        if x > 0:
            ys.append(x)
        if x < 0:
            ys.reverse()
    return ys


def inserted(xs):
    ys = positive(xs)
    ys.insert(1, xs[0])
    ys.insert(xs[1], 7)
    ys.insert(-1, 8)
    ys.insert(100, 9)
    ys.insert(-100, 10)
    return ys, len(ys)


def inserted_in_a_loop(xs):
    ys = []
    for x in xs:
        if x != 0:
            ys.insert(0, x)
    return ys


def removed(xs):
    ys = positive(xs)
    if 3 in ys:
        ys.remove(3)
    return ys


def removed_anyhow(xs):
    ys = positive(xs)
    ys.remove(2)
    return ys


def first_place(xs):
    return positive(xs).index(xs[0])


def counted(xs):
    ys = positive(xs)
    return ys.count(3), ys.count(xs[1]), xs[2] in ys, 9 not in ys


def in_order(xs):
    ys = positive(xs)
    zs = sorted(ys)
    ys.sort(reverse=True)
    return ys, zs, sorted(zs, reverse=True)


def sliced(xs):
    ys = []
    for x in xs:
        if x > 0:
            ys.append(x)
    return (
        ys[::2],
        ys[::-1],
        ys[1::3],
        ys[-2::-1],
        ys[3:0:-2],
        ys[10:],
        ys[: xs[0] : -2],
        ys[xs[1] : xs[0] : 2],
    )


def reduced(xs):
    ys = positive(xs)
    return sum(ys), sum(ys, 10), max(ys, default=-1), min(ys, default=-1), any(ys), all(ys)


def with_zeros(xs):
    ys = []
    for x in xs:
        if x >= 0:
            ys.append(x)
    return any(ys), all(ys), sum(y > 1 for y in ys)


def greatest(xs):
    return max(positive(xs))


def copied(xs):
    ys = positive(xs)
    zs = ys.copy()
    zs.reverse()
    ys.extend(zs)
    ys.clear() if xs[0] > 3 else None
    return ys, zs, ys.__len__()


PROGRAMS = [
    turned, turned_in_a_loop, inserted, inserted_in_a_loop, removed, removed_anyhow, first_place, counted, in_order,
    sliced, reduced, with_zeros, greatest, copied,
]  # fmt: skip


def agree(fn: Callable[..., Any], xs: np.ndarray) -> None:
    try:
        plain = fn(list(xs))
    except ValueError:
        with pytest.raises(ValueError, match=r"not in list|empty"):
            compiled_once(fn)(xs)
        return
    compiled = compiled_once(fn)(xs)
    assert jax.tree.structure(compiled) == jax.tree.structure(plain)
    jax.tree.map(np.testing.assert_array_equal, compiled, plain)


@pytest.mark.parametrize("fn", PROGRAMS)
@examples(25)
@given(values=INTEGERS)
def test_a_method_does_what_pythons_does(values, fn):
    agree(fn, np.array(values, np.int32))


@pytest.mark.parametrize("values", [[np.nan, 1, 3], [2, np.nan, 5], [np.inf, np.nan, 1], [0, -1, np.inf]])
def test_extremes_of_numbers_that_do_not_compare_are_pythons(values):
    def fn(xs):
        ys = []
        for x in xs:
            if not x < 0:
                ys.append(x)
        return min(ys), max(ys)

    xs = np.array(values, np.float32)
    np.testing.assert_array_equal(al.convert(fn)(xs), fn(list(xs)))


def test_an_item_that_is_not_there_is_pythons_error():
    with pytest.raises(ValueError, match=r"list\.remove\(x\): x not in list"):
        al.convert(removed_anyhow)(np.array([1, 1], np.int32))
    with pytest.raises(ValueError, match=r"list\.index\(x\): x not in list"):
        al.convert(first_place)(np.array([-1, 1], np.int32))


@pytest.mark.parametrize("way", [al.convert, lambda fn: jax.jit(al.to_graph(fn))])
def test_the_method_gives_the_length(way):
    assert way(lambda xs: positive(xs).__len__())(np.array([3, -1, 2])) == 2


def test_a_sum_is_one_operation_and_no_loop():
    found = structure.primitives(al.to_graph(lambda xs: sum(positive(xs))), jnp.asarray(XS))
    assert found["while"] == 0
    assert found["reduce_sum"] == 1


def test_a_sum_has_the_derivative_of_its_items():
    def fn(xs):
        return sum(positive(xs * xs[0]))

    xs = jnp.array([2.0, -1.0, 3.0])
    np.testing.assert_allclose(jax.grad(al.to_graph(fn))(xs), [4 + 3, 0, 2])


def test_a_step_of_zero_is_pythons_error():
    with pytest.raises(ValueError, match="slice step cannot be zero"):
        al.convert(lambda xs: positive(xs)[::0])(XS)


def test_a_part_of_a_list_between_traced_bounds():
    def parts(xs, k):
        known, grown = [1, 2, 3, 4], []
        for x in xs:
            if x > 1:
                grown.append(x)
        part = known[k:]
        part.append(9)
        return (
            sum(known[:k]),
            sum(part),
            len(part),
            sum(grown[k : k + 2]),
            sum((1, 2.5, 3)[k:]),
            [*known[:k], 7],
        )

    ours, xs = al.convert(parts), [1, 2, 3, 4]
    for k in (0, 1, 3, 5, -1, -3, -7):
        found, expected = ours(jnp.array(xs), jnp.int32(k)), parts(xs, k)
        assert [float(value) for value in found[:5]] == [float(value) for value in expected[:5]], k
        assert [int(value) for value in found[5]] == expected[5], k


def squares(n):
    if n == 0:
        return []
    found = [0]
    for i in range(n):
        found.append(i * i)
    return found


def above(xs, n):
    found = []
    for x in xs:
        if x > n:
            found.append((x, x * 0.5))
    if n > 3:
        found = [(1, 2.5)]
    return found


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (squares, (np.int32(0),)),
        (squares, (np.int32(4),)),
        (above, (np.array([4, 1, 9], np.int32), np.int32(2))),
        (above, (np.array([4, 1, 9], np.int32), np.int32(5))),
    ],
)
def test_lists_of_which_one_has_a_length_that_the_data_knows_meet(
    function: Callable[..., Any], args: Any
) -> None:
    found, expected = al.convert(function)(*map(jnp.asarray, args)), function(*args)
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs)


def test_what_met_is_not_written_to() -> None:
    def chosen(xs, c):
        found = []
        for x in xs:
            if x > 2:
                found.append(x)
        result = found if c > 0 else []
        result.append(9)
        return found, result

    with pytest.raises(al.MutationError, match="one object on one path"):
        al.convert(chosen)(jnp.array([4, 1]), jnp.int32(1))
