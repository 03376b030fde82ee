"""Is a part `x[mask]`, which is an array of its own, the same one under all names, and are its rows no parts of `x`?"""

from __future__ import annotations

import jax
import numpy as np
import pytest

from autograph_lite import MutationError, convert
from tests.slices.against import same

X = np.array([1.0, 5.0, 2.0, 3.0, 9.0], np.float32)
M = np.arange(12.0, dtype=np.float32).reshape(4, 3)


def in_a_list(x, m):
    part = x[x > 2]
    kept = [part]
    kept[0] += 1
    return part, kept


def in_a_dict_of_the_callers(x, m):
    kept = {"a": x[x < 3]}
    kept["b"] = kept["a"]
    kept["b"] *= 2
    return kept


def in_a_loop(x, m):
    parts = [x[x > 2], x[x < 4]]
    known = [*parts]
    for k in range(2):
        parts[k] += k
    return known


def positions(x, m):
    (first,) = np.nonzero(x > 2)
    second, third = np.where(m > 2)
    fourth, fifth = np.argwhere(m > 4), (x > 2).nonzero()[0]
    names = [first, second, third, fourth, fifth, np.flatnonzero(x > 3)]
    others = [*names]
    first += 1
    second *= 2
    third -= 1
    fourth += 1
    fifth += 1
    names[5] += 3
    return others, first, second, third, fourth, fifth


def what_is_made_of_them(x, m):
    part = x[x > 2]
    copy, taken, picked, sums = part.copy(), part.take([0, 1]), part[[1, 0]], m[m[:, 0] > 0].sum(axis=0)
    product, counts = m[m[:, 0] > 0] @ np.ones(3, np.float32), np.unique(x % 2, return_counts=True)[1]
    others = copy, taken, picked, sums, product, counts
    copy += 1
    taken += 2
    picked += 3
    sums += 4
    product += 5
    counts += 6
    return others, part


def items_that_are_written(x, m):
    rows = m[m[:, 0] > 0]
    rows[0] += rows[1]
    rows[1][0] -= 1
    rows[0, 1] *= 3
    rows -= rows.mean(axis=0)
    return rows, m


def a_row_alone(x, m):
    rows = m[m[:, 0] > 0]
    row = rows[1]
    row += rows.sum()
    return row, m


def functions_of_numpys(x, m):
    part = x[x > 2]
    chosen = np.where(part > 3, part, 0)
    chosen += 1
    if part.sum() > 3:
        part = np.where(part > 3, part, -part)
    return (
        chosen, part, np.nan_to_num(part), np.isclose(part, 3), np.select([part > 3, part < 2], [part, -part], 5.0),
        np.ones_like(part, dtype=int), np.clip(part, a_min=2, a_max=5), np.round(part, 1), np.real(part), part.reshape(-1),
    )  # fmt: skip


@pytest.mark.parametrize(
    "f",
    [
        functions_of_numpys,
        in_a_list, in_a_dict_of_the_callers, in_a_loop, positions, what_is_made_of_them, items_that_are_written,
        a_row_alone,
    ],
    ids=lambda value: value.__name__,
)  # fmt: skip
def test_all_names_see_what_is_written(f) -> None:
    mine, numpys = (X.copy(), M.copy()), (X.copy(), M.copy())
    found = convert(f)(*mine), mine
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves((f(*numpys), numpys)), strict=True):
        same(one, other)


def by_the_row(m):
    rows = m[m[:, 0] > 0]
    row = rows[0]
    row += 1
    return rows, row


def by_the_part(m):
    rows = m[m[:, 0] > 0]
    row = rows[0]
    rows += 1
    return row


def by_its_item(m):
    rows = m[m[:, 0] > 0]
    row = rows[0]
    rows[0] += 1
    return row


def by_all_rows(m):
    m = m.reshape(4, 3)
    rows = m[m[:, 0] > 0]
    for row in rows:
        row[0] = 5
    return rows


def of_joined(m):
    rows = np.concatenate([m[m[:, 0] > 0], m])
    row = rows[0]
    row += 1
    return rows, row


def in_a_list_of_rows(m):
    part = m[m[:, 0] > 0]
    rows = list(part)
    rows[0][0] = 7
    return part


def in_a_list_that_a_loop_fills(m):
    held = {"part": m[m[:, 0] > 0]}
    rows = []
    for row in held["part"]:
        rows.append(row)
    if m[1, 1] > 0:
        rows[1][0] = 7
    return held["part"]


@pytest.mark.parametrize(
    "f",
    [
        by_the_row, by_the_part, by_its_item, by_all_rows, of_joined, in_a_list_of_rows, in_a_list_that_a_loop_fills,
    ],
    ids=lambda value: value.__name__,
)  # fmt: skip
def test_rows_of_a_copy_are_refused_where_the_part_is_read(f) -> None:
    m = M.copy()
    with pytest.raises(MutationError):
        convert(f)(m)
    same(m, M)
