"""Do dataclasses join as structures, and stay the objects that they are where no path makes another one?"""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from autograph_lite import MutationError


@dataclasses.dataclass(frozen=True)
class Frozen:
    a: Any
    b: Any = 0.0


@dataclasses.dataclass
class Point:
    x: Any
    y: Any = 2.0

    def norm(self):
        return self.x * self.x + self.y


@dataclasses.dataclass(slots=True)
class Slotted:
    x: Any
    y: Any = 2.0


def replaced_in_branches(x):
    point = Frozen(x)
    for _ in range(4):
        if point.a > 2:
            point = dataclasses.replace(point, b=point.b + 1)
        else:
            point = Frozen(point.a + 1, point.b)
    return point.a, point.b


def made_in_an_expression(x):
    point = Point(x, 1.0) if x > 0 else Point(1.0, x)
    return point.norm(), point.x


def carried_by_a_loop(x):
    point, i = Slotted(x), 0
    while i < x:
        point = Slotted(point.x + 1, point.y * 2)
        i += 1
    return point.x, point.y


def changed_in_a_branch(x):
    point = Point(x)
    if x > 0:
        point.x = point.x + 1
    return point.x


def one_of_two(x):
    p, q = Point(x), Point(x + 1)
    chosen = p if x > 0 else q
    return chosen.x


def nested(x):
    pair = (Point(x, [1.0, x]), 3) if x > 0 else (Point(0.0, [x, 2.0]), 4)
    return pair[0].y[1], pair[1]


def best_so_far(x):
    best = None
    for v in np.arange(3.0):
        candidate = Point(v * x, v)
        if best is None or candidate.x > best.x:
            best = candidate
    return best.x, best.y


def the_same_on_both_paths(x):
    point = Point(x)
    other = point
    if x > 0:
        other = point
    other.x = 5.0
    return point.x


@pytest.mark.parametrize(
    "function",
    [
        replaced_in_branches,
        made_in_an_expression,
        carried_by_a_loop,
        changed_in_a_branch,
        one_of_two,
        nested,
        best_so_far,
        the_same_on_both_paths,
    ],
)
def test_the_result_is_pythons(function) -> None:
    for run in (autograph_lite.convert(function), jax.jit(autograph_lite.to_graph(function))):
        for x in (1.5, -1.0, 3.0):
            jax.tree.map(np.testing.assert_allclose, run(jnp.float32(x)), function(x))


def written_to_one_of_two(x):
    p, q = Point(x), Point(x + 1)
    chosen = p if x > 0 else q
    chosen.x = 7.0
    return p.x


def test_a_write_to_one_of_two_changes_that_one() -> None:
    function = autograph_lite.convert(written_to_one_of_two)
    assert function(jnp.float32(1)) == 7
    assert function(jnp.float32(-1)) == -1


def test_a_write_to_one_of_two_is_refused_in_a_program_of_others() -> None:
    with pytest.raises(MutationError, match="A Point is written to that is one object on one path"):
        jax.jit(autograph_lite.to_graph(written_to_one_of_two))(jnp.float32(1))


def test_gradients_go_through_a_joined_object() -> None:
    gradient = jax.grad(lambda x: autograph_lite.to_graph(made_in_an_expression)(x)[0])
    assert float(gradient(3.0)) == 6.0
    assert float(gradient(-3.0)) == 1.0
