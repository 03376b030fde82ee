"""Lists, dicts and arrays that a function, or plain Python, puts in another place; and numbers that become arrays."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import jax
import numpy as np
import pytest

import autograph_lite as al

pytestmark = pytest.mark.filterwarnings("ignore::autograph_lite.RetraceWarning")


def made() -> SimpleNamespace:
    return SimpleNamespace(
        a=np.array([1.0, 2.0]), b=np.array([3.0, 4.0]), rows=[np.array([1.0]), np.array([2.0])], others=[np.array([5.0])],
        now={"u": np.array([1.0])}, next={"u": np.array([0.0])}, t=0.0, h=0, best=np.inf, hist=[0.0, 0.0],
    )  # fmt: skip


def swap_lists(o, x):
    o.rows, o.others = o.others, o.rows
    return o.rows[0] * x


def reversed_list(o, x):
    o.rows = o.rows[::-1]
    return o.rows[0] * x


def swap_dicts(o, x):
    o.next["u"][:] = o.now["u"] * 2 + x
    o.now, o.next = o.next, o.now


def swap_dicts_with_new_arrays(o, x):
    o.next["u"] = o.now["u"] * 2 + x
    o.now, o.next = o.next, o.now


def scale(o, x):
    o.a = o.a * 2


def write_and_swap(o, x):
    o.b[0] = 9
    o.a, o.b = o.b, o.a


def write_both(o, x):
    o.a[0] += x
    o.b[1] -= x
    o.a = o.b


def write_rows(o, x):
    o.rows[0] += x
    o.rows[1][0] -= x


def write_rows_and_swap(o, x):
    o.rows[0][0] += x
    o.a, o.b = o.b, o.a


def sums(o, x):
    o.t = o.t + o.a.sum()
    o.h = o.h + o.a
    o.hist.append(o.a.sum())
    o.hist.pop(0)
    return o.t


def better(o, x):
    error = (o.b**2).sum()
    if error < o.best:
        o.best = error
    o.b = o.b * 0.5
    return o.best


def reverse_rows(o):
    o.rows = o.rows[::-1]


def new_list(o):
    o.rows = [*o.rows]


def exchange(o):
    o.now, o.next = o.next, o.now


def state(o: Any, held: list[Any]) -> Any:
    values = [*vars(o).values()]
    return [np.asarray(leaf).tolist() for leaf in jax.tree.leaves([values, held])]


@pytest.mark.parametrize(
    "steps",
    [
        [swap_lists], [reversed_list], [swap_dicts], [swap_dicts_with_new_arrays], [swap_dicts, exchange], [scale, write_and_swap],
        [scale, write_both, scale], [write_rows, reverse_rows], [write_rows, new_list], [write_rows_and_swap, new_list],
        [write_rows_and_swap, reverse_rows], [sums], [sums, scale], [better], [better, scale, sums],
    ],
    ids=lambda steps: "-".join(step.__name__ for step in steps),
)  # fmt: skip
@pytest.mark.parametrize("x", [np.float64(1.5), 2.0], ids=["traced", "known"])
def test_each_call_is_as_in_python(steps: list[Any], x: Any) -> None:
    with jax.enable_x64(True):
        python, ours = made(), made()
        held = [[o.a, o.b, *o.rows] for o in (python, ours)]
        converted = {step: al.convert(step) for step in steps if step.__code__.co_argcount == 2}
        for _ in range(4):
            for step in steps:
                args = (x,) if step in converted else ()
                wanted, found = step(python, *args), converted.get(step, step)(ours, *args)
                assert (wanted is None) == (found is None)
                np.testing.assert_allclose(0 if found is None else found, 0 if wanted is None else wanted)
                assert state(ours, held[1]) == state(python, held[0])


def test_the_warning_names_the_place() -> None:
    @al.convert
    def step(x):
        o.now, o.next = o.next, o.now
        return o.now["u"] * x

    o = made()
    with pytest.warns(
        al.RetraceWarning, match=r"It puts a list or dict that was there before, or its arrays, in '.*now'\."
    ):
        for _ in range(6):
            step(np.float64(1))


def test_a_setting_that_is_put_there_each_time_costs_no_traces() -> None:
    defaults, o = {"rate": 2.0}, made()

    @al.convert
    def step(x):
        o.settings = defaults
        return x * o.settings["rate"]

    assert [float(step(np.float32(k))) for k in range(5)] == [0, 2, 4, 6, 8]
    assert step.trace_count <= 2
