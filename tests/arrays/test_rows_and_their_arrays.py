"""Writes by an array's name and by a row of it in one body, and variables that become what others read: NumPy's values, or an error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import pytest

import autograph_lite as al


class Holder:
    def __init__(self, f):
        self.f = f


def a_row_then_its_array_then_the_row(a, b, n):
    v = np.zeros((3, 2))
    for i in range(n - 2):
        row = v[i]
        v[0] = a[0, 0]
        row += 1
    return v


def a_row_of_two_walked_arrays(a, b, n):
    v = np.zeros((3, 2))
    for row, x in zip(v, b, strict=True):
        v[0] = x
        row += 1
    return v


def a_row_of_a_computed_array(a, b, n):
    v = a * 1
    for row, x in zip(v, b, strict=True):
        v[0] = x
        row += 1
    return v


def a_row_of_the_callers(a, b, n):
    for row, x in zip(a, b, strict=True):
        a[0] = x
        row += 1
    return a


def a_row_with_its_number(a, b, n):
    v = np.zeros((3, 2))
    for k, row in enumerate(v):
        v[0] = b[k]
        row += n
    return v


def without_a_loop(a, b, n):
    v = np.zeros((3, 2))
    row = v[n - 4]
    v[0] = a[0, 0]
    row += 1
    return v


def an_attribute_that_is_a_row(a, b, n):
    v = np.zeros((3, 2))
    for i in range(n - 2):
        o = Holder(v[i])
        v[0] = a[0, 0]
        o.f += 1
    return v


def a_row_taken_for_the_next_iteration(a, b, n):
    u = np.zeros((3, 2))
    row = a[2] * 1
    for k in range(6):
        z = u[k % 3]
        row += 1
        row = z
    return u, row


def another_array_on_some_paths_of_a_walk(a, b, n):
    row, s, k = a[2] * 1, 0.0, 0
    for e in row:
        s = s * 0.5 + e
        if k != 0:
            row = row * 1
        row[1:] = e + k
        k += 1
    return s, row


def another_array_at_each_step_of_a_walk(a, b, n):
    row, s, k = a[2] * 1, 0.0, 0
    for e in row:
        s = s * 0.5 + e
        row[1:] = e + k
        row = row * 1
        k += 1
    return s, row


def the_array_of_an_object_that_stays(a, b, n):
    v = b * 2
    o, p = Holder(a * 2), Holder(a * 3)
    for k in range(6):
        if k > 2:
            v *= 0.5
        else:
            v = p.f
        p = o
        o, p = p, o
    return o.f


def a_pair_that_the_loop_makes(a, b, n):
    w, v, k, s = a * 1, b * 1, 0, 0.0
    for _ in b[:, 0]:
        if k < 2:
            z = (w, v)
        else:
            z[0][0, 0] = 5
        k += 1
        s += w.sum()
    return w, s


def a_view_of_what_is_walked(a, b, n):
    u, s = np.zeros((3, 2)), 0.0
    for e in u[:, 0]:
        s = s * 0.5 + e
        u = u[::-1]
        for _ in range(3):
            u[::-1][0] = 2
    return s, u


def two_views_that_the_loop_makes(a, b, n):
    v, k, s = np.zeros((3, 2)), 0, 0.0
    for _ in b[1]:
        if k == 0:
            z = v[::-1]
        else:
            z[1, 0] = 4
            s += v[0, 0]
        v = v[::-1]
        k += 1
    return s, v, z


PROGRAMS = (
    two_views_that_the_loop_makes,
    a_row_then_its_array_then_the_row,
    a_row_of_two_walked_arrays,
    a_row_of_a_computed_array,
    a_row_of_the_callers,
    a_row_with_its_number,
    without_a_loop,
    an_attribute_that_is_a_row,
    a_row_taken_for_the_next_iteration,
    another_array_on_some_paths_of_a_walk,
    another_array_at_each_step_of_a_walk,
    the_array_of_an_object_that_stays,
    a_pair_that_the_loop_makes,
    a_view_of_what_is_walked,
)
# No variable of a loop that stays one array: in no way of compiling it is known which one an iteration writes.
REFUSED = (another_array_on_some_paths_of_a_walk, a_pair_that_the_loop_makes, two_views_that_the_loop_makes)


def staged(fn: Callable[..., Any]) -> Any:
    return al.convert(fn, static_loops="stage")


@pytest.mark.filterwarnings("ignore::autograph_lite.UnrolledLoopWarning")
@pytest.mark.parametrize("way", [al.convert, staged], ids=["convert", "staged"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.__name__)
def test_as_in_numpy(program: Any, way: Any) -> None:
    a, b = np.arange(6.0).reshape(3, 2) / 2, np.arange(6.0)[::-1].reshape(3, 2)
    given, others = (a.copy(), b.copy(), 5), (a.copy(), b.copy(), np.int32(5))
    if program in REFUSED:
        with pytest.raises(al.MutationError):
            way(program)(*others)
        return
    wanted, found = program(*given), way(program)(*others)
    for one, other in zip(jax.tree.leaves((found, others)), jax.tree.leaves((wanted, given)), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)
