"""Dicts and lists whose items are written where a traced value says which: a number, a text, a tuple of such."""

from __future__ import annotations

import collections
import dataclasses
import enum

import numpy as np

from tests.one_of.agreement import program


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


@dataclasses.dataclass
class Point:
    x: float


class Cell:
    def __init__(self, value):
        self.value = value


class Stock:
    def __init__(self):
        self.items = {1: 5, 2: 3}

    def take(self, key, count):
        if key not in self.items:
            raise KeyError(key)
        if self.items[key] < count:
            raise ValueError("short")
        self.items[key] -= count


@program((np.array([3, 1, 2, 1]),))
def counted(keys):
    counts, again = {1: 0, 2: 0.0, 3: 0}, collections.Counter({1: 0, 2: 0, 3: 0})
    for key in keys:
        counts[key] += 1
        again[key] = again.get(key, 0) + 1
    return [*counts.values()], [*again.values()], max(counts, key=counts.get)


@program((np.array([3, 1, 9, 1]),))
def those_that_are_there(keys):
    counts, others, missed = {1: 0, 3: 0}, 0, 0
    for key in keys:
        if key in counts:
            counts[key] += 1
        else:
            others += 1
        try:
            counts[key] *= 2
        except KeyError as error:
            missed += error.args[0]
    return [*counts.values()], others, missed


@program((1,), (4,))
def what_is_missing(key):
    counts = collections.Counter({1: 2, 3: 4})
    table = {1: 2.0, 3: 4.0}
    return counts[key], table.get(key, -1.0), table.setdefault((key - 1) % 3 + 1, 7.0) if key < 4 else 0.0


@program((np.array([2.0, 0.0, 3.0], np.float32), np.array([0, 1, 0])))
def pairs(xs, numbers):
    table = {(kind, n): 0.0 for kind in ("high", "low") for n in range(2)}
    for x, n in zip(xs, numbers, strict=True):
        table["high" if x > 1 else "low", n] += x
    return [*table.values()], ("low", numbers[0]) in table, table.get(("low", numbers[0] + 1), -1.0)


@program((np.array([0, 1, 1, 0]),))
def states_by_pairs(inputs):
    table = {("a", 0): "a", ("a", 1): "b", ("b", 0): "a", ("b", 1): "b"}
    state, count = "a", 0
    for each in inputs:
        state = table[state, each]
        count += state == "b"
    return state, count


@program((1, 0, 2.0), (3, 1, -2.0))
def items_of_items(key, n, x):
    rows, tables = {1: np.zeros(2), 3: np.ones(2)}, {1: {"a": 1.0}, 3: {"a": 2.0}}
    same = rows[3]
    rows[key][n] += x
    tables[key]["a"] *= x
    return rows[1], rows[3], same, tables[1]["a"], tables[3]["a"]


@program((1,), (2,))
def keys_of_other_types(key):
    levels, halves, truths = {Level.LOW: 0.0, Level.HIGH: 1.0}, {0.5: 1, 1.0: 2}, {True: 0, False: 0}
    levels[key] += 2
    halves[key / 2] += 1
    truths[key > 1] += 1
    return [*levels.values()], [*halves.values()], [*truths.values()]


@program((np.array([1, 2, 2, 9]), np.array([2, 2, 5, 1])))
def kept_by_an_object(keys, counts):
    stock, short, missed = Stock(), 0, 0
    for key, count in zip(keys, counts, strict=True):
        try:
            stock.take(key, count)
        except KeyError:
            missed += 1
        except ValueError:
            short += 1
    return short, missed, stock.items[1], stock.items[2]


@program((np.array([4, 0, 4, 8, 2]),))
def board_of_texts(places):
    board, player = [" "] * 9, "X"
    for place in places:
        if board[place] == " ":
            board[place] = player
            player = "O" if player == "X" else "X"
    board[-places[0]] = "?"
    return board, player


@program(
    (np.array([1, 2]), np.array([5.0, 6.0], np.float32)), (np.array([0, 7]), np.array([5.0, 6.0], np.float32))
)
def filled_once(places, values):
    found = [None] * 3
    for place, value in zip(places, values, strict=True):
        if found[place] is None:
            found[place] = value
    return found


@program((0, 3.0), (1, 3.0))
def objects_put_into_lists(k, x):
    points, cells, point, cell = [Point(0.0), Point(1.0)], [Cell(0.0), Cell(1.0)], Point(x), Cell(x)
    points[k], cells[k] = point, cell
    point.x += 1
    cell.value += 1
    points[0].x += 10
    cells[0].value += 10
    cells[0], cells[k] = cells[k], cells[0]
    return [each.x for each in points], [each.value for each in cells], point.x, cell.value
