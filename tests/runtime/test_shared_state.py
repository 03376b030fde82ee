"""What one function changes, or plain Python, another one reads: arrays of NumPy's that it has seen are what they are at each call."""

from __future__ import annotations

import gc
import random
import warnings
import weakref
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autograph_lite import RetraceWarning, convert
from autograph_lite.runtime.tracing.trace_table import Traces

f32 = np.float32


def model(wrap: Any) -> SimpleNamespace:
    """A model with functions that write and functions that read, in converted code and in plain Python."""

    class Shared:
        table = np.ones(2, f32)

    class Model(Shared):
        def __init__(self) -> None:
            self.w, self.v = np.ones(2, f32), np.zeros(2, f32)
            self.part = self.v[1:]
            self.rows = [np.ones(2, f32), np.zeros(2, f32)]
            self.fixed = (np.ones(2, f32),)
            self.held = {"a": np.ones(2, f32)}
            self.count = np.array(1)

        @wrap
        def write(self, x):
            self.w += x
            self.v[1] = x

        @wrap
        def bind(self, x):
            self.v = self.v + x
            self.held["a"] = self.held["a"] * x

        @wrap
        def write_without_data(self, x):
            self.rows[0][1] += 2
            self.table[0] -= 1

        @wrap
        def read(self, x):
            return self.w * x + self.v + self.held["a"]

        @wrap
        def read_all(self, x):
            return sum(self.rows) * x + self.fixed[0] + self.table + self.part

        @wrap
        def read_by_numpy(self, x):
            return float(np.sum(self.w)) * x + np.max(self.fixed[0])

        @wrap
        def as_a_size(self, x):
            y = x
            for k in range(int(self.count)):
                y = y + k
            return y

    m = Model()

    def in_place(x):
        m.w[0] = x
        m.fixed[0][1] += x
        m.table[:] += 1
        m.count += 1

    def binds(x):
        m.w = m.w * f32(0.5)
        m.rows[1] = m.rows[1] + x
        m.count = m.count + 1

    def other_containers(x):
        m.rows = [*m.rows, np.full(2, x, f32)]
        m.held = {"a": m.held["a"] + 1}

    def longer(x):
        m.rows.append(np.full(2, x, f32))

    def of_the_class(x):
        type(m).table = type(m).table + x

    plain = [in_place, binds, other_containers, longer, of_the_class]
    own = [m.write, m.bind, m.write_without_data, m.read, m.read_all, m.read_by_numpy, m.as_a_size]
    return SimpleNamespace(calls=[*own, *own, *plain], holder=m)


def state(m: Any) -> Any:
    return jax.tree.map(np.asarray, [m.w, m.v, m.part, m.rows, m.fixed, m.held, m.count, m.table])


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.filterwarnings("ignore::autograph_lite.RetraceWarning")
def test_each_call_sees_what_the_calls_before_have_left(seed):
    drawn = random.Random(seed)
    ours, python = model(convert), model(lambda f: f)
    # `bind` gives `v` an array of its own, in which its part has none of the writes
    for _ in range(10):
        number, x = drawn.randrange(len(ours.calls)), f32(drawn.randrange(1, 4))
        found, expected = ours.calls[number](x), python.calls[number](x)
        if expected is not None:
            np.testing.assert_allclose(found, expected, rtol=1e-5, err_msg=python.calls[number].__name__)
        jax.tree.map(
            lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5), state(ours.holder), state(python.holder)
        )


def test_it_is_traced_again_once():
    class Model:
        def __init__(self):
            self.w = np.ones(2, f32)

        @convert
        def fit(self, x):
            self.w -= x

        @convert
        def predict(self, x):
            return self.w * x

    m = Model()
    m.predict(f32(1))
    for k in range(8):
        m.fit(f32(1))
        np.testing.assert_array_equal(m.predict(f32(1)), [-k, -k])
        m.w = m.w + f32(0)  # in plain Python
        m.w[0] += 0
    assert m.predict.trace_count <= 3


def test_what_nobody_changes_is_traced_once_and_stays_a_constant():
    table = np.arange(3, dtype=f32)

    @convert
    def f(x):
        return table * x

    for _ in range(3):
        f(f32(1))
    assert f.trace_count == 1
    assert len(f.concrete_functions[0].jaxpr.in_avals) == 1


def test_what_is_needed_as_a_size_is_traced_again_at_each_change():
    sizes = np.array([2])

    @convert
    def f(x):
        return jnp.zeros(int(sizes[0])) + x

    with pytest.warns(RetraceWarning):
        for n in range(2, 9):
            sizes[0] = n
            assert f(f32(1)).shape == (n,)
    assert f.trace_count == 7
    f(f32(1))
    assert f.trace_count == 7


def test_an_array_that_is_passed_to_one_and_a_global_of_another():
    u = np.zeros(4, f32)

    @convert
    def step(u, x):
        u[1:-1] += x

    @convert
    def energy(x):
        return (u**2).sum() * x

    for k in range(3):
        assert energy(f32(1)) == 2 * k**2
        step(u, f32(1))


def test_a_large_array_is_compared_by_a_part_of_its_items():
    big = np.zeros(1_000_000, f32)

    @convert
    def f(x):
        return big.sum() + x

    f(f32(0))
    big += 1
    assert f(f32(0)) == 1_000_000


def test_a_call_in_somebody_elses_trace_has_what_there_is_then():
    w = np.ones(2, f32)

    @convert
    def f(x):
        return w * x

    xs = jnp.arange(3, dtype=f32)
    np.testing.assert_array_equal(jax.vmap(f)(xs)[:, 0], [0, 1, 2])
    w[:] = 3
    np.testing.assert_array_equal(jax.vmap(f)(xs)[:, 0], [0, 3, 6])
    assert jax.grad(lambda x: f(x).sum())(f32(1)) == 6
    w[0] = 0
    assert jax.grad(lambda x: f(x).sum())(f32(1)) == 3


def test_objects_that_were_read_are_not_kept_alive():
    class Node:
        def __init__(self):
            self.w, self.children = np.ones(2, f32), []

        @convert
        def total(self, x):
            return self.w * x

    node = Node()
    node.children.append(SimpleNamespace(parent=node, w=np.ones(2, f32)))
    node.total(f32(1))
    node.w = node.w * 2
    np.testing.assert_array_equal(node.total(f32(1)), [2, 2])
    gone = weakref.ref(node)
    del node
    gc.collect()
    assert gone() is None


def test_there_is_no_warning_where_it_is_an_input():
    w = np.ones(2, f32)

    @convert
    def f(x):
        return w * x

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for k in range(12):
            w[0] = k
            assert f(f32(1))[0] == k


class Held:
    def __init__(self, **held: Any) -> None:
        self.__dict__.update(held)


def in_turns(make: Any) -> Any:
    """What the calls of a program give that `make` makes of a wrapper, beside plain Python's."""
    results = [[np.asarray(each) for each in make(wrap)] for wrap in (convert, lambda f: f)]
    for found, expected in zip(*results, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-6)


def a_target_that_was_the_weights(wrap):
    o = Held(w=np.ones(2, f32), target=np.zeros(2, f32))

    @wrap
    def learn(x):
        o.w = o.w + x
        return o.w - o.target

    yield learn(f32(1))
    o.target = o.w
    for _ in range(3):
        yield learn(f32(1))


def the_best_so_far(wrap):
    o = Held(w=np.ones(2, f32), best=np.zeros(2, f32))

    @wrap
    def fit(x):
        o.w = o.w * x

    @wrap
    def predict(x):
        return o.best * x

    fit(f32(2))
    o.best = o.w
    yield predict(f32(1))
    fit(f32(3))
    yield predict(f32(1))


def a_variable_of_a_closure(wrap):
    u = np.zeros(3, f32)

    @wrap
    def step(x):
        nonlocal u
        u = u + x

    @wrap
    def store(x):
        u[1] += x

    @wrap
    def energy(x):
        return u.sum() * x

    for call in (step, energy, store, energy, step, store, energy):
        call(f32(1))
        yield u.copy() if isinstance(u, np.ndarray) else u


def lists_that_get_longer(wrap):
    m = Held(ws=[np.ones(2, f32)], named={"a": np.ones(2, f32)}, none=[])

    @wrap
    def fit(x):
        for i in range(len(m.ws)):
            m.ws[i] = m.ws[i] - x
        m.named["a"] = m.named["a"] * 2

    @wrap
    def predict(x):
        for w in (*m.ws, *m.named.values(), *m.none):
            x = x * w
        return x

    for grows in (m.ws.append, lambda w: m.named.update(b=w), m.none.append, lambda w: m.ws.pop(0)):
        fit(f32(0.5))
        yield predict(f32(1))
        grows(np.full(2, 5, f32))
        yield predict(f32(1))


def other_objects(wrap):
    o = Held(inner=Held(w=np.ones(2, f32)), rows=[Held(w=np.ones(2, f32))], h={"a": np.ones(2, f32)})

    @wrap
    def read(x):
        return o.inner.w * x + sum(each.w for each in o.rows) + o.h["a"]

    @wrap
    def write(x):
        o.inner.w[0] += x
        o.h["a"] = o.h["a"] + x

    for _ in range(2):
        for replaced in (
            lambda: setattr(o, "inner", Held(w=np.zeros(2, f32))),
            lambda: o.rows.append(Held(w=np.ones(2, f32))),
            lambda: setattr(o, "h", {"a": np.ones(2, f32)}),
        ):
            yield read(f32(1))
            write(f32(1))
            replaced()
            yield read(f32(2))
            write(f32(1))
            yield o.inner.w


def what_was_none_or_of_the_class(wrap):
    class Kind:
        w = np.ones(2, f32)
        mean = None

        @wrap
        def read(self, x):
            return self.w * x if self.mean is None else self.w * x - self.mean

    k = Kind()
    yield k.read(f32(1))
    k.w = np.zeros(2, f32)
    yield k.read(f32(1))
    k.mean = np.ones(2, f32).mean()
    yield k.read(f32(1))
    k.mean = np.full(2, 3, f32).mean()
    yield k.read(f32(1))
    del k.w
    yield k.read(f32(1))


def what_a_call_returned(wrap):
    u = np.ones(3, f32)

    @wrap
    def step(u, x):
        return u * x

    @wrap
    def energy(x):
        return u.sum() * x

    for _ in range(3):
        u = step(u, f32(2))
        yield energy(f32(1))


def structured_arrays_and_shapes(wrap):
    p, w = np.zeros(2, [("a", f32)]), np.arange(4, dtype=f32)

    @wrap
    def read(x):
        return w * x + p["a"].sum()

    yield read(f32(1))
    p["a"][0] = 3
    yield read(f32(1))
    w.shape = (2, 2)
    yield read(f32(1))


def methods_in_variables(wrap):
    class Strategy:
        rates = np.ones(2, f32)

        def __init__(self):
            self.w = np.ones(2, f32)
            self.chosen = self.linear

        def linear(self, x):
            return self.w * x

        @staticmethod
        def scaled(x):
            return Strategy.rates * x

        @wrap
        def act(self, x):
            return self.chosen(x)

        @wrap
        def fit(self, x):
            self.w += x

    s = Strategy()
    method, scaled = s.linear, Strategy.scaled

    @wrap
    def act(x):
        return method(x) + scaled(x)

    for _ in range(2):
        yield s.act(f32(1))
        yield act(f32(1))
        s.fit(f32(1))
        yield s.act(f32(1))
        s.w[0] = 5
        Strategy.rates[1] = 3
        yield act(f32(1))


PROGRAMS = [
    methods_in_variables,
    a_target_that_was_the_weights, the_best_so_far, a_variable_of_a_closure, lists_that_get_longer, other_objects,
    what_was_none_or_of_the_class, what_a_call_returned, structured_arrays_and_shapes,
]  # fmt: skip


@pytest.mark.parametrize("make", PROGRAMS)
@pytest.mark.filterwarnings("ignore::autograph_lite.RetraceWarning", "ignore::DeprecationWarning")
def test_calls_in_turns(make):
    in_turns(make)


def test_what_no_code_of_the_function_names_costs_no_trace():
    class Simulator:
        def __init__(self):
            self.x, self.history, self.frames = np.ones(2, f32), [], np.zeros((20, 2), f32)

        @convert
        def step(self, dt):
            return self.x * dt

        def run(self):
            for k in range(12):
                self.history.append(np.asarray(self.step(f32(1))))
                self.frames[k] = self.history[-1]

    s = Simulator()
    s.run()
    assert s.step.trace_count == 1


def test_a_gradient_of_what_only_reads():
    class Model:
        def __init__(self):
            self.w = np.ones(2, f32)

        @convert
        def fit(self, x):
            self.w = self.w * x

        @convert
        def loss(self, x):
            return (self.w * x).sum()

    m = Model()
    m.fit(f32(2))
    assert jax.grad(m.loss)(f32(1)) == 4
    m.fit(f32(2))
    assert jax.grad(m.loss)(f32(1)) == 8
    np.testing.assert_array_equal(jax.vmap(m.loss)(jnp.arange(3, dtype=f32)), [0, 8, 16])


def test_a_call_that_carries_state_asks_once_for_its_program(monkeypatch: pytest.MonkeyPatch) -> None:
    class Model:
        def __init__(self):
            self.w = np.zeros(2, np.float32)

        @convert
        def step(self, x):
            self.w = self.w + x
            return self.w.sum()

    model, asked = Model(), []
    for _ in range(3):
        model.step(np.float32(1))
    resolve = Traces._resolve
    monkeypatch.setattr(Traces, "_resolve", lambda *args: (asked.append(1), resolve(*args))[1])
    assert float(model.step(np.float32(1))) == 8
    assert len(asked) == 1
