"""Lists, tuples and dicts of unlike structure on two paths: one of several, which len, items, keys and loops know."""

from __future__ import annotations

import numpy as np

from tests.one_of.agreement import program


def roots(b, c):
    square = b * b - 4 * c
    if square < 0:
        return []
    if square == 0:
        return [-b / 2]
    return [(-b - square**0.5) / 2, (-b + square**0.5) / 2]


@program((3.0, 2.0), (2.0, 1.0), (0.0, 1.0))
def real_roots(b, c):
    found = roots(b, c)
    total = 0.0
    for root in found:
        total += root * root
        if root > 5:
            break
    largest = max(found) if found else 0.0
    return found, len(found), total, largest, sum(found)


@program((2.0,), (-2.0,))
def valid(x):
    if x > 0:
        return True, [x]
    return False, []


@program((2.0,), (-2.0,))
def one_of_two_dicts(x):
    found = {"force": x} if x > 0 else {"distance": -x, "count": 1}
    inside = found["force"] if "force" in found else found["distance"] * 2
    return found, inside, found.get("force", 0.0), len(found)


@program((2.0,), (-2.0,))
def missing_key(x):
    found = {"force": x} if x > 0 else {"distance": -x}
    try:
        return found["force"]
    except KeyError:
        return found["distance"] * 10


@program((2.0,), (0.5,), (-1.0,))
def tuples_and_none(x):
    found = None if x < 0 else ((x,) if x < 1 else (x, x + 1))
    longer = () if found is None else found + (3.0,)
    return found, found is None or found[-1], len(longer)


@program((1.0,), (-1.0,))
def index_beyond(x):
    found = [x, 5.0] if x > 0 else [x]
    return found[1]


@program((1.0,), (-1.0,))
def joined_with_others(x):
    found = [x] if x > 0 else [x, 2.0]
    longer = found + [3.0]
    found[0] += 1
    return longer, longer[-1], found == [x], found[0], sorted(found)


@program((np.array([1.0, -2.0, 3.0], np.float32),))
def each_iteration(xs):
    total, longest = 0.0, ()
    for x in xs:
        parts = [x] if x > 0 else [x, x * 2]
        for part in parts:
            total += part
        longest = (x,) if x > 0 else (x, x)
        total += len(longest)
    return total


@program((2.0,), (-2.0,), (20.0,))
def arguments_of_exceptions(x):
    def work(x):
        if x < 0:
            raise ValueError("negative", x)
        if x > 10:
            raise KeyError("large")
        return x

    try:
        return work(x)
    except (ValueError, KeyError) as error:
        return len(error.args) * 100
