"""`max`, `min` and `sorted` compare nan, -0.0 and equal items as Python does, whatever gives them the items."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al

NAN, INF = float("nan"), float("inf")
VALUES = [
    [NAN, 1, 0, 2], [1, NAN, 0, 2], [2, NAN, 1, 3], [3, 1, NAN, -1], [0, -0.0, 1, -1], [-0.0, 0, -0.0, 0],
    [NAN, NAN, 1, 1], [-INF, NAN, 1, 0], [NAN, -INF, 3, 1], [-3, NAN, 1, 2], [1, -1, 1, -1], [NAN, 3, 2, 1],
]  # fmt: skip


class Weight:
    """Compared by a method of its own; nobody has registered it."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __lt__(self, other: Any) -> Any:
        return self.value < other.value

    def __gt__(self, other: Any) -> Any:
        return self.value > other.value


def positive(x: Any) -> list[Any]:
    ys = []
    for v in x:
        if not v < 0:
            ys.append(v)
    return ys


def by_difference(a: Any, b: Any) -> Any:
    return (a > b) * 1 - (a < b) * 1


BEST = {
    "two": lambda f, x: f(x[0], x[1]),
    "a number first": lambda f, x: f(1.0, x[0], x[1]),
    "a number last": lambda f, x: f(x[1], x[0], -1),
    "key": lambda f, x: f((x[0], x[1], x[2]), key=lambda v: -v),
    "key of arguments": lambda f, x: f(x[0], x[1], key=abs),
    "array": lambda f, x: f(x),
    "array and key": lambda f, x: f(x, key=abs),
    "generator": lambda f, x: f(v * 2 for v in x),
    "generator and key": lambda f, x: f((v * 2 for v in x), key=abs),
    "filtered": lambda f, x: f((v for v in x if not v < 0), default=7.0),
    "list of unknown length": lambda f, x: f(positive(x), default=3.0),
    "that list and key": lambda f, x: f(positive(x), default=3.0, key=lambda v: -v),
    "tuples": lambda f, x: f((x[0], 1), (x[1], 2), (x[2], 3)),
    "tuples by key": lambda f, x: f([(x[0], 1), (x[1], 2), (x[2], 3)], key=lambda t: t[0]),
    "tuples as keys": lambda f, x: f(range(3), key=lambda i: (x[i], -i)),
    "positions": lambda f, x: f(range(4), key=lambda i: x[i]),
    "positions of rows": lambda f, x: f([x[:2], x[2:]], key=lambda row: row[0] * 2),
    "texts in keys": lambda f, x: f(range(3), key=lambda i: (x[i], "cab"[i])),
    "objects as keys": lambda f, x: f(range(4), key=lambda i: Weight(x[i])),
    "comparing function": lambda f, x: f(range(4), key=functools.cmp_to_key(lambda a, b: by_difference(x[a], x[b]))),
    "pairs that are numbered": lambda f, x: f(enumerate(x), key=lambda t: t[1])[0],
    "dict": lambda f, x: f({1: x[0], 2: x[1], 3: x[2]}.items(), key=lambda t: t[1])[0],
    "reduce": lambda f, x: functools.reduce(f, x),
}  # fmt: skip
ORDER = {
    "array": lambda x: sorted(x),
    "backwards": lambda x: sorted(x, reverse=True),
    "two": lambda x: sorted([x[1], x[0]]),
    "three": lambda x: sorted([x[0], x[1], x[2]]),
    "with numbers": lambda x: sorted([2, x[0], 1, x[1]]),
    "key": lambda x: sorted(x, key=abs, reverse=True),
    "in place": lambda x: [ys := [x[0], x[1], x[2], 0.5, x[3]], ys.sort(key=lambda v: -v)][0],
    "tuples": lambda x: sorted([(x[0], x[3]), (x[1], 2), (x[2], 3), (x[0], 1)]),
    "one nan in two tuples": lambda x: [v := x[0], sorted([(v, 3), (v, 2), (x[1], 1), (v, 1)], reverse=True)],
    "positions": lambda x: sorted(range(4), key=lambda i: x[i]),
    "list of unknown length": lambda x: sorted(positive(x)),
    "that list backwards": lambda x: sorted(positive(x), reverse=True),
    "objects as keys": lambda x: sorted(range(4), key=lambda i: Weight(x[i])),
    "three objects backwards": lambda x: sorted(range(3), key=lambda i: Weight(x[i]), reverse=True),
    "comparing function": lambda x: sorted(x, key=functools.cmp_to_key(by_difference)),
}  # fmt: skip
PROGRAMS = dict(ORDER)
for number, (name, form) in enumerate(BEST.items()):
    fun = min if number % 2 else max
    PROGRAMS[f"{fun.__name__}: {name}"] = functools.partial(form, fun)


def assert_same(found: Any, expected: Any) -> None:
    """Equal values, nan and the signs of zeros included."""
    found, expected = (np.asarray(jax.tree.leaves(tree), np.float32) for tree in (found, expected))
    np.testing.assert_array_equal(found, expected)
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(found)[numbers], np.signbit(expected)[numbers])


FEW = ("two", "three", "three objects backwards")  # items: their order is Python's, whatever nan does in it


@pytest.mark.parametrize("name", PROGRAMS)
def test_nan_and_zeros_are_compared_as_python_compares_them(name: str) -> None:
    program = PROGRAMS[name]
    run = al.convert(lambda x: program(x))
    for values in VALUES:
        try:
            found = run(jnp.array(values, jnp.float32))
        except al.ConditionError as error:
            assert name in ORDER and name not in FEW and NAN_IN_ORDER in str(error) and np.isnan(values).any()
        else:
            assert_same(found, program(np.array(values, np.float32)))


NAN_IN_ORDER = "More than 3 items are put in order by keys that have none: one of them is nan."


def test_all_orders_of_three_items_are_pythons() -> None:
    for reverse in (False, True):
        run = al.convert(lambda x, reverse=reverse: jnp.stack(sorted(x, reverse=reverse)))
        for values in itertools.product(np.array([NAN, 0, 1], np.float32), repeat=3):
            np.testing.assert_array_equal(run(np.array(values)), sorted(values, reverse=reverse))


def in_order(x):
    return jnp.stack(sorted(x))


@pytest.mark.parametrize("count", [4, 70])
def test_nan_among_many_items_is_an_error_when_the_program_runs(count: int) -> None:
    run = al.convert(in_order)
    x = jnp.arange(float(count))[::-1]
    np.testing.assert_array_equal(run(x), jnp.sort(x))
    with pytest.raises(al.ConditionError) as caught:
        run(x.at[3].set(NAN))
    code = in_order.__code__
    assert str(caught.value) == (
        f"{NAN_IN_ORDER}\n"
        f"  {__file__}:{code.co_firstlineno + 1} in in_order\n"
        "      return jnp.stack(sorted(x))\n"
        "  Python compares nan as neither less nor greater, so that its result depends on how its sort goes about it.\n"
        "  Fix: leave those items out, or sort an array: jnp.sort(x) puts nan last."
    )


def test_objects_that_have_no_order_are_an_error() -> None:
    run = al.convert(lambda x: sorted(range(5), key=lambda i: Weight(x[i])))
    assert [int(i) for i in run(jnp.array([3.0, 1, 3, 0, 1]))] == [3, 1, 4, 0, 2]
    with pytest.raises(al.ConditionError, match=NAN_IN_ORDER):
        run(jnp.array([3.0, 1, NAN, 0, 1]))


def test_nan_alone_in_a_list_of_unknown_length_is_in_order() -> None:
    run = al.convert(lambda x: sorted(positive(x)))
    x = np.full(80, -1, np.float32)
    x[7] = NAN
    assert_same(run(x), sorted(positive(x)))
    x[9] = 40
    with pytest.raises(al.ConditionError, match=NAN_IN_ORDER):
        run(x)


def test_derivatives_and_lanes_follow_the_chosen_items() -> None:
    def picked(x):
        return sorted(x[:3])[1] * 3 + max(x[0], x[1], key=abs) * 5

    for values in ([2.0, NAN, 1.0, 0.0], [1.0, 3.0, 2.0, 0.0]):
        by_hand = np.zeros(4)
        by_hand[sorted(range(3), key=values.__getitem__)[1]] += 3
        by_hand[max((0, 1), key=lambda i: abs(values[i]))] += 5
        np.testing.assert_array_equal(jax.grad(al.to_graph(picked))(jnp.array(values)), by_hand)
    rows = np.array(VALUES, np.float32)
    found = jax.vmap(al.to_graph(lambda x: jnp.stack(sorted(x[:3]))))(rows)
    np.testing.assert_array_equal(found, [sorted(row[:3]) for row in rows])


def test_numpys_own_functions_propagate_nan() -> None:
    x = jnp.array([1.0, NAN, 0.0])
    found = al.convert(lambda x: (jnp.max(x), x.min(), jnp.sort(x)[2]))(x)
    assert all(map(np.isnan, found))
