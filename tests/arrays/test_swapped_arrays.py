"""Arrays that change places in each iteration, `a, b = b, a`, where one is written: right, or refused where others see it."""

import jax
import numpy as np
import pytest

from autograph_lite import MutationError, convert, to_graph


def plain(k):
    a, b, t = np.arange(4), np.zeros(4, int), 0
    while t < k:
        for q in range(2):
            b[q] = a[q + 1] + t
        a, b = b, a
        t += 1
    return a, b


def one_item(k):
    a, b, t = np.arange(4), np.zeros(4, int), 0
    first = a
    while t < k:
        b[0] = k + t
        a, b = b, a
        t += 1
    return first, a, b


def in_a_loop_inside(k):
    a, b, t = np.arange(4), np.zeros(4, int), 0
    first = a
    while t < k:
        for q in range(2):
            b[q] = k + t
        a, b = b, a
        t += 1
    return first, a, b


def in_a_list(k):
    a, b, t = np.arange(4), np.zeros(4, int), 0
    held = [a]
    while t < k:
        for q in range(2):
            b[q] = k + t
        a, b = b, a
        t += 1
    return held[0], a


def three(k):
    a, b, c, t = np.arange(4), np.zeros(4, int), np.ones(4, int), 0
    first = a
    while t < k:
        b[t % 4] = k + t
        a, b, c = b, c, a
        t += 1
    return first, a


def known_times(k):
    a, b, t = np.arange(4), np.zeros(4, int), 0
    first = a
    while t < 2:
        for q in range(t, 4):
            b[q] = k
        a, b = b, a
        t += 1
    return first, a, b


def filled(c, k):
    b, t = np.zeros(4, int), 0
    while t < 2:
        for q in range(t, 4):
            b[q] = k
        c, b = b, c
        t += 1


def of_a_caller(k):
    c = np.arange(4)
    filled(c, k)
    return (c.sum(),)


class Pair:
    def __init__(self):
        self.a, self.b = np.arange(4), np.zeros(4, int)


def attributes(k):
    pair, t = Pair(), 0
    first = pair.a
    while t < k:
        for q in range(2):
            pair.b[q] = k + t
        pair.a, pair.b = pair.b, pair.a
        t += 1
    return first, pair.a


class Buffers:
    def __init__(self):
        self.a, self.b = np.arange(4), np.zeros(4, int)

    def step(self):
        self.b[1:] = self.a[1:] + 2 * self.a[:-1]
        self.a, self.b = self.b, self.a


def buffers_of_an_object(k):
    buffers, t = Buffers(), 0
    while t < k:
        buffers.step()
        t += 1 if buffers.a[1] < 50 else 2
    return buffers.a, buffers.b


def buffers_that_a_name_knows(k):
    buffers, t = Buffers(), 0
    first = buffers.a
    while t < k:
        buffers.step()
        t += 1
    return first, buffers.a


def buffers_of_two_objects(k):
    buffers, others, t = Buffers(), Buffers(), 0
    others.b = buffers.b
    while t < k:
        buffers.step()
        others.step()
        t += 1
    return buffers.a, others.a, others.b


def buffers_that_have_a_third_name(k):
    buffers, t = Buffers(), 0
    buffers.c = buffers.a
    while t < k:
        buffers.step()
        t += 1
    return buffers.a, buffers.c


def numpys_array_two_iterations_later(k):
    w = np.zeros(3)
    a, b = Buffers(), Buffers()
    a.b, b.a, t = np.ones(3) * k, np.ones(3) + k, 0
    while t < k:
        a.b[0] = a.b[1] + 1
        a.b = b.a
        b.a = w
        t += 1
    return w, a.b


def an_array_that_each_iteration_takes_again(k):
    u, other = np.ones(3) * k, np.ones(3) + k
    for _ in range(3):
        u[1] = u[0] + 1
        u[0] = 3
        u = other
        if k > 40:
            break
    return u


def numpys_array_through_a_loop_inside(k):
    w = np.zeros(3)
    u, v, t = np.ones(3) * k, np.ones(3) + k, 0
    while t < k:
        u[0] = u[1] + 1
        for _ in range(2):
            u = v
        v = w
        t += 1
    return w, u


FUNCTIONS = (
    an_array_that_each_iteration_takes_again,
    numpys_array_two_iterations_later,
    numpys_array_through_a_loop_inside,
    buffers_of_an_object,
    buffers_that_a_name_knows,
    buffers_of_two_objects,
    buffers_that_have_a_third_name,
    plain,
    known_times,
    one_item,
    in_a_loop_inside,
    in_a_list,
    three,
    of_a_caller,
    attributes,
)


@pytest.mark.parametrize(
    "form",
    [convert, lambda fn: convert(fn, static_loops="stage"), lambda fn: jax.jit(to_graph(fn))],
    ids=["convert", "staged", "jit"],
)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_as_in_numpy_or_an_error(function, form):
    for k in (0, 1, 3):
        try:
            found = form(function)(np.int32(k))
        except MutationError:
            assert function not in (plain, buffers_of_an_object)
            continue
        for ours, expected in zip(found, function(k), strict=True):
            np.testing.assert_array_equal(ours, expected)


def merge_sort(a, k):
    n, b, w = len(a), np.zeros_like(a), 1
    while w < n:
        for i in range(0, n, 2 * w):
            left, right, middle, end = i, min(i + w, n), min(i + w, n), min(i + 2 * w, n)
            for j in range(i, end):
                if left < middle and (right >= end or a[left] <= a[right]):
                    b[j] = a[left]
                    left += 1
                else:
                    b[j] = a[right]
                    right += 1
        a, b = b, a
        w *= 2
    return a + k


def test_the_callers_array_is_what_numpy_leaves_in_it():
    for values in ([7, 2, 9, 4], [3, 1, 2, 5]):
        ours, expected = np.int32(values), np.int32(values)
        np.testing.assert_array_equal(convert(merge_sort)(ours, np.int32(1)), merge_sort(expected, 1))
        np.testing.assert_array_equal(ours, expected)
