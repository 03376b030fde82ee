"""An array that a call puts into a second place is one array there; where a condition may put it there, a later write is refused."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import autograph_lite as al
from autograph_lite.errors import MutationError

pytestmark = pytest.mark.filterwarnings("ignore::autograph_lite.RetraceWarning")


class Search:
    def __init__(self) -> None:
        self.a, self.b = np.array([1.0, 20.0]), np.array([3.0, 4.0])
        self.x: Any = np.zeros(2)
        self.rows: Any = [np.array([1.0, 2.0]), np.array([3.0, 3.0])]


def swap_if(s, k):
    if k > 0:
        s.a, s.b = s.b, s.a


def shift_if(s, k):
    if k > 0:
        s.a, s.b = s.b, s.a * 0.5


def keep(s, k):
    s.x = s.a
    s.a = s.a * 0.5 + k


def keep_if(s, k):
    if k > 0:
        s.x = s.a
    s.a = s.a * 0.5 + k


def keep_new_if(s, k):
    s.a = s.a * 0.5 + k
    if k > 0:
        s.x = s.a


def keep_copy_if(s, k):
    s.a = s.a * 0.5 + k
    if k > 0:
        s.x = s.a.copy()


def reset_if(s, k):
    if k > 0:
        s.a = s.b


def choose(s, k):
    s.a = s.b if k > 0 else s.b * 2


def keep_then_double_if(s, k):
    s.x = s.a
    if k > 0:
        s.a = s.a * 2


def accept_if(s, k):
    new = s.a * 0.5 + k
    if new.sum() < s.a.sum():
        s.a, s.x = new, s.a


def accept_for_both_if(s, k):
    new = s.a * 0.5 + k
    if new.sum() < s.a.sum():
        s.a = new
        s.x = new


def nested(s, k):
    if k < 5:
        if k > 1:
            s.a = s.b
        elif k > 0:
            s.a = s.x


def shift_rows_if(s, k):
    if k > 0:
        s.rows.append(s.a)
        s.rows.pop(0)
    s.a = s.a * 0.5 + k


def shift_rows(s, k):
    s.rows.append(s.a)
    s.rows.pop(0)
    s.a = s.a * 0.5 + k


def view(s, k):
    s.x = s.a[:]
    if k > 0:
        s.a = s.a * 2


def take_last_row(s, k):
    s.x = s.rows[-1]


def keep_in_a_loop(s, k):
    i = 0
    while i < k:
        s.x = s.a
        i += 1


def exchange_in_a_loop(s, k):
    i = 0
    while i < k:
        s.a, s.b = s.b, s.a * 0.5
        i += 1


def take_a_row(s, k):
    s.x = s.rows[int(k > 0)]


def take_the_least(s, k):
    s.x = s.rows[np.argmin([row.sum() for row in s.rows])]


def sort_rows(s, k):
    s.rows = sorted(s.rows, key=lambda row: row.sum())


def write_a(s, k):
    s.a[0] += k


def write_b(s, k):
    s.b += k


def write_x(s, k):
    s.x[1] = k


def write_row(s, k):
    s.rows[1][0] -= k


def write_known(s, k):
    s.a[1] = 5
    s.b += 1
    s.x.fill(2)


BINDING = [
    swap_if, shift_if, keep, keep_if, keep_new_if, keep_copy_if, reset_if, choose, keep_then_double_if, accept_if,
    accept_for_both_if, nested, shift_rows_if, shift_rows, view, take_last_row, keep_in_a_loop, exchange_in_a_loop, take_a_row,
    take_the_least, sort_rows,
]  # fmt: skip
WRITING = [write_a, write_b, write_x, write_row, write_known]


def left_by(steps, numbers, *, converts: bool) -> list[Any]:
    """What the attributes are after each step, and which of them are one array; the last one is an error that was raised."""
    s, found = Search(), []
    known: dict[Any, Any] = {}
    for step, k in zip(steps, numbers, strict=True):
        run = known.setdefault(step, al.convert(step) if converts else step)
        try:
            run(s, np.float64(k))
        except MutationError as error:
            return [*found, error]
        arrays = [s.a, s.b, s.x, *s.rows]
        found.append(
            ([np.asarray(each).tolist() for each in arrays], [a is b for a in arrays for b in arrays])
        )
    return found


def check(steps, numbers, *, may_refuse: bool) -> None:
    expected, found = (left_by(steps, numbers, converts=converts) for converts in (False, True))
    if isinstance(found[-1], MutationError):
        assert may_refuse
        assert "may have put, into an object" in str(found.pop())
        expected = expected[: len(found)]
    for (values, _), (others, _) in zip(expected, found, strict=True):
        for value, other in zip(values, others, strict=True):
            np.testing.assert_allclose(value, other)


@pytest.mark.parametrize("write", WRITING, ids=lambda fn: fn.__name__)
@pytest.mark.parametrize("bind", BINDING, ids=lambda fn: fn.__name__)
def test_writes_reach_both_places_or_are_refused(bind: Any, write: Any) -> None:
    check([bind, write] * 5, [-1, 1, 1, 2, -1, -1, 1, 1, 0, 3], may_refuse=True)


@pytest.mark.parametrize("write", WRITING, ids=lambda fn: fn.__name__)
@pytest.mark.parametrize("bind", [keep, keep_copy_if, shift_rows, take_last_row], ids=lambda fn: fn.__name__)
def test_what_no_condition_puts_into_two_places_is_one_array(bind: Any, write: Any) -> None:
    check([bind, write] * 3, [1, 2, -1, 1, 3, 1], may_refuse=False)


@pytest.mark.parametrize(
    "bind", [swap_if, shift_if, exchange_in_a_loop, keep_copy_if], ids=lambda fn: fn.__name__
)
def test_what_conditions_exchange_is_not_refused(bind: Any) -> None:
    check([bind, write_a] * 4, [-1, 1, 1, 2, 1, -1, 1, 3], may_refuse=False)


@settings(max_examples=12)
@given(st.data())
def test_random_calls(data: st.DataObject) -> None:
    steps = data.draw(st.lists(st.sampled_from([*BINDING, *WRITING]), min_size=3, max_size=7))
    check(
        steps,
        data.draw(st.lists(st.sampled_from([-1, 1, 2]), min_size=len(steps), max_size=len(steps))),
        may_refuse=True,
    )


def test_a_call_puts_the_very_array_into_a_second_place() -> None:
    @al.convert
    def step(s):
        s.old = s.a
        s.a = s.a * 2

    s = copy.copy(Search())
    first = s.a
    step(s)
    assert s.old is first
    second = s.a
    step(s)
    assert s.old is second


def test_a_write_is_refused_only_while_somebody_has_the_other_array() -> None:
    @al.convert
    def halve_if(s, k):
        if k > 0:
            s.a = s.a * 0.5

    s, k = Search(), np.float64(-1)
    held = s.a
    halve_if(s, k)
    with pytest.raises(MutationError, match="may have put, into an object"):
        al.convert(write_a)(s, k)  # `held` would see it in Python
    del held
    al.convert(write_a)(s, k)
    np.testing.assert_array_equal(s.a, [0.0, 20.0])


def test_an_argument_that_an_object_keeps_is_not_changed_behind_the_callers_back() -> None:
    @al.convert
    def take(s, x):
        s.x = x

    s, x = Search(), np.array([5.0, 6.0])
    take(s, x)
    with pytest.raises(MutationError, match=r"put a copy there, o.best = o.x.copy\(\)"):
        al.convert(write_x)(s, np.float64(1))
    del x
    al.convert(write_x)(s, np.float64(1))
    np.testing.assert_array_equal(s.x, [5.0, 1.0])
