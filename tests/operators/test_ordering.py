"""Items whose keys only the data can compare come in the order that Python puts them in."""

from __future__ import annotations

import dataclasses
import functools
import heapq
import itertools
import statistics
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al


class Weight:
    """Compared by methods of its own; nobody has registered it."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __lt__(self, other: Any) -> Any:
        return self.value < other.value

    def __eq__(self, other: object) -> Any:
        return isinstance(other, Weight) and self.value == other.value

    __hash__ = None  # type: ignore[assignment]


@dataclasses.dataclass(order=True)
class Pair:
    first: Any
    second: Any


@functools.partial(jax.tree_util.register_dataclass, data_fields=["value"], meta_fields=[])
@dataclasses.dataclass
class Ball:
    value: Any

    def __lt__(self, other: Any) -> Any:
        return self.value < other.value


def by_parity(a: Any, b: Any) -> Any:
    if a % 2 < b % 2:
        return -1
    return 1 if a % 2 > b % 2 else 0


ORDERS = {
    "pairs": lambda x: sorted([(x[0], 1), (x[1], 2), (x[2], 3)]),
    "pairs, backwards": lambda x: sorted([(x[0], x[1]), (x[1], x[0]), (x[1], x[2])], reverse=True),
    "tuples in tuples": lambda x: sorted((x[i], (x[1], -i)) for i in range(3)),
    "lists": lambda x: sorted([[x[0], 1], [x[1], 2], [x[2], 3]]),
    "rows together": lambda x: sorted(zip(x, x[::-1], strict=True)),
    "in place": lambda x: [ys := [(x[0], 1), (x[1], 2), (x[2], 3)], ys.sort()][0],
    "keys that are tuples": lambda x: sorted(range(3), key=lambda i: (x[i] > 1, -i)),
    "equal keys keep their places": lambda x: sorted(range(3), key=lambda i: (x[i] % 2, 0), reverse=True),
    "keys with texts": lambda x: sorted(range(3), key=lambda i: (x[i] > 1, "cba"[i])),
    "objects as keys": lambda x: sorted(range(3), key=lambda i: Weight(x[i])),
    "objects as keys, backwards": lambda x: sorted(range(3), key=lambda i: Weight(x[i]), reverse=True),
    "dataclasses as keys": lambda x: sorted(range(3), key=lambda i: Pair(x[i] % 2, x[i])),
    "comparing function": lambda x: sorted(range(3), key=functools.cmp_to_key(lambda a, b: x[b] - x[a])),
    "comparing function with branches": lambda x: sorted(x, key=functools.cmp_to_key(by_parity)),
    "registered objects": lambda x: [b.value for b in sorted([Ball(x[0]), Ball(x[1]), Ball(x[2])])],
    "least registered object": lambda x: min([Ball(x[0]), Ball(x[1])]).value,
    "greatest by objects": lambda x: max(range(3), key=lambda i: Weight(x[i])),
    "least by a comparing function": lambda x: min(range(3), key=functools.cmp_to_key(lambda a, b: x[b] - x[a])),
    "greatest item by a comparing function": lambda x: max(x, key=functools.cmp_to_key(by_parity)),
    "least pair by a comparing function": lambda x: min(
        enumerate(x), key=functools.cmp_to_key(lambda a, b: by_parity(a[1], b[1]))
    ),
    "greatest of some by a comparing function": lambda x: max(
        (v for v in x if v > 1), key=functools.cmp_to_key(by_parity), default=7
    ),
    "greatest so far": lambda x: [*itertools.accumulate(x, max), *itertools.accumulate(x, func=min, initial=1)],
    "greatest of pairs": lambda x: [*itertools.starmap(max, zip(x, x[::-1], strict=True))],
    "greatest so far, one by one": lambda x: [so_far := itertools.accumulate(x, max), next(so_far), *so_far][1:],
    "greatest of columns": lambda x: [*map(max, x, x[::-1]), functools.reduce(max, x), functools.reduce(min, x, 1)],
    "place": lambda x: [Weight(x[0]), Weight(x[1]), Weight(x[2])].index(Weight(x[2])),
    "number of equal ones": lambda x: (Weight(x[0]), Weight(x[1]), Weight(x[2])).count(Weight(x[2])),
    "among": lambda x: Weight(x[2]) in [Weight(x[0]), Weight(x[1])],
    "counted from a traced start": lambda x: [i * v for i, v in enumerate([x[0], 4, x[1]], x[2])],
    "counted rows": lambda x: list(enumerate(x, start=x[0])),
    "counted texts": lambda x: [i + len(v) for i, v in enumerate(["a", "bb"], x[0])],
}  # fmt: skip


@pytest.mark.parametrize("name", ORDERS)
def test_the_order_is_pythons(name: str) -> None:
    order = ORDERS[name]
    for run in (al.convert(order), jax.jit(al.to_graph(order))):
        for values in itertools.product(range(3), repeat=3):
            found = run(jnp.asarray(values, jnp.int32, copy=True))
            expected = order(np.asarray(values, np.int32))
            np.testing.assert_array_equal(
                np.asarray(jax.tree.leaves(found)), np.asarray(jax.tree.leaves(expected))
            )


def test_zeros_of_both_signs_are_equal_and_sorting_has_derivatives() -> None:
    def first(x):
        return sorted([(x[0] * x[1], x[1]), (x[1], x[0] * x[0])])[0][1]

    x = jnp.array([3.0, 1.0])
    assert jax.grad(al.to_graph(first))(x).tolist() == [6.0, 0.0]
    assert jax.vmap(al.to_graph(first))(jnp.stack([x, x[::-1]])).tolist() == [9.0, 1.0]
    assert al.convert(lambda x: sorted([(-0.0 * x, 2), (0.0 * x, 1)])[0][1])(x[0]) == 1


def test_each_two_items_are_compared_once_either_way() -> None:
    asked = []

    class Noted:
        def __init__(self, number, value):
            self.number, self.value = number, value

        def __lt__(self, other):
            asked.append((self.number, other.number))
            return self.value < other.value

    def f(x):
        return sorted(range(4), key=lambda i: Noted(i, x[i]))

    jax.jit(al.to_graph(f))(jnp.arange(4.0))
    assert sorted(asked) == [*itertools.permutations(range(4), 2)]


def test_objects_that_python_can_compare_stay_these_objects() -> None:
    def f(x):
        a, b = Weight(1), Weight(2)
        ys = [b, a]
        ys.remove(Weight(2))
        return x, ys[0] is a, sorted([b, a])[0] is a, max(a, b) is b, [b, a].index(Weight(1))

    assert al.convert(f)(jnp.float32(1))[1:] == (True, True, True, 1)


def test_a_start_that_is_no_integer_is_pythons_error() -> None:
    with pytest.raises(TypeError, match="object cannot be interpreted as an integer"):
        al.convert(lambda x: [*enumerate([1], x)])(jnp.float32(1))


def merged(x):
    return list(heapq.merge([x], [2.0]))


def of_the_middle(x):
    return statistics.median_low([x, 2.0])


@pytest.mark.parametrize(
    ("function", "line", "why", "fix"),
    [
        (
            merged,
            "return list(heapq.merge([x], [2.0]))",
            "Attempted boolean conversion of traced array with shape bool[].",
            "compute with jax.numpy on the array, or pass the value as a Python number, which is not traced.",
        ),
        (
            of_the_middle,
            "return statistics.median_low([x, 2.0])",
            "'statistics' computes with exact fractions of Python's numbers.",
            "np.mean(x), np.std(x, ddof=1) or np.median(x), of an array or a list of the numbers.",
        ),
    ],
)
def test_a_library_that_needs_the_value_is_named_under_jax_jit(
    function: Any, line: str, why: str, fix: str
) -> None:
    code = function.__code__
    for run in (al.convert(function), jax.jit(al.to_graph(function))):
        with pytest.raises(al.PythonOnlyError) as caught:
            run(jnp.float32(1))
        assert str(caught.value).startswith(
            f"Python needs the value of a traced array. {why}\n"
            f"  {code.co_filename}:{code.co_firstlineno + 1} in {code.co_name}\n"
            f"      {line}\n"
            "  The value is known when the compiled program runs, and not while the function is traced.\n"
            f"  Fix: {fix}"
        )


def test_a_handler_of_jaxs_error_gets_it() -> None:
    def f(x):
        try:
            return statistics.median_low([1, x])
        except jax.errors.ConcretizationTypeError:
            return -1

    assert jax.jit(al.to_graph(f))(1) == -1


def test_an_item_that_the_data_would_take_out_is_refused() -> None:
    def f(x):
        ys = [x * jnp.ones(1), 1.0]
        ys.remove(2.0)
        return ys

    with pytest.raises(al.TracedIndexError) as caught:
        jax.jit(al.to_graph(f))(2.0)
    line = f.__code__.co_firstlineno + 2
    assert str(caught.value).startswith(
        "remove() looks for float 2.0 in a list, and a traced value decides which item it is.\n"
        f"  {__file__}:{line} in f\n"
        "      ys.remove(2.0)\n"
        "  The items of a list have their places while tracing.\n"
        "  Fix: keep the items in an array with a mask of those that count, jnp.where(items == x, False, mask)."
    )
