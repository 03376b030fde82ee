"""Functions that stand in a module, for the tests that pickle them."""

from __future__ import annotations

import functools

import autograph_lite as al


@al.convert
def double(x):
    return 2 * x


def triple(x):
    return 3 * x


tripled = al.convert(triple, reduce_retracing=True)
doubled_again = al.convert(double.python_function)


class Scale:
    def __init__(self, rate):
        self.rate = rate

    @al.convert
    def apply(self, x):
        return self.rate * x

    under_another_name = al.convert(lambda self, x: self.rate + x)


partly = al.convert(functools.partial(triple))
