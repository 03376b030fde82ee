"""Arrays that a loop leaves in variables and lists, and that are written afterwards, or in its next iteration."""

import jax
import numpy as np
import pytest

from autograph_lite import MutationError, convert


def filled(t, n):
    k = 0
    while k < n:
        t[k] = 3
        k += 1


# Right: what a loop over a list of arrays leaves in a variable is the item itself.


def the_last_item(x, n):
    best, rows = x, [x * 1, x * 2, x * 3]
    for r in rows:
        best = r
    best[0] = 5
    return best, rows


def the_variable_of_the_loop(x, n):
    s, rows = x * 0, [x * 1, x * 2, x * 3]
    for r in rows:
        s += r
    r[0] = 9
    return s, rows


def a_part_of_an_item(x, n):
    rows = [x * 1, x * 2, x * 3]
    for r in rows:
        v = r[1:]
    v[0] = 3
    return rows, v


def an_item_by_number(x, n):
    rows = [x * 1, x * 2, x * 3, x * 4]
    for k, r in enumerate(rows):
        if k == 2:
            v = r
    v[0] = 3
    return rows, v


def in_a_list(x, n):
    log, rows = [], [x * 1, x * 2, x * 3]
    for r in rows:
        log.append(r)
    log[1][0] = 5
    return rows, log


def the_best_one(x, n):
    best = x.copy()
    for k in range(3):
        if x[k] > 0.3:
            best = x * k
    filled(best, n)
    return best


def written_on_some_paths(x, n):
    best = x.copy()
    for k in range(n):
        if x[k] > 0.3:
            best[:] = x * k
    filled(best, n)
    return best


def copies_in_a_list(x, n):
    box = [x * 3, x * 1]
    for k in range(n):
        box[-1][2] = k
        if k % 2:
            box.append(box[-1] * 2)
    return box[-1]


RIGHT = [
    the_last_item,
    the_variable_of_the_loop,
    a_part_of_an_item,
    an_item_by_number,
    in_a_list,
    the_best_one,
    written_on_some_paths,
    copies_in_a_list,
]


@pytest.mark.parametrize("loops", ["auto", "stage"])
@pytest.mark.parametrize("main", RIGHT, ids=lambda main: main.__name__)
def test_the_array_itself_is_written(main, loops):
    x = np.array([0.1, 0.5, 0.4, 0.2], np.float32)
    ours = x.copy()
    found = convert(main, static_loops=loops)(ours, np.int32(2))
    wanted = main(x, 2)
    np.testing.assert_allclose(
        np.hstack([*map(np.ravel, found)]), np.hstack([*map(np.ravel, wanted)]), rtol=1e-6
    )
    np.testing.assert_array_equal(ours, x)


# Refused: the program has a copy, and whoever else knows the array would not see the change.


def one_item_of_several(x, n):
    best, rows = x.copy(), [x * 1, x * 2, x * 3]
    for r in rows:
        if r[0] > 0.15:
            best = r
    best[0] = 5
    return best, rows


def another_name_of_the_callers(x, n):
    w, k = x, 0
    for _ in x:
        z = w
        if k > 2:
            w = z
        k += 1
    z *= 0.5
    return z


def stored_in_a_longer_list(x, n):
    w, box = x * 1, [x * 3, x * 1]
    for k in range(n):
        if k % 2:
            box.append(x * 2)
        else:
            box[1] = w
    box[1][2] = 1
    return w


def stored_for_the_next_iteration(x, n):
    w, box = x * 1, [x * 3, x * 1]
    for k in range(n):
        box[1][2] = 1
        if k % 2:
            box.append(x * 2)
        else:
            box[1] = w
    return w


def appended_for_the_next_iteration(x, n):
    w, box = x * 1, [x * 3, x * 1]
    for k in range(n):
        box[-1][2] = 1
        if k % 2:
            box.append(w)
    return w


def part_that_a_path_replaces(x, n):
    u, w = np.zeros((3, 2)), np.ones((3, 2))
    v = u[1:]
    for e in x:
        if e > 5:
            v = w[1:]
        u[1, 1] = e + 1
    return u, v


def part_that_an_expression_replaces(x, n):
    u, w = np.zeros(3), np.ones(3)
    v = u[::-1]
    for e in x:
        v = w[:] if e > 5 else v
        u[1] = e + 1
    return v


def part_that_a_while_loop_replaces(x, n):
    u, w, k = np.zeros(3), np.ones(3), x[0]
    v = u[1:]
    while k < 6:
        if k > 5:
            v = w[1:]
        u[1] = k + 1
        k = k + 1
    return u, v


def whole_that_a_path_replaces(x, n):
    u, w = np.zeros(3), np.ones(3)
    v = u[1:]
    for e in x:
        if e > 5:
            u = w
        v[0] = e + 1
    return u, v


REFUSED = [
    part_that_a_path_replaces,
    part_that_an_expression_replaces,
    part_that_a_while_loop_replaces,
    whole_that_a_path_replaces,
    one_item_of_several,
    another_name_of_the_callers,
    stored_in_a_longer_list,
    stored_for_the_next_iteration,
    appended_for_the_next_iteration,
]


@pytest.mark.parametrize("loops", ["auto", "stage"])
@pytest.mark.parametrize("main", REFUSED, ids=lambda main: main.__name__)
def test_a_copy_is_not_written(main, loops):
    x = np.array([0.1, 0.5, 0.4, 0.2], np.float32)
    with pytest.raises(MutationError):
        convert(main, static_loops=loops)(x, np.int32(3))


def test_what_an_inner_loop_leaves_as_it_is_may_be_what_it_was():
    def main(x):
        u, v, w, s, box = x * 4, x * 1, np.zeros((3, 2)), 0.0, [x * 3, x]
        for e in x[2] * 1:
            s = s * 0.5 + e
            z = [v, u]
            box[0][0] = box[0][1] + 1
            u[0, 0] = 5
            if s > 3:
                z[0] = w
            for _ in range(3):
                v = v[::-1]
                box = [z[0], z[1]]
        return v

    with jax.enable_x64(True), pytest.raises(MutationError):
        convert(main, static_loops="stage")(np.arange(6, dtype=np.float32).reshape(3, 2) / 2)
