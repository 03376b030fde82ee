"""Do `x[a:b].sort()` and `x[a:b].fill(v)` change the array where the data say how long the part is?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autograph_lite import DynamicShapeError, MutationError, convert, to_graph


def sorted_part(x: Any, n: Any) -> Any:
    x[1 : n + 1].sort()
    return x


def filled_part(x: Any, n: Any) -> Any:
    x[:n].fill(7)
    return x.sum()


def sorted_in_windows(x: Any, n: Any) -> Any:
    for k in range(3):
        x[k : k + n].sort()
    return x


def sorted_on_a_path(x: Any, n: Any) -> Any:
    if n > 2:
        x[:n].sort()
    return x


def sorted_rows(x: Any, n: Any) -> Any:
    m = np.outer(x, x)
    m[1, :n].sort()
    m[:, :n].sort(axis=0)
    m[:, n:].fill(0)
    return m


def an_item_in_its_place(x: Any, n: Any) -> Any:
    x.partition(n - 1)
    return x[n - 1]


def sorted_copy(x: Any, n: Any) -> Any:
    p = x[x > 1]
    p.sort()
    return p[0] + 10 * p[-1] + n, x


def copy_of_two_names(x: Any, n: Any) -> Any:
    p = x[x > n - 1]
    q = p
    p.sort()
    q.fill(q[0])
    return q[0], p[-1], p.sum()


def of_a_new_array(x: Any, n: Any) -> Any:
    y = x * 2
    y[n:].sort()
    return y


PROGRAMS = [
    sorted_part, filled_part, sorted_in_windows, sorted_on_a_path, sorted_rows, an_item_in_its_place, sorted_copy, copy_of_two_names, of_a_new_array,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("n", [0, 2, 3, 5])
def test_the_array_is_numpys_afterwards(program: Callable[..., Any], n: int) -> None:
    ours, python = np.array([3.0, 1, 5, 2, 4]), np.array([3.0, 1, 5, 2, 4])
    expected = program(python, n)
    found = convert(program)(ours, np.array(n))
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(one, other)
    np.testing.assert_array_equal(np.sort(ours), np.sort(python))
    if program is not an_item_in_its_place:  # the order of the others is open
        np.testing.assert_array_equal(ours, python)


def test_a_named_part_is_a_part_of_its_array() -> None:
    def named(x: Any, n: Any) -> Any:
        y = x * 2
        v = y[n:]
        v.sort()
        return y

    x, n = np.arange(5.0)[::-1], np.array(2)
    np.testing.assert_array_equal(convert(named)(x, n), named(x, n))


def test_jaxs_stay_as_they_are() -> None:
    x, n = jnp.array([3.0, 1, 5, 2, 4]), jnp.array(3)
    with pytest.raises(MutationError, match="is sorted by its method, and nothing takes the sorted one"):
        jax.jit(to_graph(sorted_part))(x, n)
    with pytest.raises(DynamicShapeError, match="is asked for its 'fill', and belongs to an array of JAX's"):
        jax.jit(to_graph(filled_part))(x, n)
    assert jax.jit(to_graph(lambda x, n: x[:n].sort()[0]))(x, n) == 1
