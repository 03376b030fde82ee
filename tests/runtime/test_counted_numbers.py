"""Numbers of Python's that a function changes, `self.t += 1`, go on from call to call where something depends on them."""

from __future__ import annotations

import enum
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autograph_lite import MutationError, convert

f32 = np.float32


class Adam:
    def __init__(self) -> None:
        self.m, self.v = np.zeros(2, f32), np.zeros(2, f32)
        self.t, self.calls, self.rate, self.at = 0, 0, 0.1, 0
        self.first, self.mean = True, f32(0)
        self.ring = np.zeros(3, f32)
        self.stats = {"steps": 0}

    def step(self, x):
        self.t += 1
        self.calls += 1
        self.m = 0.9 * self.m + 0.1 * x
        self.v = 0.99 * self.v + 0.01 * x**2
        return self.rate * (self.m / (1 - 0.9**self.t)) / (np.sqrt(self.v / (1 - 0.99**self.t)) + 1e-6)

    def decays(self, x):
        self.rate *= 0.5
        return x * self.rate

    def each_third(self, x):
        self.calls += 1
        if self.calls % 3 == 0:
            x = x * 10
        return x

    def in_a_ring(self, x):
        self.ring[self.at] = x
        self.at = (self.at + 1) % 3
        return self.ring.sum()

    def moving_mean(self, x):
        if self.first:
            self.mean, self.first = x, False
        else:
            self.mean = f32(0.5) * self.mean + f32(0.5) * x
        return self.mean

    def as_a_size(self, x):
        self.t += 1
        y = np.zeros(self.t, f32)
        return y + x

    def in_a_dict(self, x):
        self.stats["steps"] += 2
        return x * self.stats["steps"]

    def only_in_a_callee(self, x):
        self.tick()
        return x * self.now()

    def tick(self):
        self.t += 1

    def now(self):
        return self.t + 0.5

    def rolls(self, x):
        self.t += 2
        for k in range(self.t):
            x = x + k
        return x


METHODS = [
    name
    for name, value in vars(Adam).items()
    if callable(value) and not name.startswith("_") and name != "now"
]


@pytest.mark.parametrize("name", [name for name in METHODS if name != "tick"])
@pytest.mark.filterwarnings("ignore::autograph_lite.RetraceWarning")
def test_they_go_on(name):
    ours, python = Adam(), Adam()
    step = convert(getattr(ours, name))
    for k in range(1, 6):
        np.testing.assert_allclose(
            step(f32(k)), getattr(python, name)(f32(k)), rtol=1e-4, err_msg=f"call {k}"
        )
        if k == 3:  # in plain Python
            ours.t = python.t = 1


@pytest.mark.parametrize(
    "name", ["step", "decays", "each_third", "in_a_ring", "in_a_dict", "only_in_a_callee", "rolls"]
)
def test_they_are_inputs(name):
    step = convert(getattr(Adam(), name))
    for k in range(4):
        step(f32(k))
    assert step.trace_count == 1


def test_a_flag_is_a_value_that_a_program_is_made_for():
    step = convert(Adam().moving_mean)
    for k in range(6):
        step(f32(k))
    assert step.trace_count <= 3  # the first call, the second, and those with an array in `mean`


def test_what_nothing_depends_on_counts_traces():
    counts = SimpleNamespace(traces=0)
    total = 0

    @convert
    def f(x):
        nonlocal total
        counts.traces += 1
        total = total + 1
        return x * 2

    for _ in range(3):
        f(f32(1))
    f(jnp.ones(2))
    assert (counts.traces, total, f.trace_count) == (2, 2, 2)


def test_in_a_trace_of_somebody_elses_it_is_refused():
    a = Adam()
    with pytest.raises(MutationError, match="rate"):
        jax.vmap(convert(a.decays))(jnp.ones(3))
    np.testing.assert_array_equal(jax.vmap(convert(a.moving_mean_of_nobody))(jnp.ones(3)), [2, 2, 2])
    assert a.rate == 0.1


def _counts(self: Any, x: Any) -> Any:
    self.calls += 1
    return x * 2


Adam.moving_mean_of_nobody = _counts  # type: ignore[attr-defined]


def test_a_function_that_reads_what_another_one_counts():
    class Clock:
        def __init__(self):
            self.t = 0

        @convert
        def tick(self, x):
            self.t += 1
            return self.t * x

        @convert
        def read(self, x):
            return self.t * x

    clock = Clock()
    for k in range(4):
        assert clock.read(f32(1)) == k
        clock.tick(f32(1))
    clock.t = 7
    assert clock.read(f32(1)) == 7


class Held:
    def __init__(self, **held: Any) -> None:
        self.__dict__.update(held)


class Mode(enum.Enum):
    FIRST = 1
    SECOND = 2


def fibonacci(wrap):
    o = Held(p=(0, 1), q={"n": 0}, a=0, b=1)

    @wrap
    def f(x):
        o.p = (o.p[1], o.p[0] + o.p[1])
        o.q = {"n": o.q["n"] + 1}
        o.a, o.b = o.b, o.a + o.b
        return x * o.p[0] + o.q["n"] - o.a

    for _ in range(4):
        yield f(f32(1))


def numbers_of_a_class(wrap):
    class Count:
        n = 0
        rate = 1.0

        @wrap
        def f(self, x):
            self.n += 1
            self.rate = self.rate * 0.5
            return x * self.n + self.rate

        @wrap
        def of_all(self, x):
            type(self).n += 1
            return x * type(self).n

    c, d = Count(), Count()
    for call in (c.f, c.f, d.f, c.f, d.of_all, d.of_all):
        yield call(f32(1))


def texts_and_modes(wrap):
    o = Held(text="a", mode=Mode.FIRST, none=None)

    @wrap
    def f(x):
        if o.text == "a":
            o.text = "b"
            return x
        o.text = "a"
        return -x

    @wrap
    def g(x):
        o.mode = Mode.SECOND if o.mode is Mode.FIRST else Mode.FIRST
        return x * o.mode.value

    @wrap
    def h(x):
        o.none = "set" if o.none is None else None
        return x if o.none else -x

    for _ in range(3):
        yield f(f32(1))
        yield g(f32(1))
        yield h(f32(1))


def objects_in_turns(wrap):
    o = Held(a=Held(w=np.ones(2, f32)), b=Held(w=np.zeros(2, f32)))

    @wrap
    def f(x):
        o.a, o.b = o.b, o.a
        o.a.w = o.a.w + x
        return o.a.w

    for _ in range(4):
        yield f(f32(1))


def items_that_are_taken(wrap):
    rows = [np.zeros(2, f32), np.ones(2, f32), np.full(2, 2, f32)]
    named = {"a": np.ones(2, f32)}

    @wrap
    def f(x):
        return rows.pop() * x

    @wrap
    def g(x):
        return named.pop("a", np.zeros(2, f32)) * x

    for _ in range(3):
        yield f(f32(1))
        yield g(f32(1))


def one_sets_what_another_reads(wrap):
    o = Held(mode=0, n=5)

    @wrap
    def on(x):
        o.mode = 1
        return x

    @wrap
    def off(x):
        o.mode = 0
        return x

    @wrap
    def f(x):
        return x * 10 if o.mode else x

    @wrap
    def reset():
        o.n = 0

    @wrap
    def counts(x):
        o.n += 1
        return x * o.n

    for call in (on, f, off, f, on, f, f, off, f):
        yield call(f32(1))
    for _ in range(3):
        reset()
        yield counts(f32(1))
        yield counts(f32(1))


def one_only_counts(wrap):
    o = Held(n=0, m=0, best=0)

    @wrap
    def f(x):
        o.n += 1
        o.m = o.n
        if o.n > o.best:
            o.best = o.n
        return x

    @wrap
    def g(x):
        o.n += 1
        return x * o.n + o.m

    for call in (f, g, f, g, f, f, g):
        yield call(f32(1))


def objects_that_python_replaces(wrap):
    o = Held(state=Held(t=0), rows=[Held(k=0)])

    @wrap
    def f(x):
        o.state.t += 1
        for row in o.rows:
            row.k += 1
            x = x * row.k
        return x * o.state.t

    yield f(f32(1))
    o.state = Held(t=0)
    yield f(f32(1))
    o.rows.append(Held(k=7))
    yield f(f32(1))
    yield o.state.t


def numbers_that_stores_need(wrap):
    o = Held(n=0, m=np.zeros(2, f32), b=np.zeros(5, f32), rate=1.0)

    @wrap
    def store(x):
        o.b[o.n] = x
        o.n += 1

    @wrap
    def mean(x):
        o.n += 1
        o.m += (x - o.m) / o.n

    @wrap
    def decay(x):
        o.rate *= 0.5
        o.m[0] += o.rate * x

    @wrap
    def into(a):
        o.n += 1
        a[0] = o.n

    a = np.zeros(1, f32)
    for call in (store, store, mean, mean, decay, decay):
        call(f32(2))
        yield np.concatenate([o.b, o.m, [o.n]])
    into(a)
    into(a)
    yield a


def counted_for_another_method(wrap):
    class Queue:
        def __init__(self):
            self.n, self.calls = 0, 0

        @wrap
        def push(self, x):
            self.n += 1
            return x

        @wrap
        def mean(self, x):
            return x / self.n

    q = Queue()
    for _ in range(3):
        q.push(f32(1))
    yield q.mean(f32(6))
    q.push(f32(1))
    yield q.mean(f32(6))


def flags_that_are_set_again(wrap):
    n, names, o = np.zeros(1, f32), [], Held(dirty=True)

    @wrap
    def change():
        n[0] += 1
        names.append("x")
        o.dirty = True

    @wrap
    def use(x):
        if o.dirty:
            o.dirty = False
        return x

    for _ in range(3):
        change()
        yield n.copy()
        use(f32(1))


SEQUENCES = [
    numbers_that_stores_need, counted_for_another_method, flags_that_are_set_again,
    fibonacci, numbers_of_a_class, texts_and_modes, objects_in_turns, items_that_are_taken, one_sets_what_another_reads,
    one_only_counts, objects_that_python_replaces,
]  # fmt: skip


@pytest.mark.parametrize("make", SEQUENCES)
@pytest.mark.filterwarnings("ignore::autograph_lite.RetraceWarning")
def test_calls_in_turns(make):
    results = [[np.asarray(each) for each in make(wrap)] for wrap in (convert, lambda f: f)]
    for found, expected in zip(*results, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_a_dict_whose_items_are_attributes():
    class Items(dict):
        __getattr__ = dict.__getitem__

    held = Items(w=np.ones(2, f32))

    @convert
    def f(x):
        return x * held.w

    np.testing.assert_array_equal(f(f32(2)), [2, 2])
    held["w"] = np.zeros(2, f32)
    np.testing.assert_array_equal(f(f32(2)), [0, 0])


def test_an_array_of_the_program_in_a_list_from_outside_is_refused():
    u, history = np.ones(2, f32), []

    @convert
    def f(x):
        u[0] += x
        history.append(u)

    with pytest.raises(MutationError, match="gets an array of NumPy's from outside"):
        f(f32(1))

    @convert
    def copies(x):
        u[0] += x
        history.append(u.copy())

    for _ in range(3):
        copies(f32(1))
    np.testing.assert_array_equal(history, [[2, 1], [3, 1], [4, 1]])
