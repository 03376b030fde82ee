"""Lists that a traced index or key chooses are changed, `groups[k].append(x)`, and read."""

from __future__ import annotations

import collections

import numpy as np

from tests.one_of.agreement import program

EDGES = (np.array([[0, 1], [1, 2], [0, 3], [3, 4]]),)
KEYS, NUMBERS = np.array([1, 0, 1, 1, 2]), np.array([1, 2, 3, 4, 5], np.float32)


def neighbours(edges):
    found = [[] for _ in range(5)]
    for a, b in edges:
        found[a].append(b)
        found[b].append(a)
    return found


@program(EDGES)
def neighbours_of_edges(edges):
    found = neighbours(edges)
    return found, [len(each) for each in found], max(len(each) for each in found), sum(found[1])


@program(EDGES)
def breadth_first(edges):
    adjacent = [[] for _ in range(5)]
    for a, b in edges:
        adjacent[a].append(b)
        adjacent[b].append(a)
    distance = [0, -1, -1, -1, -1]
    queue = [0]
    while queue:
        v = queue.pop(0)
        for w in adjacent[v]:
            if distance[w] < 0:
                distance[w] = distance[v] + 1
                queue.append(w)
    return distance


@program(EDGES)
def reads_of_one(edges):
    adjacent = [[] for _ in range(5)]
    for a, b in edges:
        adjacent[a].append(b)
    one = adjacent[edges[0, 0]]
    return (
        len(one),
        one[0],
        one[-1],
        sum(one),
        max(one),
        3 in one,
        one.count(3),
        [v * 2 for v in one],
        sorted(one),
        one[:1],
    )


@program((np.array([0.1, 0.5, 0.9, 0.15], np.float32),), (np.array([0.6, 0.51, 0.7, 0.55], np.float32),))
def buckets(xs):
    parts = [[] for _ in range(4)]
    for x in xs:
        parts[int(x * 4)].append(x)
    ordered = []
    for part in parts:
        part.sort()
        ordered.extend(part)
    return ordered, [part[0] if len(part) > 0 else -1.0 for part in parts]


@program((1, NUMBERS), (0, NUMBERS), (-1, NUMBERS))
def all_methods(k, xs):
    rows = [[], [7.0]]
    rows[k].append(xs[0])
    rows[k].append(xs[1])
    rows[1 - abs(k)].append(xs[2])
    rows[k].extend([1.0, 2.0])
    taken = rows[k].pop()
    rows[k].insert(0, xs[3])
    rows[k].reverse()
    rows[k].remove(1.0)
    return rows, taken


@program((1,), (0,))
def items_that_are_taken(k):
    stacks = [[1.0, 2.0], [3.0, 4.0, 5.0]]
    first = stacks[k].pop()
    second = stacks[k].pop(0)
    return first, second, stacks


@program((2,), (-3,))
def index_out_of_range(k):
    rows = [[], []]
    rows[k].append(1.0)
    return rows


@program((1,), (0,))
def empty_list_that_is_popped(k):
    rows = [[], [1.0]]
    return rows[k].pop(), rows


@program((KEYS, NUMBERS))
def dict_of_lists(keys, xs):
    groups = {0: [], 1: [0.0], 2: []}
    for k, x in zip(keys, xs, strict=True):
        groups[int(k)].append(x)
    return groups, {k: len(v) for k, v in groups.items()}


@program((3,))
def key_that_is_missing(k):
    groups = {0: [], 1: []}
    groups[k].append(1.0)
    return groups


@program((NUMBERS - 3,))
def keys_that_are_texts(xs):
    groups = {"positive": [], "negative": []}
    for x in xs:
        groups["positive" if x > 0 else "negative"].append(x)
    return groups["positive"], groups["negative"]


@program((KEYS,))
def texts_in_lists(keys):
    groups = [[], [], []]
    for k in keys:
        groups[k].append("even" if k % 2 == 0 else "odd")
    return groups


@program((KEYS,))
def one_list_in_two_places(keys):
    shared = []
    rows = [shared, [], shared]
    for k in keys:
        rows[k].append(k)
    return rows, shared


@program((KEYS,))
def deques_and_dicts(keys):
    queues = [collections.deque([1]), collections.deque([2]), collections.deque([3])]
    tables = [{"n": 0}, {"n": 0}, {"n": 1}]
    for k in keys:
        queues[k].append(k)
        queues[k].popleft()
        tables[k].update(n=tables[k]["n"] * 2 + 1)
    return [list(queue) for queue in queues], tables


class Graph:
    def __init__(self, count):
        self.adjacent = [[] for _ in range(count)]

    def add(self, a, b):
        self.adjacent[a].append(b)
        self.adjacent[b].append(a)

    def degree(self, a):
        return len(self.adjacent[a])


@program(EDGES)
def lists_of_an_object(edges):
    graph = Graph(5)
    for a, b in edges:
        graph.add(a, b)
    return graph.adjacent, graph.degree(edges[0, 1])


@program((KEYS,))
def index_of_python(keys):
    rows = [[], [], []]
    for n, k in enumerate([1, 0, 1]):
        rows[k].append(n)
    rows[keys[0]].append(9)
    return rows
