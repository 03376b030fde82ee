"""Rows of arrays that the function has made, changed in place in a loop, `F[k] += v`: whoever has the array sees it."""

import numpy as np
import pytest

from autograph_lite import convert


class Particles:
    def __init__(self):
        self.force = np.zeros((3, 3))

    def push(self, n):
        added(self.force, n)


def added(f, n):
    for k in range(n):
        f[k] += 1.0


def scaled(f, n):
    k = 0
    while k < n:
        f[k] *= k + 2
        f[k][0] = 1
        k += 1


def a_name(n):
    f = np.zeros((3, 3))
    added(f, n)
    return f


def an_attribute(n):
    s = Particles()
    added(s.force, n)
    scaled(s.force, n)
    return s.force


def of_a_method(n):
    s = Particles()
    s.push(n)
    return s.force.sum(), s.force


def an_item(n):
    d = [np.ones((3, 3)), np.zeros((3, 3))]
    scaled(d[0], n)
    added(d[1], n)
    return d


def two_names(n):
    s = Particles()
    f = s.force
    for k in range(n):
        f[k] += 1.0
    return f, s.force.sum()


def pairs(n):
    force, x = np.zeros((3, 3)), np.arange(9.0).reshape(3, 3) ** 2

    def interact(f):
        for i in range(n):
            for j in range(i):
                d = x[i] - x[j]
                f[i] += d
                f[j] -= d

    interact(force)
    return force


@pytest.mark.parametrize(
    "main", [a_name, an_attribute, of_a_method, an_item, two_names, pairs], ids=lambda main: main.__name__
)
def test_whoever_has_the_array_sees_it(main):
    wanted = main(3)
    found = convert(main)(np.int64(3))
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other)


def an_argument(s, n):
    added(s.force, n)
    return s.force.sum()


def test_an_object_of_the_caller():
    ours, pythons = Particles(), Particles()
    assert convert(an_argument)(ours, np.int64(2)) == an_argument(pythons, 2)
    np.testing.assert_array_equal(ours.force, pythons.force)
