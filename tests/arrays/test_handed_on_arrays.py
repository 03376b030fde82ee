"""Arrays that a loop leaves as they are, and that were written before it, are after it the arrays that they were before."""

import jax
import numpy as np
import pytest

from tests.arrays.aliasing import WAYS, assert_close


def halved(x):
    x[1] *= 0.5
    return x


class Holder:
    def __init__(self, f):
        self.f = f


def a_name(a, n):
    u, z = a * 1, a * 2
    for k in range(400):
        if k == 200 or k == 399:
            u = halved(u)
        z = z * 0.5
    return u, z


def another_name(a, n):
    u, z = a * 1, a * 2
    g = u
    for k in range(401):
        if k % 200 == 0:
            u = halved(u)
            g[0] = k
        z = z * 0.5
    g[2] = 7
    return u, g, z


def a_view(a, n):
    u, z = a * 1, a * 2
    v = u[1:]
    for k in range(400):
        if k == 200 or k == 399:
            v = halved(v)
        z = z * 0.5
    return u, v, z


def in_a_tuple(a, n):
    t, z = (a * 1, a * 2), a * 2
    g = t[0]
    for k in range(400):
        if k == 200 or k == 399:
            t = halved(t[0]), t[1]
        z = z * 0.5
    return g, t, z


def in_an_object(a, n):
    o, z = Holder(a * 1), a * 2
    g = o.f
    for k in range(400):
        if k == 200 or k == 399:
            o.f = halved(o.f)
        z = z * 0.5
    return g, o.f, z


def in_a_while(a, n):
    u, z, k = a * 1, a * 2, 0
    g = u
    while k < 400:
        if k == 200 or k == 399:
            u = halved(u)
        z = z * 0.5
        k += 1
    return u, g, z


def a_view_of_all_of_it(a, n):
    u, z = a * 1, a * 2
    g = u
    halved(g)
    for _ in range(n):
        z = z * 0.5
        u = u[:]
    u = halved(u)
    return u, g, z


def another_array_at_last(a, n):
    u, z = a * 1, a * 2
    g = u
    halved(g)
    for k in range(400):
        if k == 5:
            u = u.copy()
        z = z * 0.5
        if k == 8:
            u = halved(u)
    g[2] = 7
    u[0] = 4
    return u, g, z


def of_known_types_at_first(a, n):
    u = a * 1
    for k in range(400):
        if k % 200 < 199:
            z = a * 1
        else:
            u = halved(u)
        z = z * 0.5
    return u, z


PROGRAMS = [
    a_name,
    another_name,
    a_view,
    in_a_tuple,
    in_an_object,
    in_a_while,
    a_view_of_all_of_it,
    another_array_at_last,
    of_known_types_at_first,
]


@pytest.mark.parametrize("way", ["convert", "jit"])
@pytest.mark.parametrize("main", PROGRAMS, ids=lambda main: main.__name__)
def test_is_the_array_that_it_was(main, way):
    a = np.arange(6, dtype=np.float32).reshape(3, 2) / 2
    wanted = main(a, 6)
    found = WAYS[way](main)(jax.numpy.asarray(a), np.int32(6))
    assert_close(found, wanted)
