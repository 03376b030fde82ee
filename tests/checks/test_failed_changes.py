"""Does a list, a deque or a part of an array stay as it is where a method raises, and a `try` catches that?"""

from __future__ import annotations

import contextlib
from collections import deque

import numpy as np
import pytest

from tests.one_of.agreement import PROGRAMS, agrees, program


@program(([10, 2], 1), ([10, 2], 2), ([(1, 2), (3, 2)], 3))
def removed(a, x):
    try:
        a.remove((x, 2) if type(a[0]) is tuple else x)
    except ValueError:
        a.append(a[0])
    return a, a[0], len(a)


@program(([10, 2], 5), ([10, 2], -3), ([10, 2], -2), ([10, 2], 1))
def popped(a, i):
    try:
        v = a.pop(i)
    except IndexError:
        v = -1
    return v, a


@program(([10, 2], 5), ([10, 2], 0))
def popped_into_another(a, i):
    b = []
    try:
        b.append(a.pop(i))
    except IndexError:
        b.append(-1)
    return a, b


@program(([10, 2], 5), ([10, 2], 0))
def popped_in_a_helper(a, i):
    def take(a):
        return a.pop(i)

    try:
        return take(a)
    except IndexError:
        return len(a)


@program(([10, 2], 1), ([10, 2], 2))
def suppressed(a, x):
    with contextlib.suppress(ValueError):
        a.remove(x)
        a.append(7)
    return a


@program((np.array([2, 7]),), (np.array([2, 7, 1, 2, 5, 5]),), (np.arange(100),))
def removed_in_a_loop(xs):
    items, missing = [1, 2, 5], 0
    for x in xs:
        try:
            items.remove(x)
        except ValueError:
            missing += 1
    return items, missing


@program(([1, 2, 3], 1), ([1, 2, 3], 0))
def drained(a, k):
    out = []
    try:
        while True:
            out.append(a.pop(k))
    except IndexError:
        pass
    return out, a


@program(([1, 2, 3], 1), ([1, 2, 3], 4))
def seen_by_a_finally(a, i):
    n = 0
    try:
        try:
            a.pop(i)
        finally:
            n += len(a)
    except IndexError:
        n += 100
    return n, a


@program(([1, 2], 1, 1), ([1, 2], 2, 1), ([1, 2], 2, 0))
def popped_in_a_branch(a, i, c):
    try:
        if c > 0:
            a.pop(i)
        else:
            a.append(3)
    except IndexError:
        a.append(4)
    return a


class Bag:
    def __init__(self):
        self.items = [1, 2, 3]

    def take(self, x):
        try:
            self.items.remove(x)
        except ValueError:
            return False
        return True


@program((2, 2), (2, 3), (4, 5))
def removed_by_a_method(x, y):
    bag = Bag()
    return bag.take(x), bag.take(y), bag.items, len(bag.items)


def positive(xs):
    return [v for v in xs if v > 0]


@program((np.array([3, -1, 4]), 4), (np.array([3, -1, 4]), 5))
def removed_from_what_is_left(xs, x):
    a = positive(xs)
    try:
        a.remove(x)
    except ValueError:
        a.append(100)
    return a


@program((np.array([3, -1, 4]), 4), (np.array([3, -1, 4]), 5))
def removed_from_a_deque(xs, x):
    a = deque()
    for v in xs:
        if v > 0:
            a.append(v)
    try:
        a.remove(x)
    except ValueError:
        a.append(100)
    return list(a)


@program(*[(np.array([3, -1, 4]), i) for i in (1, 2, -2, -3)], (np.array([-3, -1, -4]), 0))
def popped_from_what_is_left(xs, i):
    a = positive(xs)
    try:
        v = a.pop(i)
    except IndexError:
        v = 100
    return a, v


@program((np.array([3, 1, 4]),), (np.array([3, -1, 4]),))
def popped_at_a_known_place(xs):
    a, v = positive(xs), 0
    try:
        v = a.pop(2)
    except IndexError:
        a.append(100)
    return a, v


@program(*[(np.array([3, 1, 4]), i) for i in (1, 3, -4, -3)])
def stored(xs, i):
    a = positive(xs)
    try:
        a[i] = 9
    except IndexError:
        a.append(100)
    return a


@program(*[(np.array([3, 1, 4]), i) for i in (1, 3, -4, -3)])
def added_to(xs, i):
    a = positive(xs)
    try:
        a[i] += 9
    except IndexError:
        a.append(100)
    return a


@program(*[(np.array([3, 1, 2, 5]), i) for i in (1, 3, -4, -3)])
def stored_in_what_a_mask_chooses(x, i):
    v, n = x[x > 1], 0
    try:
        v[i] = 9
    except IndexError:
        n = 1
    return v, n


@pytest.mark.parametrize(("function", "call"), PROGRAMS[__name__])
def test_what_has_raised_changes_nothing(function, call):
    agrees(function, call)
