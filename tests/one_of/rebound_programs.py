"""Programs that bind a name to another list, dict or object under a traced condition, and then write to it."""

from __future__ import annotations

import contextlib
import copy
import dataclasses

from tests.one_of.agreement import program

COUNTS = (0,), (1,), (4,)


@dataclasses.dataclass
class State:
    a: object = 0
    b: object = 1

    def step(self, k):
        self.a += k
        self.b *= 2


class Simulation:
    def __init__(self):
        self.state = State()

    def close(self):
        pass

    def step(self, k):
        self.state = dataclasses.replace(self.state, a=self.state.a + k)
        self.state.b += 1


@program(*COUNTS)
def a_list_on_one_path(n):
    acc = [1, 2]
    if n > 2:
        acc = [acc[1], acc[0]]
        acc.append(n)
    else:
        acc.append(5)
    acc[0] += 5
    return acc


@program(*COUNTS)
def lists_in_loops(n):
    acc, values = [0, 1], [1.0, 2.0]
    for i in range(n):
        acc = [acc[1], acc[0] + acc[1]]
        acc[0] += 1
        if i == 2:
            values = [v * 2 for v in values]
        values[0] -= i
    values[1] += 1
    while acc[0] < 8:
        acc = [acc[1] + 1, acc[0]]
        acc[1] += 1
    acc[1] += 100
    return acc, values


@program(*COUNTS)
def lists_of_lists(n):
    rows = [[1, 2], [3, 4]]
    if n > 2:
        rows = [rows[1], rows[0]]
    rows[0][0] += 9
    for i in range(n):
        new = [row[:] for row in rows]
        new[0][1] += i
        rows = [new[1], new[0]]
        rows[0][1] += 1
    return rows


@program(*COUNTS)
def dicts(n):
    s, best = {"a": 1, "b": 2}, {"a": 0, "b": 0}
    for i in range(n):
        if i != 1:
            s = dict(s)
        s["a"] += i
        if s["a"] > best["a"] + 1:
            best = dict(s)
    s = {**s, "b": n} if n > 2 else s
    s["b"] += 10
    best["b"] += 100
    return s["a"], s["b"], best["a"], best["b"]


@program(*COUNTS)
def dataclass_objects(n):
    s, t = State(), State()
    if n > 2:
        s = dataclasses.replace(s, a=5)
        t = copy.copy(t)
    s.b += 1
    for i in range(n):
        if i == 2:
            s = dataclasses.replace(s, b=100)
        s.step(i)
        t = copy.copy(t)
        t.step(i)
    t.b += 1
    return s.a, s.b, t.a, t.b


@program(*COUNTS)
def an_attribute(n):
    sim = Simulation()
    if n > 2:
        sim.step(3)
    for i in range(n):
        sim.step(i)
    sim.state.b += 10
    return sim.state.a, sim.state.b


@program(*COUNTS)
def names_that_are_dead_afterwards(n):
    acc = [1, 2]
    for i in range(n):
        prev = acc
        acc = [prev[1], prev[0] + i]
        prev[0] = 100
    point = [0, 0]
    for i in range(n):
        moved = list(point)
        moved[0] += i
        if moved[0] < 5:
            point = moved
        point[1] += 1
    return acc, point


def checked(n):
    if n > 3:
        raise ValueError
    return n


@program(*COUNTS)
def in_managers_and_tries(n):
    left = []
    try:
        items = [checked(n), 2]
    except ValueError:
        left.append(7)
        items = [0, 0]
    else:
        items[-1] = 3
    items[0] += 1
    for i in range(2):
        with contextlib.closing(Simulation()):
            acc = [i, n]
            if n > 0:
                acc = [acc[1], acc[0]]
            acc[0] += 10
    return items, left, acc


@program(*COUNTS)
def in_a_closure(n):
    acc = [1, 2]

    def swap():
        nonlocal acc
        if n > 2:
            acc = [acc[1], acc[0]]
        acc[0] += 50

    swap()
    return acc


def scaled(x):
    s = State(x, 1.0)
    for _ in range(3):
        if s.a > 2.0:
            s = dataclasses.replace(s, b=s.b * s.a)
        s.a = s.a * 1.5
    return s.b * s.a


def another_name(n):
    old = acc = [1, 2]
    if n > 2:
        acc = [7, 8]
    acc[0] = 50
    return old


def a_closure(n):
    acc = [1, 2]
    first = (lambda held: lambda: held[0])(acc)
    for _ in range(n):
        acc = [acc[1], acc[0]]
    acc[0] = 50
    return first()


def the_list_that_is_gone_through(n):
    total = 0
    for row in [[1]] * 2:
        if n > 2:
            row = [7]
        row[0] += 50
        total = total * 100 + row[0]
    return total


def an_operand(n):
    acc = [1, 2]
    pair = (acc, (acc := ([7, 8] if n > 2 else acc)))
    acc[0] = 50
    return pair[0]


def two_names_of_what_a_body_makes(n):
    best = cur = [0]
    for i in range(n):
        cur = [cur[0] + i]
        if cur[0] > best[0]:
            best = cur
    best[0] += 100
    return cur


def an_item_that_a_body_makes(n):
    found, s = {"s": [5]}, [5]
    for i in range(n):
        s = [i]
        found["s"] = s
    s[0] += 100
    return found["s"]


def one_list_twice(n):
    rows = [[1], [2]]
    for i in range(n):
        row = [i]
        rows = [row, row]
    rows[0][0] = 5
    return rows


def a_caller(n):
    acc = [1, 2]

    def put(held):
        if n > 2:
            held = [7, 8]
        held[0] = 50

    put(acc)
    return acc


def a_manager_without_a_name(n):
    acc = [1, 2]
    with contextlib.closing(Closing(acc)):
        if n > 0:
            acc = [acc[1], acc[0]]
        acc[0] += 10
    return acc


class Closing:
    def __init__(self, held):
        self.held = held

    def close(self):
        self.held[1] = self.held[0]


HELD_TWICE = [
    a_manager_without_a_name,
    another_name,
    a_closure,
    the_list_that_is_gone_through,
    an_operand,
    two_names_of_what_a_body_makes,
    an_item_that_a_body_makes,
    one_list_twice,
    a_caller,
]
