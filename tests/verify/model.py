"""A user's file: the tests of the self-check name its lines."""

import jax
import jax.numpy as jnp

import autograph_lite


def last_digit(n):
    base = 9.0 if n < 10 else 16777217.0
    # Floats of Python's have 32 bits outside of loops.
    result = base % 10
    return result


def clipped(x, limit):
    y = 2 * x
    if y > limit:
        y = limit - 1
    else:
        y = y + 1
    return {"y": y, "x": (x, limit)}


def grown(x):
    scale = last_digit(x)
    return scale - x


class Counter:
    def __init__(self):
        self.count = 0
        self.seen = []
        self.total = autograph_lite.Variable(0.0)

    def add(self, x):
        self.count = self.count + x
        self.seen.append(x)
        self.total.assign_add(x)
        if x < 0:
            raise ValueError(f"{x} is negative")
        return self.total * 2

    def scaled(self, n):
        y = self._factor(n)
        return y + 1

    def _factor(self, n):
        return last_digit(n)


def announced(x):
    autograph_lite.print("x is", x)
    jax.debug.print("twice {}", 2 * x)
    return x


def told(x):
    print("x is", x)
    return x


def put(x):
    x[0] = 5.0
    return x.sum()


def mean(xs):
    total = jnp.float32(0)
    for x in xs:
        total = total + x
    return total / len(xs)
