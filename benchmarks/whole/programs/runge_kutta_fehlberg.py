"""An orbit in the restricted three-body problem by Runge-Kutta-Fehlberg 4(5), with steps as long as the error allows."""

import numpy as np

MU = 0.012277471

A = [
    [],
    [1 / 4],
    [3 / 32, 9 / 32],
    [1932 / 2197, -7200 / 2197, 7296 / 2197],
    [439 / 216, -8, 3680 / 513, -845 / 4104],
    [-8 / 27, 2, -3544 / 2565, 1859 / 4104, -11 / 40],
]
C = [0, 1 / 4, 3 / 8, 12 / 13, 1, 1 / 2]
B4 = [25 / 216, 0, 1408 / 2565, 2197 / 4104, -1 / 5, 0]
B5 = [16 / 135, 0, 6656 / 12825, 28561 / 56430, -9 / 50, 2 / 55]


def three_body(t, y):
    """The small body's motion in the frame that turns with the two large ones."""
    x1, x2, v1, v2 = y
    d1 = ((x1 + MU) ** 2 + x2**2) ** 1.5
    d2 = ((x1 - 1 + MU) ** 2 + x2**2) ** 1.5
    a1 = x1 + 2 * v2 - (1 - MU) * (x1 + MU) / d1 - MU * (x1 - 1 + MU) / d2
    a2 = x2 - 2 * v1 - (1 - MU) * x2 / d1 - MU * x2 / d2
    return np.array([v1, v2, a1, a2])


def jacobi_constant(y):
    x1, x2, v1, v2 = y
    r1 = np.sqrt((x1 + MU) ** 2 + x2**2)
    r2 = np.sqrt((x1 - 1 + MU) ** 2 + x2**2)
    return x1**2 + x2**2 + 2 * ((1 - MU) / r1 + MU / r2) - v1**2 - v2**2


def stages(f, t, y, h):
    k = []
    for i in range(6):
        yi = y.copy()
        for j in range(i):
            yi += h * A[i][j] * k[j]
        k.append(f(t + C[i] * h, yi))
    return k


def attempt(f, t, y, h):
    """The solution of fifth order, and the norm of its difference from that of fourth."""
    k = stages(f, t, y, h)
    y4 = y.copy()
    y5 = y.copy()
    for b4, b5, ki in zip(B4, B5, k):
        y4 += h * b4 * ki
        y5 += h * b5 * ki
    return y5, np.max(np.abs(y5 - y4))


class StepControl:
    """How long the next step is."""

    def __init__(self, tol, h_min=1e-7, h_max=0.1, safety=0.9):
        self.tol = tol
        self.h_min = h_min
        self.h_max = h_max
        self.safety = safety
        self.accepted = 0
        self.rejected = 0

    def next(self, h, error):
        """Whether the step is good, and the length of the next one."""
        good = error <= self.tol
        if good:
            self.accepted += 1
        else:
            self.rejected += 1
        if error == 0:
            factor = 4.0
        else:
            factor = min(4.0, max(0.1, self.safety * (self.tol / error) ** 0.2))
        return good, min(max(h * factor, self.h_min), self.h_max)


def runge_kutta_fehlberg(start, t_end=3.0, tol=1e-6, max_steps=400, keep=64):
    """The last state, times and states kept on the way, and how many steps were taken and thrown away."""
    t = 0.0
    y = start.copy()
    h = 0.01
    control = StepControl(tol)
    times = np.zeros(keep)
    path = np.zeros((keep, 4))
    kept = 0
    shortest = np.inf
    steps = 0
    while t < t_end and steps < max_steps:
        if t + h > t_end:
            h = t_end - t
        y_new, error = attempt(three_body, t, y, h)
        if not np.isfinite(error):
            break
        good, h_new = control.next(h, error)
        if good:
            t += h
            y = y_new
            shortest = min(shortest, h)
            if kept < keep:
                times[kept] = t
                path[kept] = y
                kept += 1
        h = h_new
        steps += 1
    drift = jacobi_constant(y) - jacobi_constant(start)
    return y, t, times, path, control.accepted, control.rejected, shortest, drift
