"""Items of arrays that a property or `__getitem__` of the user's gives: a write stores the item, and calls no setter, as in Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autograph_lite import MutationError, convert


class Clipped:
    def __init__(self) -> None:
        self._x, self.sets = np.zeros(3), np.float64(0)

    @property
    def x(self):
        return self._x

    @x.setter
    def x(self, value):
        self._x = np.clip(value, -1, 1)
        self.sets += 1


class Counting:
    def __init__(self) -> None:
        self.__dict__.update(x=np.zeros(3), sets=np.float64(0))

    def __setattr__(self, name, value):
        self.__dict__["sets"] += 1.0
        self.__dict__[name] = value


class Table:
    def __init__(self) -> None:
        self.rows, self.sets = {"x": np.zeros(3)}, np.float64(0)

    def __getitem__(self, key):
        return self.rows[key]

    def __setitem__(self, key, value):
        self.rows[key] = np.clip(value, -1, 1)
        self.sets += 1

    x = property(lambda self: self["x"], lambda self, value: self.__setitem__("x", value))


def item(o, d):
    o.x = o.x + d
    o.x[0] = 5


def item_alone(o, d):
    o.x[0] = d[1]


def changed(o, d):
    o.x = o.x + d
    o.x[1] += 3
    o.x += 0.25


def in_a_loop(o, d):
    o.x = o.x * d
    for i in range(3):
        o.x[i] += 5 * d[i]


def on_a_path(o, d):
    o.x = o.x + d
    if d[0] > 0.4:
        o.x[2] = 7


def several(o, d):
    o.x[:] = d * 2
    o.x[1:] += d[0]
    return o.x.sum()


def state(o: Any) -> Any:
    array = o.rows["x"] if isinstance(o, Table) else o.__dict__.get("_x", o.__dict__.get("x"))
    return np.asarray(array).tolist(), float(o.sets)


@pytest.mark.parametrize("kind", [Clipped, Counting, Table])
@pytest.mark.parametrize("f", [item, item_alone, changed, in_a_loop, on_a_path, several])
def test_no_setter_is_called(f: Any, kind: Any) -> None:
    python, ours, converted = kind(), kind(), convert(f)
    for number in range(1, 4):
        wanted, found = f(python, np.full(3, number / 4)), converted(ours, np.full(3, number / 4))
        assert (wanted is None) == (found is None)
        assert state(ours) == state(python)


def test_what_is_written_to_a_copy_that_a_property_gives_is_refused() -> None:
    class Celsius:
        def __init__(self):
            self.kelvin = np.array([300.0, 310.0])

        @property
        def c(self):
            return self.kelvin - 273

        @c.setter
        def c(self, value):
            self.kelvin = value + 273

    def f(o, d):
        o.c[0] = d

    with pytest.raises(MutationError, match="nothing in the function reads the array"):
        convert(f)(Celsius(), np.float64(5))
