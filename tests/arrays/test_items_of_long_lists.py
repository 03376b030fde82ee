"""Arrays in lists whose length only the data know, changed in place: the list is to see it, and all others who have them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import jax
import numpy as np
import pytest

from autograph_lite import MutationError, convert
from tests.properties.running import loaded

A = np.arange(6, dtype=np.float32).reshape(3, 2)


def doubled(a, n):
    rows = []
    for k in range(n):
        rows.append(a[k % 3] * 2)
    return rows


def item_is_written(a, n):
    rows = doubled(a, n)
    rows[0][1] = 6
    rows[-1][:] = rows[0]
    return rows


def item_is_added_to(a, n):
    rows = doubled(a, n)
    for k in range(len(rows)):
        rows[k] += a[0] + 1
    return rows


def item_of_no_list_any_more(a, n):
    rows = doubled(a, n)
    last = rows.pop()
    last *= 0.5
    return last


def computed_of_items(a, n):
    rows = doubled(a, n)
    total = np.zeros(2, np.float32)
    first = rows[0] * 1
    for row in rows:
        row = row * 2
        row += 1
        total += row
    first -= total
    return rows, total, first


def on_a_path(a, n):
    rows = []
    for k in range(n):
        row = a[k % 3] * 2
        if row[0] > 0:
            rows.append(row)
    rows[0][1] = 6
    return rows


def item_that_an_object_has_is_added_to(a, n):
    held = SimpleNamespace(rows=doubled(a, n))
    held.rows[0] += 1
    held.rows[-1] *= 2
    return held.rows


def item_that_the_iteration_has_appended(a, n):
    rows = []
    for k in range(n):
        if k > 0:
            rows[-1] += 1
        rows.append(a[k % 3] * 2)
        row = rows[-1]
        row += k
    return rows


def item_that_a_traced_index_takes(a, n):
    rows = doubled(a, n)
    for k in range(n):
        rows[k][k % 2] = k
        rows[-1][1] += rows[k - 1][0]
        if rows[0][0] > 3:
            rows[k] *= 2
    rows[n - 1][0] = 4
    return rows


def each_made_by_numpy(a, n):
    rows = []
    for k in range(n):
        rows.append(np.zeros(2, np.float32))
    rows[n - 2][0] = a[1, 1]
    return rows


def each_row_of_an_array_gives_one(a, n):
    rows = []
    for row in a:
        made = np.zeros(2, np.float32)
        made[0] = row[1]
        rows.append(row * 2)
        rows.append(made)
    rows[0][0] = 1
    rows[3] += 5
    for row in rows:
        row *= n
    return rows


RIGHT = [
    item_that_a_traced_index_takes,
    each_made_by_numpy,
    each_row_of_an_array_gives_one,
    item_that_an_object_has_is_added_to,
    item_that_the_iteration_has_appended,
    item_is_written,
    item_is_added_to,
    item_of_no_list_any_more,
    computed_of_items,
    on_a_path,
]


@pytest.mark.parametrize("function", RIGHT, ids=lambda function: function.__name__)
def test_the_list_sees_it(function: Any) -> None:
    ours, theirs = convert(function)(A.copy(), np.int32(4)), function(A.copy(), 4)
    for one, other in zip(jax.tree.leaves(ours), jax.tree.leaves(theirs), strict=True):
        np.testing.assert_allclose(one, other)


# What follows `rows`, and what an iteration appends, `row` being an array of its own.
AFTER = {
    "each": "for y in rows: y += 1",
    "each by another": "for y in rows: y *= rows[0]",
    "each by its place": "for k in range(len(rows)):\n    y = rows[k]\n    y += 1",
    "one": "y = rows[1]\ny -= a[0]",
    "one that a traced index takes": "y = rows[n - 2]\ny += 1",
    "a copy of the list": "m = list(rows)\nm[0][1] = 6",
    "what has been copied": "m = rows.copy()\nrows[0][1] = 6",
    "a list that is one longer": "m = [*rows, a[0]]\nm[0][1] = 6",
    "a list that gets them": "m = []\nm.extend(rows)\nrows[0][1] = 6",
}
TWICE = {
    "appended": "rows.append(row)\nrows.append(row)",
    "appended on a path": "rows.append(row)\nif k > 1: rows.append(row)",
    "the first": "rows.append(row)\nrows.append(rows[0])",
    "the last": "rows.append(row)\nrows.append(rows[-1])",
    "inserted": "rows.insert(0, row)\nrows.insert(0, row)",
    "of the iteration before": "if k % 2: w = w * 0.5\nrows.append(w)",
    "from outside": "rows.append(b)",
}
# Of the iterations before.
BEFORE = {
    "the last": "rows.append(row)\ny = rows[0]\ny += 1",
    "the first": "if k > 0:\n    y = rows[0]\n    y += 1\nrows.append(row)",
    "all": "for y in rows: y += 1\nrows.append(row)",
}


def program(iteration: str, after: str) -> Any:
    lines = [
        "def f(a, n):",
        " rows, w, b, m = [], a[0] * 1, a[1] * 3, None",
        " for k in range(n):",
        "  row = a[k % 3] * 2",
    ]
    lines += [f"  {line}" for line in iteration.split("\n")]
    lines += [f" {line}" for line in [*after.split("\n"), "return rows, m"]]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("case", BEFORE)
def test_what_iterations_before_have_appended_is_not_changed_by_another_name(
    case: str,
) -> None:
    with loaded(program(BEFORE[case], "pass")) as namespace:
        with pytest.raises(MutationError):
            convert(namespace["f"])(A.copy(), np.int32(5))


# What each iteration of a loop over rows appends, of `row`, and what is written then.
SHARED = {
    "a variable has it": ("rows.append(y)\nm = y", "m[0] = 7"),
    "another list has it": ("rows.append(y)\nlog.append(y)", "m = log\nrows[0][0] = 7"),
    "a part of it, twice": ("rows.append(y[1:])\nrows.append(y[:1])", "rows[0][0] = 7"),
    "of the iteration before": ("rows.append(w)\nw = y\nm = w", "rows[1][1] = 7"),
    "a part of what is there": ("rows.append(row[1:])", "rows[1][0] = 7\nm = a"),
    "it on a path": ("rows.append(row if row[0] > 1 else y)", "rows[1][0] = 7\nm = a"),
    "its turned view": ("rows.append(y)\nlog.append(y[::-1])", "m = log\nrows[0][0] = 7"),
    "a dict has it": ("rows.append(y)\nheld['y'] = y", "held['y'][0] = 7"),
}
# An array that a loop writes to is in a list, `rows` or a new one, at several places.
KEPT = [
    "rows[k] = w",
    "rows.insert(0, w)",
    "rows.append(w)",
    "rows[0] = w",
    "rows[k % 2] = w[::-1]",
    "if rows: rows[k % 2] = w[:]",
]


@pytest.mark.parametrize("case", SHARED)
def test_what_each_row_of_an_array_gives_is_had_by_others(case: str) -> None:
    appended, written = SHARED[case]
    lines = [
        "def f(a):",
        " rows, log, held, w, m = [], [], {}, a[0] * 1, None",
        " for row in a:",
        "  y = row * 2",
    ]
    lines += [f"  {line}" for line in appended.split("\n")]
    lines += [f" {line}" for line in [*written.split("\n"), "return rows, m"]]
    with loaded("\n".join(lines) + "\n") as namespace:
        with pytest.raises(MutationError):
            convert(namespace["f"])(A.copy())


@pytest.mark.parametrize("keeps", KEPT)
def test_what_a_loop_writes_and_keeps(keeps: str) -> None:
    after = f"for k in range(n):\n    w[0] = k\n    {keeps}"
    with loaded(program("rows.append(row)", after)) as namespace:
        with pytest.raises(MutationError, match="keeps it"):
            convert(namespace["f"])(A.copy(), np.int32(5))


@pytest.mark.parametrize("case", [*AFTER, *TWICE])
def test_what_others_have_is_refused(case: str) -> None:
    source = (
        program("rows.append(row)", AFTER[case]) if case in AFTER else program(TWICE[case], "rows[1][1] = 6")
    )
    with loaded(source) as namespace:
        with pytest.raises(MutationError):
            convert(namespace["f"])(A.copy(), np.int32(5))


@pytest.mark.parametrize("place", ["0", "n - 1"])
def test_an_item_of_integers_takes_no_floats(place: str) -> None:
    with loaded(program("rows.append(row)", f"rows[{place}] += 0.5")) as namespace:
        for run, n in ((namespace["f"], 3), (convert(namespace["f"]), np.int32(3))):
            with pytest.raises(TypeError, match="Cannot cast ufunc 'add' output"):
                run(A.astype(np.int32), n)
