"""Arrays without axes that the function makes are arrays, and no numbers: who knows them sees what is written to them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import jax
import numpy as np
import pytest

from autograph_lite import convert


def dots_are_a_view(s, x):
    a = np.zeros(())
    a[...] = s
    c = a[...]
    c[...] = 5
    return a, c


def another_name(s, x):
    a = np.array(1.0)
    b = a
    a += s
    a[()] = a * 2
    return a, b


def a_list_holds_it(s, x):
    a = np.zeros(())
    held = [a]
    a[...] = x.sum()
    return a, held


def with_an_axis(s, x):
    a = np.zeros(())
    b, c = a.reshape(1), a[None]
    a[...] = s
    c[0] += 1
    return a, b, c


def a_number_is_a_copy(s, x):
    a = np.zeros(())
    n = a[()]
    a[...] = s
    b = a.copy()
    b[...] = 7
    return a, n, b


def a_sum_in_a_loop(s, x):
    total = np.array(0.0)
    for v in x:
        total += v
    return total * s


def a_sum_that_another_name_knows(s, x):
    total = np.array(0.0)
    same = total
    for v in x:
        total += v
    return total, same


def named_when_it_is_written(s, x):
    a = np.zeros(())
    a[...] = s
    b = a
    b += 1
    return a, b


def changed_by_a_callee(s, x):
    def add(total, v):
        total += v

    a = np.zeros(())
    a[...] = s
    add(a, x[1])
    return a


def named_after_it_is_written(a, x):
    total, count = np.array(0.0), np.array(1, np.int8)
    total += x[0]
    count *= np.int8(2)
    same = total
    same += a
    count += a > 1
    held = SimpleNamespace(total=total)
    held.total *= 2
    whole = np.zeros(())
    whole += a
    several = [whole]
    several[0] -= x[1]
    return total, held.total, whole, count


@pytest.mark.parametrize(
    "f",
    [
        named_after_it_is_written,
        named_when_it_is_written,
        changed_by_a_callee,
        dots_are_a_view,
        another_name,
        a_sum_that_another_name_knows,
        a_list_holds_it,
        with_an_axis,
        a_number_is_a_copy,
        a_sum_in_a_loop,
    ],
)
def test_it_is_as_in_numpy(f: Any) -> None:
    x = np.arange(4, dtype=np.float32)
    found, expected = convert(f)(np.float32(1.5), x), f(np.float32(1.5), x)
    jax.tree.map(np.testing.assert_allclose, jax.tree.leaves(found), jax.tree.leaves(expected))


def test_a_sum_in_a_loop_of_unknown_length_that_another_name_knows() -> None:
    def f(x, n):
        total = np.array(0.0)
        same = total
        for k in range(n):
            total += x[k]
        same += 1
        return total, same

    args = np.arange(4, dtype=np.float32), np.int32(3)
    assert [*map(float, convert(f)(*args))] == [*map(float, f(*args))] == [4, 4]
