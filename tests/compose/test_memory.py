"""Do traces go when nothing can call them any more, and do those that stay cost nothing then?"""

from __future__ import annotations

import functools
import gc
import weakref

import jax
import jax.monitoring
import jax.numpy as jnp
import numpy as np
import pytest

from autograph_lite import RetraceWarning, Variable, convert, to_graph
from autograph_lite.runtime.tracing.program import Program
from benchmarks import soak

pytestmark = pytest.mark.filterwarnings(f"ignore::{RetraceWarning.__module__}.RetraceWarning")
COMPILED: list[str] = []
jax.monitoring.register_event_duration_secs_listener(
    lambda event, seconds, **more: COMPILED.append(event) if "backend_compile" in event else None
)
X = jnp.ones(2)


class Thing:
    """An object."""

    def __init__(self, gain=2.0):
        self.gain = gain


def of_thing(x, n=1, thing=None):
    return x * n if thing is None else x + thing.gain


def with_variable():
    count = Variable(0)

    def f(x, n=1, thing=None):
        count.assign_add(1)
        return of_thing(x, n, thing)

    return f


def programs() -> int:
    gc.collect()
    return sum(isinstance(each, Program) for each in gc.get_objects())


@pytest.mark.parametrize("make", [lambda: of_thing, with_variable])
def test_a_death_compiles_nothing_again(make):
    f = convert(make())
    for _ in range(2):
        for n in range(3):
            f(n=n, x=X)
        f(X, thing=Thing())
    assert len(f.concrete_functions) == 3
    before = len(COMPILED)
    for n in range(3):
        assert f(n=n, x=X).tolist() == [n, n]
    assert len(COMPILED) == before


def test_a_trace_goes_with_its_object():
    f = convert(of_thing)
    before = programs()
    for _ in range(5):
        f(X, thing=Thing())
    f(X), f(X)
    assert programs() == before + 1
    assert len(f.concrete_functions) == 1
    assert f.trace_count == 6


def test_an_object_in_a_container_goes_and_its_trace():
    f = convert(lambda x, tree: x + tree["thing"].gain)
    before = programs()
    for _ in range(3):
        f(X, {"thing": Thing()})
    f(X, {"thing": Thing()})
    assert len(f.concrete_functions) == 0
    assert programs() == before


def test_what_an_evicted_trace_holds_is_freed():
    f = convert(lambda x, n: x + jnp.asarray(np.full(2, n)), max_traces=2)
    before = programs()
    for n in range(6):
        assert f(X, n).tolist() == [n + 1] * 2
        assert f(X, n).tolist() == [n + 1] * 2
    assert programs() == before + 2


def test_what_a_cleared_function_holds_is_freed():
    f = convert(of_thing)
    before = programs()
    for n in range(3):
        f(X, n), f(X, n)
    f.clear_cache()
    assert programs() == before


def test_a_function_that_goes_frees_its_traces():
    before = programs()
    f = convert(with_variable())
    for n in range(3):
        f(X, n), f(X, n)
    reference = weakref.ref(f)
    del f
    assert programs() == before
    assert reference() is None


def test_an_exception_keeps_neither_arguments_nor_programs():
    @convert
    def f(x, thing):
        assert x.sum() > 0, "negative"
        return x

    before = programs()
    thing = Thing()
    reference = weakref.ref(thing)
    for _ in range(3):
        with pytest.raises(AssertionError):
            f(-X, thing)
    del thing
    gc.collect()
    assert reference() is None
    assert len(f.concrete_functions) == 0
    assert programs() == before


INSIDE = {
    "call": lambda x: (lambda v: v + x)(1.0),
    "map": lambda x: list(map(lambda v: v + x, [1.0, 2.0])),
    "partial": lambda x: functools.partial(lambda v, w: v * w + x, 2.0)(x),
    "vmap": lambda x: jax.vmap(lambda v: v + x)(jnp.ones(3)),
    "scan": lambda x: jax.lax.scan(lambda c, v: (c + v * x, None), x, jnp.ones((3, 2)))[0],
    "cond": lambda x: jax.lax.cond(x[0] > 0, lambda: x, lambda: -x),
}


@pytest.mark.parametrize("name", INSIDE)
def test_functions_inside_keep_nothing_of_a_trace(name):
    with jax.checking_leaks():
        convert(INSIDE[name])(X)
        jax.jit(to_graph(INSIDE[name]))(X)


def test_a_choice_of_two_lists_keeps_nothing_of_a_trace():
    @convert
    def f(x):
        xs, ys = [x, 2.0], [3.0, x]
        chosen = xs if x > 0 else ys
        return chosen[0] + chosen[1]

    with jax.checking_leaks():
        assert f(jnp.float32(-1)) == 2


def _chosen(x):
    xs, ys = [x, 2.0], [3.0, x]
    chosen = xs if x > 0 else ys
    return chosen[0] + chosen[1]


class Item:
    """Something to hold in a list."""


@pytest.mark.parametrize("around", [lambda fn: fn, jax.grad, jax.vmap], ids=["jit", "grad", "vmap"])
def test_a_choice_of_two_lists_keeps_nothing_of_a_trace_of_somebody_else(around):
    kept = []

    def f(x):
        item = Item()
        kept.append(weakref.ref(item))
        xs, ys = [x, item], [-x, item]
        chosen = xs if x > 0 else ys
        return chosen[0] * 2

    jax.jit(around(to_graph(f)))(X if around is jax.vmap else X[0])
    gc.collect()
    assert kept
    assert all(item() is None for item in kept)


def test_a_choice_of_two_lists_in_a_trace_that_fails_is_forgotten_by_the_next():
    def failing(x):
        return _chosen(x) + x.missing

    with pytest.raises(AttributeError):
        jax.jit(to_graph(failing))(X[0])
    with jax.checking_leaks():
        jax.jit(to_graph(_chosen))(X[0])
        assert convert(_chosen)(jnp.float32(-1)) == 2


def test_a_function_inside_that_fails_keeps_nothing_of_a_trace():
    failing = jax.jit(to_graph(lambda x: list(map(lambda v: v.missing + x, [1.0]))))
    with jax.checking_leaks(), pytest.raises(AttributeError):
        failing(X)


BOUNDS = {
    "literals": 40.0,
    "max_traces": 60.0,
    "objects": 30.0,
    "instances": 30.0,
}  # MiB, after the first fifth


@pytest.mark.slow
def test_100_000_calls_over_1000_signatures_need_no_more_memory():
    (run,) = soak.literals(1000)
    assert soak.growth(run, 100_000) < BOUNDS["literals"]


@pytest.mark.slow
def test_100_000_calls_over_1000_signatures_with_100_traces_need_no_more_memory():
    (run,) = soak.literals(1000, soak.IN_ROW, max_traces=100)
    assert soak.growth(run, 100_000) < BOUNDS["max_traces"]


@pytest.mark.slow
def test_objects_that_die_need_no_more_memory():
    (run,) = soak.dying_objects()
    assert soak.growth(run, 2000) < BOUNDS["objects"]


@pytest.mark.slow
def test_instances_that_die_need_no_more_memory():
    (run,) = soak.dying_instances()
    assert soak.growth(run, 2000) < BOUNDS["instances"]
