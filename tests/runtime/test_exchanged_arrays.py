"""Places that exchange arrays between calls, `o.u, o.v = o.v, o.u`: by the function itself, by another one, and by plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import autograph_lite as al

pytestmark = pytest.mark.filterwarnings("ignore::autograph_lite.RetraceWarning")


class Grids:
    def __init__(self) -> None:
        self.u, self.v, self.w = np.arange(4.0), np.zeros(4), np.ones(4)
        self.best = self.u
        self.rows = [np.full(4, 2.0), np.full(4, 3.0)]

    def diffuse(self, x):
        self.v[1:-1] = self.u[1:-1] * x + self.u[2:]
        self.u, self.v = self.v, self.u

    def rotate(self, x):
        self.w[0] = self.u[0] + x
        self.u, self.v, self.w = self.v, self.w, self.u

    def keep(self, x):
        self.u[1] = x
        self.best = self.u

    def keep_if(self, x):
        self.w[2] += x
        if x > 1:
            self.u[0] = self.v[0] + x

    def swap_rows(self, x):
        self.rows[0][1] = self.rows[1][0] * x
        self.rows[0], self.rows[1] = self.rows[1], self.rows[0]

    def several(self, x):
        for _ in range(3):
            self.v[0] = self.u[1] + x
            self.u, self.v = self.v, self.u
        return self.u[0]

    def total(self, x):
        return (self.u + 2 * self.v + 4 * self.w).sum() * x + self.best[1]


METHODS = ("diffuse", "rotate", "keep", "keep_if", "swap_rows", "several", "total")


def swapped(o):
    o.u, o.v = o.v, o.u


def written(o):
    o.u[3] += 1


def replaced(o):
    o.v = o.v + 1


def rows_swapped(o):
    o.rows.reverse()


BY_PYTHON = (swapped, written, replaced, rows_swapped)


class Converted(Grids):
    for _name in METHODS:
        locals()[_name] = al.convert(getattr(Grids, _name))


def state(o: Grids) -> Any:
    arrays = [o.u, o.v, o.w, o.best, *o.rows]
    same = [next(n for n, other in enumerate(arrays) if other is each) for each in arrays]
    return [[float(f"{item:.4g}") for item in np.asarray(each)] for each in arrays], same


def sequence(steps: list[Any]) -> None:
    python, ours = Grids(), Converted()
    for step, x in steps:
        if callable(step):
            step(python)
            step(ours)
        else:
            wanted, found = getattr(python, step)(x), getattr(ours, step)(x)
            assert (wanted is None) == (found is None)
            np.testing.assert_allclose(
                0 if found is None else found, 0 if wanted is None else wanted, rtol=1e-5
            )
        assert state(ours) == state(python)


STEPS = st.lists(
    st.tuples(
        st.sampled_from([*METHODS, *BY_PYTHON]), st.sampled_from([np.float64(0.5), np.float64(2), 0.5])
    ),
    min_size=4,
    max_size=9,
)


@settings(max_examples=15)
@given(STEPS)
def test_each_call_sees_what_is_where(steps: list[Any]) -> None:
    sequence(steps)


@pytest.mark.parametrize(
    ("name", "by_python", "traces"),
    [
        ("diffuse", None, 2), ("rotate", None, 3), ("several", None, 2), ("swap_rows", None, 2), ("diffuse", swapped, 1),
        ("keep_if", swapped, 3),
    ],
    ids=["two", "three", "in a loop", "items", "back by Python", "by Python"],
)  # fmt: skip
def test_there_is_a_trace_for_each_order(name: str, by_python: Any, traces: int) -> None:
    python, ours = Grids(), Converted()
    for number in range(10):
        for o in (python, ours):
            getattr(o, name)(np.float64(2 + number / 4))
            if by_python is not None:
                by_python(o)
        assert state(ours) == state(python)
    assert getattr(ours, name).trace_count == traces


def test_a_number_that_changes_is_seen_in_each_order() -> None:
    class Model:
        def __init__(self):
            self.u, self.v, self.rate = np.ones(2), np.zeros(2), 1.0

    def step(o):
        o.v[:] = o.u * o.rate + 1
        o.u, o.v = o.v, o.u

    python, ours, converted = Model(), Model(), al.convert(step)
    for number in range(9):
        if number % 3 == 0:
            python.rate = ours.rate = float(number)
        step(python)
        converted(ours)
        assert ours.u.tolist() == python.u.tolist()
        assert ours.v.tolist() == python.v.tolist()


def test_what_is_computed_of_an_outside_array_and_then_written() -> None:
    class Model:
        def __init__(self):
            self.x, self.z = np.ones(3), np.zeros(3)

    def f(o, x):
        o.z = o.x * 2
        if x > 2:
            o.z[0] = x
        o.z[1:] *= x

    python, ours, converted = Model(), Model(), al.convert(f)
    held = python.z, ours.z
    for x in (1.0, 3.0, 2.0):
        f(python, np.float64(x))
        converted(ours, np.float64(x))
        assert np.asarray(ours.z).tolist() == python.z.tolist()
        assert held[0].tolist() == held[1].tolist() == [0, 0, 0]
    assert converted.trace_count <= 2
