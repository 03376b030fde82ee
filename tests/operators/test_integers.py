"""Are integers of every type good bounds and indices, as Python's ints are?"""

from __future__ import annotations

import collections
import contextlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from autograph_lite import MutationError, TracedIndexError
from tests.callees import positive


def last(n):
    last = -1
    for i in range(n):
        last = i
    return last


def nested(n):
    total = 0
    for i in range(n):
        for j in range(i):
            total += j
    return total


def written(n):
    items = [1, 2, 3, 4]
    for i in range(n):
        items[i - 1] = i
    return items


def read(n):
    return [0, 1, 4, 9][n], range(5)[n], (3.0, 4.0)[n > 2]


def far_apart(n):
    total = 0
    for _ in range(-100, 100, n):
        total += 1
    for i in range(n, 0, -1):
        total += i
    return total


def counted(n):
    total = 0
    for i, value in enumerate(range(n)):
        total += i * value
    return total, 2 in range(n)


TYPES = [
    *((name, False) for name in ("int8", "uint8", "int16", "uint32", "int32")),
    ("int32", True),
    ("int64", True),
]


@pytest.mark.parametrize(("dtype", "wide"), TYPES)
@pytest.mark.parametrize("function", [last, nested, written, read, far_apart, counted])
def test_the_result_is_that_of_an_int(function, dtype: str, wide: bool) -> None:
    with _wide(wide):
        staged = jax.jit(autograph_lite.to_graph(function))
        for n in (1, 3):
            found, wanted = staged(jnp.asarray(n, dtype)), function(n)
            assert jax.tree.map(float, found) == jax.tree.map(float, wanted)


def _wide(wide: bool) -> contextlib.AbstractContextManager[object]:
    if hasattr(jax, "enable_x64"):
        return jax.enable_x64(wide)
    from jax.experimental import enable_x64

    return enable_x64(wide)


def length(xs):
    n = len(positive(xs))
    return n * n * n * 1000000000


def length_in_a_loop(xs):
    n, count = len(positive(xs)), 0
    while n < 10**12 and count < 50:
        n *= n
        count += 1
    return n, count


def length_of_a_part(xs):
    n = len(positive(xs)[1:])
    return n * n * 10**10


def length_of_a_deque(xs):
    return len(collections.deque(positive(xs))) * 10**10


def place_and_number(xs):
    ys = positive(xs)
    return ys.index(2) * 10**10, ys.count(2) * 10**10


def length_and_items(xs):
    ys = positive(xs)
    return xs[: len(ys)].sum() * len(ys), np.ones(2, np.float32) * len(ys)


OF_LISTS = [
    length, length_in_a_loop, length_of_a_part, length_of_a_deque, place_and_number, length_and_items,
]  # fmt: skip


@pytest.mark.parametrize("function", OF_LISTS)
def test_with_ints_of_64_bits_the_length_of_a_list_has_as_many(function) -> None:
    with _wide(True):
        found = jax.jit(autograph_lite.to_graph(function))(xs := np.array([3, 1, 2, -1]))
        wanted = jax.tree.leaves(function(xs))
        assert [np.asarray(each).tolist() for each in jax.tree.leaves(found)] == [
            np.asarray(each).tolist() for each in wanted
        ]


def test_the_length_of_a_list_has_the_type_of_pythons_ints() -> None:
    for wide, dtype in ((False, np.int32), (True, np.int64)):
        with _wide(wide):
            found = jax.jit(autograph_lite.to_graph(lambda xs: len(positive(xs))))(np.ones(3, np.float32))
            assert (found.dtype, found.weak_type) == (dtype, True)


def test_an_item_of_another_shape_at_a_traced_index() -> None:
    def f(i):
        items = [0.0, 1.0]
        items[i] = jnp.ones(3)
        return items

    with pytest.raises(MutationError, match=r"float32\[3\] is written to a list at a traced index"):
        autograph_lite.convert(f)(jnp.int32(1))


def test_a_float_is_no_index() -> None:
    def f(x):
        items = [0.0, 1.0]
        items[x] = 2.0
        return items

    with pytest.raises(TracedIndexError):
        autograph_lite.convert(f)(jnp.float32(1))
