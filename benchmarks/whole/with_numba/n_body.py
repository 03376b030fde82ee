"""Leapfrog over arrays of positions and velocities, coordinate by coordinate."""

import numpy as np

G = 1.0
SOFTENING = 0.05


def to_centre_of_mass(x, v, m):
    total = m.sum()
    for c in range(3):
        centre = drift = 0.0
        for i in range(len(m)):
            centre += m[i] * x[i, c]
            drift += m[i] * v[i, c]
        x[:, c] -= centre / total
        v[:, c] -= drift / total


def squared_distance(x, i, j):
    total = 0.0
    for c in range(3):
        total += (x[j, c] - x[i, c]) ** 2
    return total


def accelerations(x, m, a):
    a[:] = 0.0
    for i in range(len(m)):
        for j in range(i + 1, len(m)):
            r2 = squared_distance(x, i, j) + SOFTENING**2
            f = G / (r2 * np.sqrt(r2))
            for c in range(3):
                d = f * (x[j, c] - x[i, c])
                a[i, c] += m[j] * d
                a[j, c] -= m[i] * d


def energies_of(x, v, m):
    kinetic = potential = 0.0
    for i in range(len(m)):
        kinetic += 0.5 * m[i] * (v[i, 0] ** 2 + v[i, 1] ** 2 + v[i, 2] ** 2)
        for j in range(i):
            potential -= G * m[i] * m[j] / np.sqrt(squared_distance(x, i, j) + SOFTENING**2)
    return kinetic, potential


def closest_pair(x):
    best, first, second = np.inf, 0, 0
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            r = np.sqrt(squared_distance(x, i, j))
            if r < best:
                best, first, second = r, i, j
    return best, first, second


def angular_momentum(x, v, m):
    L = np.zeros(3)
    for i in range(len(m)):
        L[0] += m[i] * (x[i, 1] * v[i, 2] - x[i, 2] * v[i, 1])
        L[1] += m[i] * (x[i, 2] * v[i, 0] - x[i, 0] * v[i, 2])
        L[2] += m[i] * (x[i, 0] * v[i, 1] - x[i, 1] * v[i, 0])
    return L


def n_body(positions, velocities, m, dt=0.01, steps=200, every=20):
    x, v, a = positions.copy(), velocities.copy(), np.zeros_like(positions)
    to_centre_of_mass(x, v, m)
    accelerations(x, m, a)
    k, p = energies_of(x, v, m)
    start = k + p
    energies = np.zeros((steps // every, 3))
    worst, nearest = 0.0, np.inf
    for n in range(steps):
        v += 0.5 * dt * a
        x += dt * v
        accelerations(x, m, a)
        v += 0.5 * dt * a
        if (n + 1) % every == 0:
            k, p = energies_of(x, v, m)
            row = n // every
            energies[row, 0], energies[row, 1], energies[row, 2] = k, p, k + p
            worst = max(worst, abs((k + p - start) / start))
            nearest = min(nearest, closest_pair(x)[0])
    distance, i, j = closest_pair(x)
    return x, v, energies, worst, angular_momentum(x, v, m), nearest, distance, i, j
