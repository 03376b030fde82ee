"""A loop whose body calls what everyday programs call is rolled all the same: nothing of it is left behind unseen."""

from __future__ import annotations

import bisect
import cmath
import collections
import contextlib
import copy
import dataclasses
import enum
import fractions
import functools
import heapq
import itertools
import math
import operator
import re
import statistics
import types
import typing
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import autograph_lite

eqx, nnx, optax = map(pytest.importorskip, ("equinox", "flax.nnx", "optax"))
X = np.float32(1.5)
W = [1.0, 2.0, 3.0]
TABLE = np.arange(12.0, dtype=np.float32).reshape(3, 4)


class Pair(NamedTuple):
    a: Any
    b: Any


@dataclasses.dataclass
class Point:
    x: Any
    y: Any = 0.0

    @property
    def size(self) -> Any:
        return self.x + self.y

    def moved(self, by: Any) -> Point:
        return dataclasses.replace(self, x=self.x + by)

    @classmethod
    def of(cls, x: Any) -> Point:
        return cls(x)

    @staticmethod
    def twice(x: Any) -> Any:
        return x * 2


class Slotted:
    __slots__ = ("seen", "value")

    def __init__(self, value: Any) -> None:
        self.value, self.seen = value, []

    def __add__(self, other: Any) -> Any:
        return self.value + other

    def __iter__(self) -> Any:
        return iter((self.value, 1.0))

    def add(self, by: Any) -> None:
        self.value = self.value + by
        self.seen.append(by)


class Kind(enum.Enum):
    LOW = 1
    HIGH = 2


@contextlib.contextmanager
def scaled():
    yield 0.5


@functools.lru_cache
def node(n):
    return math.sqrt(n) + float(np.polynomial.legendre.leggauss(3)[0][n])


@functools.singledispatch
def described(value):
    return 1.0


@jax.custom_jvp
def squared(x):
    return x * x


squared.defjvp(lambda xs, ts: (squared(xs[0]), 2 * xs[0] * ts[0]))


@jax.jit
def compiled(x):
    return jnp.sin(x)


def numbers(x):
    for _ in range(4):
        x = (
            x
            + math.sqrt(2.0)
            + cmath.phase(1j)
            + math.fsum(W)
            + abs(-1)
            + round(2.6)
            + divmod(7, 2)[1]
            + pow(2, 3)
        )
    return x


def texts(x):
    for _ in range(4):
        x = x + len("a,b".split(",")) + "abc".count("b") + ("a".upper() == "A") + len("-".join(["a", "b"]))
        x = x + len(re.sub("a", "bb", "aa")) + len("{}!".format("a")) + ord("a")  # noqa: UP032
    return x


def fractions_and_means(x):
    for _ in range(4):
        x = x + float(fractions.Fraction(1, 3)) + statistics.mean(W) + int.from_bytes(b"\x01", "big")
    return x


def over_pairs(x):
    for _ in range(4):
        for k, (a, b) in enumerate(zip(W, reversed(W), strict=True)):
            x = x + a * b * k
        x = x + sum(a * b for a, b in zip(W, W, strict=True)) + max(map(float, W)) + len([*filter(None, W)])
        for a, b in itertools.product(W, W):
            x = x + a * b
        x = x + sum(itertools.chain(W, W)) + len(list(itertools.islice(W, 2))) + sum(itertools.accumulate(W))
    return x


def iterators_of_its_own(x):
    for _ in range(4):
        items = iter(W)
        x = x + next(items) + next(items, 0.0) + (3.0 in items)
        a, *rest = map(float, W)
        x = x + a + len(rest) + len(dict(zip("ab", W))) + len(set(map(int, W)))  # noqa: B905
    return x


def containers(x):
    heap, rows, seen = [3.0], [], collections.Counter()
    for _ in range(4):
        queue = [5, 1, 4]
        heapq.heapify(queue)
        x = x + heapq.heappop(queue) + bisect.bisect(W, 1.5) + len(copy.copy(heap))
        rows.append(x)
        last = collections.deque([0.0], maxlen=2)
        last.append(x)
        x = x + len(seen) + last[0] + len(sorted(W, key=lambda w: -w)) + max(W, key=operator.neg)
    return x, rows


def functions_of_functions(x):
    add = functools.partial(operator.add, 2.0)
    first = operator.itemgetter(0)
    for _ in range(4):
        x = functools.reduce(operator.add, W, add(x)) + first(W) + node(1) + described("a")
    return x


def objects(x):
    for _ in range(4):
        pair = Pair(x, 2.0)._replace(b=3.0)
        point = Point.of(pair.a).moved(pair.b)
        space = types.SimpleNamespace(z=point.size)
        space.z += Point.twice(1.0)
        x = space.z + (Kind(2) == Kind.HIGH) + getattr(point, "y") + typing.cast("Any", 1.0)  # noqa: B009
        x = x + len(dataclasses.asdict(Point(1.0))) + hash("a") % 1
    return x


def changed_objects(x):
    made = Slotted(x)
    for _ in range(4):
        made.add(x)
        x = (made + x) * 0.25
        setattr(made, "value", made.value * 0.5)  # noqa: B010
    return x, made.value, made.seen


def managers(x):
    for _ in range(4):
        with contextlib.nullcontext(), np.errstate(all="ignore"), jax.named_scope("step"), scaled() as half:
            x = x * half
    return x


def checks(x):
    for _ in range(4):
        assert x > -1, "low"
        if x > 1e9:
            raise ValueError("far")
        x = x + 1
    return x


def arrays_of_numpy(x):
    for _ in range(4):
        x = (
            x
            + np.dot(TABLE[0], TABLE[1])
            + TABLE.sum()
            + np.linalg.norm(TABLE)
            + len(TABLE)
            + np.zeros((2, 3)).size
        )
        x = x * 0.5 + np.float32(2) + float(np.add.reduce(W)) + TABLE.max(axis=0).mean().item()
    return x


def arrays_of_jax(x):
    y = jnp.asarray(TABLE)
    for _ in range(4):
        y = jax.nn.relu(y @ y.T @ y * 1e-3).astype(jnp.float32).at[0].set(x)
        x = x + jnp.sum(y, axis=0).mean() + lax.rsqrt(x) + compiled(x) + squared(x) * 1e-3
    return x, y


def transforms(x):
    key = jax.random.key(0)
    for _ in range(4):
        key, one = jax.random.split(key)
        x = x + jax.vmap(lambda w: w * x)(jnp.ones(3)).sum() + jax.grad(lambda w: w * w)(x) * 0.01
        x = x + jax.random.normal(one) + sum(jax.tree.leaves(jax.tree.map(lambda w: w * x, {"a": 1.0})))
        x = lax.fori_loop(0, 2, lambda _, w: w * 0.5, x) + jnp.vectorize(lambda w: w + 1)(x)
    return x


def shown(x):
    for _ in range(4):
        jax.debug.callback(lambda _: None, x)
        x = x + jax.pure_callback(lambda w: w, jax.ShapeDtypeStruct((), "float32"), x)
    return x


LINEAR, LAYER = eqx.nn.Linear(4, 4, key=jax.random.key(1)), nnx.Linear(4, 4, rngs=nnx.Rngs(0))


class Net(eqx.Module):
    layer: eqx.nn.Linear

    def __call__(self, x):
        return jax.nn.tanh(self.layer(x))


NET, FILTERED = Net(LINEAR), eqx.filter_jit(lambda x: jnp.sin(x))


def modules(x):
    y = jnp.ones(4) * x
    for _ in range(4):
        y = NET(y) + FILTERED(LINEAR(y)) + LAYER(y) * 0.5
    return y


def steps_of_an_optimizer(x):
    optimizer = optax.adam(1e-2)
    state = optimizer.init(x)
    for _ in range(4):
        updates, state = optimizer.update(x * 2, state, x)
        x = optax.apply_updates(x, updates)
    return x


PROGRAMS = [
    value
    for value in list(globals().values())
    if isinstance(value, types.FunctionType)
    and value.__module__ == __name__
    and value.__code__.co_varnames[:1] == ("x",)
    and value not in (squared, compiled)
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_everyday_calls_are_rolled(program: Callable[..., Any]) -> None:
    run = autograph_lite.convert(program, static_loops=("auto", 4))
    found = autograph_lite.explain(run)(X)
    assert [(each.became, each.why) for each in found if each.became == "unrolled 4 times"] == []
    ours, plain = run(X), program(X)
    assert jax.tree.structure(ours) == jax.tree.structure(plain)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-4), ours, plain)
