"""Are the items of a range counted in a loop, in place of being read from an array, and are they the right ones?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite

X = jnp.arange(4.0)


def upwards(x):
    for i in range(20):
        x = x * 0.9 + i
    return x


def downwards(x):
    for i in range(17, -4, -3):
        x = x * 0.9 + i
    return x


def reversed_items(x):
    for i in reversed(range(2, 20, 5)):
        x = x * 0.9 + i
    return x


def enumerated(x):
    for k, i in enumerate(range(3, 30, 4), 7):
        x = x * 0.9 + i * k
    return x


def rows_of_a_table(x):
    for i in (3, 5, 7, 9):
        x = x * 0.9 + i
    return x


def unused(x):
    for _ in range(20):
        x = x * 0.9
    return x


def reaching(x):
    for i in range(-(2**31), 2**31 - 1, 2**32 - 2):
        x = x + i % 7
    return x


def nested(x):
    for i in range(6):
        for j in range(i, 9):
            x = x * 0.9 + i * j
    return x


def collected(x):
    found = []
    for i in range(5):
        found.append(x * i)
    return jnp.stack(found)


PROGRAMS = [
    upwards,
    downwards,
    reversed_items,
    enumerated,
    rows_of_a_table,
    unused,
    reaching,
    nested,
    collected,
]


@pytest.mark.parametrize("function", PROGRAMS)
def test_counted_items_are_those_of_the_range(function: Callable[..., Any]) -> None:
    rolled = autograph_lite.convert(function, static_loops="stage")
    (loop, *_) = autograph_lite.explain(rolled)(X)
    assert loop.became.startswith("vmap" if function is collected else "scan")
    assert np.allclose(rolled(X), autograph_lite.convert(function, static_loops="python")(X), rtol=1e-6)


# The numbers of `collected` are an array, as its iterations are computed at once.
@pytest.mark.parametrize("function", [f for f in PROGRAMS if f not in (reaching, collected)])
def test_no_array_of_the_items_is_made(function: Callable[..., Any]) -> None:
    rolled = autograph_lite.to_graph(function, static_loops="stage")
    assert "iota" not in jax.jit(rolled).lower(X).as_text()


@pytest.mark.parametrize("function", [upwards, reversed_items, nested])
def test_the_gradient_of_a_loop_that_counts_is_that_of_the_unrolled_one(function: Callable[..., Any]) -> None:
    ours, python = (
        jax.grad(lambda x, way=way: jnp.sum(autograph_lite.to_graph(function, static_loops=way)(x) ** 2))(X)
        for way in ("stage", "python")
    )
    assert np.allclose(ours, python, rtol=1e-5)


def test_a_loop_with_callbacks_counts_too(capsys: pytest.CaptureFixture[str]) -> None:
    def shows(x):
        for i in autograph_lite.range(2, 8, 3):
            jax.debug.print("{}", i)
            x = x + i
        return x

    assert autograph_lite.convert(shows)(jnp.float32(0)) == 7
    jax.effects_barrier()
    assert capsys.readouterr().out == "2\n5\n"


def coarse(r, found):
    for i in range(1, len(found)):
        for j in range(1, len(found)):
            found[i, j] = r[2 * i, 2 * j] + r[2 * i - 1, 2 * j + 1]
    return found


def test_rows_of_items_are_taken_with_indices_of_64_bits() -> None:
    given = np.arange(400.0).reshape(20, 20), np.zeros((10, 10))
    with jax.enable_x64(True):
        ours = autograph_lite.convert(coarse, static_loops="stage")
        decisions = autograph_lite.explain(ours)(*given)
        assert [each.became.split()[0] for each in decisions] == ["scan", "vmap"]
        np.testing.assert_array_equal(ours(*given), coarse(*given))


def test_items_of_64_bits_are_counted() -> None:
    def far(x):
        for i in range(2**40, 2**40 + 3):
            x = x + i
        return x

    with jax.enable_x64(True):
        assert autograph_lite.convert(far, static_loops="stage")(jnp.int64(0)) == 3 * 2**40 + 3


def counted_stores(x, first):
    for i in range(first, 4):
        x[i] = (x[i] + x[i - first]) * 2
    return x


def test_a_store_at_the_item_of_a_range_whose_start_is_traced_has_no_check() -> None:
    """The place is no int that could grow beyond 32 bits: `len(x)` is added to it where it counts from the end."""
    jaxpr = jax.make_jaxpr(autograph_lite.to_graph(counted_stores))(X, jnp.int32(1))
    assert "debug_callback" not in str(jaxpr)
    assert "i64" not in str(jaxpr)
    for first in (1, 3, 4):
        found = autograph_lite.convert(counted_stores)(np.arange(4.0), jnp.int32(first))
        np.testing.assert_allclose(found, counted_stores(np.arange(4.0), first))
