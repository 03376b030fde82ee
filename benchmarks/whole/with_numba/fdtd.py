"""Yee's grid cell by cell, the fields as plain arrays."""

import numpy as np

COURANT = 0.5


def absorber(n, depth, strength):
    sigma = np.zeros((n, n))
    for y in range(n):
        for x in range(n):
            edge = min(y, x, n - 1 - y, n - 1 - x)
            if edge < depth:
                sigma[y, x] = strength * ((depth - edge) / depth) ** 3
    return sigma


def update_H(Ez, Hx, Hy):
    ny, nx = Ez.shape
    for y in range(ny - 1):
        for x in range(nx):
            Hx[y, x] -= COURANT * (Ez[y + 1, x] - Ez[y, x])
    for y in range(ny):
        for x in range(nx - 1):
            Hy[y, x] += COURANT * (Ez[y, x + 1] - Ez[y, x])


def update_E(Ez, Hx, Hy, a, b):
    ny, nx = Ez.shape
    for y in range(1, ny - 1):
        for x in range(1, nx - 1):
            curl = (Hy[y, x] - Hy[y, x - 1]) - (Hx[y, x] - Hx[y - 1, x])
            Ez[y, x] = a[y, x] * Ez[y, x] + b[y, x] * curl


def energy(eps, Ez, Hx, Hy):
    total = 0.0
    for y in range(Ez.shape[0]):
        for x in range(Ez.shape[1]):
            total += eps[y, x] * Ez[y, x] ** 2
    for value in Hx.ravel():
        total += value**2
    for value in Hy.ravel():
        total += value**2
    return 0.5 * total


def spectrum(signal, frequencies):
    power = np.zeros(len(frequencies))
    for k in range(len(frequencies)):
        re = im = 0.0
        for n in range(len(signal)):
            phase = 2 * np.pi * frequencies[k] * n * COURANT
            re += signal[n] * np.cos(phase)
            im -= signal[n] * np.sin(phase)
        power[k] = re**2 + im**2
    return power


def first_arrival(signal, threshold):
    for n in range(len(signal)):
        if abs(signal[n]) > threshold:
            return n
    return -1


def fdtd(permittivity, frequencies, size=60, steps=150):
    Ez, Hx, Hy = np.zeros((size, size)), np.zeros((size - 1, size)), np.zeros((size, size - 1))
    eps = np.ones((size, size))
    for y in range(size):
        for x in range(size):
            if (y - size // 2) ** 2 + (x - size // 2) ** 2 < (size // 8) ** 2:
                eps[y, x] = permittivity
    loss = absorber(size, size // 6, 0.8) / (2 * eps)
    a, b = (1 - loss) / (1 + loss), COURANT / eps / (1 + loss)
    signal = np.zeros(steps)
    energies = np.zeros((steps + 24) // 25)
    for n in range(steps):
        update_H(Ez, Hx, Hy)
        update_E(Ez, Hx, Hy, a, b)
        t = n * COURANT
        Ez[size // 2, size // 5] += np.exp(-(((t - 24.0) / 8.0) ** 2)) * np.sin(2 * np.pi * t / 10.0)
        signal[n] = Ez[size // 2, size - size // 4]
        if n % 25 == 0:
            energies[n // 25] = energy(eps, Ez, Hx, Hy)
    arrival = first_arrival(signal, 0.1 * np.abs(signal).max())
    return Ez, signal, spectrum(signal, frequencies), energies, arrival
