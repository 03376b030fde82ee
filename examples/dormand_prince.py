"""Where does a ball land? The Dormand-Prince method, with step control and an event that stops it.

The classic adaptive Runge-Kutta pair of orders 5 and 4: a step whose error estimate is too large is tried
again, shorter; when the event's value falls below zero within a step, bisection on the step's interpolant
finds the moment and the integration returns at once.

Source: Dormand and Prince, "A family of embedded Runge-Kutta formulae", 1980.
"""

import math
from collections.abc import Callable
from types import ModuleType
from typing import NamedTuple

import numpy
from show import Array, Case, Runner, floats, present

MAX_TRIALS = 1000
NODES = (1 / 5, 3 / 10, 4 / 5, 8 / 9, 1, 1)
TABLEAU = (
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
ERROR = (71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)


class Solution(NamedTuple):
    """Time and state at the end, steps taken and rejected, and whether the event ended it."""

    t: Array
    y: Array
    taken: Array
    rejected: Array
    stopped: Array


def solve(
    y: Array,
    t_end: Array,
    tolerance: Array,
    *,
    f: Callable[..., Array],
    event: Callable[..., Array],
    np: ModuleType = numpy,
) -> Solution:
    """Integrates y' = f(t, y) from t = 0 until `t_end`, or until `event(t, y)` falls below zero."""
    t = 0.0
    h = 0.01 * t_end
    slope = f(t, y, np=np)
    taken = rejected = 0
    while t < t_end:
        if taken + rejected == MAX_TRIALS:
            break
        h = min(h, t_end - t)
        y_new, slope_new, error = trial(t, y, slope, h, tolerance, f=f, np=np)
        factor = min(5.0, max(0.2, 0.9 * max(error, 1e-6) ** -0.2))
        if error > 1:
            rejected += 1
            h *= factor
            continue
        taken += 1
        if event(t + h, y_new) < 0:
            early, late = 0.0, 1.0
            while late - early > 1e-5:
                middle = (early + late) / 2
                if event(t + middle * h, between(middle, h, y, slope, y_new, slope_new)) < 0:
                    late = middle
                else:
                    early = middle
            return Solution(t + late * h, between(late, h, y, slope, y_new, slope_new), taken, rejected, True)
        t, y, slope = t + h, y_new, slope_new
        h *= factor
    return Solution(t, y, taken, rejected, False)


def trial(
    t: Array, y: Array, slope: Array, h: Array, tolerance: Array, *, f: Callable[..., Array], np: ModuleType
) -> tuple[Array, Array, Array]:
    """The state one step on, the slope there, and the error estimate in units of the tolerance."""
    slopes = [slope]
    for node, row in zip(NODES, TABLEAU):
        stage = y + h * sum(weight * k for weight, k in zip(row, slopes))
        slopes.append(f(t + node * h, stage, np=np))
    difference = h * sum(weight * k for weight, k in zip(ERROR, slopes))
    error = np.max(np.abs(difference) / (tolerance * (1 + np.maximum(np.abs(y), np.abs(stage)))))
    return stage, slopes[-1], error


def between(part: Array, h: Array, y0: Array, slope0: Array, y1: Array, slope1: Array) -> Array:
    """The cubic Hermite interpolant of a step, at the given part of it."""
    rest = 1 - part
    ends = rest * y0 + part * y1
    return ends + part * rest * (rest * (h * slope0 - y1 + y0) - part * (h * slope1 - y1 + y0))


def thrown_ball(t: Array, y: Array, *, np: ModuleType) -> Array:
    """Slope of (x, height, their velocities) under gravity and quadratic air drag; metres and seconds."""
    speed = np.sqrt(y[2] ** 2 + y[3] ** 2)
    return np.stack([y[2], y[3], -0.01 * speed * y[2], -9.81 - 0.01 * speed * y[3]])


def vacuum(t: Array, y: Array, *, np: ModuleType) -> Array:
    """Slope of the same state without air."""
    return np.stack([y[2], y[3], 0 * y[2], 0 * y[3] - 9.81])


def height(t: Array, y: Array) -> Array:
    """The ball's height: below zero it has landed."""
    return y[1]


def oscillator(t: Array, y: Array, *, np: ModuleType) -> Array:
    """Slope of (position, velocity) of a spring: the solution is a cosine."""
    return np.stack([y[1], -y[0]])


def position(t: Array, y: Array) -> Array:
    """The spring's position: below zero it has passed its rest."""
    return y[0]


def never(t: Array, y: Array) -> float:
    """An event that does not happen."""
    return 1.0


def cases() -> list[Case]:
    """A throw that lands, one that is still in the air at the end, and a spring's whole turn."""
    throw = floats(0, 0, 30, 40)
    tight, loose, late, early = floats(1e-5, 1e-3, 100, 2)
    turn = (floats(1, 0), numpy.float32(2 * math.pi), tight)
    return [
        Case(solve, (throw, late, tight), {"f": thrown_ball, "event": height}, Solution._fields),
        Case(solve, (throw, early, loose), {"f": thrown_ball, "event": height}, Solution._fields),
        Case(solve, turn, {"f": oscillator, "event": never}, Solution._fields),
    ]


def check(run: Runner) -> None:
    """Closed forms: a cosine is back after a turn and zero at a quarter; a throw in vacuum is a parabola."""
    spring = floats(1, 0)
    tolerance = numpy.float32(1e-6)
    turn = run(solve, spring, numpy.float32(2 * math.pi), tolerance, f=oscillator, event=never)
    numpy.testing.assert_allclose(turn.y, [1, 0], atol=2e-5)
    assert not turn.stopped
    quarter = run(solve, spring, numpy.float32(10), tolerance, f=oscillator, event=position)
    numpy.testing.assert_allclose(quarter.t, math.pi / 2, atol=1e-4)
    assert quarter.stopped
    throw = floats(0, 0, 30, 40)
    landing = run(solve, throw, numpy.float32(100), numpy.float32(1e-5), f=vacuum, event=height)
    numpy.testing.assert_allclose(landing.t, 2 * 40 / 9.81, rtol=1e-4)
    numpy.testing.assert_allclose(landing.y[:2], [30 * 2 * 40 / 9.81, 0], rtol=1e-4, atol=1e-2)


if __name__ == "__main__":
    present("Where does a ball land that is thrown at 50 m/s through air? Dormand-Prince 5(4).", cases()[0])
