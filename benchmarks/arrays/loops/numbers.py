"""Transforms, sorting, sets, roots and integrals of numbers."""

import numpy as np


def fft(x):
    """The discrete Fourier transform of 2**k points, butterflies in place."""
    x = x.copy()
    n = len(x)
    j = 0
    for i in range(1, n):
        bit = n // 2
        while j & bit:
            j ^= bit
            bit //= 2
        j ^= bit
        if i < j:
            held = x[i]
            x[i] = x[j]
            x[j] = held
    length = 2
    while length <= n:
        half = length // 2
        turn = np.exp(-2j * np.pi * np.arange(half) / length)
        for start in range(0, n, length):
            even = x[start : start + half].copy()
            odd = x[start + half : start + length] * turn
            x[start : start + half] = even + odd
            x[start + half : start + length] = even - odd
        length *= 2
    return x


def insertion_sort(x):
    """`x` in order."""
    x = x.copy()
    for i in range(1, len(x)):
        value = x[i]
        j = i - 1
        while j >= 0 and x[j] > value:
            x[j + 1] = x[j]
            j -= 1
        x[j + 1] = value
    return x


def bubble_sort(x):
    """`x` in order, by exchanging neighbours until nothing changes."""
    x = x.copy()
    swapped = True
    while swapped:
        swapped = False
        for i in range(len(x) - 1):
            if x[i] > x[i + 1]:
                held = x[i]
                x[i] = x[i + 1]
                x[i + 1] = held
                swapped = True
    return x


def mandelbrot(xs, ys, most=50):
    """After how many steps each point of a grid has left."""
    counts = np.zeros((len(ys), len(xs)), dtype=np.int32)
    for i in range(len(ys)):
        for j in range(len(xs)):
            zr, zi = 0.0, 0.0
            n = 0
            while n < most and zr * zr + zi * zi < 4:
                zr, zi = zr * zr - zi * zi + xs[j], 2 * zr * zi + ys[i]
                n += 1
            counts[i, j] = n
    return counts


def sieve(limit_array):
    """Which numbers are prime, by Eratosthenes."""
    n = len(limit_array)
    prime = np.ones(n, dtype=bool)
    prime[0] = False
    prime[1] = False
    for p in range(2, int(n**0.5) + 1):
        if prime[p]:
            prime[p * p :: p] = False
    return prime


def bisection(targets, steps=40):
    """The roots of x**3 + x = target, one after the other."""
    roots = np.zeros_like(targets)
    for i in range(len(targets)):
        low, high = -10.0, 10.0
        for step in range(steps):
            middle = (low + high) / 2
            if middle**3 + middle < targets[i]:
                low = middle
            else:
                high = middle
        roots[i] = (low + high) / 2
    return roots


def newton(x, target):
    """The root of x**3 + x = target, and the steps to it."""
    steps = 0
    change = 1.0
    while abs(change) > 1e-6 and steps < 50:
        change = (x**3 + x - target) / (3 * x**2 + 1)
        x = x - change
        steps += 1
    return x, steps


def adaptive(y, end, tolerance):
    """An oscillator with a stiff spring, by Euler and Heun with a step that follows the error."""
    t = 0.0
    h = 0.1
    accepted = 0
    rejected = 0
    while t < end:
        h = min(h, end - t)
        k1 = np.array([y[1], -4 * y[0] - 0.1 * y[1] ** 3])
        z = y + h * k1
        k2 = np.array([z[1], -4 * z[0] - 0.1 * z[1] ** 3])
        error = np.max(np.abs(h / 2 * (k2 - k1)))
        if error <= tolerance:
            t = t + h
            y = y + h / 2 * (k1 + k2)
            accepted += 1
        else:
            rejected += 1
        h = h * min(2.0, max(0.2, 0.9 * np.sqrt(tolerance / (error + 1e-12))))
    return y, accepted, rejected


def runge_kutta(y, steps=500, dt=0.01):
    """The Lorenz system by the classical method of order 4; the path."""
    path = np.zeros((steps, 3))
    for step in range(steps):
        total = np.zeros(3)
        k = np.zeros(3)
        for weight, part in ((1, 0.0), (2, 0.5), (2, 0.5), (1, 1.0)):
            z = y + part * dt * k
            k = np.array([10 * (z[1] - z[0]), z[0] * (28 - z[2]) - z[1], z[0] * z[1] - 8 / 3 * z[2]])
            total = total + weight * k
        y = y + dt / 6 * total
        path[step] = y
    return path
