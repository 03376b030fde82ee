"""Arrays of NumPy's in objects, which a call writes and puts others in their place: who else holds them sees the write."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph_lite


class State:
    """Arrays, one of them under three names."""

    def __init__(self) -> None:
        self.x, self.y, self.z = np.zeros(2), np.ones(2), np.ones(2) * 5
        self.seen = self.x
        self.bufs = [np.zeros(2), np.ones(2), self.z]
        self.d = {"x": np.zeros(2), "y": np.ones(2)}


@dataclasses.dataclass
class Data:
    """The same of a dataclass."""

    x: Any
    y: Any
    z: Any
    seen: Any
    bufs: Any
    d: Any


def data() -> Data:
    return Data(**vars(State()))


def held(state: Any) -> list[Any]:
    """All its arrays."""
    return [
        *(state.x, state.y, state.z, state.seen),
        *state.bufs,
        *(state.d[key] for key in sorted(state.d)),
    ]


def another(s: Any, v: Any) -> Any:
    s.x[0] = v
    s.x = s.y


def computed(s: Any, v: Any) -> Any:
    s.x[1] -= v
    s.x = s.x * 2


def new(s: Any, v: Any) -> Any:
    s.d["x"][1] += v
    s.d["x"] = np.ones(2)


def kept_then_computed(s: Any, v: Any) -> Any:
    s.x[0] = v
    s.y = s.x
    s.x = s.x * 2


def levels(s: Any, v: Any) -> Any:
    s.z[0] = v + s.x[0]
    s.x, s.y, s.z = s.y, s.z, s.x


def swapped_and_written_again(s: Any, v: Any) -> Any:
    s.x[0] = v
    s.x, s.y = s.y, s.x
    s.x[1] = 2 * v


def in_place(s: Any, v: Any) -> Any:
    s.x += v
    np.multiply(s.y, v, out=s.y)
    s.x = s.x * 2
    s.y = s.x + 1


def in_a_list(s: Any, v: Any) -> Any:
    s.bufs[0][0] = v
    s.bufs.append(s.bufs.pop(0))


def a_new_list(s: Any, v: Any) -> Any:
    s.bufs[0][1] += v
    s.bufs = [b + 1 for b in s.bufs]


def a_shorter_list(s: Any, v: Any) -> Any:
    s.bufs[-1][0] = v
    s.bufs.pop()


def gone(s: Any, v: Any) -> Any:
    s.x[:] = v
    s.x = s.z


def in_a_dict(s: Any, v: Any) -> Any:
    s.d["x"][0] = v
    s.d.update(x=s.d.pop("y"), y=s.d["x"])


def by_name(s: Any, v: Any) -> Any:
    s.x[0] = v
    setattr(s, "x", s.y)  # noqa: B010


def on_a_path(s: Any, v: Any) -> Any:
    s.x[0] = v
    if v > 3:
        s.x = s.x * 2


def on_the_other_path(s: Any, v: Any) -> Any:
    s.d["x"][0] = v
    if v < 3:
        s.d["x"] = s.d["y"]


def made_here(s: Any, v: Any) -> Any:
    s.x = np.zeros(2)
    s.x[0] = v


def made_here_and_named(s: Any, v: Any) -> Any:
    t = np.zeros(2)
    s.x = t
    t[0] = v
    s.y = s.y.copy()
    s.y[1] = v


def made_longer(s: Any, v: Any) -> Any:
    s.x = np.append(s.x, 0.0)
    s.x[-1] = v
    s.bufs = [np.zeros(2) for _ in range(2)]
    s.bufs[1][0] = v


def appended(s: Any, v: Any) -> Any:
    s.bufs.append(np.zeros(2))
    s.bufs[-1][0] = v


def filled_in_a_loop(s: Any, v: Any) -> Any:
    s.x = np.zeros(3)
    for i in range(3):
        s.x[i] = v * i


PROGRAMS = [
    another, computed, new, kept_then_computed, levels, swapped_and_written_again, in_place, in_a_list, a_new_list,
    a_shorter_list, gone, in_a_dict, by_name, on_a_path, on_the_other_path, made_here, made_here_and_named,
    made_longer, appended, filled_in_a_loop,
]  # fmt: skip


def ran(program: Callable[..., Any], make: Callable[[], Any], convert: Any, how: str) -> list[Any]:
    """What the arrays of before and those of now are after a call."""
    state = make()
    before = held(state)
    if how == "argument":
        convert(program)(state, np.float32(3))
    else:

        def f(v: Any) -> Any:
            return program(state, v)

        convert(f)(np.float32(3))
    return [*before, *held(state), *state.bufs]


@pytest.mark.parametrize("make", [State, data])
@pytest.mark.parametrize("how", ["argument", "outside"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_who_else_holds_it(program: Callable[..., Any], how: str, make: Callable[[], Any]) -> None:
    wanted = ran(program, make, lambda f: f, how)
    found = ran(program, make, autograph_lite.convert, how)
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other)


def test_calls_again() -> None:
    def run(convert: Any) -> Any:
        state = State()
        before = held(state)
        step = convert(lambda v: levels(state, v))
        for v in (3, 4, 5, 6):
            step(np.float32(v))
        return before

    for one, other in zip(run(autograph_lite.convert), run(lambda f: f), strict=True):
        np.testing.assert_allclose(one, other)


def test_a_variable_of_an_enclosing_function() -> None:
    def run(convert: Any) -> Any:
        a, b = np.zeros(2), np.ones(2)
        first, second = a, b

        def f(v: Any) -> None:
            nonlocal a
            a[0] = v
            a = b

        convert(f)(np.float32(3))
        assert a is b
        return first, second

    np.testing.assert_allclose(run(autograph_lite.convert), run(lambda f: f))


def test_a_program_that_writes_to_none_is_traced_as_often_as_before() -> None:
    state = State()

    @autograph_lite.convert
    def step(v: Any) -> None:
        state.x = state.x - v

    for _ in range(4):
        step(np.float32(1))
    np.testing.assert_allclose(state.x, [-4, -4])
    assert step.trace_count == 2  # of NumPy's array, and of JAX's
