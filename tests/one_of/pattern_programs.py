"""Programs whose `match` looks at the structure of a value that is one of several."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from tests.one_of.agreement import program

SIGNS = np.array([1, -0.5, 2, -2, 3], np.float32)


@dataclasses.dataclass
class Point:
    x: Any
    y: Any


@dataclasses.dataclass
class Circle:
    r: Any


class Square:
    __match_args__ = ("side",)

    def __init__(self, side):
        self.side = side


@program((1.0,), (-1.0,))
def attributes_of_classes(x):
    shape = Point(x, 2.0) if x > 0 else Circle(x)
    match shape:
        case Point(x=a, y=b):
            return a + b
        case Circle(r=r):
            return r * 10
        case _:
            return 0.0


@program((1.0,), (-1.0,))
def the_value_itself_after_a_class(x):
    shape = Point(x, 2.0) if x > 0 else Circle(x)
    match shape:
        case Point():
            return shape.x * shape.y
        case Circle():
            return shape.r * 10


@program((3.0,), (1.0,), (-1.0,), (-3.0,))
def positions_guards_and_none(x):
    shape = Point(x, 2.0) if x > 0 else Circle(x) if x < -2 else None
    match shape:
        case None:
            return -1.0
        case Point(a, b) if a > b:
            return a
        case Point(a, 2.0):
            return a * 100
        case Circle(r):
            return r
        case _:
            return 0.0


@program((1.0,), (-1.0,))
def class_of_ones_own(x):
    shape = Square(x) if x > 0 else "none"
    match shape:
        case Square(side):
            return side
        case str(text):
            return 5.0 if text == "none" else 6.0


@program((1.0,), (-1.0,))
def name_of_the_whole(x):
    shape = Point(x, 1.0) if x > 0 else Circle(x)
    match shape:
        case Point(x=a) as point:
            return a + point.y
        case (Circle() as circle) | circle:
            return circle.r


@program((1.0,), (-1.0,))
def tuples_of_two_lengths(x):
    command = ("move", x, 2.0) if x > 0 else ("quit",)
    match command:
        case ("move", a, b):
            return a * b
        case ("quit",):
            return -9.0
        case _:
            return 3.0


@program((1.0,), (-1.0,))
def dicts_of_other_keys(x):
    message = {"kind": "force", "f": x} if x > 0 else {"kind": "distance", "d": x, "n": 2}
    match message:
        case {"kind": "force", "f": f}:
            return f, 0
        case {"kind": "distance", **rest}:
            return rest["d"], rest["n"]


@program((1.0,), (-1.0,))
def written_in_a_case(x):
    point, circle = Point(x, 1.0), Circle(x)
    chosen = point if x > 0 else circle
    match chosen:
        case Point():
            chosen.x = 9.0
        case Circle(r=r) if r < 0:
            chosen.r = 8.0
    return point.x, circle.r


@program((SIGNS,))
def events_of_a_loop(xs):
    total, state = 0.0, ("idle",)
    for x in xs:
        match state:
            case ("idle",):
                if x > 0:
                    state = ("run", x)
            case ("run", v) if v > 1.5:
                total += v
                state = ("idle",)
            case ("run", _):
                total += 100
    return total


@program((SIGNS,), (SIGNS[1:],))
def left_by_a_case(xs):
    total = 0.0
    for x in xs:
        step = ("add", x) if x > 0 else "skip" if x > -1 else None
        match step:
            case ("add", v):
                total += v
            case str():
                continue
            case None:
                break
    return total


@program((SIGNS,))
def smallest_with_none(xs):
    best = None
    for x in xs:
        match best:
            case None:
                best = Point(x, x)
            case Point(x=known) if x < known:
                best = Point(x, known)
    match best:
        case Point(a, b):
            return a, b


class Noisy:
    def __init__(self, log):
        self.log = log

    @property
    def value(self):
        self.log[0] += 1
        return self.log[0]


@program((1.0,), (-1.0,))
def property_that_writes(x):
    log = [0]
    thing = Noisy(log) if x > 0 else Circle(x)
    match thing:
        case Circle(r=r):
            return r, log
        case Noisy(value=v):
            return v, log
