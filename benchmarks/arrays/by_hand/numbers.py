"""Transforms, sorting, sets, roots and integrals."""

import jax.numpy as jnp
import numpy as np
from jax import lax


def fft(x):
    n = len(x)

    def reverse(i, state):
        j, x = state

        def carry(s):
            j, bit = s
            return j ^ bit, bit // 2

        j, bit = lax.while_loop(lambda s: (s[0] & s[1]) != 0, carry, (j, jnp.int32(n // 2)))
        j = j ^ bit
        swap = jnp.where(i < j, jnp.stack([i, j]), jnp.stack([i, i]))
        return j, x.at[swap].set(x[swap[::-1]])

    _, x = lax.fori_loop(1, n, reverse, (jnp.int32(0), x))
    length = 2
    while length <= n:
        half = length // 2
        turn = jnp.asarray(np.exp(-2j * np.pi * np.arange(half) / length), x.dtype)
        pairs = x.reshape(n // length, 2, half)  # the blocks of one length don't depend on one another
        even, odd = pairs[:, 0], pairs[:, 1] * turn
        x = jnp.stack([even + odd, even - odd], axis=1).reshape(n)
        length *= 2
    return x


def insertion_sort(x):
    def insert(i, x):
        value = x[i]

        def shift(state):
            x, j = state
            return x.at[j + 1].set(x[j]), j - 1

        x, j = lax.while_loop(lambda s: (s[1] >= 0) & (s[0][s[1]] > value), shift, (x, i - 1))
        return x.at[j + 1].set(value)

    return lax.fori_loop(1, len(x), insert, x)


def bubble_sort(x):
    def turn(state):
        def pair(i, state):
            x, swapped = state
            a, b = x[i], x[i + 1]
            return lax.cond(
                a > b, lambda x, _: (x.at[i].set(b).at[i + 1].set(a), True), lambda x, s: (x, s), x, swapped
            )

        return lax.fori_loop(0, len(x) - 1, pair, (state[0], False))

    return lax.while_loop(lambda s: s[1], turn, (x, True))[0]


def mandelbrot(xs, ys, most=50):
    def point(x, y):
        def running(state):
            zr, zi, n = state
            return (n < most) & (zr * zr + zi * zi < 4)

        def step(state):
            zr, zi, n = state
            return zr * zr - zi * zi + x, 2 * zr * zi + y, n + 1

        return lax.while_loop(running, step, (jnp.float32(0), jnp.float32(0), jnp.int32(0)))[2]

    return lax.map(lambda y: lax.map(lambda x: point(x, y), xs), ys)


def sieve(limit_array):
    n = len(limit_array)
    numbers = jnp.arange(n)

    def number(p, prime):
        multiple = (numbers >= p * p) & (numbers % p == 0)
        return jnp.where(multiple & prime[p], False, prime)

    return lax.fori_loop(2, int(n**0.5) + 1, number, numbers >= 2)


def bisection(targets, steps=40):
    def root(target):
        def halve(_, ends):
            low, high = ends
            middle = (low + high) / 2
            below = middle**3 + middle < target
            return jnp.where(below, middle, low), jnp.where(below, high, middle)

        low, high = lax.fori_loop(0, steps, halve, (jnp.float32(-10), jnp.float32(10)))
        return (low + high) / 2

    return lax.map(root, targets)


def newton(x, target):
    def step(state):
        x, _, steps = state
        change = (x**3 + x - target) / (3 * x**2 + 1)
        return x - change, change, steps + 1

    def running(state):
        _, change, steps = state
        return (jnp.abs(change) > 1e-6) & (steps < 50)

    x, _, steps = lax.while_loop(running, step, (x, jnp.float32(1), jnp.int32(0)))
    return x, steps


def adaptive(y, end, tolerance):
    def slope(y):
        return jnp.stack([y[1], -4 * y[0] - 0.1 * y[1] ** 3])

    def step(state):
        y, t, h, accepted, rejected = state
        h = jnp.minimum(h, end - t)
        k1 = slope(y)
        k2 = slope(y + h * k1)
        error = jnp.max(jnp.abs(h / 2 * (k2 - k1)))
        good = error <= tolerance
        t = jnp.where(good, t + h, t)
        y = jnp.where(good, y + h / 2 * (k1 + k2), y)
        h = h * jnp.clip(0.9 * jnp.sqrt(tolerance / (error + 1e-12)), 0.2, 2)
        return y, t, h, accepted + good, rejected + ~good

    zero = jnp.int32(0)
    start = y, jnp.float32(0), jnp.float32(0.1), zero, zero
    y, _, _, accepted, rejected = lax.while_loop(lambda s: s[1] < end, step, start)
    return y, accepted, rejected


def runge_kutta(y, steps=500, dt=0.01):
    def slope(z):
        return jnp.stack([10 * (z[1] - z[0]), z[0] * (28 - z[2]) - z[1], z[0] * z[1] - 8 / 3 * z[2]])

    def step(y, _):
        k1 = slope(y)
        k2 = slope(y + dt / 2 * k1)
        k3 = slope(y + dt / 2 * k2)
        k4 = slope(y + dt * k3)
        y = y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return y, y

    return lax.scan(step, y, length=steps)[1]
