"""Are integers of every type good bounds and indices, as Python's ints are?"""

from __future__ import annotations

import contextlib

import jax
import jax.numpy as jnp
import pytest

import autograph_lite
from autograph_lite import MutationError, TracedIndexError


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
