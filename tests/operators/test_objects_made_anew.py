"""Ordinary objects that a loop or a branch makes anew: are they what Python has, and who else holds them?"""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from autograph_lite import MutationError


class Particle:
    def __init__(self, x, n=0):
        self.x, self.n = x, n

    def step(self):
        return Particle(self.x * 2, self.n + 1)

    def __add__(self, other):
        return Particle(self.x + other.x, self.n + other.n)


class Fast(Particle):
    __slots__ = ("speed",)

    def __init__(self, x):
        super().__init__(x)
        self.speed = 3

    @property
    def far(self):
        return self.x * self.speed

    def step(self):
        return Fast(self.x * 3)


class World:
    def __init__(self, x):
        self.particle = Particle(x)

    def run(self, n):
        i = 0
        while i < n:
            self.particle = self.particle.step()
            i += 1


def stepped(x):
    p = Particle(x)
    while p.x < 10:
        p = p.step()
    return p.x, p.n


def with_an_attribute_more(x):
    p, i = Particle(x), 0
    while i < x:
        new = Particle(p.x + 1)
        new.extra = i * 2
        p = new
        i += 1
    return p.x, hasattr(p, "extra") and p.extra


def of_a_subclass(x):
    p = Fast(x)
    while p.far < 100:
        p = p.step()
    return p.far, isinstance(p, Fast), p.speed


def two_by_turns(x):
    a, b, i = Particle(x), Particle(x * 2), 0
    while i < x:
        a, b = b, a + b
        i += 1
    return a.x, b.x


def swapped_and_written(x):
    a, b, i = Particle(x), Particle(x * 2), 0
    while i < x:
        a, b = b, a
        i += 1
    a.x = a.x + 100
    return a.x, b.x


def in_an_attribute(x):
    world = World(x)
    world.run(x)
    return world.particle.x, world.particle.n


def chosen_in_a_branch(x):
    p = q = Particle(x)
    if x > 2:
        p = Particle(x + 1)
    same = p is q
    q.x = q.x + 10
    return p.x, same


def with_an_array(x):
    p, i = Particle(np.zeros(3)), 0
    items = p.x
    while i < x:
        p = Particle(p.x, i)
        p.x[0] += 1
        i += 1
    return p.x, items, p.n


def in_a_list(x):
    all_of_them = [Particle(x, i) for i in range(3)]
    for _ in range(15):
        all_of_them = [p.step() if p.x < 50 else Particle(p.x - 20, p.n) for p in all_of_them]
    return [p.x for p in all_of_them], [p.n for p in all_of_them]


class Vector:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __mul__(self, k):
        return Vector(self.x * k, self.y * k)

    def unit(self):
        n = math.sqrt(self.x * self.x + self.y * self.y)
        if n == 0:
            return self
        return self * (1 / n)


def of_vectors_until_one_is_hit(x):
    p, way, n, hit = Vector(0.0, 0.0), Vector(x, 1.0).unit(), 0, None
    while n < 60:
        d = min(math.sqrt((p.x - c) ** 2 + (p.y - 3) ** 2) - r for c, r in ((0, 0.5), (2, 0.75)))
        if d < 1e-3:
            hit = p
            break
        p = p + way * d
        n += 1
    if hit is None:
        return -1.0, n
    return hit.y, n


def by_squaring(x):
    n, base, power = int(x) + 4, Vector(1.0, 2.0), Vector(0.0, 0.0)
    while n > 0:
        if n % 2 == 1:
            power = power + base
        base = base + base
        n = n // 2
    return power.x, power.y


PROGRAMS = (
    of_vectors_until_one_is_hit, by_squaring, stepped, with_an_attribute_more, of_a_subclass, two_by_turns, swapped_and_written, in_an_attribute, chosen_in_a_branch,
    with_an_array, in_a_list,
)  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_they_are_what_python_has(f) -> None:
    converted = autograph_lite.convert(f)
    for x in (1.5, 3.0):
        for one, other in zip(jax.tree.leaves(converted(jnp.float32(x))), jax.tree.leaves(f(x)), strict=True):
            np.testing.assert_allclose(np.asarray(one, float), np.asarray(other, float), rtol=1e-6)


def test_one_comes_out_with_its_values() -> None:
    @autograph_lite.convert
    def f(x):
        p = Particle(x)
        while p.x < 10:
            p = p.step()
        return p

    found = f(jnp.float32(1.5))
    assert type(found) is Particle
    assert (float(found.x), int(found.n)) == (12.0, 3)
    assert f.trace_count == 1


def test_derivatives_and_lanes() -> None:
    f = autograph_lite.convert(lambda x: stepped(x)[0])
    assert jax.jvp(f, (1.5,), (1.0,)) == (12.0, 8.0)
    np.testing.assert_array_equal(jax.vmap(f)(jnp.float32([1, 2, 11])), [16, 16, 11])


def first_is_held(x):
    p = q = Particle(x)
    while p.x < 10:
        p = p.step()
    q.x = q.x + 100
    return p.x, q.x


def last_is_held(x):
    p, i = Particle(x), 0
    q = p
    while i < x:
        p = Particle(p.x + 1)
        if i == 1:
            q = p
        i += 1
    q.x = q.x + 100
    return p.x, q.x


def one_of_them_is_in_another(x):
    p, i = Particle(x), 0
    q = Particle(p)
    while i < x:
        q = Particle(p, q.n + 1)
        i += 1
    p.x = p.x + 1
    return q.x.x, p.x


@pytest.mark.parametrize("f", [first_is_held, last_is_held, one_of_them_is_in_another])
def test_a_write_that_others_may_see_is_refused(f) -> None:
    with pytest.raises(MutationError) as caught:
        autograph_lite.convert(f)(jnp.float32(1.5))
    assert str(caught.value).startswith(
        "A Particle is written to that is one object on one path of a staged statement and another on another path."
    )
