"""An array that a list or a variable got on some paths, or in a loop, and that is changed later: never the old items."""

from __future__ import annotations

from collections import deque

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from autograph_lite import MutationError


def appended_on_a_path(rows):
    acc, out = rows[0].copy(), []
    if rows[0][0] < 4:
        out.append(acc)
    acc += rows[1]
    return out


def written_by_items(rows):
    acc, out = rows[0].copy(), []
    if rows[0][0] < 4:
        out.append(acc)
    acc[0] = rows[1, 2]
    return out


def by_a_slice(rows):
    acc, out = rows[0].copy(), deque()
    if rows[0][0] < 4:
        out += [acc, acc]
    acc[1:] += rows[1, 2]
    return list(out)


def by_a_method(rows):
    acc, out = rows[0].copy(), []
    if rows[0][0] < 4:
        out.append((1, acc))
    acc.fill(7.0)
    return [item for _, item in out]


def by_numpys_function(rows):
    acc, out = rows[0].copy(), []
    if rows[0][0] < 4:
        out.append(acc)
    np.copyto(acc, rows[1])
    return out


def a_row_of_it(rows):
    m, out = rows.copy(), []
    if rows[0][0] < 4:
        out.append(m[0])
    m += 1
    return out


def an_item_of_its_row(rows):
    m, best = rows.copy(), None
    if rows[0][0] < 4:
        best = m[0]
    m[0, 1] = rows[2, 2]
    return best


def an_argument(rows):
    out = []
    if rows[0][0] < 4:
        out.append(rows[0])
    rows[0] += 1
    return out


def of_pythons_numbers(rows):
    acc, out = np.ones(3), []
    if rows[0][0] < 4:
        out.append(acc)
    acc[1] = 5.0
    return out


def in_another_list(rows):
    acc, out = rows[0].copy(), []
    if rows[0][0] < 4:
        out.append(acc)
    more = list(out)
    out.clear()
    acc += rows[1]
    return more


def after_a_pop(rows):
    acc, out = rows[0].copy(), [rows[2]]
    if rows[0][0] < 4:
        out.append(rows[1] * 2)
    out.append(acc)
    out.pop(0)
    acc += 1
    return out


def unrolled(rows):
    acc, out = np.zeros(3), []
    for k in range(3):
        acc += rows[k]
        if rows[k][0] > 1:
            out.append(acc)
    return out


def after_a_break(rows):
    acc, out = rows[0].copy(), []
    for k in range(3):
        if rows[k, 0] > 5:
            break
        out.append(acc)
        acc += rows[k]
    return out


def keep(out, acc, condition):
    if condition:
        out.append(acc)


def in_a_callee(rows):
    acc, out = rows[0].copy(), []
    keep(out, acc, rows[0, 0] < 4)
    acc += rows[1]
    return out


def by_each_iteration(rows):
    acc, out = rows[0].copy(), []
    for _ in rows:
        out.append(acc)
    acc += 1
    return out


def by_some_iterations(rows):
    acc, out = rows[0].copy(), []
    for row in rows:
        if row[0] > 1:
            out.append(acc)
    acc += 1
    return out


def the_last_state(rows):
    x = rows[0].copy()
    states = [x]
    for row in rows:
        x = x + row
        states.append(x)
    x += 1
    return states


def the_last_of_some(rows):
    x, states = rows[0].copy(), []
    for row in rows:
        x = x + row
        if row[0] > 1:
            states.append(x)
    x[0] = rows[1, 1]
    return states


def the_last_of_a_while(rows):
    x, states = rows[0].copy(), []
    while x[0] < 20:
        x = x + rows[1]
        states.append(x)
    x[0] = rows[1, 1]
    return states


def rows_of_three():
    return np.arange(9.0).reshape(3, 3).astype(np.float32)


@pytest.mark.parametrize(
    "f",
    [
        appended_on_a_path, written_by_items, by_a_slice, by_a_method, by_numpys_function, a_row_of_it, an_item_of_its_row,
        an_argument, of_pythons_numbers, in_another_list, after_a_pop, unrolled, after_a_break, in_a_callee, by_each_iteration,
        by_some_iterations, the_last_state, the_last_of_some, the_last_of_a_while,
    ],
)  # fmt: skip
def test_a_change_of_what_was_kept_as_a_copy_is_refused(f) -> None:
    with pytest.raises(MutationError, match="is changed in place, and '.*', which is read later, has got it"):
        autograph_lite.convert(f)(rows_of_three())


def copies(rows):
    acc, out = np.zeros(3), []
    for k in range(3):
        acc += rows[k]
        if rows[k][0] > 1:
            out.append(acc.copy())
    return out


def new_arrays(rows):
    acc, out = np.zeros(3), []
    for k in range(3):
        acc = acc + rows[k]
        if rows[k][0] > 1:
            out.append(acc)
    return out


def another_one(rows):
    acc, out = rows[0].copy(), []
    if rows[0][0] < 4:
        out.append(acc)
    acc = rows[1].copy()
    acc += rows[1]
    return out, acc


def numbers(rows):
    acc, out = rows[0, 0], []
    for k in range(3):
        acc += rows[k, 1]
        if rows[k][0] > 1:
            out.append(acc)
    return out


def read_before(rows):
    x, states = rows[0].copy(), []
    for row in rows:
        x = x + row
        states.append(x)
    table = np.array(states)
    x += 1
    return table, x


def after_a_new_one(rows):
    x = rows[0].copy()
    states = [x]
    for row in rows:
        x = x + row
        states.append(x)
    x = x + 1
    x[0] = 0
    return states, x


@pytest.mark.parametrize("f", [copies, new_arrays, another_one, numbers, read_before, after_a_new_one])
def test_other_changes_are_right(f) -> None:
    want, got = f(rows_of_three()), autograph_lite.convert(f)(rows_of_three())
    assert len(want) == len(got)
    for each, other in zip(want, got, strict=True):
        np.testing.assert_allclose(np.asarray(other), np.asarray(each))


def test_walking_over_what_the_body_writes_keeps_no_copy() -> None:
    def walked(x):
        for _ in (1, 2, 3):  # each inner loop leaves what the next one writes
            for k, (_, v) in enumerate(zip([5, 6, 7], x, strict=True)):
                x[(k + 1) % 3] += v
            for v in x:
                x[0] += v
        return x

    want = walked(rows_of_three()[0])
    for form in (autograph_lite.convert(walked), jax.jit(autograph_lite.to_graph(walked))):
        np.testing.assert_allclose(form(rows_of_three()[0]), want, rtol=1e-5)


def reversed_in_place(x, k):
    for i in range(k):
        x += i + 1
    x[k % len(x) : k % len(x) + 2] = x[k % len(x) : k % len(x) + 2][::-1]
    return x


def written_twice(x, k):
    for i in range(k):
        x *= i + 2
    x[k % len(x) :] = x[k % len(x) :][::-1]
    x[k % len(x) : k % len(x) + 1] = -x[k % len(x) : k % len(x) + 1]
    return x


@pytest.mark.parametrize("f", [reversed_in_place, written_twice])
def test_a_part_of_what_a_loop_has_left_is_stored_in_it(f) -> None:
    x = np.arange(4.0)
    want = f(np.arange(4.0), 1)
    np.testing.assert_allclose(jax.jit(autograph_lite.to_graph(f))(jnp.arange(4.0), np.int32(1)), want)
    np.testing.assert_allclose(autograph_lite.convert(f)(x, np.int32(1)), want)
    np.testing.assert_allclose(x, want)


def stored_twice(x, k):
    x[k % len(x) : k % len(x) + 2] = x[0 : len(x) - k - 1] = x[k % len(x) : k % len(x) + 2][::-1]


def in_a_tuple(x, k):
    x[k], x[k % len(x) : k % len(x) + 1] = x[0], x[k % len(x) : k % len(x) + 1]


@pytest.mark.parametrize("f", [stored_twice, in_a_tuple])
def test_a_part_that_the_statement_still_stores_is_as_it_is_then(f) -> None:
    ours, python = np.arange(4.0), np.arange(4.0)
    autograph_lite.convert(f)(ours, np.int32(1))
    f(python, 1)
    assert ours.tolist() == python.tolist()


def a_total_that_is_kept(x):
    total, out = np.array(0.0), []
    for v in x:
        total += v
        out.append(total)
    return out


def a_total_that_some_keep(x):
    total, out = np.array(0.0), []
    for v in x:
        if v > 1:
            out.append(total)
        total += v
    return out


@pytest.mark.parametrize("f", [a_total_that_is_kept, a_total_that_some_keep])
def test_nor_is_an_array_without_axes(f) -> None:
    with pytest.raises(MutationError, match=r"out\.|has got it|keeps it"):
        autograph_lite.convert(f)(np.arange(5.0, dtype=np.float32))


def two_names(x):
    s = np.array(x[0])
    t = s
    s += 1
    return t, s


def of_a_result(x):
    s = np.asarray(x.sum())
    t = s
    s *= 2
    return t, s


def plus_one(a):
    a = np.asarray(a)
    a += 1
    return a


def in_a_function(x):
    number, array = x[2], np.asarray(x[2])
    return plus_one(number), number, plus_one(array), array


def in_a_dict(x):
    totals = {"a": np.array(x[1])}
    for v in x:
        totals["a"] += v
    return totals["a"], x[1]


def as_a_number(x):
    s = np.array(x[1])
    return int(s) + 1, s + 1, float(s), np.sqrt(s)


@pytest.mark.parametrize("f", [two_names, of_a_result, in_a_function, in_a_dict, as_a_number])
def test_an_array_of_a_number_is_an_array(f) -> None:
    x = np.arange(5.0, dtype=np.float32)
    np.testing.assert_allclose(np.asarray(autograph_lite.convert(f)(x.copy())), np.asarray(f(x.copy())))
