"""Small programs that lie between the rows of the contract's table: each gives Python's result, or is refused."""

from __future__ import annotations

import collections
import dataclasses
import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from autograph_lite import MutationError


class Positive:
    def __init__(self, value):
        self.value = value

    def __bool__(self):
        return self.value > 0


def truth_of_an_object(x):
    thing, total = Positive(x), 0.0
    if thing:
        total += 1
    if not thing:
        total += 10
    total += 5 if thing else 6
    while thing:
        thing.value -= 1
    return total, thing.value


class Statistics:
    count = 0
    mean = 0.0

    def push(self, x):
        self.count += 1
        self.mean += (x - self.mean) / self.count


def attribute_with_a_default_in_the_class(x):
    statistics = Statistics()
    for step in range(3):
        if x < step:
            statistics.push(x + step)
    return statistics.count, statistics.mean


def majority(x):
    candidate, count = None, 0
    for value in jnp.stack([x, x + 1, x, x - 1, x]) if not isinstance(x, float) else [x, x + 1, x, x - 1, x]:
        if count == 0:
            candidate, count = value, 1
        elif value == candidate:
            count += 1
        else:
            count -= 1
    return candidate, count


def operands_for_their_effect(x):
    log = [0.0]
    x > 0 and log.__setitem__(0, 1.0)
    x > 1 or log.__setitem__(0, log[0] + 10.0)
    return log[0]


def decorated_twice(x):
    def scaled(k):
        def decorate(function):
            def wrapper(v):
                return function(v) * k if x > 0 else function(v)

            return wrapper

        return decorate

    @scaled(10)
    @scaled(x)
    def successor(v):
        return v + 1

    return successor(x)


def swapped_or_new(x):
    items = [1, 2, 3]
    if x > 1:
        items[0], items[1] = items[1], items[0]
    else:
        items = [items[2], *items[:2]]
    return items


Pair = collections.namedtuple("Pair", ["a", "b"], defaults=(1,))


@dataclasses.dataclass
class Record:
    a: object
    b: object = 1


class Compared:
    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return self.value == other.value

    __hash__ = None


def equality(x):
    pair, other = Pair(x, 2), Pair(2.0, 2)
    results = [pair == other, pair != (2.0, 2), Record(x) == Record(2.0), Record(x) != Record(2.0)]
    results += [Compared(x) == Compared(2.0), Compared(x) != Compared(2.0)]
    results += [Compared(x) in [Compared(1.0), Compared(2.0)], [Compared(x), 1] == [Compared(2.0), 1]]
    results += [Record(x) == 3, Pair(x) == Record(x), Record(1) == Record(1)]
    return results


@pytest.mark.parametrize(
    "function",
    [
        equality,
        truth_of_an_object,
        attribute_with_a_default_in_the_class,
        majority,
        operands_for_their_effect,
        decorated_twice,
        swapped_or_new,
    ],
)
def test_the_result_is_pythons(function) -> None:
    for run in (autograph_lite.convert(function), jax.jit(autograph_lite.to_graph(function))):
        for x in (2.0, -1.0, 0.5):
            assert jax.tree.map(float, run(jnp.float32(x))) == jax.tree.map(float, function(x))


def subscripts(x, k):
    masked, rows, more = x * 1, x * 1, x * 1
    masked[:, masked[0] > 0] = -1
    rows[rows[:, 0] > 3, :] += 2
    more[[0, k], 1] = 50
    more[:, [1, 2]] -= 4
    x[[0, 1]] += 1
    return masked, rows, more, x, x[[0, -1]], x[[0, k]], x[:, [0, k]]


def test_subscripts_that_numpy_takes() -> None:
    x = np.array([[1.0, -1, 2], [3, 4, 5], [6, 7, 8]], np.float32)
    wanted = subscripts(x.copy(), 2)
    for run in (autograph_lite.convert(subscripts), jax.jit(autograph_lite.to_graph(subscripts))):
        jax.tree.map(np.testing.assert_array_equal, run(jnp.asarray(x), jnp.int32(2)), wanted)


def test_a_mask_for_one_axis_has_no_shape_to_give() -> None:
    with pytest.raises(autograph_lite.DynamicShapeError, match="The mask 'x\\[0\\] > 0' is traced"):
        jax.jit(autograph_lite.to_graph(lambda x: x[:, x[0] > 0]))(jnp.ones((2, 3)))


def test_a_walrus_in_a_generator_that_a_traced_value_may_leave() -> None:
    def f(xs):
        hit = 0.0
        if any((hit := v) < 0 for v in xs):
            return hit
        return hit

    with pytest.raises(MutationError, match="'hit' is assigned in a generator that a traced value may leave"):
        autograph_lite.convert(f)(jnp.arange(3.0))


def late_in_a_while(a, n):
    i = 0
    while (i := i + 1) < n and (a[i] > 0 or (found := i) > 2 or not (found := found + 10)):
        pass
    return i


def late_in_a_ternary(a, n):
    k = 5
    picked = (k := n * 2) if a[0] > n else (k := n) if n > 1 else -1
    both = n > 2 and (k := k + 1)
    return picked, both, k


def late_in_what_is_returned(a, n):
    last = 7
    for x in a:
        if x > n or not (last := x + 1) > 0:
            return (last, (last := x)) if x > 2 else (last, 0)
    return last, -1


@pytest.mark.parametrize("f", [late_in_a_while, late_in_a_ternary, late_in_what_is_returned])
@pytest.mark.parametrize("n", [0, 1, 2, 3, 5, 6])
def test_a_walrus_in_an_operand_that_may_not_be_evaluated(f, n: int) -> None:
    a = np.array([2, 1, -1, 3, -1, 5, -2])
    wanted = f(a, n)
    for run in (autograph_lite.convert(f), jax.jit(autograph_lite.to_graph(f))):
        jax.tree.map(np.testing.assert_array_equal, run(jnp.asarray(a), jnp.int32(n)), wanted)


def until_found(n):
    items, seen = [1, 2, 3, 4], 0
    while items and (item := items.pop()) != n:
        seen += item
    return seen, len(items)


@pytest.mark.parametrize("n", [0, 3, 4])
def test_a_list_before_an_operand_that_binds_a_name_is_asked_for_its_truth(n: int) -> None:
    assert autograph_lite.convert(until_found)(jnp.int32(n)) == until_found(n)


class Asked:
    """Counts how often it is asked for its truth."""

    def __init__(self, value) -> None:
        self.value, self.times = value, 0

    def __bool__(self) -> bool:
        self.times += 1
        return self.value


def asks(a, b, c):
    if a and (last := b) or not c:
        return 1
    return 2 if b and (last := a) else 3


@pytest.mark.parametrize("values", [*itertools.product([False, True], repeat=3)])
def test_an_operand_beside_one_that_binds_a_name_is_asked_once(values) -> None:
    plain, converted = [[*map(Asked, values)] for _ in range(2)]
    assert autograph_lite.convert(asks)(*converted) == asks(*plain)
    assert [v.times for v in converted] == [v.times for v in plain]
