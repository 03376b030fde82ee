"""Everyday uses of what a traced value chooses: copies, `with`, loops, augmented assignments and look-ups with a default."""

from __future__ import annotations

import copy
import dataclasses
import enum
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tests.one_of.agreement import program

NOTHING: Any = None


class Color(enum.Enum):
    RED = "r"
    BLUE = "b"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Task:
    def __init__(self, n, status=None):
        self.n, self.status = n, status


@dataclasses.dataclass
class Node:
    value: Any
    left: Any = None


class Counter:
    def __init__(self, n):
        self.n, self.log = n, 0

    def __enter__(self):
        self.log += 1
        return self

    def __exit__(self, *error):
        self.log += 10

    def __iadd__(self, k):
        self.n = self.n + k
        return self

    def __imul__(self, k):
        return k


@program((1.0,), (-1.0,))
def copies_of_what_holds_it(x):
    task = Task(x, "open" if x > 0 else "done")
    deep, flat = copy.deepcopy(task), copy.copy(task)
    deep.n, flat.n = deep.n + 1, flat.n + 2
    return task.n, deep.n, flat.n, deep.status == "open", flat.status == "open"


@program((1.0,), (-1.0,))
def copy_of_a_dict_that_holds_it(x):
    held = {"color": Color.RED if x > 0 else Color.BLUE, "best": x if x > 0 else None, "rows": [x]}
    other = copy.deepcopy(held)
    other["rows"].append(3.0)
    return len(held["rows"]), len(other["rows"]), other["color"] is Color.RED, other["best"] is None


@program((1.0,), (-1.0,))
def deep_copy_of_an_object(x):
    a, b = Task(x), Task(2 * x)
    t = a if x > 0 else b
    u = copy.deepcopy(t)
    u.n = u.n + 1
    return a.n, b.n, u.n, t.n


@program((1.0,), (-1.0,))
def deep_copy_keeps_what_is_shared(x):
    a, b = Task(x), Task(2 * x)
    held = {"t": a if x > 0 else b, "a": a}
    other = copy.deepcopy(held)
    other["a"].n = 100.0
    return other["t"].n, held["t"].n, other["t"] is other["a"]


@program((1.0,), (-1.0,))
def deep_copy_of_an_array_of_numpys(x):
    a = np.arange(3.0) * x
    held = {"v": a if x > 0 else None}
    other = copy.deepcopy(held)
    if other["v"] is not None:
        other["v"] = other["v"] + 1
    return a, 0.0 if held["v"] is None else held["v"].sum(), 0.0 if other["v"] is None else other["v"].sum()


@program((1.0,), (-1.0,))
def dataclass_as_dict_and_tuple(x):
    node = Node("a" if x > 0 else "b", x)
    changed = dataclasses.replace(node, left=x + 1)
    found, (value, left) = dataclasses.asdict(node), dataclasses.astuple(node)
    return found["value"] == "a", found["left"], value == "b", left, changed.value == "a", changed.left


@program((1.0,), (-1.0,))
def dataclass_that_may_hold_another(x):
    node = Node(x, Node(x * 2) if x > 0 else None)
    found, (_, left) = dataclasses.asdict(node), dataclasses.astuple(node)
    is_tuple = isinstance(left, tuple)
    return isinstance(found["left"], dict), 0.0 if found["left"] is None else found["left"]["value"], is_tuple


@program((1.0,), (-1.0,))
def entered(x):
    a, b = Counter(x), Counter(2 * x)
    with a if x > 0 else b as t:
        n = t.n + 1
    return n, a.log, b.log


@program((1.0,), (-1.0,))
def entered_in_a_loop(x):
    a, b = Counter(x), Counter(2 * x)
    for i in range(4):
        t = b if x > i - 2 else a
        with t as u:
            u.n = u.n + 1
    return a.n, b.n, a.log, b.log


@program((1.0,), (-1.0,))
def entered_or_none(x):
    with Counter(x) if x > 0 else NOTHING:
        n = x + 1
    return n


@program((1.0,), (-1.0,))
def items_of_texts_and_classes(x):
    text, kinds, count = "abc" if x > 0 else "xyz", Color if x > 0 else Level, 0
    for letter in text:
        count = count + (1 if letter == "b" else 10)
    for member in kinds:
        count = count + (100 if member is Color.RED else 1000)
    return count


@program((1.0,), (-1.0,))
def items_of_none(x):
    total = 0.0
    for v in [x, 1.0] if x > 0 else NOTHING:
        total = total + v
    return total


class Rows:
    def __init__(self, rows):
        self.rows = rows

    def __iter__(self):
        return iter(self.rows)


@program((1.0,), (-1.0,))
def items_of_an_object_that_is_known_there(x):
    a, b = Rows([x, 1.0]), Rows([2.0, 3.0, 4.0])
    t, total = a if x > 0 else b, 0.0
    if t is a:
        for v in t:
            total = total + v
    else:
        for v in t:
            total = total - v
    return total


@program((1.0,), (-1.0,))
def changed_in_place(x):
    a, b = Counter(x), Counter(2 * x)
    t = a if x > 0 else b
    t += 3.0
    for i in range(3):
        if i > x:
            t += 1.0
    u = t
    u *= 2.0
    return a.n, b.n, t.n, t is a, u


@program((1.0,), (-1.0,))
def changed_in_place_or_anew(x):
    t = Counter(x) if x > 0 else 2 * x
    t += 3.0
    return t.n if isinstance(t, Counter) else t


@program((1.0,), (-1.0,))
def tuples_that_get_longer(x):
    a, b = (x, "k"), (2 * x, "l")
    t = a if x > 0 else b
    t += (3.0,)
    return len(a), len(t), t[1] == "k", t[2]


@program((0,), (5,), (1,))
def looked_up_with_a_default(i):
    unlike, numbers = {0: "zero", 1: 1.0, 2: None}, {0: 1.0, 1: 2}
    return unlike.get(i, "many") == "zero", unlike.get(i) is None, numbers.get(i, -1.0), numbers.get(i - 4, 7)


@program((0,), (1,))
def object_looked_up_with_a_default(i):
    a, b = Task(i), Task(2 * i)
    {0: a}.get(i, b).n = 5
    return a.n, b.n


@program((1.0,), (-1.0,))
def member_that_is_a_number_in_functions_of_jax(x):
    level = Level.LOW if x > 0 else Level.HIGH
    filled = jnp.full(3, level), jnp.full_like(jnp.ones(2), level), jax.lax.full((2,), level)
    return *filled, jnp.arange(5)[level], np.sqrt(level), jnp.broadcast_to(level, (2,)), level + 1
