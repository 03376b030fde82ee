"""What do heapq, bisect and the methods of a list do where a traced value decides which items change places?"""

from __future__ import annotations

import bisect
import heapq
from heapq import heappop, heappush

import jax
import numpy as np
import pytest

import autograph_lite as al
from tests.slices.against import same

XS = np.array([3.0, 1.0, 2.0, 9.0, 5.0, 4.0], np.float32)
ROADS = np.array(
    [[0, 4, 1, 0, 0], [0, 0, 0, 1, 0], [0, 2, 0, 5, 0], [0, 0, 0, 0, 3], [0, 0, 0, 0, 0]], np.float32
)


def shortest(roads, start):
    far, before = np.full(5, np.inf, np.float32), np.full(5, -1)
    far[start] = 0
    queue = [(0.0, start)]
    while queue:
        d, u = heappop(queue)
        if d > far[u]:
            continue
        for v in range(5):
            if roads[u, v] > 0 and d + roads[u, v] < far[v]:
                far[v] = d + roads[u, v]
                before[v] = u
                heappush(queue, (far[v], v))
    return far, before


def greatest(xs):
    heap = []
    for x in xs:
        if len(heap) < 3:
            heapq.heappush(heap, x)
        elif x > heap[0]:
            heapq.heapreplace(heap, x)
    return heap


def known_length(xs):
    heap = [xs[0], xs[1], xs[2], 2.5]
    heapq.heapify(heap)
    least = heapq.heappushpop(heap, xs[3])
    return heap, least, heapq.nsmallest(2, heap), heapq.nlargest(1, heap), heapq.heappop(heap)


def searched(xs, x):
    table = [1.0, 3.0, 5.0]
    grades = bisect.bisect(table, x), bisect.bisect_left(table, x), bisect.bisect_right(table, x, 1, 2)
    return grades, bisect.bisect_left(np.sort(xs), x), bisect.bisect([5, 3, 1], -x, key=lambda v: -v)


def in_order(xs):
    ordered, medians = [], []
    for x in xs:
        bisect.insort(ordered, x)
        medians.append(ordered[len(ordered) // 2])
    few = [2.0]
    bisect.insort_left(few, xs[0])
    return ordered, medians, few


def moved_to_front(keys):
    table, found = [10, 20, 30, 40], []
    for key in keys:
        found.append(table[key])
        table.insert(0, table.pop(key))
    return table, found


def placed(k):
    pairs, numbers = [(1, 2.0), (3, 4.0), (5, 6.0)], [1, 2, 3, 4]
    pair = pairs.pop(k)
    pairs.insert(-k, (7, 8.0))
    numbers.insert(k + 100, 9)
    numbers.remove(k + 2)
    return pairs, pair, numbers


def left_over(k):
    people, i = [1, 2, 3, 4, 5, 6, 7], 0
    while len(people) > 1:
        i = (i + k - 1) % len(people)
        people.pop(i)
    return people[0]


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (shortest, (ROADS, np.int32(0))), (greatest, (XS,)), (known_length, (XS,)), (searched, (XS, np.float32(3))),
        (in_order, (XS,)), (moved_to_front, (np.array([2, 3, 1, 1, 0]),)), (placed, (np.int32(1),)),
        (left_over, (np.int32(3),)),
    ],
    ids=lambda value: getattr(value, "__name__", "x"),
)  # fmt: skip
def test_it_is_pythons(f, args) -> None:
    for one, other in zip(jax.tree.leaves(al.convert(f)(*args)), jax.tree.leaves(f(*args)), strict=True):
        same(one, other)


def test_heaps_of_pythons_numbers_stay_pythons() -> None:
    def f(x):
        heap = [3, 1, 2]
        heapq.heapify(heap)
        return x[heapq.heappop(heap) : bisect.bisect([1, 2, 4], 3)], heap

    found = al.convert(f)(XS)
    same(found[0], XS[1:2])
    assert found[1] == [2, 3]


@pytest.mark.parametrize(
    ("method", "text"), [("pop", "pop index out of range"), ("remove", r"list.remove\(x\): x not in list")]
)
def test_what_is_not_there_is_pythons_error(method, text) -> None:
    def f(k):
        numbers = [1, 2, 3]
        getattr(numbers, method)(k)
        return numbers

    with pytest.raises((IndexError, ValueError), match=text):
        al.convert(f)(np.int32(7))


def test_arrays_in_a_list_have_known_places() -> None:
    def f(xs, k):
        rows = [xs, xs + 1]
        return rows.pop(k)

    with pytest.raises(al.TracedIndexError, match="is given a traced place in a list"):
        al.convert(f)(XS, np.int32(1))


def test_a_heap_of_pythons_numbers_stays_pythons():
    def f(x):
        heap, i = [], 4
        while i < 6:
            i += 1
            heapq.heappush(heap, 3)
        return heap, x

    found, _ = al.convert(f)(np.float32(1))
    assert found == [3, 3]
    assert [*map(type, found)] == [int, int]
