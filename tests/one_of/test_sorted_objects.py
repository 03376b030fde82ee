"""Are objects, texts and records in the order that Python gives them, where traced values decide on it?"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite


class Person:
    def __init__(self, name, score):
        self.name, self.score = name, score


@dataclasses.dataclass
class Item:
    name: str
    weight: Any
    value: Any


def people_of(x):
    return [Person(str(k), x[k]) for k in range(4)]


def by_score(x, n):
    people = people_of(x)
    people.sort(key=lambda p: p.score)
    people[0].score += 10
    return [p.score for p in people], [p.name for p in people]


def the_one_is_changed(x, n):
    people = people_of(x)
    best = sorted(people, key=lambda p: (p.score > 0, -p.score))[0]
    best.score = 100.0 * n
    return [p.score for p in people], best.name


def each_generation(x, n):
    people = people_of(x)
    for _ in range(n):
        people.sort(key=lambda p: p.score)
        people[0].score = people[0].score + 3.5
    return [p.score for p in people], [p.name for p in people]


def identities(x, n):
    people = people_of(x)
    ranked = sorted(people, key=lambda p: p.score, reverse=True)
    return ranked[0] is people[0], people[1] in ranked, ranked[-1] is people[2]


def dataclasses_by_ratio(x, n):
    items = [Item(f"item {k}", v, v * 2 + k) for k, v in enumerate(x)]
    items.sort(key=lambda item: item.value / (item.weight + 10))
    return [item.value for item in items], items[-1].name


def ranking(x, n):
    scores = {"a": x[0], "b": x[1], "c": x[2]}
    return [name for name, _ in sorted(scores.items(), key=lambda pair: pair[1], reverse=True)][:2]


def records(x, n):
    rows = [{"kind": k, "value": x[i], "m": np.ones(2) * x[i]} for i, k in enumerate("pqr")]
    rows = sorted(rows, key=lambda row: -row["value"])[:2]
    return rows[0]["m"], rows[1]["kind"]


def events(x, n):
    found = [(x[0], "start", None), (x[1], "stop", x[3]), (x[2], "run", None)]
    found.sort(key=lambda event: event[0])
    return [kind for _, kind, _ in found], [0.0 if data is None else data for _, _, data in found]


def names_alone(x, n):
    return sorted(["a", "b", "c", "d"], key=lambda name: x["abcd".index(name)])


def equal_ones_stay(x, n):
    pairs = [(x[0], "a"), (x[0], "b"), (x[1], "c"), (x[0], "d")]
    pairs.sort(key=lambda pair: pair[0])
    return [name for _, name in pairs], [name for _, name in sorted(pairs, key=lambda p: p[0], reverse=True)]


def on_a_path(x, n):
    names = ["a", "b", "c", "d"]
    if n > 2:
        names = sorted(names, key=lambda name: x["abcd".index(name)], reverse=True)
    return names


def jobs(x, n):
    queue, done = [], []
    for k in range(4):
        queue.append((x[k], f"job {k}"))
    while queue:
        queue.sort()
        _, name = queue.pop(0)
        done.append(name)
    return done


PROGRAMS = [by_score, the_one_is_changed, each_generation, identities, dataclasses_by_ratio, ranking, records, events,
            names_alone, equal_ones_stay, on_a_path, jobs]  # fmt: skip


@pytest.mark.parametrize("fun", PROGRAMS)
def test_values_are_pythons(fun: Callable[..., Any]) -> None:
    converted = autograph_lite.convert(fun)
    for items, n in (([1.0, -2.0, 4.0, 0.5], 1), ([-1.0, 2.0, 3.0, 9.0], 4), ([2.0, 2.0, 2.0, 2.0], 3)):
        x = np.array(items, np.float32)
        want, got = fun(x, n), converted(x, np.int32(n))
        assert jax.tree.structure(want) == jax.tree.structure(got)
        for a, b in zip(jax.tree.leaves(want), jax.tree.leaves(got), strict=True):
            assert a == b if isinstance(a, str) else np.allclose(a, b, rtol=1e-5)


def test_gradient_of_the_first_one() -> None:
    def least(x):
        return sorted(people_of(x), key=lambda p: p.score)[0].score ** 2

    slope = jax.grad(autograph_lite.convert(least))(jnp.array([1.0, -2.0, 4.0, 0.5]))
    np.testing.assert_allclose(slope, [0.0, -4.0, 0.0, 0.0])
