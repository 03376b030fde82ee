"""Lists and dicts that each call makes anew out of the arrays that it writes to, `s.b = [s.b[1], s.b[0]]`, as of a leapfrog."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import autograph_lite as al

pytestmark = pytest.mark.filterwarnings("ignore::autograph_lite.RetraceWarning")


def made() -> Any:
    return SimpleNamespace(
        b=[np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.array([5.0, 6.0])], d={"u": np.array([1.0, 2.0]), "v": np.array([3.0, 4.0])},
        e={"p": [np.array([1.0, 2.0]), np.array([3.0, 4.0])]}, a=np.array([7.0, 8.0]), x=np.array([0.0, 1.0]),
    )  # fmt: skip


def exchange(s, k):
    s.b[0][0] += k
    s.b = [s.b[1], s.b[0]]


def leapfrog(s, k):
    before, now, new = s.b
    new[1] = 2 * now[1] - before[1] + k
    s.b = [now, new, before]


def rotate(s, k):
    s.b[0][0] += k
    s.b = s.b[1:] + s.b[:1]


def reverse(s, k):
    s.b[0][0] += k
    s.b = s.b[::-1]


def take_last(s, k):
    last = s.b.pop()
    last[0] += k
    s.b = [last] + s.b  # noqa: RUF005


def exchange_in_dict(s, k):
    s.d["u"][0] += k
    s.d = {"u": s.d["v"], "v": s.d["u"]}


def exchange_in_nested(s, k):
    s.e["p"] = [s.e["p"][1], s.e["p"][0]]
    s.e["p"][0][0] += k


def exchange_and_double(s, k):
    s.b[0][0] += k
    s.b = [s.b[1], s.b[0] * 2]


def double_and_exchange(s, k):
    s.b = [s.b[1] * k, s.b[0]]
    s.b[1][0] += 1


def rotate_with_a_copy(s, k):
    s.b[0][0] += k
    s.b = [*s.b[1:], s.b[0].copy()]


def shift_in_a_new_array(s, k):
    s.b = [*s.b[1:], s.a + k]
    s.b[0][0] += k


def same_again(s, k):
    s.b[0][0] += k
    s.b = list(s.b)


def keep_and_exchange(s, k):
    s.b[0][0] += k
    s.x = s.b[1]
    s.b = [s.b[1], s.b[0]]


def put_another(s, k):
    s.b[0][0] += k
    s.b = s.b.copy()
    s.b[1] = s.a


def double_after_a_move(s, k):
    s.x = s.a
    s.b = [s.b[0] * 2]


STEPS = [
    exchange, leapfrog, rotate, reverse, take_last, exchange_in_dict, exchange_in_nested, exchange_and_double, double_and_exchange,
    rotate_with_a_copy, shift_in_a_new_array, same_again, keep_and_exchange, put_another,
]  # fmt: skip


def write(s, k):
    s.b[1][1] = k


def after(steps, *, converts: bool, between: Any = None) -> list[Any]:
    """What the object and the arrays of before hold after each step."""
    s = made()
    held = [*s.b, *s.d.values(), *s.e["p"], s.a, s.x]
    run = [al.convert(step) if converts else step for step in steps]
    found = []
    for number in range(4):
        for step in run:
            step(s, np.float64(number + 1))
            here = [s.b, [*s.d.values()], s.e["p"], [s.a, s.x], held]
            found.append([[np.asarray(each).tolist() for each in arrays] for arrays in here])
        if between is not None:
            between(s)
    return found


@pytest.mark.parametrize("others", [[], [write]], ids=["alone", "beside-a-write"])
@pytest.mark.parametrize("step", STEPS, ids=lambda fn: fn.__name__)
def test_each_call_finds_what_the_one_before_has_left(step: Any, others: list[Any]) -> None:
    assert after([step, *others], converts=True) == after([step, *others], converts=False)


def put_first(s):
    s.b[0] = s.a


def exchange_by_python(s):
    s.b = [s.b[1], s.b[0]]


@pytest.mark.parametrize("between", [put_first, exchange_by_python], ids=lambda fn: fn.__name__)
@pytest.mark.parametrize("step", [same_again, exchange, exchange_and_double], ids=lambda fn: fn.__name__)
def test_beside_plain_python(step: Any, between: Any) -> None:
    found = after([step], converts=True, between=between)
    assert found == after([step], converts=False, between=between)


def test_an_item_that_python_has_replaced_by_an_array_that_the_call_moves() -> None:
    found = after([double_after_a_move], converts=True, between=put_first)
    assert found == after([double_after_a_move], converts=False, between=put_first)
