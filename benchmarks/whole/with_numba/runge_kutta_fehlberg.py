"""Runge-Kutta-Fehlberg 4(5) with its tables as arrays and a step's stages in one array that is used again."""

import numpy as np

MU = 0.012277471
A = np.array([
    [0.0, 0.0, 0.0, 0.0, 0.0],
    [1 / 4, 0.0, 0.0, 0.0, 0.0],
    [3 / 32, 9 / 32, 0.0, 0.0, 0.0],
    [1932 / 2197, -7200 / 2197, 7296 / 2197, 0.0, 0.0],
    [439 / 216, -8.0, 3680 / 513, -845 / 4104, 0.0],
    [-8 / 27, 2.0, -3544 / 2565, 1859 / 4104, -11 / 40],
])  # fmt: skip
B4 = np.array([25 / 216, 0, 1408 / 2565, 2197 / 4104, -1 / 5, 0])
B5 = np.array([16 / 135, 0, 6656 / 12825, 28561 / 56430, -9 / 50, 2 / 55])


def three_body(y, out):
    x1, x2, v1, v2 = y[0], y[1], y[2], y[3]
    d1 = ((x1 + MU) ** 2 + x2**2) ** 1.5
    d2 = ((x1 - 1 + MU) ** 2 + x2**2) ** 1.5
    out[0], out[1] = v1, v2
    out[2] = x1 + 2 * v2 - (1 - MU) * (x1 + MU) / d1 - MU * (x1 - 1 + MU) / d2
    out[3] = x2 - 2 * v1 - (1 - MU) * x2 / d1 - MU * x2 / d2


def jacobi_constant(y):
    r1 = np.sqrt((y[0] + MU) ** 2 + y[1] ** 2)
    r2 = np.sqrt((y[0] - 1 + MU) ** 2 + y[1] ** 2)
    return y[0] ** 2 + y[1] ** 2 + 2 * ((1 - MU) / r1 + MU / r2) - y[2] ** 2 - y[3] ** 2


def attempt(y, h, k, y_new):
    """Writes the solution of fifth order; the norm of its difference from that of fourth."""
    for i in range(6):
        for c in range(4):
            y_new[c] = y[c]
            for j in range(i):
                y_new[c] += h * A[i, j] * k[j, c]
        three_body(y_new, k[i])
    error = 0.0
    for c in range(4):
        y4 = y5 = y[c]
        for i in range(6):
            y4 += h * B4[i] * k[i, c]
            y5 += h * B5[i] * k[i, c]
        y_new[c] = y5
        error = max(error, abs(y5 - y4))
    return error


def runge_kutta_fehlberg(start, t_end=3.0, tol=1e-6, max_steps=400, keep=64):
    t, h = 0.0, 0.01
    y, y_new, k = start.copy(), np.zeros(4), np.zeros((6, 4))
    times, path = np.zeros(keep), np.zeros((keep, 4))
    kept = steps = accepted = rejected = 0
    shortest = np.inf
    while t < t_end and steps < max_steps:
        h = min(h, t_end - t)
        error = attempt(y, h, k, y_new)
        if not np.isfinite(error):
            break
        factor = 4.0 if error == 0 else min(4.0, max(0.1, 0.9 * (tol / error) ** 0.2))
        if error <= tol:
            accepted += 1
            t += h
            y, y_new = y_new, y
            shortest = min(shortest, h)
            if kept < keep:
                times[kept] = t
                path[kept] = y
                kept += 1
        else:
            rejected += 1
        h = min(max(h * factor, 1e-7), 0.1)
        steps += 1
    drift = jacobi_constant(y) - jacobi_constant(start)
    return y, t, times, path, accepted, rejected, shortest, drift
