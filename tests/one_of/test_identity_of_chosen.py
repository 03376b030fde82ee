"""Which of two equal objects was chosen? A program never takes one for the other, and says so where only Python knows."""

from __future__ import annotations

import array
import collections
import dataclasses
import decimal
import types
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import autograph_lite

MAKERS: dict[str, Callable[[], Any]] = {
    "namespace": lambda: types.SimpleNamespace(n=0),
    "array": lambda: array.array("i", [0]),
    "user list": lambda: collections.UserList([0]),
    "user dict": lambda: collections.UserDict(),
    "chain map": lambda: collections.ChainMap({}),
}


def changed(owner: Any) -> None:
    if isinstance(owner, types.SimpleNamespace):
        owner.n += 1
    else:
        owner[0] = 5


@pytest.mark.parametrize("kind", MAKERS)
def test_equal_objects_are_two(kind: str) -> None:
    make = MAKERS[kind]

    def fn(x):
        a, b = make(), make()
        chosen = a if x > 0 else b
        changed(chosen)
        return x

    for form in (autograph_lite.convert(fn), jax.jit(autograph_lite.to_graph(fn))):
        with pytest.raises(autograph_lite.BranchMismatchError, match="on one path and a different"):
            form(jnp.float32(1))


def test_one_object_on_both_paths_is_that() -> None:
    def fn(x):
        a = types.SimpleNamespace(n=0)
        chosen = a if x > 0 else a
        chosen.n += 1
        return a.n

    assert int(autograph_lite.convert(fn)(jnp.float32(1))) == 1


def test_decimals_that_are_written_otherwise_are_two() -> None:
    def fn(x):
        return len(str(decimal.Decimal("1.0") if x > 0 else decimal.Decimal("1.00")))

    with pytest.raises(autograph_lite.BranchMismatchError):
        autograph_lite.convert(fn)(jnp.float32(1))


@dataclasses.dataclass
class Point:
    v: float


PAIRS: dict[str, Callable[[], Any]] = {
    "lists": lambda: ([1.0], [2.0]),
    "dicts": lambda: ({"v": 1.0}, {"v": 2.0}),
    "defaultdicts": lambda: tuple(collections.defaultdict(int, v=k) for k in (1, 2)),
    "records": lambda: (Point(1.0), Point(2.0)),
    "tuples": lambda: ((1, 2), (3, 4)),
}


# In a loop, looking for an item of a defaultdict is a write.
REFUSALS = (autograph_lite.PythonOnlyError, autograph_lite.MutationError)


@pytest.mark.parametrize("kind", PAIRS)
def test_the_identity_of_what_was_chosen(kind: str) -> None:
    make = PAIRS[kind]

    def chosen(x):
        a, b = make()
        found = a if x > 0 else b
        return x if found is a else -x

    def kept(x):
        a, b = make()
        found = a
        if x > 0:
            found = b
        return found is not b

    def walked(x):
        a, b = make()
        now, steps = a, 0
        while steps < x:
            steps += 1
            now = b if now is a else a
        return steps

    for fn in (chosen, kept, walked):
        for form in (autograph_lite.convert(fn), jax.jit(autograph_lite.to_graph(fn))):
            with pytest.raises(REFUSALS, match="asks for the identity|is written to"):
                form(jnp.float32(3))


def test_the_identity_of_an_item_at_a_traced_place() -> None:
    def fn(x):
        rows = [[1.0], [2.0]]
        return rows[jnp.where(x > 0, 1, 0)] is rows[0]

    with pytest.raises(autograph_lite.PythonOnlyError, match="asks for the identity"):
        autograph_lite.convert(fn)(jnp.float32(1))


def test_identities_that_python_knows() -> None:
    def fn(x):
        points, total = [Point(1.0), Point(x), Point(3.0)], 0.0
        for p in points:
            for q in points:
                if p is q:
                    continue
                total += p.v * q.v
        pair, rows = (x, x + 1), [x]
        same = pair
        if x > 0:
            rows = rows
        return total, same is pair, pair is not None, rows != [x], points[0] is points[1]

    for x in (-1.0, 2.0):
        assert tuple(map(float, autograph_lite.convert(fn)(jnp.float32(x)))) == fn(x)
