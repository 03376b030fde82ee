"""An array that a loop writes and leaves in a list or an object, whoever stores it there: refused, or what NumPy has."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from autograph_lite import MutationError


def add(out, b):
    out.append(b)


def in_a_callee(n):
    b, k, out = np.zeros(2), 0, []
    while k < n:
        b[0] += 1
        add(out, b)
        k += 1
    return out


def before_the_write(n):
    b, k, out = np.zeros(2), 0, []
    while k < n:
        add(out, b)
        b[0] += 1
        k += 1
    return out


def each_step(step, n):
    b, k = np.zeros(2), 0
    while k < n:
        b[0] += 1
        step(b)
        k += 1


def by_a_closure(n):
    out = []
    each_step(lambda b: out.append(b), n)
    return out


def by_a_method(n):
    out = []
    each_step(out.append, n)
    return out


def a_part(n):
    out = []
    each_step(lambda b: out.append(b[:1]), n)
    return out


def in_place_of_an_item(n):
    last, b, k = [None], np.zeros(2), 0

    def keep(b):
        last[0] = b

    while k < n:
        b[0] += 1
        if k < 2:
            keep(b)
        k += 1
    return last[0], b


class Best:
    def __init__(self, x):
        self.x = x

    def keep(self, x):
        self.x = x


def as_an_attribute(n):
    best, b, k = Best(np.zeros(2)), np.ones(2), 0
    while k < n:
        b[0] += 1
        if b[0] > 1:
            best.keep(b)
        k += 1
    return best.x


@pytest.mark.parametrize(
    ("f", "place"),
    [
        (in_a_callee, "float32[2], in out"),
        (by_a_closure, "float32[2], in out"),
        (by_a_method, "float32[2], in a list's item 0"),
        (a_part, "float32[1], in out"),
        (in_place_of_an_item, "float32[2], in last[0]"),
        (as_an_attribute, "float32[2], in self.x"),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_what_the_loop_writes_is_not_kept(f, place) -> None:
    with pytest.raises(MutationError) as caught:
        autograph_lite.convert(f)(jnp.int32(3))
    text = str(caught.value)
    assert text.startswith(f"A loop writes to an array, and keeps it, or a part of it, {place}.\n")
    assert text.endswith(
        "  NumPy's is one array in all iterations, which would see each write; an array is a value to a compiled program.\n"
        "  Fix: keep a copy, x.copy()."
    )


def test_what_the_next_iteration_writes_is_not_kept() -> None:
    with pytest.raises(MutationError, match="keeps it, or a part of it"):
        autograph_lite.convert(before_the_write)(jnp.int32(3))


def copies(n):
    out = []
    each_step(lambda b: out.append(b.copy()), n)
    return out


def a_new_array_in_each_iteration(n):
    k, out = 0, []
    while k < n:
        b = np.zeros(2)
        b[0] = k
        add(out, b)
        k += 1
    return out


def another_array(n):
    b, c, k, out = np.zeros(2), np.ones(2), 0, []
    while k < n:
        b[0] += 1
        add(out, c)
        c = c + b
        k += 1
    return out


@pytest.mark.parametrize("f", [copies, a_new_array_in_each_iteration, another_array])
def test_what_it_does_not_write_is(f) -> None:
    ours, numpys = autograph_lite.convert(f)(jnp.int32(3)), f(3)
    for one, other in zip(jax.tree.leaves(ours), jax.tree.leaves(numpys), strict=True):
        np.testing.assert_array_equal(one, other)


# Changed as a whole, `acc += row`

ROWS = np.arange(9, dtype=np.float32).reshape(3, 3)


def appended(rows):
    acc, out = np.zeros(3), []
    for row in rows:
        acc += row
        out.append(acc)
    return out


def appended_of_a_copy(rows):
    acc, out = rows[0].copy(), []
    for row in rows:
        acc += row
        out.append(acc)
    return out


def appended_in_a_while(rows, n):
    acc, out, k = np.zeros(3), [], 0
    while k < n:
        acc += rows[k]
        out.append((acc, 1.0))
        k += 1
    return out


def appended_on_a_path(rows):
    acc, out = np.zeros(3), []
    for row in rows:
        acc += row
        if row[0] > 2:
            out.append(acc)
    return out


def changed_and_appended_on_a_path(rows, n):
    acc, out, k = np.zeros(3), [], 0
    while k < 3:
        if rows[k, 0] > 2:
            acc += rows[k]
            out.append(acc)
        k += n
    return out


def copied_on_a_path(rows):
    acc, out = rows[0] * 1, []
    for row in rows:
        acc += row
        out.append(acc)
        if row[1] > 3:
            acc = acc.copy()
    return out


def a_row(rows):
    acc, out = np.zeros((3, 3)), []
    for row in rows:
        acc += row
        out.append(acc[0])
    return out


def a_variable(rows):
    acc, before = np.zeros(3), np.zeros(3)
    for row in rows:
        acc += row
        change = acc - before
        before = acc
    return change


def a_variable_on_a_path(rows):
    acc, best, least = np.zeros(3), np.zeros(3), np.inf
    for row in rows:
        acc += row
        if abs(acc.sum() - 12) < least:
            least = abs(acc.sum() - 12)
            best = acc
    return best


def both_on_a_path(rows):
    acc, best = np.zeros(3), np.zeros(3)
    for row in rows:
        if row[0] < 5:
            acc += row
            best = acc
        else:
            acc += 1
    return best


def none_at_first(rows):
    acc, best = rows[0].copy(), None
    for row in rows:
        acc += row
        if row[0] < 4:
            best = acc
    return best


def a_copy_or_none(rows):
    acc, best = rows[0].copy(), None
    for row in rows:
        acc += row
        if row[0] < 4:
            best = acc.copy()
    return acc, best


@pytest.mark.parametrize(
    "f",
    [
        none_at_first, appended, appended_of_a_copy, appended_on_a_path, copied_on_a_path, a_row, a_variable_on_a_path, both_on_a_path,
    ],
)  # fmt: skip
def test_what_a_loop_changes_as_a_whole_is_not_kept(f) -> None:
    with pytest.raises(MutationError, match="keeps it, or a part of it"):
        autograph_lite.convert(f)(ROWS.copy())


def test_what_is_the_array_itself_after_a_first_iteration_is() -> None:
    np.testing.assert_allclose(autograph_lite.convert(a_variable)(ROWS.copy()), a_variable(ROWS.copy()))


def test_nor_is_what_is_one_of_several_by_then() -> None:
    def f(rows):
        acc, best = rows[0].copy(), None
        acc += rows[0]
        if rows[0][0] < 4:
            best = acc
        acc += rows[1]
        return best

    with pytest.raises(MutationError, match="is changed in place"):
        autograph_lite.convert(f)(ROWS.copy())


@pytest.mark.parametrize("f", [appended_in_a_while, changed_and_appended_on_a_path])
def test_nor_is_it_in_a_while(f) -> None:
    with pytest.raises(MutationError, match="keeps it, or a part of it|which is read later, has got it"):
        autograph_lite.convert(f)(ROWS.copy(), np.int32(1))


def copies_of_it(rows):
    acc, out = np.zeros(3), []
    for row in rows:
        acc += row
        if row[0] > 2:
            out.append(acc.copy())
    return out


def one_of_two(rows):
    a, b = rows[0].copy(), rows[1].copy()
    for row in rows:
        a += row
        if a[0] > b[0]:
            a, b = b, a
    return a, b


def the_one_before(rows):
    a, b = rows[0].copy(), rows[1].copy()
    for row in rows:
        a, b = b, a
        a += row
    return a, b


def read_after_the_loop(rows):
    acc = rows[0].copy()
    total = np.zeros(3)
    for row in rows:
        acc += row
        total = total + acc
        last = acc
    return total, last


@pytest.mark.parametrize("f", [copies_of_it, a_copy_or_none, one_of_two, the_one_before, read_after_the_loop])
def test_what_the_next_iteration_does_not_change_is(f) -> None:
    for ours, theirs in zip(autograph_lite.convert(f)(ROWS.copy()), f(ROWS.copy()), strict=True):
        np.testing.assert_allclose(ours, theirs)
