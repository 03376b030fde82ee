"""Dataclass objects that a traced value chooses: the one that was chosen is changed, by each of its names."""

from __future__ import annotations

import copy
import dataclasses

import numpy as np

from tests.one_of.agreement import program


@dataclasses.dataclass
class Point:
    x: float
    y: float = 0.0


@dataclasses.dataclass
class Account:
    balance: float
    count: int = 0

    def withdraw(self, amount):
        if amount > self.balance:
            return False
        self.balance -= amount
        self.count += 1
        return True

    def deposit(self, amount):
        self.balance += amount
        self.count += 1


@dataclasses.dataclass
class Body:
    position: Point
    velocity: Point

    def kick(self, by):
        self.velocity.x += by


@dataclasses.dataclass
class Cell:
    value: float
    rest: Cell | None = None


@program((4, 2.5), (-1, 2.5), (0, 100.0), (9, 1.0))
def of_a_list_by_a_method(k, amount):
    accounts = [Account(10.0), Account(20.0), Account(30.0)]
    done = accounts[k % 3].withdraw(amount)
    if k < 6:
        accounts[k].deposit(amount * 2)
    return done, [each.balance for each in accounts], [each.count for each in accounts]


@program((np.array([4, 1, 2, 0]), np.array([1, 1, 5, 2]), np.array([2.0, 30.0, 3.0, 1.0], np.float32)))
def transfers_in_a_loop(sources, targets, amounts):
    accounts = [Account(10.0) for _ in range(3)]
    failed = 0
    for i, j, amount in zip(sources, targets, amounts, strict=True):
        if accounts[i % 3].withdraw(amount):
            accounts[j % 3].deposit(amount)
        else:
            failed += 1
    return failed, [(each.balance, each.count) for each in accounts]


@program((1, 2), (2, 2), (2, 7))
def by_a_key(k, other):
    accounts = {1: Account(10.0), 2: Account(20.0)}
    accounts[k].deposit(5.0)
    found = accounts.get(other)
    if found is not None:
        found.deposit(7.0)
    return [each.balance for each in accounts.values()]


@program((0,), (1,))
def seen_by_each_name(k):
    points = [Point(0.0), Point(1.0)]
    first, chosen = points[0], points[k]
    chosen.x += 5
    first.x += 2
    chosen.y = first.x
    return chosen.x, chosen.y, first.x, first.y, chosen is first, chosen == points[1]


@program((0,), (1,))
def one_object_twice_in_a_list(k):
    point = Point(1.0)
    points = [point, point, Point(2.0)]
    points[k].x += 1
    points[k + 1].y += 3
    chosen = points[k]
    chosen.x *= 2
    return point.x, point.y, points[2].x, points[2].y


@program((0,), (1,))
def objects_in_objects(k):
    bodies = [Body(Point(0.0), Point(1.0)) for _ in range(2)]
    chosen = bodies[k]
    position = chosen.position
    position.x += 2
    chosen.kick(3.0)
    chosen.position = Point(7.0, 8.0)
    position.y += 1
    return [(b.position.x, b.position.y, b.velocity.x) for b in bodies], position.x, position.y


@program((0, 1.5), (1, -1.5))
def copies_stay(k, x):
    points = [Point(0.0), Point(1.0)]
    other, deep = dataclasses.replace(points[k], y=x), copy.deepcopy(points[k])
    other.x += 1
    points[k].y += x
    chosen = points[k]
    chosen.x += 10
    return other.x, other.y, deep.x, deep.y, [(each.x, each.y) for each in points]


@program((2.0,), (3.0,), (9.0,))
def of_a_linked_list(x):
    head = Cell(1.0, Cell(2.0, Cell(3.0)))
    cell = head
    while cell is not None:
        if cell.value == x:
            cell.value = 10.0
            break
        cell = cell.rest
    return head.value, head.rest.value, head.rest.rest.value, cell is None


@program((np.array([3.0, 1.0, 2.0, 5.0], np.float32),))
def the_least_loaded(jobs):
    servers = [Account(0.0) for _ in range(3)]
    for job in jobs:
        best = servers[0]
        for server in servers:
            if server.balance < best.balance:
                best = server
        best.deposit(job)
    return [each.balance for each in servers]


@program((1.0, 0), (-1.0, 1))
def beside_one_that_a_branch_makes(x, k):
    points = [Point(0.0), Point(1.0)]
    chosen = points[k]
    chosen.y = 7.0
    new = Point(x, x) if x > 0 else Point(-x, 1.0)
    new.x += 1
    last = chosen if x > 0 else new
    last.y += 1
    return new.x, new.y, [each.y for each in points]
