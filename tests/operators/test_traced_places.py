"""Which item of a list or a deque is meant, moved or taken off where a traced value decides its place?"""

from __future__ import annotations

import collections
from collections import deque

import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al
from tests.one_of.agreement import PROGRAMS, agrees, program

XS = np.array([5, -1, 7, 5])


@program(*[(values, 5, start, 2) for values in ([5, 7, 5], (5, 7, 5)) for start in (0, 1, 3, -1, -9)])
def found_between(values, x, start, stop):
    try:
        first = values.index(x, start)
        return first, values.index(x, 0, stop)
    except ValueError:
        return 100


@program((0,), (1,), (3,), (-1,))
def text_found_from(start):
    try:
        return ["a", "b", "a"].index("a", start)
    except ValueError:
        return 100


@program(*[(XS, start, stop) for start in (0, 1, 3, -2) for stop in (1, 3, -1, 9)])
def found_in_what_is_left(xs, start, stop):
    a = [v for v in xs if v > 0]
    try:
        return a.index(5, start, stop)
    except ValueError:
        return 100


@program(([2, 1, 2], 2), ([2, 1, 2], 3))
def all_places(a, x):
    places, i = [], -1
    try:
        while True:
            i = a.index(x, i + 1)
            places.append(i)
    except ValueError:
        pass
    return places


@program(([2, 1, 2],), (np.array([2, 1, 2]),))
def deleted_backwards(given):
    xs = list(given)
    for i in range(len(xs) - 1, -1, -1):
        if xs[i] % 2 == 0:
            del xs[i]
    return xs


@program(*[([4, 7], i) for i in (0, 1, 2, -2, -3)])
def deleted(xs, i):
    del xs[i]
    return xs, xs[0], len(xs)


@program(*[([4, 7], i) for i in (0, 1, 2, -2, -3)])
def deleted_in_a_try(xs, i):
    try:
        del xs[i]
    except IndexError:
        xs.append(5)
    return xs, xs[0]


@program(*[(np.array([3, -1, 4]), i) for i in (0, 1, 2, -2, -3)])
def deleted_from_what_is_left(xs, i):
    a = [v for v in xs if v > 0]
    try:
        del a[i]
    except IndexError:
        a.append(100)
    try:
        del a[1]
    except IndexError:
        a.append(200)
    if i > 0:
        del a[0]
    return a


def place(x):
    if x > 0:
        raise ValueError
    return 0


@program((1,), (-1,))
def deleted_at_what_may_raise(x):
    a = [1, 2, 3]
    try:
        del a[place(x)]
    except ValueError:
        a.append(7)
    return a


@program((1,), (-1,))
def deleted_where_there_is_none(x):
    table, a = {1: 2}, [1, 2]
    if x > 0:
        del a[5]
    if x > 1:
        del table[5]
    return table, a


@program(*[([1, 3, 2, 3], x) for x in (1, 3, -1, 7)])
def turned(a, x):
    d = deque(a)
    d.rotate(x)
    n = d.count(x)
    try:
        d.remove(x)
    except ValueError:
        n += 10
    return list(d), n


@program(*[([1, 3, 2], x) for x in (1, -1, 0, 5)])
def turned_with_a_bound(a, x):
    d = deque(a, 3)
    d.rotate(x)
    del d[x]
    d.append(5)
    return list(d), d[0]


@program(([1, 2, 1], 1, 1), ([1, 2, 1], 2, 2), ([1, 2, 1], 5, 0))
def found_in_a_deque(a, x, start):
    return deque(a).index(x, start)


@program((np.array([0, 1, 0]),), (np.array([1, 1, 1]),))
def queue_of_what_is_left(degrees):
    q = deque([i for i in range(3) if degrees[i] == 0])
    order = []
    while q:
        order.append(q.popleft())
    return order


@program((np.array([0, 1, 0]),), (np.array([1, 1, 1]),))
def queue_of_a_generator(degrees):
    q = collections.deque(i for i in range(3) if degrees[i] == 0)
    if len(q) > 0:
        q.append(q[0] + 5)
    return len(q), list(q)


@program((np.array([0, 1, 3]),), ([0, 1, 3],))
def extended(xs):
    q = deque(xs)
    q.extend([x for x in xs if x > 1])
    q.extend(x + 1 for x in xs if x > 0)
    return list(q), list(deque(xs, maxlen=2)), list(deque("abc", 2)), list(deque(maxlen=2))


@pytest.mark.parametrize(("function", "call"), PROGRAMS[__name__])
def test_the_place_is_the_one_of_python(function, call):
    agrees(function, call)


def test_a_list_of_other_items_has_its_places_while_tracing():
    def f(i):
        a = ["x", "y"]
        del a[i]
        return a

    with pytest.raises(al.TracedIndexError, match="del is given a traced place in a list, int32"):
        al.convert(f)(jnp.int32(1))


def test_a_key_is_known_while_tracing():
    def f(i):
        table = {0: 1, 1: 2}
        del table[i]
        return table

    with pytest.raises(al.TracedIndexError, match="del looks for a traced value, int32.*, in a dict"):
        al.convert(f)(jnp.int32(1))
