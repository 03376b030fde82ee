"""NumPy's arrays that are born in the function: they hold traced values from the first one on, whoever holds them by then."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from autograph_lite.operators.effects import births

pytestmark = pytest.mark.filterwarnings("ignore::autograph_lite.RandomNumbersWarning")

X = np.array([1.0, 2.0, 3.0, 4.0], np.float32)
N = np.int32(3)


class Buffers:
    """Makes its arrays itself."""

    def __init__(self, size: int) -> None:
        self.all = np.zeros(size)
        self.rest = self.all[1:]

    def push(self, i: int, v: Any) -> None:
        """Keeps a value."""
        self.all[i] = v


def fill(out: Any, x: Any) -> None:
    for i in range(len(out)):
        out[i] = x[i] * 2


def names(x):
    xs = np.zeros((3, 2))
    ys = xs
    xs[0] = x[:2]
    ys[1] = x[2:] * 2
    return xs, ys


def holders(x):
    s = Buffers(4)
    before, rows = s.all, [np.ones(2), np.full(3, 2.0)]
    first = {"a": rows[0]}
    s.push(1, x[0])
    s.push(2, x[1])
    rows[0][1] = x[2]
    rows[1][0] = x[3]
    return before, s.rest, first["a"], rows[1]


def flattened(x):
    a, b, c, d = np.ones((2, 2)) * 2, np.linspace(0, 1, 4), np.sqrt(np.ones((2, 2))), np.arange(4.0) / 3
    a.ravel()[1] = x[0]
    p, q, r = b.reshape(2, 2), c.ravel(), d.reshape(2, 2)
    p -= x[1]
    q[3] = x[2]
    r *= x[3]
    return a, b, p, c, d


def helpers(x):
    whole, part, m = np.empty(4), np.zeros(6), np.zeros((2, 4))
    fill(whole, x)
    fill(part[1:5], x)
    fill(m[1], x)
    return whole, part, m


def closures(x):
    out = np.zeros(4)

    def put(i, v):
        out[i] = v

    put(0, x[1])
    put(1, x[0])
    return out


def closures_in_loops(x):
    stack, n = np.zeros(9), 0

    def push(v):
        stack[n] = v

    for v in x:
        if stack[n] > 1:
            push(v * 2)
        stack[n + 1] += v
        n += 1
    return stack, n


def views(x):
    o, m = np.zeros(4), np.arange(6.0).reshape(2, 3)
    v, row, turned = o[1:], m[0], m.T
    v[0] = x[0]
    o[2] = x[1]
    row[1] = x[2]
    m[1] = row
    turned[0, 0] = x[3]
    return o, v, m, row


def computed(x):
    o = np.ones(3) * 0.5
    p = o
    o[0] = x[0]
    return p


def augmented(x):
    o, q = np.zeros(4), np.zeros(4)
    p = o
    o += x
    o *= 2

    def add(to, v):
        to += v

    add(q, x)
    add(q, p)
    return p, q


def loops(x, n):
    o, total, known = np.zeros(5), np.zeros(4), np.zeros(4)
    p, q, i = o, total, 0
    while i < n:
        o[i] = i
        total += x[i]
        known += 1
        i += 1
    return p, q, known


def branches(x):
    o, q = np.zeros(3), np.zeros(3)
    p, r = o, q
    if x[0] > 0:
        o[0] = 1
        q += 1
    else:
        o[1] = x[1]
    return p, r


def swapped(x):
    a, b = np.zeros(4), np.zeros(4)
    a[:] = x
    for _ in range(3):
        b[1:] = a[:-1]
        b[0] = a[-1]
        a, b = b, a
    return a, x


def functions(x):
    o, s, f = np.zeros(4), np.array([3.0, 1, 2]), np.empty(3)
    np.multiply(x, 2, out=o)
    s[0] = x[3]
    s.sort()
    f.fill(x[0])
    np.copyto(o, x, where=x > 2)
    return o, s, f


def rows_at_data(x, n):
    m = np.zeros((4, 2))
    row = m[n]
    row += 1
    m[n, 0] = x[0]
    t = np.arange(8).reshape(4, 2)
    known = t[n]
    t[3] = 5
    return m, row, known


def simulated(x, n):
    steps, dt = int(np.ceil(1.0 / 0.25)), 0.25
    grid, weights = np.linspace(0, 1, steps + 1), np.zeros(3)
    weights[:] = [1, -2, 1]
    path = np.zeros((steps + 1, 2))
    path[0] = x[:2]
    for t in range(steps):
        path[t + 1] = path[t] + dt * np.array([path[t, 1], -path[t, 0]])
    inner = np.eye(5, dtype=bool)[::2].any(axis=0)
    return path[inner], np.dot(weights, path[:3]), grid[: len(path)]


def tables(x, n):
    best = np.zeros(7)
    for i in range(3):
        for c in range(6, 0, -1):
            if x[i] <= c:
                best[c] = max(best[c], best[c - 1] + x[i])
    counts = np.zeros(5, int)
    for v in x:
        counts[int(v)] += 1
    sieve = np.ones(20, bool)
    sieve[:2] = False
    for i in range(2, 5):
        if sieve[i]:
            sieve[i * i :: i] = False
    return best, counts, sieve * n


class Mean:
    """Fills its own array anew."""

    def __init__(self, size: int) -> None:
        self.x = np.zeros(size)

    def step(self, y: Any) -> None:
        """Adds all up."""
        self.x.fill(0)
        for k in range(3):
            self.x += y * k


def filled_anew(x):
    mean = Mean(4)
    for _ in range(2):
        mean.step(x)
    total = np.zeros((4, 4))
    for k in range(20):
        column = x[:, None] - k
        total += column @ column.T
    total *= 0.5
    total[0] += x
    same = total
    same /= 2
    return mean.x, total


class Layer:
    """Hands out its arrays by name."""

    def __init__(self, size: int) -> None:
        self.w, self.b = np.ones(size), np.zeros(size)

    def named(self) -> dict[str, Any]:
        """The arrays."""
        return {"w": self.w, "b": self.b}


def items_that_are_added_to(x):
    layer, seen, y = Layer(4), np.ones(4), x
    for _ in range(2):
        y = x * layer.w + layer.b
        named = layer.named()
        for name in named:
            named[name] -= 0.1 * y
    rows = [seen]
    rows[0] *= x
    return y, layer.w, layer.b, seen


def drawn(x):
    np.random.seed(3)
    layer = Layer(4)
    layer.w += np.random.uniform(size=4)
    named = layer.named()
    named["w"] += x * np.random.uniform()
    return layer.w


class Bodies:
    """Computes its arrays, and changes them in its methods."""

    def __init__(self, speed: Any) -> None:
        angles = np.linspace(0.0, 3.0, 4)
        self.place = np.ones((4, 2)) * 2
        self.speed = speed(np.stack([np.cos(angles), np.sin(angles)], axis=1))
        self.kept: list[Any] = [self.speed]

    def step(self, pull: Any) -> None:
        half = self.speed
        half -= 0.1 * pull * self.place
        self.place += 0.1 * half


SPEEDS: dict[str, Any] = {
    "as it is": lambda speed: speed,
    "times a number": lambda speed: speed * 0.5,
    "a product": lambda speed: np.ones((4, 3)) @ np.ones((3, 2)),
    "of two shapes": lambda speed: np.arange(4.0)[:, None] * np.ones(2),
    "of an axis more": lambda speed: (np.arange(24.0).reshape(3, 4, 2) / 5)[1],
    "a part": lambda speed: (np.arange(12.0).reshape(6, 2) / 5)[1:5],
    "some rows": lambda speed: np.arange(12.0).reshape(6, 2)[[0, 2, 3, 5]],
    "the other way": lambda speed: (np.arange(8.0).reshape(2, 4) / 5).T,
    "a power": lambda speed: np.arange(8.0).reshape(4, 2) ** 2,
    "of a method": lambda speed: np.arange(8).reshape(4, 2).clip(1, 5) / 3,
}


@pytest.mark.parametrize("rounds", [3, N], ids=["unrolled", "rolled"])
@pytest.mark.parametrize("speed", SPEEDS.values(), ids=SPEEDS)
def test_who_holds_a_computed_array_sees_what_is_written(speed: Any, rounds: Any) -> None:
    def simulated_bodies(pull, rounds):
        bodies = Bodies(speed)
        for _ in range(rounds):
            bodies.step(pull)
        return bodies.place, bodies.speed, bodies.kept[0]

    found = autograph_lite.convert(simulated_bodies)(np.float64(0.5), rounds)
    for one, other in zip(found, simulated_bodies(np.float64(0.5), rounds), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)


def momentum(rate, rounds):
    weights = [np.ones(3) * 0.5, np.arange(4.0) / 2]
    means = [np.zeros_like(weight) for weight in weights]
    for _ in range(rounds):
        for weight, mean in zip(weights, means, strict=True):
            mean *= 0.9
            mean += 2 * weight
            weight -= rate * mean
    return weights, means


def parts_of_one(rate, rounds):
    whole = np.arange(6.0) / 10
    matrix, vector = whole[:4].reshape(2, 2), whole[4:]
    for _ in range(rounds):
        matrix += rate * np.outer(vector, vector)
        vector -= rate * matrix.sum(axis=0)
    return whole, matrix, vector


def taken_apart(rate, rounds):
    whole = np.arange(6.0).reshape(2, 3) * 2
    first, second = whole
    for _ in range(rounds):
        first += rate * second
    return whole, first


def rows_in_a_list(rate, rounds):
    whole = np.arange(6.0).reshape(3, 2) / 2
    rows = [whole[i] for i in range(3)]
    for _ in range(rounds):
        for row in rows:
            row += rate
    return whole, rows


def rows_on_a_path(rate, rounds):
    whole = np.zeros((3, 2))
    for row in (whole[0], whole[1:]):
        if rate * rounds > 1:
            row += rate
    return whole


def rows_while_all_is_changed(rate, rounds):
    whole, total = np.zeros((4, 2)), np.zeros(2)
    for row in [whole[0], whole[1], whole[2]]:
        whole += rate
        np.multiply(row, 2, out=row)
        total = total + row
    return whole, total + rounds


@pytest.mark.parametrize(
    "program",
    [momentum, parts_of_one, taken_apart, rows_in_a_list, rows_on_a_path, rows_while_all_is_changed],
    ids=lambda program: program.__name__,
)
def test_parts_and_lists_of_computed_arrays(program: Any) -> None:
    found, expected = autograph_lite.convert(program)(np.float64(0.5), 4), program(np.float64(0.5), 4)
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)


PULL = np.array([1.0, 2.0])


def test_what_is_computed_of_an_outside_array_alone_is_refused() -> None:
    def f(x):
        pull = -PULL
        same = pull
        pull += x
        return pull, same

    with pytest.raises(autograph_lite.MutationError) as caught:
        autograph_lite.convert(f)(np.float64(2.0))
    assert str(caught.value) == (
        "An array of NumPy's, float64[2], is changed in place to values that the program computes, and it has other names.\n"
        f"  {__file__}:{f.__code__.co_firstlineno + 3} in f\n"
        "      pull += x\n"
        "  An array of NumPy's can't hold them, and only one name would mean the new array.\n"
        "  Fix: make it by a call of NumPy's, x = np.array(x), before it gets other names."
    )


def test_where_python_needs_the_numbers_that_it_is_computed_of_it_is_refused() -> None:
    def f(x):
        known: dict[Any, int] = {number: 1 for number in np.arange(3)}
        product = np.ones((2, 3)) @ np.ones((3, 2))
        same = product
        product += x
        return product, same, known[2]

    with pytest.raises(autograph_lite.MutationError, match="and it has other names"):
        autograph_lite.convert(f)(np.float64(2.0))


def test_the_remedy_is_true() -> None:
    def f(x):
        pull = np.array(-PULL)
        same = pull
        pull += x
        return pull, same

    np.testing.assert_array_equal(autograph_lite.convert(f)(np.float64(2.0)), f(np.float64(2.0)))


def test_an_array_that_a_staged_loop_goes_through_is_changed_under_two_names() -> None:
    def f(x):
        whole = np.zeros(4) + x
        same = whole
        for number in map(abs, whole):
            whole += number
        return whole, same

    np.testing.assert_allclose(autograph_lite.convert(f)(np.float64(2.0)), f(np.float64(2.0)), rtol=1e-5)


PROGRAMS: dict[Any, tuple[Any, ...]] = {
    **dict.fromkeys((items_that_are_added_to, drawn, filled_anew), (X,)),
    **dict.fromkeys((names, holders, flattened, helpers, closures, closures_in_loops, views, computed, augmented, branches, swapped, functions), (X,)),
    **dict.fromkeys((loops, rows_at_data, simulated, tables), (X, N)),
}  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_all_who_hold_an_array_see_what_is_written(program: Any) -> None:
    args = PROGRAMS[program]
    expected = program(*(arg.copy() for arg in args))
    found = autograph_lite.convert(program)(*args)

    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("program", [names, helpers, loops, augmented], ids=lambda program: program.__name__)
def test_under_grad_and_vmap(program: Any) -> None:
    rest = PROGRAMS[program][1:]
    converted = autograph_lite.convert(lambda x: sum(jnp.sum(leaf * leaf) for leaf in program(x, *rest)))
    step = 1e-2 * np.eye(4)
    value = lambda x: sum(np.sum(leaf * leaf) for leaf in program(x, *rest))  # noqa: E731
    slopes = [(value(X + one) - value(X - one)) / 2e-2 for one in step]

    np.testing.assert_allclose(jax.grad(converted)(jnp.asarray(X)), slopes, rtol=1e-2, atol=1e-2)
    np.testing.assert_allclose(jax.vmap(converted)(jnp.stack([X, X])), [value(X)] * 2, rtol=1e-4)


def test_what_nobody_else_sees_takes_one_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted: list[Any] = []
    monkeypatch.setattr(births, "want_anew", wanted.append)

    def stored(x):
        out = np.zeros(3)
        out[0] = x[0]
        out[1] = out[0] + 1
        return out

    def added(x):
        total = np.zeros(4)
        total += x
        total += x
        return total

    for fn in (stored, added):
        np.testing.assert_allclose(autograph_lite.convert(fn)(X), fn(X))
    assert not wanted


def test_who_is_traced_again_draws_the_same_numbers() -> None:
    def f(x):
        w = np.random.uniform(size=4)
        rows = [w]
        rows[0] += x
        return w, np.random.uniform()

    np.random.seed(5)
    expected = [*f(X), np.random.uniform()]
    np.random.seed(5)
    found = [*autograph_lite.convert(f)(X), np.random.uniform()]
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)


TABLE = np.zeros((3, 3), np.float32)


def row_of_an_outside_array(i):
    row = TABLE[i]
    row[0] = 5.0
    return row.sum()


def window_of_an_outside_array(i):
    rows = TABLE[i : i + 1]
    rows[0, 0] = 5.0
    return rows.sum()


def row_that_is_added_to(i):
    row = TABLE[i]
    row += 1.0
    return row.sum()


@pytest.mark.parametrize(
    "function", [row_of_an_outside_array, window_of_an_outside_array, row_that_is_added_to]
)
def test_a_part_of_an_array_from_outside_is_written(function):
    TABLE[:] = 0
    wanted = [function(1), function(2)]
    after = TABLE.copy()
    TABLE[:] = 0
    converted = autograph_lite.convert(function)
    assert [float(converted(jnp.int32(i))) for i in (1, 2)] == wanted
    np.testing.assert_array_equal(TABLE, after)


SHARED = np.zeros(3, np.float32)


@dataclasses.dataclass
class Particle:
    """Makes its velocity itself, by a method that has no text."""

    place: Any
    velocity: Any = dataclasses.field(default_factory=lambda: np.zeros(3, np.float32))

    def kick(self, force: Any) -> None:
        """Changes the velocity in place."""
        self.velocity += force


@dataclasses.dataclass(frozen=True, slots=True)
class Frozen:
    """Has two such arrays, and no dict."""

    one: Any = dataclasses.field(default_factory=lambda: np.ones(3, np.float32))
    other: Any = dataclasses.field(default_factory=lambda: np.ones((2, 3), np.float32))


@dataclasses.dataclass
class Sharing:
    """Has one that is there before."""

    array: Any = dataclasses.field(default_factory=lambda: SHARED)


def particles_with_velocities(x):
    particles = [Particle(x[:3]), Particle(x[1:] * 2)]
    for _ in range(3):
        centre = (particles[0].place + particles[1].place) / 2
        for each in particles:
            each.kick(centre - each.place)
            each.place = each.place + each.velocity
    return [each.velocity for each in particles]


def a_name_for_a_default(x):
    particle = Particle(x[:3])
    velocity = particle.velocity
    velocity[0] = x[3]
    velocity += x[1:]
    return particle.velocity


def defaults_of_what_is_frozen(x):
    frozen = Frozen()
    one, row = frozen.one, frozen.other[0]
    one += x[:3]
    row[:] = one
    return frozen.one, frozen.other


def a_default_that_several_have(x):
    first, second = Sharing(), Sharing()
    first.array += x[:3]
    array = first.array
    array[0] = x[3]
    return second.array * 1, SHARED.sum()


@pytest.mark.parametrize(
    "function",
    [
        particles_with_velocities,
        a_name_for_a_default,
        defaults_of_what_is_frozen,
        a_default_that_several_have,
    ],
    ids=lambda function: function.__name__,
)
def test_arrays_that_a_dataclass_makes_are_written(function):
    SHARED[:] = 0
    expected, left = jax.tree.leaves(function(X)), SHARED.copy()
    SHARED[:] = 0
    found = jax.tree.leaves(autograph_lite.convert(function)(X))
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)
    np.testing.assert_array_equal(SHARED, left)
