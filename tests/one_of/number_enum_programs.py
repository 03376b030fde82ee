"""Members of enums whose members are numbers: chosen by a traced value, they are members, and count as numbers."""

from __future__ import annotations

import enum

import jax
import jax.numpy as jnp
import numpy as np

from tests.one_of.agreement import program


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2

    def label(self):
        return f"level {self.name}"


class Access(enum.IntFlag):
    READ = 1
    WRITE = 2
    RUN = 4


class Rate(float, enum.Enum):
    SLOW = 0.5
    FAST = 2.5


@program((1.0,), (-1.0,))
def what_it_is(x):
    level = Level.LOW if x > 0 else Level.HIGH
    kinds = isinstance(level, Level), isinstance(level, int), type(level) is Level, hasattr(level, "name")
    return level, kinds, level in Level, level is Level.LOW, f"{level!r} {level}", hash(level)


@program((1.0,), (-1.0,))
def its_attributes(x):
    level = Level.LOW if x > 0 else Level.HIGH
    try:
        name = level.name
    except AttributeError:
        name = "none"
    return name, level.value, level.label(), level.bit_length(), Level(level)


@program((1.0,), (-1.0,))
def rates(x):
    rate = Rate.SLOW if x > 0 else Rate.FAST
    return (
        rate,
        rate.name,
        rate * 2,
        rate + x,
        isinstance(rate, Rate),
        isinstance(rate, float),
        rate < 1,
        jnp.sin(rate),
    )


@program((1.0,), (-1.0,))
def arithmetic(x):
    level = Level.LOW if x > 0 else Level.HIGH
    numbers = (
        level + 1,
        5 - level,
        level / 2,
        2**level,
        level << 1,
        level & 1,
        ~level,
        divmod(7, level),
        abs(level),
    )
    return (
        numbers,
        level < Level.HIGH,
        level == 1,
        level * x,
        x**level,
        x < level,
        int(level),
        float(level),
        -level,
    )


@program((1.0,), (-1.0,))
def in_arrays(x):
    level = Level.LOW if x > 0 else Level.HIGH
    xs, m, host = jnp.arange(5.0), jnp.arange(6).reshape(2, 3), np.arange(4.0)
    read = xs[level], m[:, level], m[level - 1, level], xs[level : level + 1], xs[level, None], host[level]
    host[level] = 9.0
    return read, xs.at[level].set(level), host, np.array([level, level]), xs * level, jnp.array([level, 3])


@program((1.0,), (-1.0,))
def in_libraries(x):
    level = Level.LOW if x > 0 else Level.HIGH
    xs = jnp.arange(5.0)
    mapped = (
        jax.vmap(lambda v: v * level)(xs),
        jax.jit(lambda n: n + 1)(level),
        jax.grad(lambda v: v * level)(x),
    )
    picked = jnp.take(xs, level), jnp.where(level == 1, x, -x), jnp.maximum(level, 2), jnp.clip(xs, level, 3)
    return mapped, picked, jax.nn.one_hot(level, 4), sum([level, level]), max(level, 0), np.maximum(level, 2)


@program((1.0,), (-1.0,))
def counted_to(x):
    level, n = Level.LOW if x > 0 else Level.HIGH, 0
    for i in range(level):
        n += i + 1
    return (
        n,
        [10, 20, 30][level],
        sum([10, 20, 30][level:]),
        {1: "a", 2: "b"}[level],
        {Level.LOW: 1.0, Level.HIGH: 2.0}[level],
    )


@program((0.0,), (1.0,), (4.0,))
def states_of_a_loop(x):
    level, seen = Level.LOW, 0
    while x > 0:
        x = x - 1
        seen = seen + level
        level = Level.HIGH if level is Level.LOW else Level.LOW
    return level, seen, level.name


@program((0.5,), (5.0,), (-1.0,))
def found_in_a_loop(x):
    best = None
    for v in jnp.arange(3.0):
        if v < x:
            best = Level.LOW
        elif v > 1:
            best = Level.HIGH
    return best, best is None, best == Level.HIGH


@program((0.0,), (1.0,), (5.0,))
def flags_of_a_loop(x):
    access = Access(0)
    for v in jnp.arange(3.0):
        access |= Access.READ if v < x else Access.WRITE
    return access, Access.READ in access, bool(access & Access.WRITE), access == Access.READ | Access.WRITE


@program((1.0,), (-1.0,))
def matched(x):
    level = Level.LOW if x > 0 else Level.HIGH
    match level:
        case Level.LOW:
            r = 1.0
        case Level.HIGH:
            r = 2.0
    match level:
        case 1:
            r += 10.0
        case 2:
            r += 20.0
    return r


@program((1.0,), (-1.0,))
def beside_a_number(x):
    level = Level.LOW if x > 0 else 7
    return level, isinstance(level, Level), level + 1, level == 7


def _doubled(level, y):
    return level.value * y if level is Level.HIGH else y


@program((1.0,), (-1.0,))
def handed_on(x):
    level = Level.LOW if x > 0 else Level.HIGH
    held = {"level": level, "pair": (level, x)}
    return _doubled(level, x), held["level"].label(), held["pair"][0] is level


@program((1.0,), (-1.0,), (3.0,))
def taken_by_an_index(x):
    k = (x > 0) + 0 if isinstance(x, float) else (x > 0).astype(int)
    levels = [Level.LOW, Level.HIGH]
    found = levels[k], tuple(levels)[1 - k], {0: Access.READ, 1: Access.RUN}[k], list(Rate)[k]
    return found, found[0] + 1, found[0].name, found[2] | 2, found[3] * 2, [Level.LOW, Access.RUN][k] + 0
